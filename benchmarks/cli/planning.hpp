#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/cli/options.hpp"
#include "benchmarks/model/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Which devices this run may use, found without making a CUDA context.
struct Machine {
  BackendKind preferred = BackendKind::host;
  bool cuda = false;
  std::string cuda_missing;
  std::uint64_t device_memory = 0;
  std::string device = "host";  ///< who it is: the GPU's UUID
};
Machine look_at_machine(const Options& options, const Registry& registry);

/// Whether the run starts no workers.
bool runs_in_process(const Options& options);

/// From the experiment file and the flags to the plan. Nothing when something is wrong, with every
/// problem on standard error.
std::optional<Plan> make_plan(const Options& options, const Registry& registry,
                              const Machine& machine);

/// "bench: N problems; nothing was run", below what stands on standard error; returns
/// ExitCode::failure.
int refuse(std::size_t problems);

}  // namespace apod::cli
