#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/trace/seconds.hpp"
#include "benchmarks/look/trace/step_parts.hpp"

namespace apod::trace {
namespace {

using Kernels = std::vector<const Activity*>;
using ByDevice = std::map<std::uint32_t, Kernels>;
using Collectives = std::map<std::pair<std::string_view, std::uint64_t>, ByDevice>;

/// Whether no rank can end before the last one has begun; the root of a broadcast can.
bool ends_together(const std::string& kernel) {
  static constexpr std::array<std::string_view, 8> words{
      "allreduce",     "all_reduce",     "allgather", "all_gather",
      "reducescatter", "reduce_scatter", "alltoall",  "all_to_all"};
  return kernel_family(kernel) == KernelFamily::communication &&
         text::holds_any(text::lower(kernel), words);
}

Collectives collectives_of(const Trace& trace) {
  Collectives collectives;
  auto communicators = communicators_of(trace);
  std::unordered_map<std::string_view, bool> known_names;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    const auto [known, is_new] = known_names.try_emplace(activity.name, false);
    if (is_new) known->second = ends_together(activity.name);
    if (!known->second) continue;
    const auto communicator = communicators[activity.correlation];
    collectives[{activity.name, communicator}][activity.device].push_back(&activity);
  }
  return collectives;
}

/// 0 where the clocks are one: any two collectives of a name overlap, also where a recording lacks
/// some of them.
std::int64_t offset_of(const Collectives& collectives, std::uint32_t device, std::uint32_t first) {
  std::vector<std::int64_t> differences;
  for (const auto& [name, by_device] : collectives) {
    const auto theirs = by_device.find(device);
    const auto mine = by_device.find(first);
    if (theirs == by_device.end() || mine == by_device.end()) continue;
    auto b = theirs->second.begin();
    for (const auto* a : mine->second) {
      while (b != theirs->second.end() && (*b)->end_ns <= a->start_ns) ++b;
      if (b != theirs->second.end() && (*b)->start_ns < a->end_ns) return 0;
    }
    if (theirs->second.size() != mine->second.size()) continue;
    for (std::size_t i = 0; i < mine->second.size(); ++i)
      differences.push_back(theirs->second[i]->end_ns - mine->second[i]->end_ns);
  }
  if (differences.empty()) return 0;
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  return *middle;
}

/// The part that takes so much more on the device for which `steps` wait.
void explain(const std::vector<DeviceSteps>& devices, Steps& steps) {
  const auto mine = steps.mean();
  for (const auto& last : devices) {
    if (last.device != steps.last_device) continue;
    steps.last_wait = last.steps.wait;
    const auto theirs = last.steps.mean();
    for (std::size_t i = 0; i < step_parts; ++i) {
      const auto part = static_cast<StepPart>(i);
      const double more = theirs[part] - mine[part];
      if (part == StepPart::communication || more <= steps.last_more_s) continue;
      steps.last_part = part;
      steps.last_more_s = more;
    }
  }
}

/// Bytes that each device copies to the host in a steady step.
std::map<std::uint32_t, double> downloads_of(const Trace& trace,
                                             const std::vector<DeviceSteps>& devices) {
  std::map<std::uint32_t, double> downloads;
  for (const auto& [device, steps] : devices) {
    for (const auto& one : trace.activities) {
      const bool counts = one.device == device && one.kind == Activity::Kind::copy &&
                          one.source == MemoryKind::device && one.target != MemoryKind::device &&
                          !steps.steady.empty() && one.start_ns >= steps.steady[0].start_ns &&
                          one.start_ns < steps.steady.back().end_ns;
      if (counts)
        downloads[device] +=
            static_cast<double>(one.bytes) / static_cast<double>(steps.steady.size());
    }
  }
  return downloads;
}

}  // namespace

std::vector<ClockOffset> find_skew(const Trace& trace, std::vector<DeviceSteps>& devices) {
  std::vector<ClockOffset> offsets;
  if (devices.size() < 2) return offsets;
  const auto collectives = collectives_of(trace);
  std::map<std::uint32_t, std::int64_t> ahead;
  for (const auto& [device, steps] : devices) {
    ahead[device] =
        device == devices[0].device ? 0 : offset_of(collectives, device, devices[0].device);
    if (ahead[device] != 0) offsets.push_back({device, ahead[device]});
  }
  auto downloads = downloads_of(trace, devices);
  for (auto& [device, steps] : devices) {
    for (const auto& other : devices)
      steps.others_bytes += other.device == device ? 0 : downloads[other.device];
  }
  const auto start_of = [&](const Activity& one) { return one.start_ns - ahead[one.device]; };
  for (auto& [device, steps] : devices) {
    if (steps.steady.empty()) continue;
    double waited_s = 0;
    std::map<std::uint32_t, double> for_whom;
    for (const auto& [name, by_device] : collectives) {
      const auto own = by_device.find(device);
      if (own == by_device.end() || by_device.size() < 2) continue;
      for (std::size_t i = 0; i < own->second.size(); ++i) {
        const auto& mine = *own->second[i];
        if (mine.start_ns < steps.steady.front().start_ns ||
            mine.start_ns >= steps.steady.back().end_ns) {
          continue;
        }
        const auto end = start_of(mine) + mine.end_ns - mine.start_ns;
        const Activity* last = &mine;
        for (const auto& [other, theirs] : by_device) {
          if (theirs.size() != own->second.size()) continue;
          // What begins later than this one ends is another collective.
          const auto start = start_of(*theirs[i]);
          if (start > start_of(*last) && start < end) last = theirs[i];
        }
        const double wait = seconds(start_of(mine), start_of(*last));
        waited_s += wait;
        for_whom[last->device] += wait;
      }
    }
    const auto most = std::ranges::max_element(
        for_whom, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == for_whom.end() || most->second <= 0) continue;
    steps.skew_s = waited_s / static_cast<double>(steps.steady.size());
    steps.last_device = most->first;
    explain(devices, steps);
  }
  return offsets;
}

}  // namespace apod::trace
