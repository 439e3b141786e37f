#pragma once

/// \file
/// What the rules share. Internal to look/.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/roofline.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/look/findings.hpp"

namespace apod::look {

using Findings = std::vector<Finding>;

// One theme each; they append what they find.
void transfer_rules(const Evidence& evidence, Findings& found);
void stream_rules(const Evidence& evidence, Findings& found);
void grid_rules(const Evidence& evidence, Findings& found);
void arithmetic_rules(const Evidence& evidence, Findings& found);
void kernel_rules(const Evidence& evidence, Findings& found);
void ceiling_rules(const Evidence& evidence, Findings& found);
void counter_rules(const Evidence& evidence, Findings& found);
void step_rules(const Evidence& evidence, Findings& found);
void host_rules(const Evidence& evidence, Findings& found);

/// The fact, where it is there and a number.
std::optional<double> fact(const Evidence& evidence, const std::string& name);

/// Seconds that a gain is a share of: the steady steps together, else the span of the timeline,
/// else the sum of its operations. 0 where nothing was traced.
double span_s(const Evidence& evidence);

/// Seconds of the timeline in which the device was busy; its span where that is not known.
/// Thresholds are shares of it, because the start and the end of another program are not its work.
double busy_s(const Evidence& evidence);

/// The rate of pinned memory: the measured ceiling, else the peak of the link; 0 unknown.
double pinned_rate(const Evidence& evidence, bool upload);

/// The number of streams that were really different; 0 where it is not known.
double streams_used(const Evidence& evidence);

/// False for a case that ran on the host: its "copies" and "kernels" are plain functions.
bool on_gpu(const Evidence& evidence);

/// Work against ceilings, for a case of our own on a device with ceilings.
std::optional<Roofline> roofline_of(const Evidence& evidence);

/// The share of the time above what the binding ceiling allows: nothing can save more. 1 where no
/// ceiling is known.
double room(const Evidence& evidence);

/// How near the case is to the ceiling that binds it, or the kernel by its counters, as a share; 0
/// where neither is known.
double nearness(const Evidence& evidence, const KernelProfile& kernel);

/// A gain as a share in [0, room]; 0 for anything that is not a number.
double gain(const Evidence& evidence, double share);

inline bool is_upload(const CopyProfile& copy) {
  return copy.target == MemoryKind::device && copy.source != MemoryKind::device;
}
inline bool is_download(const CopyProfile& copy) {
  return copy.source == MemoryKind::device && copy.target != MemoryKind::device;
}
inline bool is_pageable(const CopyProfile& copy) {
  return copy.source == MemoryKind::pageable || copy.target == MemoryKind::pageable;
}

double blocks_of(const KernelProfile& kernel);
double threads_a_block(const KernelProfile& kernel);

/// A counter of a kernel under its name in kernels/api/counters, mean over its launches; nothing
/// where it was not counted.
std::optional<double> counter(const KernelProfile& kernel, const std::string& name);

/// Time in which kernels ran / the sum of their times: below 1 where some ran at once. A kernel can
/// save no more than this part of its own time.
double kernels_alone(const Evidence& evidence);

/// The kernels that take at least a tenth of the device's time, all launches of a name together.
struct Weighed {
  const KernelProfile* kernel;  ///< the shape that takes the longest
  double share;                 ///< of the device's time
  double share_of_span;         ///< of all of the time: what a gain is a share of
  int shapes;                   ///< grids and blocks it was launched with
};
std::vector<Weighed> kernels_that_matter(const Evidence& evidence);

// Numbers as a person reads them in a sentence.
inline std::string percent(double share) {
  return text::format_share(share);
}
inline std::string count(double value) {
  return text::format_count(value);
}
/// "12.3 us".
inline std::string seconds(double seconds) {
  return text::format_time(seconds, text::in_prose);
}
/// "400 MB".
inline std::string bytes(double bytes) {
  return text::format_rate(bytes, "B", text::in_prose);
}
/// "7.7 GB/s".
inline std::string rate(double per_second, const char* unit) {
  return text::format_rate(per_second, std::string(unit) + "/s", text::in_prose);
}
/// "1 copy", "3 copies".
std::string plural(double count, const char* one, const char* many);

/// What is counted in a finding: where a report is by steps, its time is that of a step, and so are
/// its counts.
class Counts {
 public:
  explicit Counts(const Evidence& evidence);

  double of(double all) const { return steps_ > 0 ? all / steps_ : all; }
  /// " a step"; empty of the whole run.
  const char* text() const { return steps_ > 0 ? " a step" : ""; }

 private:
  double steps_;
};

}  // namespace apod::look
