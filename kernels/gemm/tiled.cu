#include <cstring>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/gemm/corner.hpp"
#include "kernels/gemm/element.hpp"

namespace apod::gemm {
namespace {

/// A thread makes 8 x 8 elements of C, as 2 x 2 squares of 4 x 4. A warp's 4 x 8 threads have
/// theirs side by side, so that what the warp reads of a row in shared memory is 16 or 32
/// neighbouring floats, and what it stores of a row of C is 128 bytes in one piece.
constexpr int square = 4;
constexpr int warp_rows = 4 * 2 * square;
constexpr int warp_columns = 8 * 2 * square;

/// The part of C that a block makes, from slices of A and B of `depth`: the 32 bytes of a row of A
/// that device memory hands out at least. A thread loads 16 bytes at a time.
template <class T, int rows_, int columns_>
struct Tile {
  static constexpr int rows = rows_;
  static constexpr int columns = columns_;
  static constexpr int depth = 32 / sizeof(T);
  static constexpr int values = 16 / sizeof(T);  ///< of one load
  static constexpr int warps_across = columns / warp_columns;
  static constexpr int threads = rows / warp_rows * warps_across * 32;
  /// Blocks on a multiprocessor at once. There are no more small ones: large ones would fill it.
  static constexpr int resident = threads > 64 ? 2 : 4;
  static constexpr int loads_of_a = rows * depth / values / threads;
  static constexpr int loads_of_b = columns * depth / values / threads;
  /// A is turned on its way to shared memory. Two threads of a warp have the two halves of a row,
  /// so rows are padded: for fp32 they go to different banks.
  static constexpr int row_of_a = rows + 4;
};

/// Two of each, so that the next slices are stored while others still read these.
template <class T>
struct Slices {
  float a[2][T::depth][T::row_of_a];
  float b[2][T::depth][T::columns];
};

template <class T>
struct Pack {
  T values[16 / sizeof(T)];
};

/// 16 bytes of a row, zeros outside of the matrix. `aligned`: its rows are multiples of 16 bytes.
template <bool aligned, class T>
__device__ Pack<T> load(const T* matrix, int rows, int columns, int row, int column) {
  Pack<T> pack;
  uint4 bits{0, 0, 0, 0};
  const T* from =
      matrix + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + column;
  const bool inside = row < rows && column < columns;
  if (aligned && inside) bits = __ldg(reinterpret_cast<const uint4*>(from));
  memcpy(&pack, &bits, sizeof pack);
  if (!aligned && inside) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(16 / sizeof(T)); ++i) {
      if (column + i < columns) pack.values[i] = from[i];
    }
  }
  return pack;
}

/// A thread's part of the next slices, on its way from device memory to shared memory.
template <class T, class Tile, bool aligned>
struct Staged {
  Pack<T> a[Tile::loads_of_a];
  Pack<T> b[Tile::loads_of_b];

  static constexpr int packs_a_row = Tile::columns / Tile::values;  // of B

  __device__ void load_slices(const T* left, const T* right, const Part& part, int top, int column,
                              int step) {
#pragma unroll
    for (int i = 0; i < Tile::loads_of_a; ++i) {
      const int pack = static_cast<int>(threadIdx.x) + i * Tile::threads;
      a[i] = load<aligned>(left, part.rows, part.k, top + pack / 2,
                           step * Tile::depth + pack % 2 * Tile::values);
    }
#pragma unroll
    for (int i = 0; i < Tile::loads_of_b; ++i) {
      const int pack = static_cast<int>(threadIdx.x) + i * Tile::threads;
      b[i] = load<aligned>(right, part.k, part.n, step * Tile::depth + pack / packs_a_row,
                           column + pack % packs_a_row * Tile::values);
    }
  }

  __device__ void store(Slices<Tile>& slices, int buffer) const {
#pragma unroll
    for (int i = 0; i < Tile::loads_of_a; ++i) {
      const int pack = static_cast<int>(threadIdx.x) + i * Tile::threads;
#pragma unroll
      for (int v = 0; v < Tile::values; ++v) {
        slices.a[buffer][pack % 2 * Tile::values + v][pack / 2] = to_float(a[i].values[v]);
      }
    }
#pragma unroll
    for (int i = 0; i < Tile::loads_of_b; ++i) {
      const int pack = static_cast<int>(threadIdx.x) + i * Tile::threads;
      float* row = slices.b[buffer][pack / packs_a_row];
#pragma unroll
      for (int v = 0; v < Tile::values; v += 4) {
        const T* four = b[i].values + v;
        *reinterpret_cast<float4*>(row + pack % packs_a_row * Tile::values + v) =
            make_float4(to_float(four[0]), to_float(four[1]), to_float(four[2]), to_float(four[3]));
      }
    }
  }
};

