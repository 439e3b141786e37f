#include "benchmarks/look/trace/step_parts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "benchmarks/base/enclosing_ranges.hpp"
#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/look/trace/find_steps.hpp"
#include "benchmarks/look/trace/host_time.hpp"
#include "benchmarks/look/trace/seconds.hpp"
#include "benchmarks/look/trace/wait_places.hpp"

namespace apod::trace {
namespace {

constexpr double settled = 1.5;  ///< times the median of the second half; ours
/// A kernel that waits less long for its launch is none that came late: the device itself takes 1
/// to 2 us from one kernel to the next.
constexpr std::int64_t least_wait_ns = 2'000;

/// Whether a call ends no earlier than work of the device.
bool waits(const ApiCall& call) {
  const auto part = part_of(call);
  return (part == StepPart::waiting || part == StepPart::copy_calls) &&
         call.name.find("Async") == std::string::npos;
}

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

  DeviceTime(const Trace& trace, std::uint32_t device) {
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
  void measure_latency() {
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
  const ApiCall* call_of(const Activity& operation) const {
    const auto found = launches.find(operation.correlation);
    return found == launches.end() ? nullptr : found->second.call;
  }
  std::int64_t launched_at(const Activity& operation) const {
    const auto* call = call_of(operation);
    return call == nullptr ? operation.start_ns : call->start_ns;
  }
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

bool is_backward(const ThreadNames& threads, std::uint32_t thread) {
  const auto found = threads.find(thread);
  return found != threads.end() && found->second.starts_with("pt_autograd");
}

/// Says where within a step a kernel was launched.
class Places {
 public:
  Places(const Trace& trace, const DeviceTime& device, const ThreadNames& threads,
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
  std::string of(const ApiCall& call, const Mark& mark) const {
    const auto range = ranges_.find(call.correlation);
    // A range around several steps says nothing.
    if (range != ranges_.end() && range->second->start_ns >= mark.from_ns)
      return "in '" + numbered(range->second->name) + "'";
    return pass_of(call, mark);
  }
  /// Of what the thread of a launch did at an instant before it. To be asked for in order of time.
  std::string before(const ApiCall& call, std::int64_t at, const Mark& mark, bool is_first) {
    const auto& around = at_waits_->around({.start_ns = at, .end_ns = at, .thread = call.thread});
    if (!around.empty() && around.back()->start_ns >= mark.from_ns)
      return "in '" + numbered(around.back()->name) + "'";
    if (at < mark.own_from_ns) return "between steps";
    return is_first ? "" : pass_of(call, mark);
  }

 private:
  std::string pass_of(const ApiCall& call, const Mark& mark) const {
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
  static bool is_of_a_layer(const std::string& kernel) {
    const auto family = kernel_family(kernel);
    return family == KernelFamily::matrix_product || family == KernelFamily::convolution ||
           family == KernelFamily::attention || family == KernelFamily::normalization;
  }

  const ThreadNames& threads_;
  std::optional<EnclosingRanges> at_waits_;
  std::unordered_map<std::uint32_t, const NvtxRange*> ranges_;
  std::map<std::uint32_t, std::vector<std::int64_t>> backward_;
  std::vector<std::int64_t> layers_;  ///< launches of their kernels outside of backward, in order
};

/// How many steps the start takes: those before the level settles, at least one of several.
std::size_t steps_of_start(const std::vector<double>& lengths) {
  if (lengths.size() < 2) return 0;
  const std::vector<double> half(lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                                 lengths.end());
  const double level = stats::median(half);
  std::size_t first = 1;
  while (first <= lengths.size() / 2 && first + 1 < lengths.size() &&
         lengths[first] > settled * level) {
    ++first;
  }
  return first;
}

/// Whether the time from end to end tells what a step takes: the middle one is no exception, and
/// the work of a step is not many times as long (ends mean nothing where many streams run at once).
bool are_steps(std::vector<double> lengths, const std::vector<double>& works) {
  constexpr double most = 10;  // times the middle one, the shorter of two; ours
  const double mean = stats::mean(lengths);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return mean <= most * *middle && stats::mean(works) <= most * mean;
}

/// The first that is known of the threads that give work to the device: ranks may start apart.
std::int64_t first_event(const Trace& trace, const DeviceTime& device) {
  std::int64_t first = device.operations.front()->start_ns;
  const auto look = [&](const auto& items) {
    for (const auto& item : items) {
      if (device.threads.contains(item.thread)) first = std::min(first, item.start_ns);
    }
  };
  look(trace.calls);
  look(trace.ranges);
  return first;
}

/// Makes the steps of one device.
class Builder {
 public:
  Builder(const Trace& trace, std::uint32_t device, const ThreadNames& threads,
          const std::string& wanted)
      : trace_(trace),
        device_(trace, device),
        host_(trace, device_.threads, device_.first_launches) {
    if (device_.operations.empty()) return;
    found_.begin_ns = first_event(trace, device_);
    const auto launched = launched_in_order();
    const auto are_found = [&](bool by_ranges) {
      marks_ = find_steps(trace, launched, wanted, by_ranges);
      found_.by = marks_.by;
      found_.name = marks_.name;
      found_.apart = marks_.apart;
      found_.within = marks_.within;
      return found_.repeats() && lay_out();
    };
    const bool found = are_found(true);
    if (!found && (found_.by != StepsBy::ranges || !are_found(false))) take_whole();
    places_.emplace(trace, device_, threads, marks_);
    take_apart();
    explain_start();
    sort_late();
    found_.wait = waits_.most();
  }
  Steps take() { return std::move(found_); }

 private:
  std::vector<Launched> launched_in_order() const {
    std::vector<Launched> launched;
    for (const auto* one : device_.operations) {
      const auto* call = device_.call_of(*one);
      launched.push_back({one, device_.launched_at(*one), call == nullptr ? 0 : call->thread});
    }
    std::ranges::stable_sort(launched,
                             [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
    return launched;
  }
  /// The mark that an instant of the host belongs to; null outside of all.
  const Mark* mark_at(std::int64_t at) const {
    const auto after = std::ranges::upper_bound(marks_.marks, at, {}, &Mark::from_ns);
    if (after == marks_.marks.begin()) return nullptr;
    const auto& mark = *(after - 1);
    return at < mark.to_ns ? &mark : nullptr;
  }
  std::size_t number_of(const Mark* mark) const {
    return static_cast<std::size_t>(mark - marks_.marks.data());
  }

  /// Where each mark's operations end on the device, and which of the marks are judged. Whether
  /// these are steps.
  bool lay_out() {
    const auto& marks = marks_.marks;
    std::vector<std::int64_t> ends(marks.size(), INT64_MIN);
    std::vector<double> works(marks.size());
    std::int64_t begin = INT64_MAX;
    for (const auto* one : device_.operations) {
      const auto* mark = mark_at(device_.launched_at(*one));
      if (mark == nullptr) continue;
      auto& end = ends[number_of(mark)];
      end = std::max(end, one->end_ns);
      works[number_of(mark)] += seconds(one->start_ns, one->end_ns);
      begin = std::min(begin, one->start_ns);
    }
    std::vector<Step> steps;
    std::vector<double> lengths;
    std::vector<double> work_lengths;
    std::vector<std::int64_t> from_host;
    std::int64_t from = begin;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const auto to = std::max(from, ends[i] == INT64_MIN ? marks[i].to_ns : ends[i]);
      // A step that gave the device nothing to do, and ends before the work of another one does,
      // took none of its time.
      if (marks[i].judged && to > from) {
        from_host.push_back(marks[i].from_ns);
        steps.push_back({marks[i].name, from, to, {}, 0});
        lengths.push_back(seconds(from, to));
        work_lengths.push_back(works[i]);
      }
      from = to;
    }
    if (steps.empty()) return false;
    const auto first = steps_of_start(lengths);
    std::int64_t last = steps.back().end_ns;
    for (const auto* one : device_.operations) last = std::max(last, one->end_ns);
    const auto steady_of = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    };
    const auto steady = steady_of(lengths);
    constexpr double least_of_all = 0.01;  // what takes less of the time is no step
    const bool fill = std::accumulate(steady.begin(), steady.end(), 0.0) >=
                      least_of_all * seconds(steps[first].start_ns, last);
    const bool may_be = found_.by == StepsBy::ranges || are_steps(steady, steady_of(work_lengths));
    if (!marks_.sure && !(fill && may_be)) return false;
    found_.found = steps.size();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i < first) {
        found_.start_names.push_back(steps[i].name);
      } else {
        found_.steady.push_back(std::move(steps[i]));
      }
    }
    host_start_ns_ = from_host[first];
    found_.after_s = seconds(found_.steady.back().end_ns, last);
    found_.apart_s = seconds(found_.steady.front().start_ns, found_.steady.back().end_ns);
    for (const auto& step : found_.steady) found_.apart_s -= seconds(step.start_ns, step.end_ns);
    found_.apart_s = std::max(0.0, found_.apart_s);
    return true;
  }
  void take_whole() {
    found_.by = StepsBy::nothing;
    found_.apart.clear();
    const auto* first = device_.operations.front();
    Step run{"the run", first->start_ns, first->end_ns, {}, 0};
    for (const auto* one : device_.operations) run.end_ns = std::max(run.end_ns, one->end_ns);
    found_.steady.push_back(std::move(run));
    host_start_ns_ = device_.launched_at(*first);
  }

  /// Gives [from, to) to the steps that it lies in.
  void give(StepPart part, std::int64_t from, std::int64_t to) {
    auto step = std::ranges::upper_bound(found_.steady, from, {}, &Step::end_ns);
    for (; step != found_.steady.end() && step->start_ns < to; ++step) {
      const auto a = std::max(from, step->start_ns);
      const auto b = std::min(to, step->end_ns);
      if (a >= b) continue;
      step->parts[part] += seconds(a, b);
      if (part == StepPart::no_call) step->outside_s += outside(a, b);
    }
  }
  /// Seconds of [from, to) that lie before the range of the step that they lead to.
  double outside(std::int64_t from, std::int64_t to) const {
    if (found_.by != StepsBy::ranges) return 0;
    double sum = 0;
    auto after = std::ranges::upper_bound(marks_.marks, from, {}, &Mark::to_ns);
    for (; after != marks_.marks.end() && after->from_ns < to; ++after)
      sum += seconds(std::max(from, after->from_ns), std::min(to, after->own_from_ns));
    return sum;
  }

  void take_apart() {
    sweep(
        device_.operations,
        [&](StepPart part, std::int64_t from, std::int64_t to) { give(part, from, to); },
        [&](const Activity& last, const Activity& next, std::int64_t from, std::int64_t to) {
          gap(last, next, from, to);
        });
    for (const auto* one : device_.operations) {
      if (!in_steady(device_.launched_at(*one))) continue;
      const auto* call = device_.call_of(*one);
      if (call == nullptr) ++found_.launches_a_step;
      if (one->kind != Activity::Kind::kernel) continue;
      ++found_.kernels;
      const auto* mark = call == nullptr ? nullptr : mark_at(call->start_ns);
      if (mark == nullptr) continue;
      found_.launched[one->name][places_->of(*call, *mark)] += seconds_of(*one);
    }
    for (const auto& [correlation, launch] : device_.launches) {
      found_.launches_known = found_.launches_known || launch.call != nullptr;
      if (launch.call != nullptr && in_steady(launch.call->start_ns)) ++found_.launches_a_step;
    }
    found_.launches_a_step /= static_cast<double>(std::max<std::size_t>(1, found_.steady.size()));
  }
  bool in_steady(std::int64_t launched) const {
    if (!found_.repeats()) return true;
    const auto* mark = mark_at(launched);
    return mark != nullptr && mark->judged && launched >= host_start_ns_;
  }
  void gap(const Activity& last, const Activity& next, std::int64_t from, std::int64_t to) {
    if (!found_.repeats() && is_first_use(next, from, to)) {
      add_time(first_use_, "loading code", {1, seconds(from, to), 0, 0});
      return;
    }
    std::int64_t late_ns = 0;
    std::int64_t wait_ns = 0;
    walk_gap(device_, host_, next, from, to, [&](StepPart part, std::int64_t a, std::int64_t b) {
      give(part, a, b);
      if (part == StepPart::launching) late_ns += b - a;
      if (part > StepPart::between && part < StepPart::recorder) wait_ns += b - a;
    });
    const auto* call = device_.call_of(next);
    const auto step = std::ranges::upper_bound(found_.steady, from, {}, &Step::end_ns);
    if (wait_ns > 0 && step != found_.steady.end() && step->start_ns <= from) {
      waits_.add(last, next,
                 call == nullptr
                     ? ""
                     : place_of_wait(*call, from + (to - from) / 2, from == step->start_ns),
                 static_cast<double>(wait_ns) * 1e-9);
    }
    if (late_ns < least_wait_ns || call == nullptr || !in_steady(call->start_ns)) return;
    const auto& launch = device_.launches.at(next.correlation);
    const bool communicates = next.kind == Activity::Kind::kernel &&
                              kernel_family(next.name) == KernelFamily::communication;
    const auto launch_ns = std::max(launch.interval_ns, call->end_ns - call->start_ns);
    if (communicates || next.end_ns - next.start_ns > launch_ns) {
      found_.long_late_s += static_cast<double>(late_ns) * 1e-9;
      if (launch.behind_wait) found_.behind_waits_s += static_cast<double>(late_ns) * 1e-9;
      return;
    }
    if (next.kind != Activity::Kind::kernel) return;
    const auto* mark = mark_at(call->start_ns);
    auto& late = late_[mark == nullptr ? "" : places_->of(*call, *mark)];
    late.time.add(seconds_of(next));
    late.wait.add(static_cast<double>(late_ns) * 1e-9);
    if (launch.interval_ns > 0) late.interval.add(static_cast<double>(launch.interval_ns) * 1e-9);
  }
  std::string place_of_wait(const ApiCall& call, std::int64_t at, bool is_first) {
    const Mark whole_run{"", INT64_MIN, INT64_MAX, INT64_MIN};
    const auto* mark = mark_at(call.start_ns);
    auto place = places_->before(call, at, mark == nullptr ? whole_run : *mark, is_first);
    if (!is_first || !place.empty()) return place;
    return found_.by == StepsBy::ranges ? "at the start of the step" : "";
  }
  /// Whether the device waited for the code of a kernel that it had not run before.
  bool is_first_use(const Activity& next, std::int64_t from, std::int64_t to) const {
    if (!device_.first_launches.contains(next.correlation) || next.kind != Activity::Kind::kernel)
      return false;
    bool loads = false;
    host_.walk(from, to, [&](StepPart part, std::int64_t, std::int64_t) {
      loads = loads || part == StepPart::loading;
    });
    // A short piece of code loads in less than what counts as loading.
    return loads || (to - from >= loading_launch_ns && loads_between(from, to));
  }
  bool loads_between(std::int64_t from, std::int64_t to) const {
    auto call = std::ranges::lower_bound(trace_.calls, from, {}, &ApiCall::start_ns);
    for (; call != trace_.calls.end() && call->start_ns < to; ++call) {
      if (part_of(*call) == StepPart::loading) return true;
    }
    return false;
  }

  void explain_start() {
    Parts parts;
    if (host_start_ns_ > found_.begin_ns) {
      host_.walk(
          found_.begin_ns, host_start_ns_,
          [&](StepPart part, std::int64_t a, std::int64_t b) { parts[part] += seconds(a, b); });
    }
    found_.start = first_use_;
    for (std::size_t i = 0; i < step_parts; ++i) {
      const auto part = static_cast<StepPart>(i);
      if (parts[part] > 0)
        add_time(found_.start, to_string(part), {1, parts[part], parts[part], parts[part]});
    }
    for (const auto& cause : found_.start) found_.start_s += cause.time.total_s;
    std::ranges::stable_sort(
        found_.start, [](const auto& a, const auto& b) { return a.time.total_s > b.time.total_s; });
  }
  void sort_late() {
    for (auto& [where, late] : late_) {
      late.where = where;
      found_.late.push_back(std::move(late));
    }
    std::ranges::stable_sort(
        found_.late, [](const auto& a, const auto& b) { return a.wait.total_s > b.wait.total_s; });
  }

  const Trace& trace_;
  DeviceTime device_;
  HostTime host_;
  Marks marks_;
  std::optional<Places> places_;
  Steps found_;
  std::map<std::string, LateKernels> late_;
  WaitPlaces waits_;
  std::vector<NamedTime> first_use_;
  std::int64_t host_start_ns_ = 0;  ///< on the host
};

}  // namespace

Steps steps_of(const Trace& trace, std::uint32_t device, const ThreadNames& threads,
               const std::string& wanted) {
  return Builder(trace, device, threads, wanted).take();
}

Parts parts_of(const Trace& trace, std::uint32_t device) {
  const DeviceTime on(trace, device);
  const HostTime host(trace, on.threads, on.first_launches);
  Parts parts;
  const auto give = [&](StepPart part, std::int64_t from, std::int64_t to) {
    parts[part] += seconds(from, to);
  };
  sweep(on.operations, give,
        [&](const Activity&, const Activity& next, std::int64_t from, std::int64_t to) {
          walk_gap(on, host, next, from, to, give);
        });
  return parts;
}

Trace steady_part(Trace trace, const Steps& steps) {
  if (!steps.repeats() || steps.steady.empty()) return trace;
  const auto outside = [&](const auto& item) {
    const auto step = std::ranges::upper_bound(steps.steady, item.start_ns, {}, &Step::end_ns);
    return step == steps.steady.end() || item.start_ns < step->start_ns;
  };
  each_timed_list(trace, [&](auto& items) { std::erase_if(items, outside); });
  return trace;
}

}  // namespace apod::trace
