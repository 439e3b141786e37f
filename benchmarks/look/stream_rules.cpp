#include <algorithm>

#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

// Rules on copies, on streams, and on the time in which a device does nothing.
namespace apod::look {
namespace {

/// Gain: the time of kernels that could have run meanwhile / span, at most the share of the span in
/// which the direction was not busy: another order makes the copies end no sooner.
void queued_copy(View& view) {
  for (const auto& copy : view.profile.copies) {
    if (copy.queued == 0 || copy.queued_s < threshold::matters.value * view.busy_s) continue;
    const double idle_s = std::max(0.0, view.span_s - copy.time.total_s);
    const double share = std::min(copy.queued_lost_s, idle_s) / view.span_s;
    view.say(share < threshold::matters.value ? Severity::note : Severity::warning, "queued-copy",
             copy.name,
             plural(view.a_step(static_cast<double>(copy.queued)), "small copy", "small copies") +
                 view.of_a_step() + " waited " + seconds(view.a_step(copy.queued_s)) +
                 " for larger copies of other streams, while kernels waited for the small " +
                 (copy.queued == 1 ? "copy" : "copies"),
             "enqueue small copies before large copies, or split the large copies: copies in one "
             "direction run one after the other",
             share);
  }
}

/// Gain: (time of the pageable copies - their bytes / pinned rate of their direction) / span.
void pageable_transfer(View& view) {
  double moved = 0;
  double saved_s = 0;
  std::string rates;
  Group<CopyProfile> group;
  for (const auto& copy : view.profile.copies) {
    if (!is_pageable(copy) || !(is_upload(copy) || is_download(copy))) continue;
    const auto size = static_cast<double>(copy.bytes);
    group.add(copy);
    moved += size;
    const double pinned = view.pinned_rate(is_upload(copy));
    if (pinned > 0) saved_s += std::max(0.0, copy.time.total_s - size / pinned);
    if (copy.time.total_s > 0) {
      rates += (rates.empty() ? "" : ", ") + copy.name + " at " +
               rate(size / copy.time.total_s, "B") +
               (pinned > 0 ? " instead of " + rate(pinned, "B") + " with pinned memory" : "");
    }
  }
  if (!(moved > 0) || !view.matters(group.time.total_s)) return;
  view.warn("pageable-transfer", "copies",
            bytes(moved) + " from or to pageable host memory take " +
                view.share_of_busy(group.time.total_s) + " (" + rates + ")",
            "allocate the host memory with cudaMallocHost, or register it once with "
            "cudaHostRegister: copies from pageable memory can't run at the same time as kernels",
            saved_s / view.span_s);
}

/// Gain: what could run beside the copies: min(time of the copies, time of everything else) / span.
void synchronous_copy(View& view) {
  double calls = 0;
  const auto group = group_of(view.profile.copies, [&](const CopyProfile& copy) {
    // It is unknown which of them took the time, so most of them must be synchronous.
    const bool counts =
        (is_upload(copy) || is_download(copy)) && 2 * copy.synchronous > copy.time.count;
    calls += counts ? static_cast<double>(copy.synchronous) : 0;
    return counts;
  });
  const double time_s = group.time.total_s;
  if (!(calls > 0) || !view.matters(time_s)) return;
  view.warn(
      "synchronous-copy", "copies",
      plural(calls, "copy", "copies") + " by blocking calls take " + view.share_of_busy(time_s),
      "use cudaMemcpyAsync with pinned memory on a separate stream, and wait once at the end",
      std::min(time_s, view.profile.work_s() - time_s) / view.span_s);
}

/// What perfect overlap in `streams` streams would save at most: 1 - the longest of uploads,
/// downloads and kernels / all of them. Kernels run beside each other too, in as many streams as
/// there are and as far as the device has room for their blocks.
double overlap_gain(const View& view, double streams) {
  double kernels = 0;
  double filled = 0;  // device time, each kernel weighed by the part of the device that it fills
  double uploads = 0;
  double downloads = 0;
  for (const auto& kernel : view.profile.kernels) {
    kernels += kernel.time.total_s;
    const double room = static_cast<double>(kernel.resident_blocks) * view.device.multiprocessors;
    if (room > 0) filled += kernel.time.total_s * std::min(1.0, blocks_of(kernel) / room);
  }
  for (const auto& copy : view.profile.copies) {
    if (copy.source != MemoryKind::device) uploads += copy.time.total_s;
    if (is_download(copy)) downloads += copy.time.total_s;
  }
  const double all = kernels + uploads + downloads;
  const double least = std::max({filled, kernels / std::max(1.0, streams), uploads, downloads});
  return all > 0 ? 1 - least / all : 0;
}

double streams_asked(const View& view) {
  if (view.asked == nullptr || !view.asked->end_to_end) return 0;
  const AxisValue* value = view.asked->params.find("streams");
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? 0 : static_cast<double>(*number);
}

/// The number of streams that were really different; 0 where it is not known.
double streams_used(const View& view) {
  return view.fact("distinct_streams").value_or(view.fact("traced_streams").value_or(0));
}

bool aliased_streams(View& view) {
  const double asked = streams_asked(view);
  const double used = streams_used(view);
  if (!(asked > 1) || !(used > 0) || !(used < asked)) return false;
  auto text = "the case asks for " + count(asked) + " streams but uses " + count(used);
  if (const auto overlap = view.fact("overlap"))
    text += "; two operations ran at once for " + percent(*overlap) + " of the span";
  view.warn(
      "aliased-streams", "", text,
      "create each stream with its own call: a list that repeats one stream is still one stream",
      overlap_gain(view, asked));
  return true;
}

void serialized_streams(View& view) {
  const double used = std::min(streams_asked(view), streams_used(view));
  const auto overlap = view.fact("overlap");
  if (!(used > 1) || !overlap || !(view.span_s > 0)) return;
  const double busy = view.busy_s / view.span_s;
  const double overlapped = *overlap / busy;
  const double saved = overlap_gain(view, used);
  if (!(overlapped < threshold::no_overlap.value)) return;
  // Work that ends before the next stream gets its own can't overlap with it.
  auto operations = group_of(view.profile.kernels, [](const auto&) { return true; }).time;
  operations.add(group_of(view.profile.copies, [](const auto&) { return true; }).time);
  if (operations.mean_s() < threshold::short_operation.value) return;
  if (saved < threshold::matters.value) return;
  const bool pageable = std::ranges::any_of(view.profile.copies, is_pageable);
  view.warn("serialized-streams", "",
            plural(used, "stream", "streams") +
                " were in use, and two operations ran at once for " + percent(overlapped) +
                " of the device's time",
            pageable ? "pin the host memory: a copy from pageable memory blocks the host, "
                       "and so delays every stream"
                     : "find out why the streams wait for each other: the legacy default "
                       "stream, synchronisation between the launches, or allocations",
            saved * busy);
}

/// Of both, the gain is the idle share of the time: seconds of one execution in which the device
/// had nothing to do. This is taken from the untraced time, because tracing slows launches down;
/// but the traced run shows it too, or another execution was only slower.
void gaps(View& view) {
  if (!view.fact("idle") && !view.fact("busy")) return;
  // The time of kernel scope leaves the host out.
  if (view.asked == nullptr || !view.asked->end_to_end) return;
  const double total = view.asked->time_s;
  if (!(total > 0)) return;
  const double span = view.span_s;
  const double busy = view.fact("busy").value_or(1 - view.fact("idle").value_or(0)) * span;
  const double around = std::clamp(total - span, 0.0, threshold::around_span.value);
  const double idle_s = std::max(0.0, std::min(total - busy, span - busy + around));
  const double idle = idle_s / total;
  const auto kernels = group_of(view.profile.kernels, [](const auto&) { return true; }).time;
  const bool measured = view.ceilings != nullptr && view.ceilings->launch_s > 0;
  const double interval = measured ? view.ceilings->launch_s : threshold::launch_interval.value;
  if (kernels.count > 1 && kernels.mean_s() < interval && idle >= threshold::mostly_idle.value) {
    view.warn("launch-bound", "",
              plural(static_cast<double>(kernels.count), "kernel", "kernels") + " of " +
                  seconds(kernels.mean_s()) + " on average; a launch takes " + seconds(interval) +
                  (measured ? " (measured)" : "") + ", and the device has nothing to do for " +
                  percent(idle) + " of the time",
              "do more in each kernel, fuse kernels, or launch them as one CUDA graph", idle);
    return;
  }
  if (idle < threshold::idle.value || idle_s < threshold::idle_seconds.value) return;
  auto text = "the device has nothing to do for " + percent(idle) + " of the time (" +
              seconds(idle_s) + " of " + seconds(total) + ")";
  if (const auto gap = view.fact("longest_gap"); gap && *gap > 0)
    text += ", the longest gap is " + seconds(*gap);
  if (const auto wait = view.fact("host_wait"))
    text += "; the host waits for the device for " + percent(*wait) + " of the span";
  view.warn("idle-gaps", "", text,
            "submit work before the device is idle: synchronise less, do host work while "
            "the device works, use several streams",
            idle);
}

}  // namespace

void stream_rules(View& view) {
  if (view.on_gpu()) queued_copy(view);
  if (view.steps != nullptr) return;  // exposed-copies and the parts of a step cover the rest
  if (view.on_gpu()) {
    pageable_transfer(view);
    synchronous_copy(view);
  }
  // Where fewer streams were used than asked for, it follows that nothing overlaps.
  const bool aliased = aliased_streams(view);
  if (!view.on_gpu()) return;  // on the host streams share the processors with everything else
  if (!aliased) serialized_streams(view);
  gaps(view);
}

}  // namespace apod::look
