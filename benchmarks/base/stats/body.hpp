#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace apod::stats {

/// Values of which most lie together, and some may lie apart as a group.
struct Body {
  double centre = 0;                 ///< median of those that lie together
  std::vector<std::size_t> members;  ///< their indices, ascending
};

/// The body of `values`; no distance from its centre counts as smaller than the value's error in
/// `errors`, which is positive. At least a third of the values belong to it; where two groups could
/// be it, the one whose centre is nearer to 0 is.
///
/// The k farthest are a group apart if the nearest of them lies at least four times as far out as
/// the median of the others, and r times as far as the farthest of these, with r^-k < 1/1000. In a
/// tail of P(|x| > d) ~ d^-a that has a chance of r^(-a k) (Renyi 1953, "On the theory of order
/// statistics"): one in a thousand for a = 1, so that heavy tails are no group.
Body body_of(std::span<const double> values, std::span<const double> errors);

}  // namespace apod::stats
