#pragma once

/// \file
/// What reading and planning a text come to together.

#include <string>
#include <vector>

#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/expand.hpp"
#include "tests/support/fake_registry.hpp"

namespace apod::plan {

struct Flags {
  std::vector<std::string> set{};
  BackendKind backend = BackendKind::cuda;
  Registry registry = test::fake_registry();
};

struct Blocked : Variant {
  void compute(const Task&) const override {}
  std::vector<AxisSpec> axes() const override {
    return {{.name = "block", .help = "threads", .default_value = std::int64_t{256}}};
  }
};

/// With a variant `blocked` of `sum` that has an axis `block` of its own.
inline Flags with_blocked(std::vector<std::string> set = {}) {
  Flags flags{.set = std::move(set)};
  flags.registry.add(
      {"sum", "blocked", BackendKind::host, "", [] { return std::make_unique<Blocked>(); }});
  return flags;
}

/// Of the text of a whole file.
inline ExpandOutcome plan_file(const std::string& text, const std::string& path,
                               const ExpandOptions& options = {}, const Flags& flags = {}) {
  const auto loaded = config::load_text(text, path, flags.registry, {flags.backend, flags.set});
  if (!loaded.config) return {std::nullopt, loaded.diagnostics, {}};
  return expand(*loaded.config, flags.registry, options, loaded.diagnostics);
}

/// Of the items of `experiments:`, which begin in line 3 of t.yaml.
inline ExpandOutcome plan_of(const std::string& experiments, const ExpandOptions& options = {},
                             const Flags& flags = {}) {
  return plan_file("schema: 1\nexperiments:\n" + experiments, "t.yaml", options, flags);
}

inline std::string messages(const ExpandOutcome& outcome) {
  std::string all;
  for (const auto& diagnostic : outcome.diagnostics) all += to_string(diagnostic) + "\n";
  return all;
}

inline std::string messages(const std::string& experiments, const ExpandOptions& options = {},
                            const Flags& flags = {}) {
  return messages(plan_of(experiments, options, flags));
}

using Words = std::vector<std::string>;

inline Words ids(const ExpandOutcome& outcome) {
  Words all;
  if (!outcome.plan) return all;
  for (const auto& c : outcome.plan->cases) all.push_back(c.id);
  return all;
}

}  // namespace apod::plan
