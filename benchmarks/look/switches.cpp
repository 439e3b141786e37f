#include "benchmarks/look/switches.hpp"

#include <algorithm>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"

namespace apod::look {
namespace {

constexpr std::array switches{
    Switch{"tf32",
           "NVIDIA's libraries and PyTorch multiply fp32 matrices in TF32",
           {{{"NVIDIA_TF32_OVERRIDE", "1"}, {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1"}}},
           "unused-tensor-cores",
           Framework::cuda,
           8},
    Switch{"eager-loading",
           "all code is loaded at the start, not at the first launch of each kernel",
           {{{"CUDA_MODULE_LOADING", "EAGER"}}},
           "first-use"},
    Switch{"lazy-loading",
           "code is loaded at the first launch of each kernel (the default since CUDA 12.2)",
           {{{"CUDA_MODULE_LOADING", "LAZY"}}},
           ""},
    Switch{"async-allocator",
           "PyTorch and TensorFlow allocate with cudaMallocAsync",
           {{{"PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync", ","},
             {"TF_GPU_ALLOCATOR", "cuda_malloc_async"}}},
           "allocation-in-loop",
           Framework::tensorflow},
    Switch{"expandable-segments",
           "PyTorch's allocator grows its segments instead of allocating new ones",
           {{{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", ","}}},
           "allocation-in-loop",
           Framework::pytorch},
    Switch{"32-connections",
           "32 hardware queues instead of 8, so that streams wait less for each other",
           {{{"CUDA_DEVICE_MAX_CONNECTIONS", "32"}}},
           ""},
    Switch{"1-connection",
           "one hardware queue: operations start in launch order",
           {{{"CUDA_DEVICE_MAX_CONNECTIONS", "1"}}},
           ""},
    Switch{"1-thread",
           "OpenMP and MKL use one thread in each process",
           {{{"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}}},
           ""},
    Switch{"latency-hiding",
           "XLA runs communication at the same time as kernels",
           {{{"XLA_FLAGS", "--xla_gpu_enable_latency_hiding_scheduler=true", " "}}},
           "exposed-communication",
           Framework::jax}};

const Switch* find_switch(std::string_view name) {
  const auto found =
      std::ranges::find_if(switches, [&](const Switch& one) { return one.name == name; });
  return found == switches.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Switch> known_switches() {
  return switches;
}

std::vector<std::pair<std::string, std::string>> variables_of(const std::string& name) {
  if (const auto equals = name.find('='); equals != std::string::npos && equals > 0)
    return {{name.substr(0, equals), name.substr(equals + 1)}};
  const auto* found = find_switch(name);
  if (found == nullptr) {
    throw std::invalid_argument(
        "'" + text::printable(name) + "' is not a known switch: write one of " +
        text::joined(switches, ", ", &Switch::name) + ", or VARIABLE=VALUE");
  }
  std::vector<std::pair<std::string, std::string>> variables;
  for (const auto& [variable, value, joined_by] : found->variables) {
    if (variable.empty()) continue;
    const char* held = joined_by.empty() ? nullptr : std::getenv(std::string(variable).c_str());
    const bool holds = held != nullptr && *held != '\0';
    variables.emplace_back(variable,
                           (holds ? held + std::string(joined_by) : std::string()).append(value));
  }
  return variables;
}

std::string_view finding_of_switch(std::string_view name) {
  const auto* found = find_switch(name);
  return found == nullptr ? std::string_view() : found->finding;
}

void name_switches(Framework framework, const DeviceFacts& device, std::vector<Finding>& findings) {
  for (auto& finding : findings) {
    const auto found = std::ranges::find_if(switches, [&](const Switch& one) {
      return one.finding == finding.id && one.least_capability <= capability(device) &&
             (one.framework == Framework::cuda || one.framework == framework);
    });
    if (found == switches.end()) continue;
    finding.advice.append(" (to measure the gain: bench inspect --try ")
        .append(found->name)
        .append(" -- ...)");
  }
}

}  // namespace apod::look
