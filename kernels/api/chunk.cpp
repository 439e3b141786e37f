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

Chunk split_map(std::int64_t size, std::int64_t index, std::int64_t count) {
  auto chunk = split_elements(size, index, count);
  chunk.output_offset = chunk.input_offset;
  chunk.output_bytes = chunk.input_bytes;
  return chunk;
}

Chunk split_records(std::int64_t size, std::size_t input_bytes, std::size_t output_bytes,
                    std::int64_t index, std::int64_t count) {
  Chunk chunk;
  chunk.index = index;
  chunk.count = count;
  chunk.begin = chunk.input_begin = size * index / count;
  chunk.end = chunk.input_end = size * (index + 1) / count;
  const auto begin = static_cast<std::size_t>(chunk.begin);
  const auto records = static_cast<std::size_t>(chunk.end) - begin;
  chunk.input_offset = begin * input_bytes;
  chunk.input_bytes = records * input_bytes;
  chunk.output_offset = begin * output_bytes;
  chunk.output_bytes = records * output_bytes;
  return chunk;
}

}  // namespace apod
