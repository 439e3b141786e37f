#pragma once

/// \file
/// Elements of an array, a block at a time: as many as the caches next to a core hold.

#include <algorithm>
#include <cstdint>

#include "kernels/data/data.hpp"

namespace apod::file {

inline constexpr std::int64_t block_size = 512;  ///< elements

/// Calls work(first, count), count <= block_size, for the blocks of [0, elements), on all threads.
template <class Work>
void in_blocks(std::int64_t elements, const Work& work) {
  parallel_for((elements + block_size - 1) / block_size, [&](std::int64_t begin, std::int64_t end) {
    for (auto block = begin; block < end; ++block) {
      const auto first = block * block_size;
      work(first, static_cast<std::size_t>(std::min(block_size, elements - first)));
    }
  });
}

}  // namespace apod::file
