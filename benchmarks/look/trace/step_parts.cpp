#include "benchmarks/look/trace/step_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/look/trace/device_time.hpp"
#include "benchmarks/look/trace/find_steps.hpp"
#include "benchmarks/look/trace/host_time.hpp"
#include "benchmarks/look/trace/places.hpp"
#include "benchmarks/look/trace/seconds.hpp"

namespace apod::trace {
namespace {

constexpr double settled = 1.5;  ///< times the median of the second half; ours
/// A kernel that waits less long for its launch is none that came late: the device itself takes 1
/// to 2 us from one kernel to the next.
constexpr std::int64_t least_wait_ns = 2'000;

/// Whether the host gets a few numbers, such as those of .item().
bool reads_a_value(const Activity& operation) {
  return operation.kind == Activity::Kind::copy && operation.source == MemoryKind::device &&
         operation.target != MemoryKind::device && operation.bytes <= read_bytes;
}

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
    for (const auto& call : trace_.calls)
      found_.calls_a_step +=
          device_.threads.contains(call.thread) && in_steady(call.start_ns) ? 1 : 0;
    found_.calls_a_step /= static_cast<double>(std::max<std::size_t>(1, found_.steady.size()));
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
    Parts parts;
    walk_gap(device_, host_, next, from, to, [&](StepPart part, std::int64_t a, std::int64_t b) {
      give(part, a, b);
      parts[part] += seconds(a, b);
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
    if (call == nullptr || !in_steady(call->start_ns)) return;
    const auto& launch = device_.launches.at(next.correlation);
    const auto* mark = mark_at(call->start_ns);
    const auto place = [&] { return mark == nullptr ? "" : places_->of(*call, *mark); };
    const bool behind_read = launch.behind_wait && reads_a_value(last);
    if (behind_read) {
      ++found_.reads.count;
      found_.reads.parts[StepPart::copies] += seconds_of(last);
    }
    if (behind_read || reads_a_value(next)) found_.reads.add(parts, place());
    if (behind_read || late_ns < least_wait_ns) return;
    const bool communicates = next.kind == Activity::Kind::kernel &&
                              kernel_family(next.name) == KernelFamily::communication;
    const auto launch_ns = std::max(launch.interval_ns, call->end_ns - call->start_ns);
    if (communicates || next.end_ns - next.start_ns > launch_ns) {
      found_.long_late_s += static_cast<double>(late_ns) * 1e-9;
      if (launch.behind_wait) found_.behind_waits_s += static_cast<double>(late_ns) * 1e-9;
      return;
    }
    if (next.kind != Activity::Kind::kernel) return;
    auto& late = late_[place()];
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
  std::optional<LaunchPlaces> places_;
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
