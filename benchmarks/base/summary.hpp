#pragma once

/// \file
/// Numbers derived from a Result's samples. Nothing here is stored: tables, files and expectations
/// all derive them with this one function, so they can't disagree.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/roofline.hpp"

namespace apod {

enum class CaseStatus : std::uint8_t { measured, failed, skipped, not_run };
template <>
struct EnumNames<CaseStatus> {
  static constexpr std::array<std::string_view, 4> names{"measured", "failed", "skipped",
                                                         "not_run"};
};

/// Which of the device's theoretical peaks the case came closest to.
struct Throughput {
  double bytes_per_s = 0;
  double flops_per_s = 0;
  double share = 0;         ///< of the peak that `bound` names; 0 where the peak is unknown
  double peak = 0;          ///< that peak, in bytes or FLOPs per second
  std::string bound;        ///< "memory", "fp32", "fp64", "transfer"; empty where no peak is known
  bool above_peak = false;  ///< more bytes per second than the memory can give: cache answered
};

/// Of a case that was not traced.
inline const Profile no_profile;

struct CaseSummary {
  const Case* info = nullptr;
  const Profile* profile = &no_profile;  ///< of its traced pass, in the result; never null
  CaseStatus status = CaseStatus::not_run;
  std::string reason;  ///< "verify: ..." for failed, the skip reason for skipped

  int processes = 0;          ///< measured ones
  std::size_t samples = 0;    ///< used, all processes together
  std::size_t throttled = 0;  ///< taken while throttled; see estimator.hpp for what becomes
                              ///< of them
  Estimate time_s;
  Estimate device_time_s;  ///< end_to_end only
  /// How far the samples of one process differ: ProcessSummary::sample_spread, the mean over the
  /// processes used. It says nothing about how far processes differ. Absent where no process has
  /// it.
  std::optional<double> sample_spread;
  Throughput throughput;
  std::optional<Roofline> roofline;  ///< where the device's ceilings are known
  std::vector<Finding> findings;     ///< as the result holds them
  /// Against the in-run baseline: time / baseline time - 1, over the processes that measured both.
  /// Absent without a baseline, or without such a process.
  std::optional<Estimate> delta;
  Verification verification;            ///< the worst of all processes
  std::map<std::string, double> facts;  ///< everything `expect` can name, derived ones included
  std::vector<std::string> notes;

  /// What the interval of time_s is about.
  IntervalKind interval() const {
    return time_s.has_interval() ? IntervalKind::processes : IntervalKind::none;
  }
};

/// One summary for each case of the plan, in plan order.
std::vector<CaseSummary> summarize(const Result& result);

}  // namespace apod
