#pragma once

#include <array>
#include <cstddef>

namespace apod::sums {

/// Sum of n values in `Accumulator`: 16 strands, which vectorise and keep the adders busy, over
/// blocks that are added pairwise in a second level, which keeps strands short.
template <class Accumulator>
Accumulator host_sum(const float* values, std::size_t n) {
  constexpr std::size_t strands = 16;
  constexpr std::size_t block = 8192;
  Accumulator total = 0;
  Accumulator lost = 0;  // Kahan's compensation of the second level
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t end = begin + block < n ? begin + block : n;
    std::array<Accumulator, strands> sums{};
    std::size_t i = begin;
    for (; i + strands <= end; i += strands) {
      for (std::size_t k = 0; k < strands; ++k) sums[k] += values[i + k];
    }
    for (; i < end; ++i) sums[0] += values[i];
    Accumulator sum = 0;
    for (const Accumulator part : sums) sum += part;
    const Accumulator corrected = sum - lost;
    const Accumulator next = total + corrected;
    lost = (next - total) - corrected;
    total = next;
  }
  return total;
}

}  // namespace apod::sums
