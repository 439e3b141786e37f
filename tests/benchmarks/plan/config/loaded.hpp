#pragma once

/// \file
/// Configs that tests load from a text, and what came of them.

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/plan/config/load.hpp"
#include "tests/support/fake_registry.hpp"

namespace apod::config {

inline LoadOutcome load(const std::string& text, BackendKind backend = BackendKind::cuda,
                        std::vector<std::string> overrides = {}) {
  return load_text(text, "test.yaml", test::fake_registry(), {backend, std::move(overrides)});
}

inline std::string messages(const LoadOutcome& outcome) {
  std::string all;
  for (const auto& diagnostic : outcome.diagnostics) all += to_string(diagnostic) + "\n";
  return all;
}

inline const Axis* find_axis(const Experiment& experiment, const std::string& name) {
  for (const auto& group : experiment.groups) {
    for (const auto& axis : group.axes) {
      if (axis.name == name) return &axis;
    }
  }
  return nullptr;
}

inline std::string values_of(const Experiment& experiment, const std::string& name) {
  const auto* axis = find_axis(experiment, name);
  if (axis == nullptr) return "absent";
  std::string all;
  for (const auto& value : axis->values) all += (all.empty() ? "" : " ") + to_string(value);
  return all;
}

}  // namespace apod::config
