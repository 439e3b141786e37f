#pragma once

/// \file
/// Rows, and the host's counts and sums of the rows of one key.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace apod::groupby {

/// An uploaded row: key and value side by side, so that a part of the rows is one range of bytes.
struct Row {
  std::int32_t key = 0;
  float value = 0;
};
static_assert(sizeof(Row) == 8);

/// Number of rows of a group; the type that CUDA's atomics know.
using Count = unsigned long long;

template <class T>
struct Cell {
  using Strand = Cell<double>;

  Count count = 0;
  T sum = 0;

  void add(float value) {
    ++count;
    sum += value;
  }
  template <class U>
  void add(const Cell<U>& other) {
    count += other.count;
    sum += static_cast<T>(other.sum);
  }
};

struct ReferenceCell {
  using Strand = ReferenceCell;

  Count count = 0;
  double sum = 0;
  double magnitude = 0;  ///< sum of |value|

  void add(float value) {
    ++count;
    sum += value;
    magnitude += std::abs(static_cast<double>(value));
  }
  void add(const ReferenceCell& other) {
    count += other.count;
    sum += other.sum;
    magnitude += other.magnitude;
  }
};

/// Number of rows that are added one by one, in fp64, before their sum is added: with more of them
/// a sum would lose digits, and in the end stop growing (at 2^24 ones in fp32).
inline constexpr std::size_t strand = std::size_t{1} << 20;

/// Cells of the `n` rows, by key.
template <class AnyCell>
std::vector<AnyCell> aggregate(const Row* rows, std::size_t n, std::size_t groups) {
  std::vector<AnyCell> cells(groups);
  std::vector<typename AnyCell::Strand> part(groups);
  for (std::size_t begin = 0; begin < n; begin += strand) {
    std::fill(part.begin(), part.end(), typename AnyCell::Strand{});
    for (std::size_t i = begin; i < std::min(n, begin + strand); ++i) {
      part[static_cast<std::size_t>(rows[i].key)].add(rows[i].value);
    }
    for (std::size_t g = 0; g < groups; ++g) cells[g].add(part[g]);
  }
  return cells;
}

}  // namespace apod::groupby
