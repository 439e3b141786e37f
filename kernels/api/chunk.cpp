#include "kernels/api/chunk.hpp"

#include <algorithm>

namespace apod {

Chunk split_elements(std::int64_t size, std::int64_t index, std::int64_t count) {
  constexpr std::int64_t granule = 64;
  const std::int64_t granules = (size + granule - 1) / granule;
  const auto edge = [&](std::int64_t i) { return std::min(size, granules * i / count * granule); };
  Chunk chunk;
  chunk.index = index;
  chunk.count = count;
  chunk.begin = chunk.input_begin = edge(index);
  chunk.end = chunk.input_end = edge(index + 1);
  chunk.input_offset = static_cast<std::size_t>(chunk.begin) * sizeof(float);
  chunk.input_bytes = static_cast<std::size_t>(chunk.end - chunk.begin) * sizeof(float);
  return chunk;
}

}  // namespace apod
