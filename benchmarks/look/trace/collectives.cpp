#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <ranges>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/enclosing_ranges.hpp"
#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/trace/seconds.hpp"
#include "benchmarks/look/trace/step_parts.hpp"

namespace apod::trace {
namespace {

/// Where NCCL tells the part of one rank (the header of each call in its collectives.cc), the size
/// of the collective is n times that. The bus bandwidth is the factor times size / time.
/// Source: nccl-tests, PERFORMANCE.md.
struct NcclCall {
  std::string_view call;
  const char* name;
  bool of_one_rank;
  double (*factor)(double n);
};
constexpr auto as_told = [](double) { return 1.0; };
constexpr auto all_but_own = [](double n) { return (n - 1) / n; };
constexpr std::array<NcclCall, 10> nccl_calls{{
    {"ncclAllReduce", "all-reduce", false, [](double n) { return 2 * (n - 1) / n; }},
    {"ncclAllGather", "all-gather", true, all_but_own},
    {"ncclReduceScatter", "reduce-scatter", true, all_but_own},
    {"ncclAlltoAll", "all-to-all", true, all_but_own},
    {"ncclGather", "gather", true, all_but_own},
    {"ncclScatter", "scatter", true, all_but_own},
    {"ncclBroadcast", "broadcast", false, as_told},
    {"ncclReduce", "reduce", false, as_told},
    {"ncclSend", "send", false, as_told},
    {"ncclRecv", "receive", false, as_told},
}};

constexpr std::string_view group_end = "ncclGroupEnd";

/// The kernels of one call of NCCL, or of one group of calls, by device.
struct CollectiveLaunch {
  std::vector<const NvtxRange*> messages;
  std::map<std::uint32_t, TimeSpan> devices;
  std::vector<std::uint32_t> correlations;  ///< of the kernels
};

/// The calls of a group are before the range of its end, in which the kernels are launched.
std::vector<CollectiveLaunch> collective_launches(const Trace& trace) {
  struct Thread {
    std::vector<const NvtxRange*> messages;  ///< and the starts of outermost groups, by start
    std::size_t next = 0;
    std::size_t depth = 0;
    const NvtxRange* range = nullptr;  ///< of the last launch
    std::size_t place = 0;
  };
  std::map<std::uint32_t, Thread> threads;
  for (const auto& range : trace.ranges) {
    const bool begins = range.name == "ncclGroupStart";
    const bool ends = range.name == group_end;
    if (range.bytes == 0 && !begins && !ends) continue;
    auto& thread = threads[range.thread];
    if (range.bytes > 0 || (begins && thread.depth++ == 0)) thread.messages.push_back(&range);
    if (ends && thread.depth > 0) --thread.depth;
  }
  std::vector<CollectiveLaunch> all;
  if (threads.empty()) return all;
  std::unordered_map<std::uint32_t, const Activity*> kernels;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel || activity.correlation == 0) continue;
    if (kernel_family(activity.name) == KernelFamily::communication)
      kernels[activity.correlation] = &activity;
  }
  EnclosingRanges ranges(
      trace, [](const NvtxRange& range) { return range.bytes > 0 || range.name == group_end; });
  for (const auto& call : trace.calls) {
    const auto kernel = kernels.find(call.correlation);
    if (kernel == kernels.end()) continue;
    const auto& around = ranges.around(call);
    if (around.empty()) continue;
    auto& thread = threads[call.thread];
    if (std::exchange(thread.range, around.back()) != around.back()) {
      thread.place = all.size();
      auto& messages = all.emplace_back().messages;
      for (auto& at = thread.next; at < thread.messages.size(); ++at) {
        if (thread.messages[at]->start_ns > call.start_ns) break;
        // What an earlier group did not launch, a graph may.
        if (thread.messages[at]->bytes == 0) messages.clear();
        if (thread.messages[at]->bytes > 0) messages.push_back(thread.messages[at]);
      }
      if (thread.range->bytes > 0) messages = {thread.range};
    }
    auto& span = all[thread.place].devices[kernel->second->device];
    span = span.with({kernel->second->start_ns, kernel->second->end_ns});
    all[thread.place].correlations.push_back(call.correlation);
  }
  return all;
}

/// A kind of collective as one rank calls it, and what each rank did of it, in order.
struct CollectiveCalls {
  std::vector<std::pair<const NcclCall*, double>> messages;  ///< bytes, as NCCL tells them
  std::map<std::uint32_t, std::vector<TimeSpan>> devices;
};
/// By name, bytes, communicator and the number of its ranks, if that is told.
using CollectiveKinds =
    std::map<std::tuple<std::string, double, std::uint64_t, std::size_t>, CollectiveCalls>;

