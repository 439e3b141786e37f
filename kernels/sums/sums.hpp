#pragma once

/// \file
/// The common part on the host of the workloads that sum: a reference, a tolerance, partial sums.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/api/types.hpp"

namespace apod::sums {

/// Sum and sum of magnitudes, in fp64. Pairwise over blocks, so that the error grows with log n
/// (Higham 2002, "Accuracy and Stability of Numerical Algorithms", 4.2), far below the measured
/// errors.
struct ReferenceSum {
  double sum = 0;
  double magnitude = 0;  ///< sum of |x|
};
ReferenceSum reference_sum(std::span<const float> values);

/// The largest error of a correct sum of n values, relative to their sum of magnitudes.
///
/// Recursive summation with unit roundoff u is off by at most (length - 1) u relative to the
/// magnitudes, where length is the longest chain of additions (Higham 2002, 4.2). The longest here
/// is the streams tutorial's: n over 2^18 threads, a tree, then one thread that adds 1280 partial
/// sums.
///
/// For large n that is far more than one lost element. But if all values are multiples of some
/// power of two, and their magnitudes add up to at most 2^24 (fp32) or 2^53 (fp64) of these units,
/// no order of additions rounds at all, and no error is allowed: so a single element lost among ten
/// million ones is found.
double sum_tolerance(std::span<const float> values, const ReferenceSum& reference,
                     Number accumulator);

/// Sum in fp64 of values of the accumulator's type.
double add_partials(std::span<const std::byte> partials, Number accumulator);

}  // namespace apod::sums
