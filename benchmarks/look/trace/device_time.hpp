#pragma once

/// \file
/// What one device did, and which calls of the host made it do so. Internal to trace/.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/look/trace/host_time.hpp"

namespace apod::trace {

/// The call that made an operation.
struct Launch {
  const ApiCall* call = nullptr;
  std::int64_t interval_ns = 0;  ///< since the launch before on its thread; 0: none, or long ago
  bool behind_wait = false;      ///< its thread waited for the device since then
};

/// What one device did, and what made it do so.
struct DeviceTime {
  std::vector<const Activity*> operations;  ///< by start
  std::unordered_map<std::uint32_t, Launch> launches;
  std::unordered_set<std::uint32_t> threads;
  std::unordered_set<std::uint32_t> first_launches;  ///< correlations
  /// From the end of a launch to the start of its operation, where nothing keeps it waiting.
  std::int64_t latency_ns = 0;

  DeviceTime(const Trace& trace, std::uint32_t device);
  const ApiCall* call_of(const Activity& operation) const {
    const auto found = launches.find(operation.correlation);
    return found == launches.end() ? nullptr : found->second.call;
  }
  std::int64_t launched_at(const Activity& operation) const {
    const auto* call = call_of(operation);
    return call == nullptr ? operation.start_ns : call->start_ns;
  }

 private:
  void measure_latency();
};

/// Calls `busy(part, from, to)` for each piece in which something ran, and `gap(next, from, to)`
/// for each in which nothing did, with the operations before and behind it.
template <class Busy, class Gap>
void sweep(const std::vector<const Activity*>& operations, const Busy& busy, const Gap& gap) {
  constexpr std::array parts{StepPart::kernels, StepPart::communication, StepPart::copies};
  std::array<int, parts.size()> open{};
  std::unordered_map<std::string_view, std::size_t> of_kernels;
  const auto part_of_kernel = [&](const std::string& name) {
    const auto [found, is_new] = of_kernels.try_emplace(name, 0);
    if (is_new && kernel_family(name) == KernelFamily::communication) found->second = 1;
    return found->second;
  };
  using End = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;  // the earliest first
  std::int64_t now = operations.empty() ? 0 : operations.front()->start_ns;
  const Activity* last = nullptr;  // to end
  const auto advance = [&](std::int64_t to) {
    if (to <= now) return;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (open[i] == 0) continue;
      busy(parts[i], now, to);
      break;
    }
    now = to;
  };
  const auto end_first = [&] {
    advance(ends.top().first);
    --open[ends.top().second];
    ends.pop();
  };
  for (const auto* one : operations) {
    while (!ends.empty() && ends.top().first <= one->start_ns) end_first();
    if (ends.empty() && one->start_ns > now) {
      gap(*last, *one, now, one->start_ns);
      now = one->start_ns;
    }
    if (last == nullptr || one->end_ns >= last->end_ns) last = one;
    advance(one->start_ns);
    const auto part =
        one->kind == Activity::Kind::kernel ? part_of_kernel(one->name) : std::size_t{2};
    if (one->end_ns <= now) continue;
    ++open[part];
    ends.emplace(one->end_ns, part);
  }
  while (!ends.empty()) end_first();
}

/// A gap taken apart. Before an operation that was queued when the gap began the device paused by
/// itself; else the host decides.
template <class Visit>
void walk_gap(const DeviceTime& device, const HostTime& host, const Activity& next,
              std::int64_t from, std::int64_t to, const Visit& visit) {
  const auto* call = device.call_of(next);
  if (call == nullptr) return host.walk(from, to, visit);
  if (call->end_ns + device.latency_ns <= from) return visit(StepPart::between, from, to);
  const auto ended = std::clamp(call->end_ns, from, to);
  host.walk(from, ended, visit);
  // What begins so late after its launch waited for something else, such as another stream.
  const auto queued = to - ended < no_call_ns ? to : ended + device.latency_ns;
  if (ended < queued) visit(StepPart::launching, ended, queued);
  if (queued < to) visit(StepPart::between, queued, to);
}

}  // namespace apod::trace
