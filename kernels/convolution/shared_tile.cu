#include <cuda_pipeline.h>

#include <array>
#include <utility>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/problem.hpp"

namespace apod::convolution {
namespace {

constexpr int threads_x = 16;
constexpr int most_threads_y = 8;

/// How a block shares its work. A thread makes `down` rows of `across` pixels, all in registers: a
/// row of the image that it loads once serves `down` rows of the mask, a weight `across` pixels.
template <class Accumulator, int width>
struct Tiling {
  static constexpr int down = 4;
  static constexpr int across = sizeof(Accumulator) == 4 ? 8 : 4;
  static constexpr int reach = width - 1;  ///< rows and columns beyond the pixels that are computed

  /// Everything in shared memory is read in groups of four floats, one instruction each.
  static constexpr int groups_across = across / 4;
  static constexpr int window_groups = groups_across + (reach + 3) / 4;  ///< that a thread reads
  static constexpr int row_groups = threads_x * groups_across + (reach + 3) / 4;

  /// Neighbouring threads read every `groups_across`-th group. A row is stored in as many parts, so
  /// that what they read together lies together. A part is 4 modulo 8 groups long, which puts the
  /// parts in different banks while the tile is filled.
  static constexpr int least_part_groups = (row_groups + groups_across - 1) / groups_across;
  static constexpr int part_groups =
      groups_across == 1 ? least_part_groups : (least_part_groups + 3) / 8 * 8 + 4;
  static constexpr int row_floats = part_groups * groups_across * 4;
  static constexpr int mask_row = (width + 3) / 4 * 4;

  static constexpr int tile_cols = threads_x * across;
  static constexpr int tile_rows(int threads_y) { return threads_y * down; }
  static constexpr int shared_bytes(int threads_y) {
    return (tile_rows(threads_y) + reach) * row_floats * static_cast<int>(sizeof(float)) +
           width * mask_row * static_cast<int>(sizeof(Accumulator));
  }
  static_assert(shared_bytes(most_threads_y) <= 48 * 1024, "more has to be asked for");

  /// Where group `group` of a row is, in groups.
  __device__ static constexpr int place(int group) {
    return group % groups_across * part_groups + group / groups_across;
  }
  /// Where column `col` of a row is, in floats.
  __device__ static constexpr int at(int col) { return place(col / 4) * 4 + col % 4; }
  /// at(col + cols) - at(col), the same for every col where `cols` is a multiple of 32.
  __device__ static constexpr int after(int cols) { return cols / groups_across; }
};

/// The turned mask, in the accumulator's type, rows padded to whole groups.
template <class T, class Accumulator, int width>
__device__ void load_mask(Accumulator* weights, const float* mask, int thread, int threads) {
#pragma unroll 1
  for (int n = thread; n < width * width; n += threads) {
    const int k = n / width;
    const int l = n % width;
    weights[k * T::mask_row + l] = static_cast<Accumulator>(mask[width * width - 1 - n]);
  }
}

/// Where a thread is in its block, for work that goes by rows: each warp takes every `warps`-th.
struct Lane {
  int lane = static_cast<int>(threadIdx.y * threads_x + threadIdx.x) % 32;
  int warp = static_cast<int>(threadIdx.y * threads_x + threadIdx.x) / 32;
  int warps = static_cast<int>(blockDim.y) * threads_x / 32;
};

/// Fills the tile from the image, whose row `top` and column `left` are its first; zeros outside.
/// Asynchronous copies, so that all loads of a thread are on their way at once.
template <class T>
__device__ void load_tile(float* tile, const float* image, const Part& part, int top, int left,
                          int rows) {
  const Lane me;
  constexpr int tile_cols = T::row_groups * 4;
  // May point outside of the image, but is not followed there. As unsigned numbers, rows above and
  // columns left of the image are beyond its other border.
  const float* source =
      image + (static_cast<std::int64_t>(top + me.warp) * part.cols + left + me.lane);
  float* target = tile + me.warp * T::row_floats + T::at(me.lane);
  for (int r = me.warp; r < rows; r += me.warps) {
    const bool row_inside = static_cast<unsigned>(top + r) < static_cast<unsigned>(part.rows);
#pragma unroll
    for (int c = 0; c < tile_cols; c += 32) {
      if (c + 32 > tile_cols && c + me.lane >= tile_cols) break;
      if (row_inside &&
          static_cast<unsigned>(left + me.lane + c) < static_cast<unsigned>(part.cols)) {
        __pipeline_memcpy_async(target + T::after(c), source + c, sizeof(float));
      } else {
        target[T::after(c)] = 0;
      }
    }
    source += static_cast<std::int64_t>(me.warps) * part.cols;
    target += me.warps * T::row_floats;
  }
  __pipeline_commit();
}

/// Image tile and mask in shared memory, a patch of pixels a thread in registers.
template <class Accumulator, int width>
__global__ void __launch_bounds__(threads_x* most_threads_y, 4)
    convolve_tile(const float* __restrict__ image, const float* __restrict__ mask,
                  float* __restrict__ out, Part part) {
  using T = Tiling<Accumulator, width>;
  extern __shared__ float4 shared[];
  Accumulator* weights = reinterpret_cast<Accumulator*>(shared);
  float* tile = reinterpret_cast<float*>(weights + width * T::mask_row);

  const int out_top = static_cast<int>(blockIdx.y) * T::tile_rows(blockDim.y);
  const int out_left = static_cast<int>(blockIdx.x) * T::tile_cols;
  load_tile<T>(tile, image, part, part.first + out_top - width / 2, out_left - width / 2,
               T::tile_rows(blockDim.y) + T::reach);
  load_mask<T, Accumulator, width>(weights, mask, threadIdx.y * threads_x + threadIdx.x,
                                   blockDim.y * threads_x);
  __pipeline_wait_prior(0);
  __syncthreads();

  Accumulator sums[T::down][T::across] = {};
  const float4* mine =
      reinterpret_cast<const float4*>(tile + threadIdx.y * T::down * T::row_floats) + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < T::down + T::reach; ++r, mine += T::row_floats / 4) {
    Accumulator window[T::window_groups * 4];
#pragma unroll
    for (int g = 0; g < T::window_groups; ++g) {
      const float4 four = mine[T::place(g)];
      window[4 * g] = static_cast<Accumulator>(four.x);
      window[4 * g + 1] = static_cast<Accumulator>(four.y);
      window[4 * g + 2] = static_cast<Accumulator>(four.z);
      window[4 * g + 3] = static_cast<Accumulator>(four.w);
    }
#pragma unroll
    for (int y = 0; y < T::down; ++y) {
      const int k = r - y;  // the row of the mask that links this row to pixel row y
      if (k < 0 || k >= width) continue;
      const Accumulator* row = weights + k * T::mask_row;
#pragma unroll
      for (int l = 0; l < width; ++l) {
        const Accumulator weight = row[l];
#pragma unroll
        for (int x = 0; x < T::across; ++x) sums[y][x] += weight * window[x + l];
      }
    }
  }

