#pragma once

#include <cstdint>

#include "kernels/api/workload.hpp"

namespace apod {

/// Part `index` of `count` nearly equal parts of a one-dimensional fp32 problem of `size` elements.
/// Parts begin at multiples of 64 elements (256 bytes), so that each is as aligned as the whole;
/// the last take what is left and may be empty. The output side is left for the caller.
Chunk split_elements(std::int64_t size, std::int64_t index, std::int64_t count);

/// The same, of a problem whose output has a place of fp32 for every element of the input.
Chunk split_map(std::int64_t size, std::int64_t index, std::int64_t count);

/// Part `index` of `count` nearly equal parts of `size` records, such as rows or images, which have
/// so many bytes each. The last may be empty.
Chunk split_records(std::int64_t size, std::size_t input_bytes, std::size_t output_bytes,
                    std::int64_t index, std::int64_t count);

}  // namespace apod
