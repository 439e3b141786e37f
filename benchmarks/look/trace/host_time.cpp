#include "benchmarks/look/trace/host_time.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "benchmarks/base/text/plain.hpp"

namespace apod::trace {
namespace {

/// A shorter query (cudaGetDevice, cudaFuncGetAttributes) belongs to the launch that follows.
constexpr std::int64_t short_call_ns = 20'000;

/// "MemcpyAsync" of "cudaMemcpyAsync", "cuMemcpyAsync" and "hipMemcpyAsync": names of one thing.
std::string_view without_interface(std::string_view name) {
  for (const std::string_view interface : {"cuda", "cu", "hip"})
    if (name.starts_with(interface)) return name.substr(interface.size());
  return {};
}

/// The order in which parts explain an instant; those of higher rank go first.
constexpr std::array ranked{StepPart::waiting,    StepPart::other_calls, StepPart::launching,
                            StepPart::copy_calls, StepPart::allocating,  StepPart::loading,
                            StepPart::recorder};

std::size_t rank_of(StepPart part) {
  return static_cast<std::size_t>(std::ranges::find(ranked, part) - ranked.begin());
}

struct Change {
  std::int64_t at_ns;
  std::uint8_t rank;
  std::int8_t by;  ///< 1 or -1
};

}  // namespace

bool is_launch(const ApiCall& call) {
  return text::begins_with_any(
      without_interface(call.name),
      {"Launch", "GraphLaunch", "ModuleLaunch", "ExtLaunch", "ExtModuleLaunch"});
}

StepPart part_of(const ApiCall& call) {
  const auto begins = [name = without_interface(call.name)](auto... words) {
    return text::begins_with_any(name, {std::string_view(words)...});
  };
  if (is_launch(call)) return StepPart::launching;
  if (call.name.find("Synchronize") != std::string::npos) return StepPart::waiting;
  if (begins("Memcpy", "Memset", "MemPrefetch")) return StepPart::copy_calls;
  if (begins("Malloc", "Free", "HostAlloc", "HostRegister", "MemAlloc", "MemFree", "MemHost",
             "MemCreate", "MemMap", "MemSetAccess"))
    return StepPart::allocating;
  if (begins("Module", "Library", "Link", "Func", "Kernel", "GraphInstantiate"))
    return StepPart::loading;
  return StepPart::other_calls;
}

bool is_of_recorder(const Overhead& overhead) {
  return overhead.kind != "compiler" && overhead.kind.find("loading") == std::string::npos;
}

HostTime::HostTime(const Trace& trace, const std::unordered_set<std::uint32_t>& threads,
                   const std::unordered_set<std::uint32_t>& first_launches) {
  std::vector<Change> changes;
  const auto add = [&](std::int64_t from, std::int64_t to, StepPart part) {
    if (to <= from) return;
    const auto rank = static_cast<std::uint8_t>(rank_of(part));
    changes.push_back({from, rank, 1});
    changes.push_back({to, rank, -1});
  };
  for (const auto& call : trace.calls) {
    if (!threads.empty() && !threads.contains(call.thread)) continue;
    auto part = part_of(call);
    const auto length = call.end_ns - call.start_ns;
    const bool first = first_launches.contains(call.correlation) && length >= loading_launch_ns;
    if (part == StepPart::launching && first) part = StepPart::loading;
    const bool query = part == StepPart::other_calls || part == StepPart::loading;
    if (query && length < short_call_ns) part = StepPart::launching;
    add(call.start_ns, call.end_ns, part);
  }
  for (const auto& overhead : trace.overheads) {
    // Buffers are flushed by a thread of the recorder, beside the program.
    if (overhead.kind == "buffer flush") continue;
    add(overhead.start_ns, overhead.end_ns,
        is_of_recorder(overhead) ? StepPart::recorder : StepPart::loading);
  }
  std::ranges::sort(changes, {}, &Change::at_ns);
  std::array<int, ranked.size()> open{};
  std::int64_t last_end = INT64_MIN;
  const auto push = [&](std::int64_t at, StepPart part) {
    if (!segments_.empty() && segments_.back().start_ns == at) segments_.pop_back();
    if (segments_.empty() || segments_.back().part != part) segments_.push_back({at, part});
  };
  for (std::size_t i = 0; i < changes.size();) {
    const auto at = changes[i].at_ns;
    const bool was_idle = std::ranges::all_of(open, [](int n) { return n == 0; });
    if (was_idle && last_end != INT64_MIN && at - last_end < no_call_ns && at > last_end)
      push(last_end, StepPart::launching);
    for (; i < changes.size() && changes[i].at_ns == at; ++i)
      open[changes[i].rank] += changes[i].by;
    const auto top = std::find_if(open.rbegin(), open.rend(), [](int n) { return n > 0; });
    if (top == open.rend()) {
      last_end = at;
      push(at, StepPart::no_call);
    } else {
      push(at, ranked[static_cast<std::size_t>(open.rend() - top) - 1]);
    }
  }
}

void HostTime::walk(std::int64_t from_ns, std::int64_t to_ns, const Visit& visit) const {
  auto next = std::ranges::upper_bound(segments_, from_ns, {}, &Segment::start_ns);
  while (from_ns < to_ns) {
    const auto until = next == segments_.end() ? to_ns : std::min(to_ns, next->start_ns);
    const auto part = next == segments_.begin() ? StepPart::no_call : (next - 1)->part;
    if (until > from_ns) visit(part, from_ns, until);
    from_ns = until;
    if (next != segments_.end()) ++next;
  }
}

}  // namespace apod::trace
