#include "benchmarks/look/trace/places.hpp"

#include <algorithm>
#include <string_view>

#include "benchmarks/base/library_kernels.hpp"

namespace apod::trace {
namespace {

bool is_backward(const ThreadNames& threads, std::uint32_t thread) {
  const auto found = threads.find(thread);
  return found != threads.end() && found->second.starts_with("pt_autograd");
}

bool is_of_a_layer(const std::string& kernel) {
  const auto family = kernel_family(kernel);
  return family == KernelFamily::matrix_product || family == KernelFamily::convolution ||
         family == KernelFamily::attention || family == KernelFamily::normalization;
}

}  // namespace

LaunchPlaces::LaunchPlaces(const Trace& trace, const DeviceTime& device, const ThreadNames& threads,
                           const Marks& marks)
    : threads_(threads) {
  // The step itself says nothing of a place in it, and neither does a library's own range.
  std::unordered_map<std::int64_t, std::int64_t> ends;
  for (const auto& mark : marks.marks) ends[mark.own_from_ns] = 0;
  for (const auto& range : trace.ranges) {
    const auto step = ends.find(range.start_ns);
    if (step != ends.end()) step->second = std::max(step->second, range.end_ns);
  }
  const auto says_a_place = [&](const NvtxRange& range) {
    const auto step = ends.find(range.start_ns);
    return range.domain != "NCCL" && (step == ends.end() || range.end_ns < step->second);
  };
  EnclosingRanges enclosing(trace, says_a_place);
  at_waits_.emplace(trace, says_a_place);
  for (const auto& call : trace.calls) {
    const auto found = device.launches.find(call.correlation);
    if (found == device.launches.end() || found->second.call != &call) continue;
    const auto& around = enclosing.around(call);
    if (!around.empty()) ranges_[call.correlation] = around.back();
    if (!is_backward(threads, call.thread)) continue;
    backward_[call.thread].push_back(call.start_ns);
  }
  std::unordered_map<std::string_view, bool> layers;
  for (const auto* one : device.operations) {
    const auto* call = device.call_of(*one);
    if (call == nullptr || is_backward(threads, call->thread)) continue;
    const auto [known, is_new] = layers.try_emplace(one->name, false);
    if (is_new) known->second = is_of_a_layer(one->name);
    if (known->second) layers_.push_back(call->start_ns);
  }
  std::ranges::sort(layers_);
}

std::string LaunchPlaces::of(const ApiCall& call, const Mark& mark) const {
  const auto range = ranges_.find(call.correlation);
  // A range around several steps says nothing.
  if (range != ranges_.end() && range->second->start_ns >= mark.from_ns)
    return "in '" + numbered(range->second->name) + "'";
  return pass_of(call, mark);
}

std::string LaunchPlaces::before(const ApiCall& call, std::int64_t at, const Mark& mark,
                                 bool is_first) {
  const auto& around = at_waits_->around({.start_ns = at, .end_ns = at, .thread = call.thread});
  if (!around.empty() && around.back()->start_ns >= mark.from_ns)
    return "in '" + numbered(around.back()->name) + "'";
  if (at < mark.own_from_ns) return "between steps";
  return is_first ? "" : pass_of(call, mark);
}

std::string LaunchPlaces::pass_of(const ApiCall& call, const Mark& mark) const {
  if (is_backward(threads_, call.thread)) return "in backward";
  for (const auto& [thread, times] : backward_) {
    const auto first = std::ranges::lower_bound(times, mark.from_ns);
    if (first == times.end() || *first >= mark.to_ns) continue;
    if (call.start_ns < *first) return "in forward";
    const auto last = std::ranges::lower_bound(times, mark.to_ns) - 1;
    // What follows the first layer launched after it is the next forward pass.
    const auto layer = std::ranges::upper_bound(layers_, *last);
    const bool again = layer != layers_.end() && *layer <= call.start_ns;
    if (call.start_ns > *last) return again ? "in forward" : "after backward";
  }
  return "";
}

const std::string& WaitPlaces::name_of(const Activity& operation) {
  auto& name = names_[operation.name];
  if (name.empty()) {
    const bool kernel = operation.kind == Activity::Kind::kernel;
    name = kernel ? short_kernel_name(operation.name) : operation.name;
  }
  return name;
}

void WaitPlaces::add(const Activity& last, const Activity& next, const std::string& where,
                     double seconds) {
  places_[{name_of(last), name_of(next), where}].add(seconds);
}

WaitPlace WaitPlaces::most() const {
  Tally all;
  for (const auto& [place, time] : places_) all.add(time);
  constexpr std::size_t with_after = 1, with_before = 2, with_where = 4;
  for (const std::size_t told : {7, 3, 6, 5, 4, 2, 1}) {  // the most specific first
    std::map<Place, Tally> sums;
    for (const auto& [place, time] : places_) {
      const auto& [after, before, where] = place;
      const auto kept = [&](std::size_t what, const std::string& text) {
        return (told & what) != 0 ? text : std::string();
      };
      sums[{kept(with_after, after), kept(with_before, before), kept(with_where, where)}].add(time);
    }
    for (const auto& [place, time] : sums) {
      const auto& [after, before, where] = place;
      const double share = time.total_s / all.total_s;
      const double of_waits = static_cast<double>(time.count) / static_cast<double>(all.count);
      // What holds for most waits of any length says nothing.
      const bool says_more = (told & 3U) == 3 || of_waits < 0.5 * share;
      const bool is_known = !(after.empty() && before.empty() && where.empty());
      if (share > 0.5 && says_more && is_known) return {after, before, where, time, all.total_s};
    }
  }
  return {};
}

}  // namespace apod::trace
