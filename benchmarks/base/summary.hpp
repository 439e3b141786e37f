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

/// The share of the processors that other processes must keep busy to be mentioned. Times of two
/// runs that differ by as much can't be compared.
inline constexpr double busy_share = 0.25;
/// The same for the mean number of other processes on the GPU: one such process in one run of
/// twenty.
inline constexpr double busy_gpu = 0.05;

enum class CaseStatus : std::uint8_t { measured, failed, skipped, not_run };
template <>
struct EnumNames<CaseStatus> {
  static constexpr std::array<std::string_view, 4> names{"measured", "failed", "skipped",
                                                         "not_run"};
};

/// Which of the device's theoretical peaks the case came closest to.
struct NearestPeak {
  Bound bound = Bound::unknown;  ///< memory, fp32, fp64, transfer, or tensor, without a rate
  double rate = 0;               ///< that peak, in bytes or FLOPs per second; 0: not known
  /// Faster than that peak, so something else did the work: a cache, tensor cores, or fewer
  /// operations than the workload states.
  bool exceeded = false;
};

/// Of a case that was not traced.
inline const Profile no_profile;

struct CaseSummary {
  const Case* info = nullptr;
  const Profile* profile = &no_profile;  ///< of its traced pass, in the result; never null
  CaseStatus status = CaseStatus::not_run;
  std::string reason;  ///< "verify: ..." for failed, the skip reason for skipped

  /// All facts of a measured case, as tables show and `expect` names them (facts.hpp). Facts
  /// derived from its time have an interval if the time has one.
  std::map<std::string, Estimate> facts;
  NearestPeak peak;
  bool computes = false;             ///< its rate is one of arithmetic (roofline.hpp)
  bool replaces = false;             ///< it does other operations in place of those it counts
  std::optional<Roofline> roofline;  ///< if the device's ceilings are known
  std::vector<Finding> findings;     ///< as the result holds them
  Verification verification;         ///< the worst of all processes
  std::vector<std::string> notes;

  /// The fact of that name; null if the case does not have it.
  const Estimate* fact(const std::string& name) const;
  /// Its value; 0 if unknown.
  double value(const std::string& name) const;
  /// A fact's value, or as NAME_low and NAME_high an end of its interval.
  std::optional<double> number(const std::string& name) const;
  /// Of one execution, s; 0 if it was not measured.
  Estimate time() const;
  /// The facts without their intervals.
  std::map<std::string, double> values() const;
};

/// One summary for each case of the plan, in plan order.
std::vector<CaseSummary> summarize(const Result& result);

}  // namespace apod
