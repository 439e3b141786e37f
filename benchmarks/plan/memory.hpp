#pragma once

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/plan/expand.hpp"

namespace apod::plan {

/// Peak memory of one case, of all its programs together: device bytes (buffers of all chunks) and
/// host bytes (data, staging).
struct CaseMemory {
  std::uint64_t device_bytes = 0;
  std::uint64_t host_bytes = 0;
};
CaseMemory memory_of(const Plan& plan, const Case& c, const Registry& registry);

/// Adds one diagnostic for each size of an experiment whose cases need more memory than the machine
/// has, at the place where the config names that size. Cases that won't run are ignored.
void check_memory(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                  const ExpandOptions& options, Diagnostics& diagnostics);

}  // namespace apod::plan
