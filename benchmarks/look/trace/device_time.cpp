#include "benchmarks/look/trace/device_time.hpp"

namespace apod::trace {
namespace {

/// Whether a call ends no earlier than work of the device.
bool waits(const ApiCall& call) {
  const auto part = part_of(call);
  return (part == StepPart::waiting || part == StepPart::copy_calls) &&
         call.name.find("Async") == std::string::npos;
}

}  // namespace

DeviceTime::DeviceTime(const Trace& trace, std::uint32_t device) {
  for (const auto& activity : trace.activities) {
    if (activity.device != device) continue;
    operations.push_back(&activity);
    if (activity.correlation != 0) launches.try_emplace(activity.correlation);
  }
  std::ranges::stable_sort(operations, {}, &Activity::start_ns);
  std::unordered_map<std::uint32_t, std::int64_t> last;
  std::unordered_set<std::uint32_t> waited;  // threads
  for (const auto& call : trace.calls) {
    const auto found = launches.find(call.correlation);
    if (found != launches.end() && found->second.call == nullptr) {
      auto& launch = found->second;
      launch.call = &call;
      launch.behind_wait = waited.erase(call.thread) > 0;
      threads.insert(call.thread);
      const auto [before, is_first] = last.try_emplace(call.thread, call.start_ns);
      if (!is_first && call.start_ns - before->second < no_call_ns)
        launch.interval_ns = call.start_ns - before->second;
      before->second = call.start_ns;
    }
    if (waits(call)) waited.insert(call.thread);
  }
  std::unordered_set<std::string_view> seen;
  for (const auto* one : operations) {
    if (one->kind != Activity::Kind::kernel || one->correlation == 0) continue;
    if (seen.insert(one->name).second) first_launches.insert(one->correlation);
  }
  measure_latency();
}

void DeviceTime::measure_latency() {
  constexpr std::int64_t most_ns = 20'000;
  std::vector<std::int64_t> all;
  for (const auto* one : operations) {
    const auto* call = call_of(*one);
    if (call != nullptr && one->start_ns > call->end_ns)
      all.push_back(one->start_ns - call->end_ns);
  }
  if (all.empty()) return;
  const auto low = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 20);
  std::nth_element(all.begin(), low, all.end());
  latency_ns = std::min(*low, most_ns);
}

}  // namespace apod::trace
