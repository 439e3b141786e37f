#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Which devices this run may use, found without making a CUDA context.
struct Machine {
  BackendKind preferred = BackendKind::host;
  bool cuda = false;
  std::string cuda_missing;
  std::uint64_t device_memory = 0;
  std::string device;  ///< who it is: the GPU's UUID, or "host" and its processor
};
/// Throws std::runtime_error where the flags ask for a device that is not there, and where there is
/// a GPU that can't be used and nobody asked for the host.
Machine look_at_machine(const Options& options, const Registry& registry);

/// Whether the run starts no workers.
bool runs_in_process(const Options& options);

/// From the experiment file and the flags to the plan. What is wrong with them becomes a line each
/// of `problems`; where there is any, nothing must be run, even when there is a plan.
std::optional<Plan> make_plan(const Options& options, const Registry& registry,
                              const Machine& machine, std::vector<std::string>& problems);

/// The problems, and how many they are, on standard error; returns ExitCode::failure.
int refuse(const std::vector<std::string>& problems);

}  // namespace apod::cli
