#pragma once

/// \file
/// The cases of a run: the product of all axes.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "kernels/api/workload.hpp"

namespace apod {

/// Of a plan, of a result and of a side of a comparison, so that no file exhausts the memory.
constexpr std::size_t most_cases = 1'000'000;

/// One point of an experiment's axes.
struct Case {
  std::size_t index = 0;       ///< position in the plan
  std::size_t experiment = 0;  ///< position in Plan::experiments
  /// "streams/normalize/grid_stride/size:1000000/streams:4/host_memory:pinned": the experiment's
  /// name, then workload/variant if the name does not say it, then the axes. Unique in the plan.
  std::string id;
  std::string variant;
  Params params;  ///< every axis of the workload with its value, defaults included
  BackendKind backend = BackendKind::host;
  std::optional<std::size_t> baseline;  ///< index of the case it is compared with; never itself
  bool answers = false;  ///< its change against the baseline answers the study's question
  std::string skip;      ///< why it won't run; empty: it runs
  /// The wanted cases among those found in its output; empty: all.
  std::vector<std::string> wanted{};
};

struct Plan {
  std::string name;
  std::string description;
  std::string config_path;
  std::string config_text;
  std::vector<Experiment> experiments;
  std::vector<Case> cases;

  const Experiment& experiment_of(const Case& c) const { return experiments[c.experiment]; }
};

/// Whether nothing else of the study may be measured on its machine meanwhile. By default, only
/// kernels that are timed on their GPU are measured beside others, because GPUs share their links
/// and processors.
inline bool runs_alone(const Experiment& experiment, const Case& c) {
  const bool is_kernel =
      experiment.scope == Scope::kernel && c.backend == BackendKind::cuda && !experiment.command;
  return experiment.measure.exclusive.value_or(!is_kernel);
}

}  // namespace apod