CollectiveKinds collective_kinds(const std::vector<CollectiveLaunch>& all) {
  CollectiveKinds kinds;
  for (const auto& launched : all) {
    std::vector<std::pair<const NcclCall*, double>> messages;
    std::vector<std::string> names;
    double bytes = 0;
    for (const auto* message : launched.messages) {
      const auto* known = std::ranges::find(nccl_calls, message->name, &NcclCall::call);
      if (known == nccl_calls.end()) continue;
      // A thread may call for all of its devices at once.
      messages.emplace_back(known, static_cast<double>(message->bytes) /
                                       static_cast<double>(launched.devices.size()));
      bytes += messages.back().second;
      if (std::ranges::find(names, known->name) == names.end()) names.emplace_back(known->name);
    }
    const auto is_of_two = [](const auto& one) {
      return one.first->call == "ncclSend" || one.first->call == "ncclRecv";
    };
    // Of a thread that sends for several devices it is not known which of them.
    if (launched.devices.size() > 1 && std::ranges::any_of(messages, is_of_two)) continue;
    if (messages.empty() || messages.size() < launched.messages.size()) continue;
    std::ranges::sort(names);
    const auto& first = *launched.messages[0];
    auto& kind = kinds[{text::joined(names, " + "), bytes, first.communicator, first.ranks}];
    kind.messages = std::move(messages);
    for (const auto& [device, span] : launched.devices) kind.devices[device].push_back(span);
  }
  return kinds;
}

}  // namespace

std::unordered_map<std::uint32_t, std::uint64_t> communicators_of(const Trace& trace) {
  std::unordered_map<std::uint32_t, std::uint64_t> found;
  for (const auto& launched : collective_launches(trace)) {
    if (launched.messages.empty()) continue;
    for (const auto correlation : launched.correlations)
      found[correlation] = launched.messages[0]->communicator;
  }
  return found;
}

std::vector<Collective> measured_collectives(const Trace& trace, std::uint32_t device,
                                             const Steps& steps) {
  std::vector<Collective> collectives;
  if (steps.steady.empty()) return collectives;
  for (const auto& [key, calls] : collective_kinds(collective_launches(trace))) {
    const auto own = calls.devices.find(device);
    if (own == calls.devices.end()) continue;
    const auto& ranks = calls.devices;
    // Earlier versions of NCCL name no communicator: there may be two of two devices, or more.
    const bool may_be_several = std::get<2>(key) == 0 && ranks.size() > 3;
    // A recording may be of one rank alone.
    const auto all_ranks = std::max(ranks.size(), std::get<3>(key));
    if (all_ranks < 2 || may_be_several) continue;
    // A recording may lack the size or the end of a call. Those behind it are of the same size.
    const auto number_of = [](const auto& rank) { return rank.second.size(); };
    const auto common = std::ranges::min(ranks | std::views::transform(number_of));
    Collective& one = collectives.emplace_back();
    one.name = std::get<0>(key);
    one.ranks = all_ranks;
    for (std::size_t i = 0; i < common; ++i) {
      const auto start_ns = own->second[i].start_ns;
      if (start_ns < steps.steady.front().start_ns || start_ns >= steps.steady.back().end_ns)
        continue;
      double shortest = std::numeric_limits<double>::max();
      for (const auto& [rank, spans] : ranks)
        shortest = std::min(shortest, seconds(spans[i].start_ns, spans[i].end_ns));
      one.time.add(shortest);
    }
    // Sends and receives go both ways at once.
    struct Direction {
      double bytes = 0, of_bus = 0;
    };
    Direction sent;
    Direction received;
    for (const auto& [operation, bytes] : calls.messages) {
      const double size = bytes * (operation->of_one_rank ? static_cast<double>(one.ranks) : 1);
      auto& way = operation->call == "ncclRecv" ? received : sent;
      way.bytes += size;
      way.of_bus += size * operation->factor(static_cast<double>(one.ranks));
    }
    one.bytes = std::max(sent.bytes, received.bytes);
    one.bus_bytes_per_s = std::max(sent.of_bus, received.of_bus) / one.time.mean_s();
  }
  std::erase_if(collectives, [](const Collective& one) { return !(one.time.total_s > 0); });
  std::ranges::stable_sort(collectives, [](const Collective& a, const Collective& b) {
    return a.time.total_s > b.time.total_s;
  });
  return collectives;
}

}  // namespace apod::trace
