#pragma once

/// \file
/// What the rules share. Internal to look/.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/roofline.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/look/findings.hpp"
#include "benchmarks/look/switches.hpp"

namespace apod::look {

/// Kernels or copies of one name, or of one cause.
template <class Profiled>
struct Group {
  Tally time;
  int entries = 0;                    ///< of the profile
  const Profiled* longest = nullptr;  ///< null: none

  void add(const Profiled& one) {
    time.add(one.time);
    ++entries;
    if (longest == nullptr || one.time.total_s > longest->time.total_s) longest = &one;
  }
  double count() const { return static_cast<double>(time.count); }
};
template <class Profiled, class Belongs>
Group<Profiled> group_of(const std::vector<Profiled>& all, const Belongs& belongs) {
  Group<Profiled> group;
  for (const auto& one : all)
    if (belongs(one)) group.add(one);
  return group;
}

/// The kernels of a name that take at least a tenth of the device's time.
struct Weighed {
  const KernelProfile* kernel;  ///< the shape that takes the longest
  double share;                 ///< of the device's time
  double share_of_span;         ///< of all of the time: what a gain is a share of
  int shapes;                   ///< grids and blocks it was launched with
  std::string name;             ///< as a finding shows it
};

/// The evidence, what most rules ask of it, and what they found.
struct View : Evidence {
  explicit View(const Evidence& evidence);

  /// Seconds that a gain is a share of: the steady steps together, else the span of the timeline,
  /// else the sum of its operations. 0 where nothing was traced.
  double span_s = 0;
  /// Seconds of the timeline in which the device was busy; its span where that is not known.
  /// Thresholds are shares of it, because the start and the end of another program are not its
  /// work.
  double busy_s = 0;
  /// Time in which kernels ran / the sum of their times: below 1 where some ran at once. A kernel
  /// can save no more than this part of its own time.
  double kernels_alone = 1;
  std::vector<Weighed> kernels;  ///< that matter
  /// How close the work comes to the ceilings; of our own cases, where ceilings are known.
  std::optional<Roofline> roof;
  /// The share of the time beyond what the binding ceiling allows. Nothing can save more. 1 if no
  /// ceiling is known.
  double room = 1;
  std::vector<Finding> found;

  void warn(const char* id, std::string subject, std::string text, std::string_view advice,
            double gain = 0) {
    say(Severity::warning, id, std::move(subject), std::move(text), advice, gain);
  }
  void note(const char* id, std::string subject, std::string text, std::string_view advice,
            double gain = 0) {
    say(Severity::note, id, std::move(subject), std::move(text), advice, gain);
  }
  /// The gain as a share in [0, room]; 0 for anything that is not a number.
  void say(Severity severity, const char* id, std::string subject, std::string text,
           std::string_view advice, double gain);

  /// The fact, where it is there and a number.
  std::optional<double> fact(const std::string& name) const;
  /// Whether it takes enough of the device's time.
  bool matters(double time_s) const;
  /// "12 % of the device's time".
  std::string share_of_busy(double time_s) const;
  /// False for a case that ran on the host: its "copies" and "kernels" are plain functions.
  bool on_gpu() const { return asked == nullptr || asked->backend == BackendKind::cuda; }
  /// Of a case whose time is that of its kernels.
  bool in_kernel_scope() const { return asked != nullptr && !asked->end_to_end; }
  bool has_tensor_cores() const { return on_gpu() && capability(device) >= 7; }
  bool repeats() const { return steps != nullptr && steps->repeats(); }
  /// What is counted in a finding: where a report is by steps, its time is that of a step, and so
  /// are its counts.
  double a_step(double all) const {
    return repeats() ? all / static_cast<double>(steps->steady.size()) : all;
  }
  /// " a step"; empty of the whole run.
  const char* of_a_step() const { return repeats() ? " a step" : ""; }
  /// The rate of pinned memory: the measured ceiling, else the peak of the link; 0 unknown.
  double pinned_rate(bool upload) const;
  /// Of fp32 and fp64, in FLOP/s: measured, else the peaks; 0 unknown.
  std::pair<double, double> fp_rates() const;
  /// How near the case is to the ceiling that binds it, or the kernel by its counters, as a share;
  /// 0 where neither is known.
  double nearness(const KernelProfile& kernel) const;

 private:
  void weigh_kernels();
};

// One theme each; they say what they find.
void stream_rules(View& view);
void grid_rules(View& view);
void arithmetic_rules(View& view);
void kernel_rules(View& view);
void counter_rules(View& view);
void ceiling_rules(View& view);
void step_rules(View& view);
void host_rules(View& view);

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

}  // namespace apod::look
