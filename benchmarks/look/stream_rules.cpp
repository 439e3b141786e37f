#include <algorithm>

#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
namespace {

/// What perfect overlap in `streams` streams would save at most: 1 - the longest of uploads,
/// downloads and kernels / all of them. Kernels run beside each other too, in as many streams as
/// there are and as far as the device has room for their blocks.
double overlap_gain(const Evidence& evidence, double streams) {
  double kernels = 0;
  double filled = 0;  // device time, each kernel weighed by the part of the device that it fills
  double uploads = 0;
  double downloads = 0;
  for (const auto& kernel : evidence.profile.kernels) {
    kernels += kernel.time.total_s;
    const double room =
        static_cast<double>(kernel.resident_blocks) * evidence.device.multiprocessors;
    if (room > 0) filled += kernel.time.total_s * std::min(1.0, blocks_of(kernel) / room);
  }
  for (const auto& copy : evidence.profile.copies) {
    if (copy.source != MemoryKind::device) uploads += copy.time.total_s;
    if (is_download(copy)) downloads += copy.time.total_s;
  }
  const double all = kernels + uploads + downloads;
  const double least = std::max({filled, kernels / std::max(1.0, streams), uploads, downloads});
  return all > 0 ? 1 - least / all : 0;
}

/// Mean time of an operation of the device.
double operation_s(const Evidence& evidence) {
  Tally all;
  for (const auto& kernel : evidence.profile.kernels) all.add(kernel.time);
  for (const auto& copy : evidence.profile.copies) all.add(copy.time);
  return all.mean_s();
}

double streams_asked(const Evidence& evidence) {
  if (evidence.asked == nullptr || !evidence.asked->end_to_end) return 0;
  const AxisValue* value = evidence.asked->params.find("streams");
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? 0 : static_cast<double>(*number);
}

bool aliased_streams(const Evidence& evidence, Findings& found) {
  const double asked = streams_asked(evidence);
  const double used = streams_used(evidence);
  if (!(asked > 1) || !(used > 0) || !(used < asked)) return false;
  auto text = "the case asks for " + count(asked) + " streams but uses " + count(used);
  if (const auto overlap = fact(evidence, "overlap"))
    text += "; two operations ran at once for " + percent(*overlap) + " of the span";
  found.push_back(
      {"aliased-streams", Severity::warning, "", text,
       "create each stream with its own call: a list that repeats one stream is still one stream",
       gain(evidence, overlap_gain(evidence, asked))});
  return true;
}

void serialized_streams(const Evidence& evidence, Findings& found) {
  const double used = std::min(streams_asked(evidence), streams_used(evidence));
  const auto overlap = fact(evidence, "overlap");
  const double span = span_s(evidence);
  if (!(used > 1) || !overlap || !(span > 0)) return;
  const double busy = busy_s(evidence) / span;
  const double overlapped = *overlap / busy;
  const double saved = overlap_gain(evidence, used);
  if (!(overlapped < threshold::no_overlap.value)) return;
  // Work that ends before the next stream gets its own can't overlap with it.
  if (operation_s(evidence) < threshold::short_operation.value) return;
  if (saved < threshold::matters.value) return;
  const bool pageable = std::ranges::any_of(evidence.profile.copies, is_pageable);
  found.push_back({"serialized-streams", Severity::warning, "",
                   plural(used, "stream", "streams") +
                       " were in use, and two operations ran at once for " + percent(overlapped) +
                       " of the device's time",
                   pageable ? "pin the host memory: a copy from pageable memory blocks the host, "
                              "and so delays every stream"
                            : "find out why the streams wait for each other: the legacy default "
                              "stream, synchronisation between the launches, or allocations",
                   gain(evidence, saved * busy)});
}

/// Seconds of one execution in which the device had nothing to do. This is taken from the untraced
/// time, because tracing slows launches down; but the traced run shows it too, or another execution
/// was only slower.
double idle_seconds(const Evidence& evidence, double total_s) {
  const double span = span_s(evidence);
  const double busy =
      fact(evidence, "busy").value_or(1 - fact(evidence, "idle").value_or(0)) * span;
  const double around = std::clamp(total_s - span, 0.0, threshold::around_span.value);
  return std::max(0.0, std::min(total_s - busy, span - busy + around));
}

/// Gain of both: the idle share of the time.
void gaps(const Evidence& evidence, Findings& found) {
  if (!fact(evidence, "idle") && !fact(evidence, "busy")) return;
  // The time of kernel scope leaves the host out.
  if (evidence.asked == nullptr || !evidence.asked->end_to_end) return;
  const double total = evidence.asked->time_s;
  if (!(total > 0)) return;
  const double idle_s = idle_seconds(evidence, total);
  const double idle = idle_s / total;
  Tally kernels;
  for (const auto& kernel : evidence.profile.kernels) kernels.add(kernel.time);
  const bool measured = evidence.ceilings != nullptr && evidence.ceilings->launch_s > 0;
  const double interval = measured ? evidence.ceilings->launch_s : threshold::launch_interval.value;
  if (kernels.count > 1 && kernels.mean_s() < interval && idle >= threshold::mostly_idle.value) {
    found.push_back({"launch-bound", Severity::warning, "",
                     plural(static_cast<double>(kernels.count), "kernel", "kernels") + " of " +
                         seconds(kernels.mean_s()) + " on average; a launch takes " +
                         seconds(interval) + (measured ? " (measured)" : "") +
                         ", and the device has nothing to do for " + percent(idle) + " of the time",
                     "do more in each kernel, fuse kernels, or launch them as one CUDA graph",
                     gain(evidence, idle)});
    return;
  }
  if (idle < threshold::idle.value || idle_s < threshold::idle_seconds.value) return;
  auto text = "the device has nothing to do for " + percent(idle) + " of the time (" +
              seconds(idle_s) + " of " + seconds(total) + ")";
  if (const auto gap = fact(evidence, "longest_gap"); gap && *gap > 0)
    text += ", the longest gap is " + seconds(*gap);
  if (const auto wait = fact(evidence, "host_wait"))
    text += "; the host waits for the device for " + percent(*wait) + " of the span";
  found.push_back({"idle-gaps", Severity::warning, "", text,
                   "submit work before the device is idle: synchronise less, do host work while "
                   "the device works, use several streams",
                   gain(evidence, idle)});
}

}  // namespace

void stream_rules(const Evidence& evidence, Findings& found) {
  // Where fewer streams were used than asked for, it follows that nothing overlaps.
  const bool aliased = aliased_streams(evidence, found);
  if (!on_gpu(evidence)) return;  // on the host streams share the processors with everything else
  if (!aliased) serialized_streams(evidence, found);
  gaps(evidence, found);
}

}  // namespace apod::look
