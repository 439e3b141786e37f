#pragma once

/// \file
/// The one estimator. Every time that is shown comes from it: tables, files, exports, expectations,
/// comparisons, histories and ceilings.
///
/// The unit is the process, because the samples of one process agree with each other better than
/// with those of the next: each process has its own memory layout and clocks. So the time of a case
/// is the geometric mean of its processes' medians. If each sample has the phase of its launch, the
/// median of a process is its phase_mean: otherwise it would depend on earlier launches
/// (launch_phase.hpp). With three processes or more the time has a 95 % interval,
/// the t interval of the medians' logarithms. Fewer say next to nothing about how far processes
/// differ, and have none.
///
/// Throttling is decided here, too. Samples taken while the device was throttled are left out. A
/// process with only such samples is left out as a whole. If that is true of every process of the
/// case, all samples count, and the case says so.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "kernels/api/types.hpp"

namespace apod {

/// Fewer processes have no interval between them.
inline constexpr std::size_t fewest_processes_for_interval = 3;

/// The geometric mean of the medians of a case's processes, seconds, and its interval. Zero without
/// an interval if a median is 0: the clock was too coarse. NaN for no medians. Times are multiples
/// of `tick_s`, so no interval is narrower than tick / sqrt(12) to either side: the standard
/// deviation of a uniform distribution over one tick.
Estimate estimate_time(std::span<const double> medians, double tick_s = 0);

/// How many processes would bring the interval of `medians` (two or more) to `precision`, a
/// relative half-width, if they differ as these do: the least n with t(0.975, n - 1) s / sqrt(n) at
/// most that, where s is the standard deviation of the medians' logarithms. At most `most`.
std::size_t processes_for(std::span<const double> medians, double precision, std::size_t most);

/// time / base time - 1 from all processes of both: the ratio of the geometric means of their
/// medians, minus 1. It has an interval if both sides have three processes. Paired, where the i-th
/// medians of both are of one process, it is the interval of the ratios, in which what a process's
/// cases share cancels; otherwise that of both spreads. Absent if a side has no median, or one is
/// 0. Paired spans must have the same size (std::invalid_argument).
std::optional<Estimate> estimate_delta(std::span<const double> medians,
                                       std::span<const double> base_medians, bool paired);

/// What one process says about a case.
struct ProcessSummary {
  int process = 0;
  std::string machine = {};               ///< where it ran, if a result has several
  double median_s = 0;                    ///< of the samples used, all phases with equal weights
  std::optional<double> device_median_s;  ///< end_to_end only
  std::size_t samples = 0;                ///< used
  bool throttled = false;                 ///< throughout: every sample was taken while throttled
  /// Interquartile range of the samples used, without what their phases differ by, / their median
  /// (quantiles of type 7, Hyndman & Fan 1996): the width of the middle half. Absent for fewer than
  /// two samples or a median of 0.
  std::optional<double> sample_spread;
};

/// The quantiles that a thin result keeps of the samples. The measurement must be timed.
SampleQuantiles quantiles_of(const Measurement& measurement);

/// How many phases of a launch its samples that count visit; 0: not known.
std::size_t phases_visited(const Measurement& measurement);

/// The measurement must be timed.
ProcessSummary summarize_process(const Measurement& measurement);

/// Samples taken while the device was throttled.
std::size_t count_throttled(const Measurement& measurement);
/// The share of throttled samples; of the marks if the samples themselves were not read.
double throttled_share(const Measurement& measurement);

/// `of_samples` has one value for each sample. Returns the values of the samples that count for the
/// time of the process: those not throttled, or all if all were throttled.
template <class T>
std::vector<T> used(const Measurement& measurement, const std::vector<T>& of_samples) {
  if (throttled_share(measurement) == 1) return of_samples;
  std::vector<T> kept;
  kept.reserve(of_samples.size());
  const auto& marks = measurement.throttled;
  for (std::size_t i = 0; i < of_samples.size(); ++i) {
    if (i >= marks.size() || marks[i] == 0) kept.push_back(of_samples[i]);
  }
  return kept;
}

/// A measurement's facts by name: its own, and those derived from its clock, its throttling marks,
/// its phases and its traffic.
std::map<std::string, double> facts_of(const Measurement& measurement);
/// Adds the derived ones to its own, and removes what too few samples can't tell of phases.
void add_derived_facts(const Measurement& measurement, std::map<std::string, double>& facts);

/// Leaves out the processes that were throttled throughout, if another was not. Their type has a
/// member `throttled`. Returns how many were left out.
template <class Process>
std::size_t leave_out_throttled(std::vector<Process>& processes) {
  const auto throttled = [](const Process& process) { return process.throttled; };
  if (std::ranges::all_of(processes, throttled)) return 0;
  return std::erase_if(processes, throttled);
}

}  // namespace apod
