#pragma once

/// \file
/// The NVTX tutorial's aggregation by group: count, sum and mean of the values of each key.

#include <cstdint>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/groupby/cells.hpp"

namespace apod::groupby {

/// How the keys are distributed over the rows.
enum class Keys : std::uint8_t {
  uniform,  ///< every key equally likely, in every row
  skewed,   ///< each row has key 0 with a chance of one half, any key otherwise
  sorted,   ///< equally long runs of the keys 0, 1, 2 ...
};

/// Part `index` of `count` of the groups: the part of the result that a chunk writes in the end.
struct GroupRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
};
constexpr GroupRange group_range(std::int64_t groups, std::int64_t index, std::int64_t count) {
  return {groups * index / count, groups * (index + 1) / count};
}

/// Bytes of the counts and sums of `groups` groups, one array after the other: the output of a
/// chunk's first pass.
constexpr std::size_t partial_bytes(std::int64_t groups, Number accumulator) {
  return static_cast<std::size_t>(groups) * (sizeof(Count) + size_of(accumulator));
}
/// Likewise of counts, sums and means.
constexpr std::size_t result_bytes(std::int64_t groups, Number accumulator) {
  return static_cast<std::size_t>(groups) * (sizeof(Count) + 2 * size_of(accumulator));
}

/// Arrays in a partial value.
template <class T>
struct Columns {
  Count* counts = nullptr;
  T* sums = nullptr;
};
template <class T>
Columns<T> columns_of(void* partial, std::int64_t groups) {
  auto* counts = static_cast<Count*>(partial);
  return {counts, reinterpret_cast<T*>(counts + groups)};
}

/// The rows are split over chunks. A chunk's first pass leaves counts and sums of its rows for all
/// groups, the host adds those of all chunks, and the second pass writes its part of the groups:
/// counts (64 bit), sums and means (in the accumulator's type), one array after the other. A group
/// without rows has the mean 0.
class GroupBy : public Problem {
 public:
  /// Keys are in [0, groups).
  GroupBy(std::vector<Row> rows, std::int64_t groups, Number accumulator);

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(rows_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t) const override {
    return result_bytes(groups(), accumulator_);
  }
  std::size_t partial_bytes() const override {
    return groupby::partial_bytes(groups(), accumulator_);
  }
  std::vector<std::byte> combine(std::span<const std::byte> partials) const override;
  /// Counts must be exact. Sums and means are compared with fp64, relative to the group's
  /// magnitudes; the reported group is the one that comes nearest to its own tolerance, or misses
  /// it most.
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  std::int64_t groups() const { return std::ssize(reference_); }
  template <class T>
  std::vector<std::byte> combine_as(std::span<const std::byte> partials) const;
  template <class T>
  Verification verify_as(std::span<const std::byte> output, std::int64_t chunks) const;
  double sum_tolerance(const ReferenceCell& group) const;

  std::vector<Row> rows_;
  Number accumulator_;
  std::vector<ReferenceCell> reference_;
  double quantum_;  ///< a power of two that divides every value
};

}  // namespace apod::groupby
