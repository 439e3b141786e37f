#pragma once

/// \file
/// An experiment file in, an ExperimentConfig out. The only home of yaml-cpp.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/model/experiment.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

struct LoadOptions {
  /// The backend the run prefers. With `host`, each experiment's `host:` block takes the place of
  /// the keys it names.
  BackendKind backend = BackendKind::cuda;
  /// "axis=value[,value...]" (the axis of every experiment that has or may have it) or
  /// "measure-key=value" (precision, processes, cache ...), as given with --set.
  std::vector<std::string> overrides;
};

/// A config when there is nothing wrong, all diagnostics otherwise.
struct LoadOutcome {
  std::optional<ExperimentConfig> config;
  Diagnostics diagnostics;
};

LoadOutcome load_file(const std::string& path, const Registry& registry,
                      const LoadOptions& options);
/// The same for a text already read; `path` serves messages and relative data files.
LoadOutcome load_text(const std::string& text, const std::string& path, const Registry& registry,
                      const LoadOptions& options);

/// The axes that an experiment with this workload and scope may name: variant, the family's own,
/// and in end_to_end scope streams, host_memory and stream_pool. What `--list` prints.
std::vector<AxisSpec> axes_of(const Registry& registry, const Family& family, Scope scope);

}  // namespace apod::config
