#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// Why no CUDA variant can run here, if none was built.
inline constexpr const char* cuda_not_built =
    "this build has no CUDA backend (install nvcc, and build the preset cuda)";

struct ExpandOptions {
  bool cuda_available = true;
  std::string cuda_missing_reason;        ///< e.g. "no GPU in this machine"; for the skip reason
  std::string compute_capability;         ///< of the device, "9.0"; empty: unknown, not checked
  std::uint64_t device_memory_bytes = 0;  ///< 0: unknown, not checked
  std::uint64_t host_memory_bytes = 0;    ///< 0: unknown, not checked
  text::Pattern filter;                   ///< in Case::id; empty keeps all
  std::vector<std::string> only;          ///< ids, each of a case; empty keeps all
  std::string only_file;                  ///< the file that they are from
  std::size_t max_cases = most_cases;     ///< more is refused, with the count
};

struct ExpandOutcome {
  std::optional<Plan> plan;  ///< only when nothing is wrong
  Diagnostics diagnostics;   ///< in_order, including those found before
  /// Remarks on a plan without mistakes: "2 expect rules select no case of this run (--filter or
  /// --only)".
  std::vector<std::string> notes;
};

/// The product of every experiment's axes, minus `exclude`, plus `include`; defaults filled in,
/// baselines linked, cases that can't run marked with the reason. Deterministic. `found` are the
/// problems of reading the config: the experiments that could be read are expanded all the same, so
/// that problems of their cases are reported too.
ExpandOutcome expand(const ExperimentConfig& config, const Registry& registry,
                     const ExpandOptions& options, Diagnostics found = {});

}  // namespace apod::plan
