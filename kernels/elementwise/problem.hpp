#pragma once

/// \file
/// The NVTX tutorial's squared differences of a list of arrays, element by element:
///   squares[i] = (x[i] - x[i + 1]) * (x[i] - x[i + 1])
/// The arrays are fp32, equally long, and lie one after the other; so do their squares, one array
/// fewer.

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"

namespace apod::elementwise {

/// The source of a pair's temporaries. `malloc`: allocated and freed for each pair by the calls
/// that wait for the device (cudaMalloc; on the host, operator new). `pool`: likewise, but from a
/// pool that keeps freed memory (cudaMallocAsync). `arena`: the task's scratch, allocated once
/// before.
enum class Allocator : std::uint8_t { malloc, pool, arena };

/// The result of one pair needs two temporaries if it is not fused: the tutorial's expression takes
/// the difference twice.
inline constexpr std::size_t temporaries = 2;

/// A chunk as kernels see it: `pairs` neighbouring arrays, one more array than that in memory.
struct Part {
  const float* in = nullptr;
  float* out = nullptr;
  std::size_t size = 0;  ///< values of an array
  std::size_t pairs = 0;
};
/// The part that `task` is about. Its problem must be SquaredDifferences.
Part part(const Task& task);

Allocator allocator_of(const Params& params);
/// Bytes of scratch for the temporaries of a pair; none unless they come from the arena.
std::size_t arena_bytes(const Params& params);
/// For a variant without temporaries: why it takes only the default allocator.
std::optional<std::string> rejects_allocator(const Params& params);
/// Temporary `which` of an arena, 256-byte aligned like the arena itself.
float* in_arena(void* arena, std::size_t which, std::size_t size);

/// A list of arrays split by pairs. Chunks that are neighbours share an array: the last one's y is
/// the next one's x.
class SquaredDifferences : public Problem {
 public:
  /// `values` holds the arrays, `size` elements each, at least two of them.
  SquaredDifferences(std::shared_ptr<const Floats> values, std::int64_t size);

  std::int64_t size() const { return size_; }

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t chunks) const override;
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  std::shared_ptr<const Floats> values_;
  std::int64_t size_;
  std::int64_t pairs_;
};

}  // namespace apod::elementwise

namespace apod {
template <>
struct EnumNames<elementwise::Allocator> {
  static constexpr std::array<std::string_view, 3> names{"malloc", "pool", "arena"};
};
}  // namespace apod
