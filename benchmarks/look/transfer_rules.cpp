#include <algorithm>

#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
namespace {

/// Gain: (time of the pageable copies - their bytes / pinned rate of their direction) / span.
void pageable_transfer(const Evidence& evidence, Findings& found) {
  double time_s = 0;
  double moved = 0;
  double saved_s = 0;
  std::string rates;
  for (const auto& copy : evidence.profile.copies) {
    if (!is_pageable(copy) || !(is_upload(copy) || is_download(copy))) continue;
    const auto size = static_cast<double>(copy.bytes);
    time_s += copy.time.total_s;
    moved += size;
    const double pinned = pinned_rate(evidence, is_upload(copy));
    if (pinned > 0) saved_s += std::max(0.0, copy.time.total_s - size / pinned);
    if (copy.time.total_s > 0) {
      rates += (rates.empty() ? "" : ", ") + copy.name + " at " +
               rate(size / copy.time.total_s, "B") +
               (pinned > 0 ? " instead of " + rate(pinned, "B") + " with pinned memory" : "");
    }
  }
  const double span = span_s(evidence);
  const double busy = busy_s(evidence);
  if (!(busy > 0) || !(moved > 0) || time_s < threshold::matters.value * busy) return;
  found.push_back(
      {"pageable-transfer", Severity::warning, "copies",
       bytes(moved) + " from or to pageable host memory take " +
           percent(std::min(1.0, time_s / busy)) + " of the device's time (" + rates + ")",
       "allocate the host memory with cudaMallocHost, or register it once with cudaHostRegister: "
       "copies from pageable memory can't run at the same time as kernels",
       gain(evidence, saved_s / span)});
}

/// Gain: what could run beside the copies: min(time of the copies, time of everything else) / span.
void synchronous_copy(const Evidence& evidence, Findings& found) {
  double time_s = 0;
  double calls = 0;
  for (const auto& copy : evidence.profile.copies) {
    if (!(is_upload(copy) || is_download(copy)) || copy.synchronous == 0) continue;
    // It is unknown which of them took the time, so most of them must be synchronous.
    if (2 * copy.synchronous <= copy.time.count) continue;
    time_s += copy.time.total_s;
    calls += static_cast<double>(copy.synchronous);
  }
  const double span = span_s(evidence);
  const double busy = busy_s(evidence);
  if (!(busy > 0) || !(calls > 0) || time_s < threshold::matters.value * busy) return;
  const double all_s = evidence.profile.work_s();
  found.push_back(
      {"synchronous-copy", Severity::warning, "copies",
       plural(calls, "copy", "copies") + " by blocking calls take " +
           percent(std::min(1.0, time_s / busy)) + " of the device's time",
       "use cudaMemcpyAsync with pinned memory on a separate stream, and wait once at the end",
       gain(evidence, std::min(time_s, all_s - time_s) / span)});
}

/// Gain: the time of kernels that could have run meanwhile / span, at most the share of the span in
/// which the direction was not busy: another order makes the copies end no sooner.
void queued_copy(const Evidence& evidence, Findings& found) {
  const double span = span_s(evidence);
  const Counts counts(evidence);
  for (const auto& copy : evidence.profile.copies) {
    if (copy.queued == 0 || copy.queued_s < threshold::matters.value * busy_s(evidence)) continue;
    const double idle_s = std::max(0.0, span - copy.time.total_s);
    const double share = std::min(copy.queued_lost_s, idle_s) / span;
    found.push_back(
        {"queued-copy", share < threshold::matters.value ? Severity::note : Severity::warning,
         copy.name,
         plural(counts.of(static_cast<double>(copy.queued)), "small copy", "small copies") +
             counts.text() + " waited " + seconds(counts.of(copy.queued_s)) +
             " for larger copies of other streams, while kernels waited for the small " +
             (copy.queued == 1 ? "copy" : "copies"),
         "enqueue small copies before large copies, or split the large copies: copies in one "
         "direction run one after the other",
         gain(evidence, share)});
  }
}

}  // namespace

double pinned_rate(const Evidence& evidence, bool upload) {
  const double ceiling = evidence.ceilings == nullptr ? 0
                         : upload                     ? evidence.ceilings->h2d_pinned_bytes_per_s
                                                      : evidence.ceilings->d2h_pinned_bytes_per_s;
  return ceiling > 0 ? ceiling : evidence.device.peak_transfer_bytes_per_s;
}

void transfer_rules(const Evidence& evidence, Findings& found) {
  if (!on_gpu(evidence)) return;
  queued_copy(evidence, found);
  if (evidence.steps != nullptr) return;  // exposed-copies covers these
  pageable_transfer(evidence, found);
  synchronous_copy(evidence, found);
}

}  // namespace apod::look
