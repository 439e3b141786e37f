#pragma once

#include <cstdint>

#include "kernels/api/workload.hpp"

namespace apod {

/// Part `index` of `count` nearly equal parts of a one-dimensional fp32 problem of `size` elements.
/// Parts begin at multiples of 64 elements (256 bytes), so that each is as aligned as the whole;
/// the last ones take the rest and may be empty. The caller fills in the output side.
Chunk split_elements(std::int64_t size, std::int64_t index, std::int64_t count);

/// The same, for a problem with one fp32 output per element of the input.
Chunk split_map(std::int64_t size, std::int64_t index, std::int64_t count);

/// Part `index` of `count` nearly equal parts of `size` records, such as rows or images, of the
/// given bytes each. The last may be empty.
Chunk split_records(std::int64_t size, std::size_t input_bytes, std::size_t output_bytes,
                    std::int64_t index, std::int64_t count);

}  // namespace apod
