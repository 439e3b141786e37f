#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/expand.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Which devices this run may use, found without making a CUDA context.
struct Machine {
  BackendKind preferred = BackendKind::host;
  bool cuda = false;
  std::string cuda_missing;
  std::uint64_t device_memory = 0;
  std::string compute_capability;  ///< of the device, "9.0"; empty: unknown
  std::string device;              ///< the GPU's UUID, or "host" and its processor
};
/// Throws std::runtime_error if the flags ask for a device that does not exist, and if there is a
/// GPU that can't be used and the user did not ask for the host.
Machine look_at_machine(const Options& options, const Registry& registry);

/// Whether the run starts no workers.
bool runs_in_process(const Options& options);

/// The file's experiments that the flags name, with their values. `problems`: of flags alone.
config::LoadOutcome load_experiments(const Options& options, const Registry& registry,
                                     const Machine& machine, std::vector<std::string>& problems);
/// What this machine has for cases, without the flags that narrow a plan.
plan::ExpandOptions expand_options(const Machine& machine);

/// Makes the plan from the experiment file and the flags. Each mistake becomes a line of
/// `problems`; if there are any, nothing must run, even if there is a plan.
std::optional<Plan> make_plan(const Options& options, const Registry& registry,
                              const Machine& machine, std::vector<std::string>& problems);

/// The problems, and how many they are, on standard error; returns ExitCode::failure.
int refuse(const std::vector<std::string>& problems);

}  // namespace apod::cli