/// Four floats from `from`, and four from `distance` behind it.
__device__ inline void read_squares(float (&values)[2 * square], const float* from, int distance) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float4 four = *reinterpret_cast<const float4*>(from + i * distance);
    values[i * square] = four.x;
    values[i * square + 1] = four.y;
    values[i * square + 2] = four.z;
    values[i * square + 3] = four.w;
  }
}

/// Four sums into a row of C from `column` on. `aligned`: rows are multiples of 16 bytes.
template <bool aligned>
__device__ void store_four(float* row, const float* sums, int column, int columns) {
  if constexpr (aligned) {
    if (column >= columns) return;
    *reinterpret_cast<float4*>(row + column) = make_float4(sums[0], sums[1], sums[2], sums[3]);
  } else {
#pragma unroll
    for (int i = 0; i < square; ++i) {
      if (column + i < columns) row[column + i] = sums[i];
    }
  }
}

template <class T, class Tile, bool aligned>
__global__ void __launch_bounds__(Tile::threads, Tile::resident)
    multiply_tiles(const T* __restrict__ a, const T* __restrict__ b, float* __restrict__ c,
                   Part part) {
  __shared__ __align__(16) Slices<Tile> slices;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int my_row = warp / Tile::warps_across * warp_rows + lane / 8 * square;
  const int my_column = warp % Tile::warps_across * warp_columns + lane % 8 * square;
  constexpr int next_row = warp_rows / 2;  // from one square to the other
  constexpr int next_column = warp_columns / 2;

  const Corner tile = corner<Tile>(part, blockIdx.x);
  const int steps = (part.k + Tile::depth - 1) / Tile::depth;
  Staged<T, Tile, aligned> staged;
  staged.load_slices(a, b, part, tile.row, tile.column, 0);
  staged.store(slices, 0);
  __syncthreads();

  float sums[2 * square][2 * square] = {};
  for (int step = 0; step < steps; ++step) {
    const int buffer = step % 2;
    const bool more = step + 1 < steps;
    if (more) staged.load_slices(a, b, part, tile.row, tile.column, step + 1);
#pragma unroll
    for (int i = 0; i < Tile::depth; ++i) {
      float left[2 * square];
      float right[2 * square];
      read_squares(left, slices.a[buffer][i] + my_row, next_row);
      read_squares(right, slices.b[buffer][i] + my_column, next_column);
#pragma unroll
      for (int y = 0; y < 2 * square; ++y) {
#pragma unroll
        for (int x = 0; x < 2 * square; ++x) sums[y][x] += left[y] * right[x];
      }
    }
    // The other buffer was last read in the step before, which the barrier at its end closed.
    if (more) staged.store(slices, 1 - buffer);
    __syncthreads();
  }

#pragma unroll
  for (int y = 0; y < 2 * square; ++y) {
    const int row = tile.row + my_row + y / square * next_row + y % square;
    if (row >= part.rows) break;
    float* out = c + static_cast<std::size_t>(row) * static_cast<std::size_t>(part.n);
#pragma unroll
    for (int x = 0; x < 2; ++x) {
      store_four<aligned>(out, sums[y] + x * square, tile.column + my_column + x * next_column,
                          part.n);
    }
  }
}

template <class T, class Tile>
void launch(const Task& task) {
  const auto work = part(task);
  constexpr int values = Tile::values;
  const bool aligned = work.k % values == 0 && work.n % values == 0;
  const auto kernel = aligned ? multiply_tiles<T, Tile, true> : multiply_tiles<T, Tile, false>;
  kernel<<<tiles<Tile>(work), Tile::threads, 0, cuda::native(task.stream)>>>(
      left<T>(task), right<T>(task), task.out().data(), work);
  cuda::launched("multiply_tiles");
}

struct Tiled : Variant {
  void compute(const Task& task) const override {
    const OperationScope scope([&] { return operation(part(task)); });
    with_element(part(task).type, [&](auto element) {
      using T = decltype(element);
      using Large = Tile<T, 128, 128>;
      // Where large tiles would leave multiprocessors without one, smaller ones read more, but by
      // all of them.
      const bool fill = tiles<Large>(part(task)) >= static_cast<unsigned>(cuda::multiprocessors());
      fill ? launch<T, Large>(task) : launch<T, Tile<T, 64, 64>>(task);
    });
  }
};
const VariantRegistrar<Tiled> registrar("gemm", "tiled", BackendKind::cuda,
                                        "an example: tiles in shared memory, 8x8 sums per "
                                        "thread, no tensor cores");

}  // namespace
}  // namespace apod::gemm
