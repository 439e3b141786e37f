#pragma once

/// \file
/// What keeps a case from being faster: one rule for headlines, tables, figures and explanations.

#include <string>

#include "benchmarks/base/summary.hpp"

namespace apod::show {

/// From this share of a ceiling on it is said to be the limit: the same transfers were measured to
/// take a third less time beside a faster kernel where 63 % were reached.
constexpr double clearly_near = 0.8;

/// By the measured ceilings if they are known, else by the theoretical peaks.
struct Limit {
  Bound nearest = Bound::unknown;
  double share = 0;       ///< that is reached of it
  bool measured = false;  ///< whether it is a ceiling
  /// What binds: that limit, if `share` is near_ceiling or more, else Roofline::bound; unknown also
  /// if no peak is near.
  Bound bound = Bound::unknown;

  /// Whether the nearest limit binds.
  bool is_near() const { return nearest != Bound::unknown && bound == nearest; }
  /// Whether so much is reached of it that nothing else can be the limit.
  bool is_limit() const { return is_near() && share >= clearly_near; }
  /// "measured transfer ceiling".
  std::string name() const;
  /// "63.7 % of the measured transfer ceiling", and above 100 % what that means.
  std::string text() const;
};

/// A share that is printed as more than 100 %.
constexpr double visibly_above = 1.005;

Limit limit_of(const CaseSummary& summary);

/// The upper end of the interval, or the lower one, if there is one. Cases are ranked by it, so
/// that an uncertain case can't win by chance.
double at_most(const Estimate& estimate);
double at_least(const Estimate& estimate);
/// The share of its limit that a case reaches if it takes that time.
double sure_share(const CaseSummary& summary);

}  // namespace apod::show
