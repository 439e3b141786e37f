#pragma once

/// \file
/// What one process measured of one case. Samples are the truth: summaries are derived from them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/profile.hpp"
#include "kernels/api/workload.hpp"

namespace apod {

/// SM clock while the samples were taken; all 0 where it can't be read.
struct ClockRecord {
  double min_mhz = 0;
  double mean_mhz = 0;
  double max_mhz = 0;
  std::size_t readings = 0;
  std::vector<std::string> reasons;  ///< distinct throttle reasons seen
  /// Of each sample, in whole MHz, 0 where it is not known; empty in files of before. From cycles
  /// and time within the sample's stream where it is held, else the last reading of the driver,
  /// which makes a new one ten times a second on an H200.
  std::vector<int> sample_mhz{};
};

/// A case that a process of a command told of in its output.
struct FoundCase {
  std::string name;
  std::string failed{};  ///< what the output says of it; empty: it was measured
  std::vector<double> samples_s{};
  std::map<std::string, double> facts{};
  // As a Measurement's, where it was traced.
  std::map<std::string, std::string> kernel_code{};
  Profile profile{};
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
  /// Of each sample, where it is known; else empty. See launch_phase.hpp.
  std::vector<std::uint8_t> launch_phases{};
  std::uint64_t pilot_samples = 0;  ///< samples of the pilot, not kept
  bool precision_reachable = true;  ///< false: max_samples or max_time came first
  std::string launch;               ///< launch mode used, e.g. "stream" where blocked can't be
  int launches_per_sample = 1;      ///< graph batch
  double wall_s = 0;                ///< the whole case, setup included

  Verification verification;
  Traffic traffic;
  ClockRecord clock;
  std::vector<NamedTime> phases;
  std::map<std::string, double> facts;  ///< distinct_streams, overlap, ...: what expect can name
  /// Kernel name -> hash of its machine code, empty where that is not known; see trace/.
  std::map<std::string, std::string> kernel_code;
  Profile profile;  ///< of the traced pass; empty without one
  std::vector<std::string> notes;
  std::string machine{};  ///< that measured it, where several measured a result
  /// In place of samples of its own; see found_cases.hpp for what becomes of them.
  std::vector<FoundCase> found{};
};

}  // namespace apod
