#include "benchmarks/look/trace/devices.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "benchmarks/look/trace/seconds.hpp"

namespace apod::trace {

std::vector<std::uint32_t> devices_of(const Trace& trace) {
  std::map<std::uint32_t, double> busy_s;
  for (const auto& activity : trace.activities) {
    busy_s[activity.device] += seconds_of(activity);
  }
  std::vector<std::uint32_t> devices;
  for (const auto& [device, time] : busy_s) devices.push_back(device);
  std::stable_sort(devices.begin(), devices.end(),
                   [&](auto a, auto b) { return busy_s[a] > busy_s[b]; });
  return devices;
}

Trace on_device(Trace trace, std::uint32_t device) {
  std::unordered_set<std::uint32_t> elsewhere;
  for (const auto& activity : trace.activities) {
    if (activity.device != device) elsewhere.insert(activity.correlation);
  }
  elsewhere.erase(0);
  // One call may give work to several devices: a graph, or a copy between two.
  for (const auto& activity : trace.activities) {
    if (activity.device == device) elsewhere.erase(activity.correlation);
  }
  std::erase_if(trace.activities, [&](const auto& activity) { return activity.device != device; });
  std::erase_if(trace.calls,
                [&](const auto& call) { return elsewhere.contains(call.correlation); });
  return trace;
}

}  // namespace apod::trace
