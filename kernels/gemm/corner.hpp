#pragma once

/// \file
/// How C is cut into tiles of Tile::rows x Tile::columns, and in which order they are made. For .cu
/// files only.

#include "kernels/gemm/problem.hpp"

namespace apod::gemm {

template <class Tile>
__host__ __device__ unsigned tiles_down(const Part& part) {
  return (static_cast<unsigned>(part.rows) + Tile::rows - 1) / Tile::rows;
}
template <class Tile>
__host__ __device__ unsigned tiles_across(const Part& part) {
  return (static_cast<unsigned>(part.n) + Tile::columns - 1) / Tile::columns;
}
template <class Tile>
unsigned tiles(const Part& part) {
  return tiles_down<Tile>(part) * tiles_across<Tile>(part);
}

struct Corner {
  int row;
  int column;
};

/// The first element of tile number `tile`. Neighbouring numbers, which run together, cover a part
/// of C that is about as high as it is wide, so that they share what they read through the L2
/// cache.
template <class Tile>
__device__ Corner corner(const Part& part, unsigned tile) {
  constexpr unsigned group_rows = 16;  // tiles
  const unsigned in_a_group = group_rows * tiles_across<Tile>(part);
  const unsigned first = tile / in_a_group * group_rows;
  const unsigned left = tiles_down<Tile>(part) - first;
  const unsigned height = left < group_rows ? left : group_rows;
  return {static_cast<int>((first + tile % in_a_group % height) * Tile::rows),
          static_cast<int>(tile % in_a_group / height * Tile::columns)};
}

}  // namespace apod::gemm
