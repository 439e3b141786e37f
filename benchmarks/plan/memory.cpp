#include "benchmarks/plan/memory.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/plan/places.hpp"

namespace apod::plan {
namespace {

struct Need {
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;
  const char* what = "";
  const Case* of = nullptr;
};

/// The larger of what is missing on the device and on the host; nothing when the case fits.
Need shortage(const CaseMemory& memory, BackendKind backend, const ExpandOptions& options) {
  // The host backend's device memory is the host's.
  const bool host = backend == BackendKind::host;
  const Need device{host ? 0 : memory.device_bytes, options.device_memory_bytes, "device memory"};
  const Need ram{memory.host_bytes + (host ? memory.device_bytes : 0), options.host_memory_bytes,
                 "host memory"};
  for (const auto& need : {device, ram}) {
    if (need.limit > 0 && need.bytes > need.limit) return need;
  }
  return {};
}

/// The axes beside the size that the case owes much of its memory to: with half of the value it
/// would take three quarters, or less.
std::vector<std::string> multipliers(const Plan& plan, const Case& c, const Registry& registry) {
  const auto bytes = [&](const Case& of) {
    const auto memory = memory_of(plan, of, registry);
    return memory.device_bytes + memory.host_bytes;
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : c.params.entries()) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (name == size_axis || number == nullptr || *number <= 1) continue;
    Case less = c;
    less.params.set(name, *number / 2);
    const auto& shared = plan.experiment_of(c);
    if (!family_of(registry, shared)->rejects(less.params) && bytes(less) <= bytes(c) / 4 * 3) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

CaseMemory memory_of(const Plan& plan, const Case& c, const Registry& registry) {
  const auto& experiment = plan.experiment_of(c);
  const auto* family = family_of(registry, experiment);
  if (family == nullptr) return {};
  const auto footprint = family->footprint(c.params);
  CaseMemory memory;
  memory.device_bytes = footprint.input_bytes + footprint.output_bytes + footprint.scratch_bytes;
  // The data and the output that is verified; end to end, also the buffers of the transfers, which
  // are of the kind of host memory that the case asks for.
  memory.host_bytes = footprint.input_bytes + footprint.output_bytes;
  if (experiment.scope == Scope::end_to_end) memory.host_bytes *= 2;
  // A kernel file is checked with two further problems, and each keeps its reference too.
  if (experiment.kernel) memory.host_bytes *= 4;
  // Each of the programs has data and buffers of its own.
  const auto programs = static_cast<std::uint64_t>(c.params.integer_or("programs", 1));
  memory.device_bytes *= programs;
  memory.host_bytes *= programs;
  return memory;
}

void check_memory(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                  const ExpandOptions& options, Diagnostics& diagnostics) {
  // The worst case of each size of each experiment; the key keeps the order of the plan.
  std::map<std::pair<std::size_t, AxisValue>, Need> worst;
  std::set<std::size_t> failed;
  for (const auto& c : plan.cases) {
    if (!c.skip.empty() || failed.count(c.experiment) > 0) continue;
    try {
      auto need = shortage(memory_of(plan, c, registry), c.backend, options);
      need.of = &c;
      const auto* size = c.params.find(size_axis);
      auto& entry = worst[{c.experiment, size == nullptr ? AxisValue{} : *size}];
      if (need.bytes > entry.bytes) entry = need;
    } catch (const std::exception& error) {
      failed.insert(c.experiment);
      diagnostics.push_back(
          {config.path, config.experiments[c.experiment].place, c.id + ": " + error.what(), ""});
    }
  }
  for (const auto& [key, need] : worst) {
    if (need.bytes == 0) continue;
    const auto& experiment = config.experiments[key.first];
    std::string with;
    std::string less;
    for (const auto& name : multipliers(plan, *need.of, registry)) {
      with +=
          (with.empty() ? " with " : ", ") + name + " " + to_string(*need.of->params.find(name));
      less += (less.empty() ? ", or a smaller value of " : ", ") + name;
    }
    diagnostics.push_back(
        {config.path, place_of_value(experiment, size_axis, key.second, experiment.place),
         std::string(size_axis) + " " + to_string(key.second) + with + " needs " +
             text::format_bytes(static_cast<double>(need.bytes)) + " of " + need.what +
             ", and there is " + text::format_bytes(static_cast<double>(need.limit)),
         "use a smaller size" + less});
  }
}

}  // namespace apod::plan
