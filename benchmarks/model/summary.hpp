#pragma once

/// \file
/// Numbers derived from a Result's samples. Nothing here is stored: tables, files and expectations
/// all derive them with this one function, so they can't disagree.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/facts.hpp"
#include "benchmarks/model/result.hpp"
#include "benchmarks/model/roofline.hpp"

namespace apod {

/// An estimate with its 95 % interval. `low` and `high` equal `value` when there is no interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double half_width() const { return (high - low) / 2; }
  /// Whether one end is more than half as far again as the other, so that half the width says too
  /// little. What rounding makes of no width is not.
  bool lopsided() const {
    const auto [near, far] = std::minmax({value - low, high - value});
    return far > 1.5 * near + 1e-9 * std::abs(high);
  }
};

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
  std::string bound;        ///< "memory", "fp32", "fp64", "transfer"; empty where no peak is known
  bool above_peak = false;  ///< more bytes per second than the memory can give: cache answered
};

struct CaseSummary {
  const Case* info = nullptr;
  CaseStatus status = CaseStatus::not_run;
  std::string reason;  ///< "verify: ..." for failed, the skip reason for skipped

  int processes = 0;               ///< measured ones
  std::size_t samples = 0;         ///< used, all processes together
  std::size_t throttled = 0;       ///< marked and kept out (all were kept when none is left)
  Estimate time_s;                 ///< see summary.cpp for the estimator
  bool between_processes = false;  ///< the interval is of process medians, not of samples
  Estimate device_time_s;          ///< end_to_end only
  Throughput throughput;
  std::optional<Roofline> roofline;  ///< where the device's ceilings are known
  std::vector<Finding> findings;     ///< as the result holds them
  /// Against the in-run baseline: time / baseline time - 1, relative; absent without one.
  std::optional<Estimate> delta;
  Verification verification;            ///< the worst of all processes
  std::map<std::string, double> facts;  ///< everything `expect` can name, derived ones included
  std::vector<std::string> notes;
};

/// One summary for each case of the plan, in plan order.
std::vector<CaseSummary> summarize(const Result& result);

}  // namespace apod
