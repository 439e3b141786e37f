#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/steps.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/frameworks.hpp"
#include "benchmarks/look/thresholds.hpp"

// Rules on the steps of a program. Each has parts of its own, so their gains add up to no more than
// the step: a share of the mean step that would be saved at most.
namespace apod::look {
namespace {

constexpr std::size_t longest_where = 64;  ///< bytes of a range's name

/// The mean step, and what is asked of it.
struct StepView {
  View& view;
  const Steps& steps = *view.steps;
  Parts mean = steps.mean();
  double step_s = steps.mean_s();

  double share(double seconds) const { return std::clamp(seconds / step_s, 0.0, 1.0); }
  double a_step(double total) const { return total / static_cast<double>(steps.steady.size()); }
  const Advice& advice() const { return advice_for(view.framework); }
  /// What a rule takes of the mean step, no later rule counts.
  double take(StepPart part, double most_s) {
    const double taken = std::clamp(most_s, 0.0, mean[part]);
    mean[part] -= taken;
    return taken;
  }
  double take(StepPart part) { return take(part, mean[part]); }
  /// Whether each step takes new data to the device, or a loader is known by its range.
  bool takes_data() const {
    const auto uploads = [&](const CopyProfile& copy) {
      constexpr std::uint64_t page = 4096;  // bytes; less are parameters
      const auto least = steps.steady.size();
      return is_upload(copy) && copy.time.count >= least && copy.bytes >= page * least;
    };
    const auto loads = [](const RangeProfile& range) {
      return range.name.find("DataLoader") != std::string::npos;
    };
    return std::ranges::any_of(view.profile.copies, uploads) ||
           std::ranges::any_of(view.profile.ranges, loads);
  }
  /// The range in which steady steps spend most time compiling; null where they don't.
  const RangeProfile* compiling() const {
    const RangeProfile* longest = nullptr;
    for (const auto& range : view.profile.ranges) {
      const bool compiles = range.name.starts_with("XlaCompile:") ||
                            range.name.find("compile (dynamo_timed)") != std::string::npos;
      if (compiles && (longest == nullptr || range.time.total_s > longest->time.total_s))
        longest = &range;
    }
    return longest;
  }
  /// Else there is no other step that it could prepare.
  bool recurs() const { return steps.repeats() || view.is_range; }
  /// "per step" of several steps, else "in the run".
  const char* whole() const { return steps.repeats() ? "per step" : "in the run"; }
  /// "3.1 ms per step".
  std::string time(double a_step_s) const { return seconds(a_step_s) + " " + whole(); }
  /// The least and the most time outside of the steps' own ranges: "3.1 ms to 5 ms".
  std::string outside() const {
    const auto [least, most] = std::ranges::minmax_element(steps.steady, {}, &Step::outside_s);
    const auto low = seconds(least->outside_s);
    const auto high = seconds(most->outside_s);
    return low == high ? low : low + " to " + high;
  }
  /// What does not exceed the cost of recording its launches by a share that matters is a note.
  void add(const char* id, double saved_s, std::string evidence, std::string_view advice,
           double launching_s = 0) {
    constexpr double rounding = 1e-9;  // what is left of a part that an earlier rule took
    const double gain = share(saved_s);
    if (gain < rounding) return;
    const double recording = std::min(launching_s, steps.launches_a_step * recorded_call_s);
    const bool within = share(saved_s - recording) < threshold::least_gain.value;
    if (within && recording > 0) evidence += "; recording takes up to " + seconds(recording);
    view.say(within ? Severity::note : Severity::warning, id, "", std::move(evidence), advice,
             gain);
  }
};

template <class Belongs>
double bytes_of(const std::vector<CopyProfile>& copies, const Belongs& belongs) {
  double sum = 0;
  for (const auto& copy : copies) sum += belongs(copy) ? static_cast<double>(copy.bytes) : 0;
  return sum;
}

/// Whether a device waits before a copy from the host, or behind one to it.
bool is_at_copy(const WaitPlace& wait) {
  return wait.before == "HtoD" || wait.after == "DtoH";
}

/// What the other devices copy to the host while this one waits for about as many bytes from it.
/// Empty if they don't.
std::string through_host(const StepView& step) {
  constexpr double least = 1e6;  // bytes, ours
  const double down = step.steps.others_bytes;
  const double up = step.a_step(bytes_of(step.view.profile.copies, is_upload));
  if (!is_at_copy(step.steps.wait) || down < least || down < 0.5 * up || up < 0.5 * down) return "";
  return "; meanwhile " + bytes(down) + " " + step.whole() +
         " go from other devices to the host, and " + bytes(up) + " from it to this device";
}

/// Advice on launches that the program does not follow already.
std::string_view launching_advice(const StepView& step) {
  const auto& profile = step.view.profile;
  double graphs = 0;
  double launches = 0;
  for (const auto& call : profile.calls) {
    const auto made = static_cast<double>(call.time.count);
    if (call.name.find("Launch") != std::string::npos) launches += made;
    if (call.name.find("GraphLaunch") != std::string::npos) graphs += made;
  }
  if (graphs > 0.5 * launches) {
    return "the program already launches graphs: put more work into each, such as several steps "
           "or a conditional node";
  }
  for (const auto& kernel : profile.kernels) {
    if (kernel.name.starts_with("triton_") && step.view.framework == Framework::pytorch)
      return "use torch.compile(mode=\"reduce-overhead\"), which makes CUDA graphs";
  }
  return step.advice().small_kernels;
}

void host_bound(StepView& step) {
  const double waiting = step.take(StepPart::waiting);
  const double none = step.take(StepPart::no_call);
  // Waits for launches that no other kernel makes longer: see Steps::long_late_s.
  const double late = step.take(StepPart::launching, step.a_step(step.steps.long_late_s));
  const double saved = none + waiting + step.take(StepPart::other_calls) + late;
  if (!(saved > 0)) return;
  double outside = 0;
  for (const auto& one : step.steps.steady) outside += one.outside_s;
  outside = step.a_step(outside);
  std::string text;
  bool compiles = false;
  const bool loads = step.takes_data() && !step.advice().loader.empty();
  std::string_view advice = !step.recurs() ? "see what the host does then (py-spy, perf)"
                            : loads        ? step.advice().loader
                                           : step.advice().no_call;
  if (step.view.profile.calls.empty() && !step.steps.launches_known) {
    text = "the device is idle for " + step.time(saved) +
           "; the recording has no calls of the host that would tell why";
    advice = "record the calls of the host, too";
  } else if (const auto* range = step.compiling();
             range != nullptr && step.a_step(range->time.total_s) > 0.5 * saved) {
    text = "the device waits while the host compiles, for " +
           step.time(step.a_step(range->time.total_s)) + " in " +
           apod::text::shorten(range->name, longest_where) +
           ": the shapes or the static arguments change, so nothing compiled can be reused";
    advice = step.advice().recompiling;
    compiles = true;
  } else if (outside > 0.5 * saved) {
    text = "between steps, the host makes no CUDA call for " + step.outside() + ": " +
           (step.takes_data() ? "data loading, Python" : "the program's own code");
  } else if (late > std::max(none, waiting)) {
    const bool waited = 2 * step.steps.behind_waits_s > step.steps.long_late_s;
    text = "the device waits " + step.time(late) +
           " for long operations, because the host launches them late, " +
           (waited ? "after it waited for the device" : "after other calls");
    advice = waited ? step.advice().waiting : launching_advice(step);
  } else if (none >= waiting) {
    text = "the host makes no CUDA call for " + step.time(none) + " while the device waits";
    if (outside > 0.1 * none) text += ", " + seconds(outside) + " of this between steps";
  } else {
    text = "the device waits " + step.time(waiting) +
           " because the host returns late from waiting for the device";
    advice = step.advice().waiting;
  }
  const auto exchange = compiles ? "" : through_host(step);
  if (!exchange.empty()) {
    text += exchange;
    advice = step.advice().exchanging;
  }
  step.add("host-bound", saved, text, advice, late);
}

/// Time without a call stays with host-bound.
void blocking_reads(StepView& step) {
  const auto& reads = step.steps.reads;
  const double number = std::round(step.a_step(static_cast<double>(reads.count)));
  const auto before = step.mean;
  double saved = 0;
  for (const auto part :
       {StepPart::copies, StepPart::launching, StepPart::waiting, StepPart::copy_calls})
    saved += step.take(part, step.a_step(reads.parts[part]));
  if (number < 1 || step.share(saved) < threshold::least_gain.value) {
    step.mean = before;
    return;
  }
  const auto most =
      std::ranges::max_element(reads.where, {}, [](const auto& place) { return place.second; });
  step.add("blocking-reads", saved,
           "the host reads a few values " + plural(number, "time", "times") + " " + step.whole() +
               " and waits for them" + (most->first.empty() ? "" : ", mostly ") +
               apod::text::shorten(most->first, longest_where) + "; the device waits " +
               seconds(saved) + " for these reads and the launches behind them",
           step.advice().waiting, saved);
}

void many_small_kernels(StepView& step) {
  const double saved = step.take(StepPart::launching);
  const auto usual_advice = launching_advice(step);
  Tally late;
  for (const auto& place : step.steps.late) late.add(place.time);
  const double a_step = std::round(step.a_step(static_cast<double>(late.count)));
  const double all = step.a_step(static_cast<double>(step.steps.kernels));
  if (!(a_step > 0) || std::round(all) <= 1) {
    const auto& kernels = step.view.profile.kernels;
    const bool one = step.steps.repeats() && kernels.size() == 1 && std::round(all) == 1;
    const auto what =
        !one ? "launches"
             : "the launch of " +
                   apod::text::shorten(short_kernel_name(kernels[0].name), longest_where) +
                   ", which runs for " + seconds(kernels[0].time.mean_s());
    step.add("many-small-kernels", saved, "the device waits " + step.time(saved) + " for " + what,
             one ? "let one launch do the work of several, or launch several as one CUDA graph"
                 : usual_advice,
             saved);
    return;
  }
  const auto& most = step.steps.late.front();
  auto text = count(a_step) + " of " + count(std::round(all)) + " kernels " +
              (a_step == 1 ? "waits for its launch" : "wait for their launch");
  if (!most.where.empty()) text += ", most " + apod::text::shorten(most.where, longest_where);
  text += " (" + seconds(most.time.mean_s()) + " each";
  if (!most.interval.empty()) text += ", launched every " + seconds(most.interval.mean_s());
  text += ")";
  const bool optimizer = most.where == "after backward";
  if (optimizer) text += ": the optimizer updates tensor by tensor";
  step.add("many-small-kernels", saved, text, optimizer ? step.advice().optimizer : usual_advice,
           saved);
}

/// What runs on the legacy default stream, which CUPTI calls 7, if it is little beside the other
/// streams: "memset". Empty if nothing does. The streams of PyTorch, JAX and TensorFlow do not wait
/// for it.
std::string on_default_stream(const View& view) {
  using enum Framework;
  if (view.framework == pytorch || view.framework == jax || view.framework == tensorflow) return "";
  double most = 0;
  double own = 0;
  double all = 0;
  std::string name;
  for (const auto& lane : view.profile.lanes) {
    const bool is_default = lane.name == "stream 7";
    if (!lane.name.starts_with("stream ") || lane.names.empty()) continue;
    const auto& lengths = lane.busy_ns.empty() ? lane.length_ns : lane.busy_ns;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const auto length = static_cast<double>(lengths[i]);
      all += length;
      if (!is_default) continue;
      own += length;
      if (length > most) name = short_kernel_name(lane.names[lane.of[i]]);
      most = std::max(most, length);
    }
  }
  return own < 0.1 * all ? name : "";
}

/// Copies with pageable memory at the rate of pinned memory, the others as they are. Of a step that
/// repeats, uploads, downloads and the rest can run beside each other and beside kernels; of one
/// run all copies follow each other. If none recurs, pinned memory is not counted: to pin 400 MB
/// takes 126 ms, and makes one copy of it 45 ms shorter (an H100). What is left of them alone.
void exposed_copies(StepView& step) {
  const double alone = step.take(StepPart::copies);
  const double staged = step.take(StepPart::copy_calls);
  std::map<std::string_view, double> fast_s;  // by direction
  const auto& all = step.view.profile.copies;
  const auto is_copy = [](const CopyProfile& copy) { return copy.name != "memset"; };
  const auto copies = group_of(all, is_copy);
  const double memset_s = group_of(all, std::not_fn(is_copy)).time.total_s;
  const double copies_s = copies.time.total_s;
  const auto* longest = copies.longest;
  const double pageable_s = group_of(all, [&](const auto& copy) {
                              return is_copy(copy) && is_pageable(copy);
                            }).time.total_s;
  const double pageable_bytes =
      bytes_of(all, [&](const auto& copy) { return is_copy(copy) && is_pageable(copy); });
  const double pageable_uploads =
      bytes_of(all, [](const auto& copy) { return copy.source == MemoryKind::pageable; });
  const double uploads = bytes_of(all, is_upload);
  const double downloads = bytes_of(all, is_download);
  double pinned_s = 0;
  bool rate_known = true;
  for (const auto& copy : all) {
    auto& fast = fast_s[step.steps.repeats() ? std::string_view(copy.name) : ""];
    if (!is_copy(copy) || !is_pageable(copy) || !step.recurs()) {
      fast += copy.time.total_s;
      continue;
    }
    // A rate of pinned memory that is not known counts as infinite, so that 'at most' holds.
    const double rate_of_pinned = step.view.pinned_rate(copy.target == MemoryKind::device);
    rate_known = rate_known && rate_of_pinned > 0;
    if (!(rate_of_pinned > 0)) continue;
    const double pinned =
        std::min(copy.time.total_s, static_cast<double>(copy.bytes) / rate_of_pinned);
    pinned_s += pinned;
    fast += pinned;
  }
  if (!(copies_s + memset_s > 0)) return;
  constexpr auto few_bytes = static_cast<double>(read_bytes);
  double queue_s = 0;
  for (const auto& [direction, time] : fast_s) queue_s = std::max(queue_s, time);
  const double beside = step.mean[StepPart::kernels] + step.mean[StepPart::communication];
  const double left = std::max(0.0, step.a_step(queue_s) - beside);
  const bool pins = pageable_bytes > 0 && step.recurs();
  const double saved = std::max(0.0, alone - left) + (pins ? staged : 0);
  if (memset_s > copies_s) {
    step.add("exposed-copies", saved,
             "memsets take " + step.time(step.a_step(memset_s)) + ", mostly while no kernel runs",
             "let the kernel that uses the memory set it, or set the memory once before the loop");
    return;
  }
  std::string text;
  const double take = step.a_step(copies_s + memset_s);
  const bool mostly_pageable = pageable_s >= 0.5 * copies_s;
  if (mostly_pageable) {
    text = bytes(step.a_step(pageable_bytes)) +
           (pageable_uploads >= pageable_bytes ? " from"
            : pageable_uploads > 0             ? " from and to"
                                               : " to") +
           " pageable memory at " + rate(pageable_bytes / pageable_s, "B") +
           ", with no kernel running for " + seconds(alone);
    if (rate_known && pinned_s > 0)
      text += "; with pinned memory, these copies take " + seconds(step.a_step(pinned_s));
  } else {
    const double number = std::round(step.a_step(copies.count()));
    text = (number >= 1 ? plural(number, "copy", "copies") : "copies") + " of " +
           bytes(step.a_step(bytes_of(all, is_copy))) + (number > 1 ? " in all" : "") +
           ", mostly " + longest->name + (memset_s > 0 ? ", and memsets take " : ", take ") +
           seconds(take) + " " + step.whole() + ", " + seconds(alone) +
           " of this while no kernel runs";
  }
  if (pins && step.share(staged) >= threshold::least_gain.value)
    text += "; the device waits for another " + seconds(staged) + " during copy calls";
  const double streams = step.view.fact("traced_streams").value_or(0);
  if (streams == 1) text += "; all work is on one stream";
  const bool within =
      longest->source == MemoryKind::device && longest->target == MemoryKind::device;
  const bool in_turn = streams > 1 && !pins && !within && step.recurs() && alone >= 0.9 * take;
  const auto barrier = in_turn ? on_default_stream(step.view) : "";
  if (in_turn) text += ", though " + count(streams) + " streams are used";
  if (!barrier.empty())
    text += "; " + barrier + " runs on the legacy default stream, and other streams wait for it";
  // What comes back as it went is often data that only the device uses.
  const bool round_trip = step.steps.repeats() &&
                          std::min(uploads, downloads) > few_bytes * copies.count() &&
                          std::min(uploads, downloads) > 0.95 * std::max(uploads, downloads);
  if (round_trip) text += "; as many bytes are copied to the device as from it";
  std::string advice(mostly_pageable && pins ? step.advice().pin : "");
  // Where most of their time kernels run, they are on streams of their own already.
  advice.append(advice.empty() ? "" : "; ")
      .append(alone < 0.5 * take ? "start the copies earlier, or copy in smaller pieces"
              : step.recurs()
                  ? step.advice().copies
                  : "copy in pieces, so that kernels work on one while the next is copied");
  if (in_turn) {
    advice = barrier.empty()
                 ? "find out why the streams wait for each other: events, calls that wait, memory "
                   "that both use"
                 : "use cudaMemsetAsync and cudaMemcpyAsync with a stream; or create the streams "
                   "with cudaStreamNonBlocking";
  }
  if (round_trip) advice = std::string(step.advice().keep) + "; else " + advice;
  if (step.recurs() && is_download(*longest) &&
      static_cast<double>(longest->bytes) < few_bytes * static_cast<double>(longest->time.count))
    advice = step.advice().waiting;
  if (within) advice = "these are copies within the device: " + std::string(step.advice().layout);
  step.add("exposed-copies", saved, text, advice);
}

void exposed_communication(StepView& step) {
  const double alone = step.take(StepPart::communication);
  const auto all = group_of(step.view.profile.kernels, [](const KernelProfile& kernel) {
    return kernel_family(kernel.name) == KernelFamily::communication;
  });
  if (all.time.empty()) return;
  const double skew = std::min(alone, step.steps.skew_s);
  const double kernels = std::round(step.a_step(all.count()));
  auto text = seconds(alone) + " of " + seconds(step.a_step(all.time.total_s)) +
              " of communication run while no other kernel runs (" +
              plural(kernels, "kernel", "kernels") + (kernels == 1 ? ", " : ", most ") +
              short_kernel_name(all.longest->name) + ")";
  if (skew > 0) text += ", " + seconds(skew) + " of this is the wait that rank-skew reports";
  const auto is_backward = [](const auto& places) { return places.second.contains("in backward"); };
  const bool trains = std::ranges::any_of(step.steps.launched, is_backward);
  const auto& advice = step.advice();
  // Up to some 100 kB, a message takes as long as a smaller one. Ours.
  constexpr double many = 8;
  constexpr double small_s = 100e-6;
  const bool are_small = kernels >= many && all.time.mean_s() < small_s;
  if (are_small) text += "; each takes only " + seconds(all.time.mean_s());
  // DDP starts them during the backward pass.
  const bool waits = alone >= 0.9 * step.a_step(all.time.total_s);
  step.add("exposed-communication", alone - skew, text,
           are_small                                       ? advice.combining
           : trains && !waits && !advice.gradients.empty() ? advice.gradients
                                                           : advice.communication);
  if (!(skew > 0)) return;
  const auto last = std::to_string(step.steps.last_device);
  auto late = "the device waits " + seconds(step.steps.skew_s) + " " + step.whole() +
              " in collectives for later devices, mostly for device " + last;
  if (step.steps.last_more_s > 0) {
    late += ", which spends " + seconds(step.steps.last_more_s) + " more in " +
            std::string(to_string(step.steps.last_part));
  }
  const auto& wait = step.steps.last_wait;
  const bool of_host = step.steps.last_more_s > 0 && step.steps.last_part > StepPart::between;
  const bool at_copy = of_host && is_at_copy(wait);
  if (at_copy) {
    late += ", mostly " + (wait.after == "DtoH" ? std::string("after DtoH") : "before HtoD") +
            (wait.where.empty() ? "" : ", " + wait.where);
  }
  if (skew < step.steps.skew_s)
    late += "; at most " + seconds(skew) + " of this while no other kernel runs";
  step.add(
      "rank-skew", skew, late,
      (at_copy   ? "if the host only passes the data on, " + std::string(step.advice().exchanging)
       : of_host ? "find out why the host of the later device is slower"
                 : "balance the work of the ranks") +
          "; look at the later device alone (--device " + last + ")");
}

void memory_and_code(StepView& step) {
  const double memory = step.take(StepPart::allocating);
  step.add("allocation-in-loop", memory,
           "the device waits " + step.time(memory) + " while memory is allocated or freed",
           step.recurs() ? step.advice().memory
                         : "the first allocations are paid once: record more steps");
  const double code = step.take(StepPart::loading);
  step.add("first-use", code, "the device waits " + step.time(code) + " while code is loaded",
           step.advice().loading);
}

/// A note: the start is paid once.
void long_start(StepView& step) {
  double code = 0;
  for (const auto& cause : step.steps.start) {
    if (cause.name == to_string(StepPart::loading)) code = cause.time.total_s;
  }
  if (code < threshold::load_seconds.value) return;
  step.view.note("first-use", "",
                 "the start takes " + seconds(step.steps.start_s) + ", " + seconds(code) +
                     " of this for loading code and first launches",
                 step.advice().loading);
}

/// No gain: what it exceeds the others by is in the parts of the mean step already.
void slow_step(StepView& step) {
  const auto* slowest = step.steps.slowest();
  const double median = step.steps.median_s();
  if (step.steps.steady.size() < 3 || slowest == nullptr) return;
  const double length = slowest->parts.total_s();
  if (length < threshold::slow_step.value * median) return;
  const auto cause = reason_of(step.steps);
  // Ranks have steps of one name, and --step takes them all: the one of a rank is "step 1/0".
  const auto name = slowest->name.substr(0, slowest->name.find_last_of('/'));
  const bool has_name = step.steps.by == StepsBy::ranges;
  const bool is_numbered = has_name && name != step.steps.name;
  step.view.warn("slow-step", slowest->name,
                 "takes " + seconds(length) + " instead of the median " + seconds(median) + ": " +
                     seconds(cause.more_s) + " more (" + std::string(to_string(cause.part)) + ")",
                 is_numbered ? "look at this step alone: --step '" + name + "'"
                 : has_name  ? "look at this step alone: --range '" + slowest->name + "'"
                             : "look at the timeline: --trace-out FILE.json");
}

}  // namespace

void step_rules(View& view) {
  if (view.steps == nullptr || view.steps->steady.empty()) return;
  StepView step{view};
  if (!(step.step_s > 0)) return;
  for (const auto rule : {blocking_reads, host_bound, many_small_kernels, exposed_copies,
                          exposed_communication, memory_and_code, long_start, slow_step})
    rule(step);
}

}  // namespace apod::look
