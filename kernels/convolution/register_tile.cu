#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/register_tile.hpp"
#include "kernels/convolution/tile.hpp"
#include "kernels/convolution/turned.hpp"
#include "kernels/convolution/widths.hpp"

namespace apod::convolution {
namespace {

constexpr int across = 16;  ///< pixels of a row per thread
constexpr int down = 2;     ///< rows of them
constexpr int threads_x = 8;
constexpr int threads_y = 16;

/// Image tile in shared memory, pixels in registers. For each row of the mask a thread reads, for
/// each row of its pixels, what that row of the mask reaches, and no step is an exception: each has
/// `width` * `across` * `down` multiply-adds, and little else.
template <class Accumulator, int width>
__global__ void __launch_bounds__(threads_x* threads_y)
    convolve_patches(const float* __restrict__ image, float* __restrict__ out, Part part,
                     const __grid_constant__ Turned<width> weights) {
  using T = Tile<width, across, down, threads_x, threads_y>;
  extern __shared__ float4 shared[];
  auto* tile = reinterpret_cast<float*>(shared);
  const int top = static_cast<int>(blockIdx.y) * T::rows;
  const int left = static_cast<int>(blockIdx.x) * T::cols;
  load_tile<T>(tile, image, part, part.first + top - width / 2, left - width / 2);

  constexpr int row_groups = T::row_floats / 4;
  float4* mine = shared + threadIdx.x / threads_x * down * row_groups + threadIdx.x % threads_x;
  Accumulator sums[down][across] = {};
  const float4* window_row = mine;
  // As many steps per iteration as fit the instruction cache and still gain something.
#pragma unroll(width <= 3 ? 3 : width <= 19 ? 2 : 1)
  for (int k = 0; k < width; ++k, window_row += row_groups) {
    Accumulator row[Turned<width>::pairs * 2];
#pragma unroll
    for (int pair = 0; pair < Turned<width>::pairs; ++pair) {
      row[2 * pair] = weights.rows[k][pair].x;
      row[2 * pair + 1] = weights.rows[k][pair].y;
    }
#pragma unroll
    for (int y = 0; y < down; ++y) {
      Accumulator window[T::window_groups * 4];
      load_window<T>(window, window_row + y * row_groups);
#pragma unroll
      for (int l = 0; l < width; ++l) {
#pragma unroll
        for (int x = 0; x < across; ++x) sums[y][x] += row[l] * window[x + l];
      }
    }
  }

  // Back through shared memory, so that a warp stores whole rows whatever their alignment.
  __syncthreads();
#pragma unroll
  for (int y = 0; y < down; ++y) {
#pragma unroll
    for (int g = 0; g < T::groups; ++g) {
      const Accumulator* four = sums[y] + 4 * g;
      mine[y * row_groups + T::place(g)] =
          make_float4(static_cast<float>(four[0]), static_cast<float>(four[1]),
                      static_cast<float>(four[2]), static_cast<float>(four[3]));
    }
  }
  __syncthreads();
  store_tile<T>(tile, out, part, top, left);
}

template <class Accumulator, int width>
void launch(const Task& task) {
  using T = Tile<width, across, down, threads_x, threads_y>;
  const Part work = part(task);
  convolve_patches<Accumulator, width>
      <<<T::grid(work), T::threads, T::bytes, cuda::native(task.stream)>>>(
          task.in().data(), task.out().data(), work, Turned<width>(task, work.width));
  cuda::launched("convolve_patches");
}

struct RegisterTile : Variant {
  void compute(const Task& task) const override { convolve_registers(task); }
};
const VariantRegistrar<RegisterTile> registrar(
    "convolution", "register_tile", BackendKind::cuda,
    "tile in shared memory, pixels in registers, constant mask");

}  // namespace

void convolve_registers(const Task& task) {
  const int side = part(task).width;
  if (task.accumulator() == Number::fp64) {
    FewWidths::launch(side, [&](auto width) { launch<double, width>(task); });
  } else {
    StudiedWidths::launch(side, [&](auto width) { launch<float, width>(task); });
  }
}

}  // namespace apod::convolution
