#pragma once

/// \file
/// What one process measured of one case. Samples are the primary data: summaries are derived from
/// them. A thin result keeps quantiles instead; see result.hpp.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/profile.hpp"
#include "kernels/api/workload.hpp"

namespace apod {

/// SM clock while the samples were taken; all 0 if it can't be read.
struct ClockRecord {
  double min_mhz = 0;
  double mean_mhz = 0;
  double max_mhz = 0;
  std::size_t readings = 0;
  std::vector<std::string> reasons;  ///< distinct throttle reasons seen
  /// Of each sample, in whole MHz, 0 if unknown; empty in older files. From cycles and time on the
  /// sample's stream if it is blocked, else the last reading of the driver, which is updated ten
  /// times a second on an H200.
  std::vector<int> sample_mhz{};
};

/// A case that a process of a command reported in its output.
struct FoundCase {
  std::string name;
  std::string failed{};  ///< the reason in the output; empty: it was measured
  std::vector<double> samples_s{};
  std::map<std::string, double> facts{};
  // As a Measurement's, where it was traced.
  std::map<std::string, std::string> kernel_code{};
  Profile profile{};
};

/// What a thin result keeps of the samples of a process, seconds: its median, with equal weight for
/// all phases of launches, and quantiles of type 7 (Hyndman & Fan 1996) of the samples that count,
/// without the differences between phases.
struct SampleQuantiles {
  std::uint64_t samples = 0;    ///< all that were taken
  std::uint64_t throttled = 0;  ///< taken while the device was throttled
  double p25_s = 0;
  double median_s = 0;
  double p75_s = 0;
  double p99_s = 0;
  std::optional<double> device_median_s{};  ///< end_to_end only
};

struct Measurement {
  std::size_t case_index = 0;
  std::string case_id;
  int process = 0;     ///< 0, 1, ...; which of the fresh processes
  std::string failed;  ///< reason; empty: it was measured
  std::string stage;   ///< the phase in which it failed, or the last one reached

  std::vector<double> samples_s;         ///< seconds, in the order taken
  std::vector<double> device_samples_s;  ///< end_to_end: the device's own time; else empty
  std::vector<std::uint8_t> throttled;   ///< 1 for each sample taken while throttled; else empty
  /// Of each sample, if known; else empty. See launch_phase.hpp.
  std::vector<std::uint8_t> launch_phases{};
  std::optional<SampleQuantiles> quantiles{};  ///< of a thin result, in place of the four above
  std::uint64_t pilot_samples = 0;             ///< samples of the pilot, not kept
  bool precision_reachable = true;             ///< false: max_samples or max_time came first
  std::string launch;           ///< launch mode used, e.g. "stream" where blocked is impossible
  int launches_per_sample = 1;  ///< graph batch
  double wall_s = 0;            ///< the whole case, setup included

  Verification verification;
  Traffic traffic;
  ClockRecord clock;
  std::vector<NamedTime> phases;
  std::map<std::string, double> facts;  ///< distinct_streams, overlap, ...: what expect can name
  /// Kernel name -> hash of its machine code, empty if unknown; see trace/.
  std::map<std::string, std::string> kernel_code;
  Profile profile;  ///< of the traced pass; empty without one
  std::vector<std::string> notes;
  std::string machine{};  ///< where it was measured, if a result has several
  /// Instead of samples of its own; see found_cases.hpp for what becomes of them.
  std::vector<FoundCase> found{};

  /// Whether it has a time: a traced pass doesn't.
  bool is_timed() const { return !samples_s.empty() || quantiles; }
};

}  // namespace apod