  // Back through shared memory, so that a warp stores whole rows whatever their alignment.
  __syncthreads();
#pragma unroll
  for (int y = 0; y < T::down; ++y) {
    float4* row =
        reinterpret_cast<float4*>(tile + (threadIdx.y * T::down + y) * T::row_floats) + threadIdx.x;
#pragma unroll
    for (int g = 0; g < T::groups_across; ++g) {
      const Accumulator* four = sums[y] + 4 * g;
      row[T::place(g)] = make_float4(static_cast<float>(four[0]), static_cast<float>(four[1]),
                                     static_cast<float>(four[2]), static_cast<float>(four[3]));
    }
  }
  __syncthreads();
  const Lane me;
  const int rows = min(T::tile_rows(blockDim.y), part.out_rows - out_top);
  const int cols = part.cols - out_left - me.lane;
  for (int r = me.warp; r < rows; r += me.warps) {
    const float* source = tile + r * T::row_floats + T::at(me.lane);
    float* target = out + (static_cast<std::int64_t>(out_top + r) * part.cols + out_left + me.lane);
#pragma unroll
    for (int c = 0; c < T::tile_cols; c += 32) {
      if (c < cols) target[c] = source[T::after(c)];
    }
  }
}

template <class Accumulator, int width>
void launch_tile(const Task& task) {
  using T = Tiling<Accumulator, width>;
  const Part work = part(task);
  const auto grid = [&](int threads_y) {
    const int rows = T::tile_rows(threads_y);
    return dim3(static_cast<unsigned>((work.cols + T::tile_cols - 1) / T::tile_cols),
                static_cast<unsigned>((work.out_rows + rows - 1) / rows));
  };
  // Lower tiles share less, but a small image needs them to keep the whole device busy.
  int threads_y = most_threads_y;
  const auto enough = static_cast<std::size_t>(4 * cuda::multiprocessors());
  const auto blocks = [](dim3 size) { return static_cast<std::size_t>(size.x) * size.y; };
  while (threads_y > 2 && blocks(grid(threads_y)) < enough) threads_y /= 2;
  convolve_tile<Accumulator, width><<<grid(threads_y), dim3(threads_x, threads_y),
                                      T::shared_bytes(threads_y), cuda::native(task.stream)>>>(
      static_cast<const float*>(task.input), static_cast<const float*>(task.constants),
      static_cast<float*>(task.output), work);
  cuda::launched("convolve_tile");
}

/// One kernel for each width 1, 3, ... 31, because only loops of known length unroll.
template <class Accumulator, int... halves>
void launch(const Task& task, std::integer_sequence<int, halves...>) {
  using Launch = void (*)(const Task&);
  constexpr std::array<Launch, sizeof...(halves)> launches{
      launch_tile<Accumulator, 2 * halves + 1>...};
  launches.at(static_cast<std::size_t>(part(task).width / 2))(task);
}

struct SharedTile : Variant {
  void compute(const Task& task) const override {
    if (task.chunk.output_bytes == 0) return;
    constexpr std::make_integer_sequence<int, (largest_mask + 1) / 2> widths;
    task.accumulator() == Scalar::fp64 ? launch<double>(task, widths) : launch<float>(task, widths);
  }
};
const VariantRegistrar<SharedTile> registrar("convolution", "shared_tile", BackendKind::cuda,
                                             "tile in shared memory, 32 pixels per thread");

}  // namespace
}  // namespace apod::convolution
