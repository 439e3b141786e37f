#pragma once

#include <cstddef>

namespace apod::read {

/// Words that one chunk leaves: each is the sum, modulo 2^32, of a part of the array, taken as
/// 32-bit words. Their own sum is that of the array whatever the parts are, so that a block can
/// leave one without waiting for another. Sixteen for each of 256 multiprocessors: a full grid.
constexpr std::size_t partial_sums = 4096;

}  // namespace apod::read
