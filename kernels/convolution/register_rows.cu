#include <algorithm>
#include <cstdint>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/problem.hpp"
#include "kernels/convolution/register_tile.hpp"
#include "kernels/convolution/turned.hpp"
#include "kernels/convolution/widths.hpp"

namespace apod::convolution {
namespace {

constexpr int across = 4;  ///< pixels of a row per thread: one store
constexpr int ahead = 1;   ///< rows of the image that are on their way
constexpr int warps = 2;   ///< of a block, one below the other
/// Blocks that a multiprocessor shall hold. Without a bound the compiler has all rows on their way
/// at once, and their registers leave room for few warps.
constexpr int resident = 16;

/// What a thread reads of a row: whole groups of four floats, aligned as those of the image are.
template <int width>
struct Window {
  static constexpr int radius = width / 2;
  static constexpr int lead = (4 - radius % 4) % 4;  ///< floats in front of what it needs
  static constexpr int groups = (lead + across + 2 * radius + 3) / 4;
  /// Rows of pixels per thread. More of them share more, but at a mask of 9 eight are more code
  /// than the instruction cache feeds.
  static constexpr int down = width <= 7 ? 8 : 5;
  static constexpr int rows = down + 2 * radius;
};

/// The pixels of one thread, from (`top`, `left`) on. Each row of the image is read once and added
/// to all rows of pixels that it reaches. Zeros outside, if not all of it is `inside`.
template <int width, bool inside>
__device__ __forceinline__ void convolve_pixels(const float* image, float* out, const Part& part,
                                                int top, int left, const Turned<width>& weights) {
  using W = Window<width>;
  constexpr int down = W::down;
  const int first_row = part.first + top - W::radius;
  const int first_col = left - W::radius - W::lead;
  // May point outside of the image, but is not followed there.
  const float* source = image + (static_cast<std::int64_t>(first_row) * part.cols + first_col);
  float* target = out + (static_cast<std::int64_t>(top) * part.cols + left);
  // As unsigned numbers, rows above and columns left of the image are beyond its other border.
  const auto load = [&](float(&window)[W::groups * 4], int r) {
    const bool row_inside =
        inside || static_cast<unsigned>(first_row + r) < static_cast<unsigned>(part.rows);
#pragma unroll
    for (int g = 0; g < W::groups; ++g) {
      const bool group_inside = inside || (row_inside && static_cast<unsigned>(first_col + 4 * g) <
                                                             static_cast<unsigned>(part.cols));
      const float4 four =
          group_inside ? __ldg(reinterpret_cast<const float4*>(source) + g) : float4{};
      window[4 * g] = four.x;
      window[4 * g + 1] = four.y;
      window[4 * g + 2] = four.z;
      window[4 * g + 3] = four.w;
    }
    source += part.cols;
  };

  float windows[ahead + 1][W::groups * 4];
  float sums[down][across] = {};
#pragma unroll
  for (int r = 0; r < ahead; ++r) load(windows[r], r);
#pragma unroll
  for (int r = 0; r < W::rows; ++r) {
    if (r + ahead < W::rows) load(windows[(r + ahead) % (ahead + 1)], r + ahead);
    const float* window = windows[r % (ahead + 1)] + W::lead;
#pragma unroll
    for (int y = 0; y < down; ++y) {
      const int k = r - y;  // the row of the mask that links this row to pixel row y
      if (k < 0 || k >= width) continue;
#pragma unroll
      for (int l = 0; l < width; ++l) {
#pragma unroll
        for (int x = 0; x < across; ++x) sums[y][x] += weights.at(k, l) * window[x + l];
      }
    }
    const int done = r - 2 * W::radius;
    if (done < 0) continue;
    if (inside || top + done < part.out_rows) {
      __stcs(reinterpret_cast<float4*>(target),  // nobody reads it soon
             make_float4(sums[done][0], sums[done][1], sums[done][2], sums[done][3]));
    }
    target += part.cols;
  }
}

/// Rows straight from memory into registers; neighbours find what they share in the caches. Each
/// warp makes `down` rows of 128 pixels and waits for no other. For rows that begin aligned.
template <int width>
__global__ void __launch_bounds__(32 * warps, resident)
    convolve_rows(const float* __restrict__ image, float* __restrict__ out, Part part,
                  const __grid_constant__ Turned<width> weights) {
  using W = Window<width>;
  const int warp_left = static_cast<int>(blockIdx.x) * 32 * across;
  const int left = warp_left + static_cast<int>(threadIdx.x % 32) * across;
  const unsigned block_row = blockIdx.z * gridDim.y + blockIdx.y;
  const int top = static_cast<int>(block_row * warps + threadIdx.x / 32) * W::down;
  if (left >= part.cols || top >= part.out_rows) return;
  const int first_row = part.first + top - W::radius;
  const int first_col = warp_left - W::radius - W::lead;
  const bool inside = first_row >= 0 && first_row + W::rows <= part.rows &&
                      top + W::down <= part.out_rows && first_col >= 0 &&
                      first_col + 31 * across + 4 * W::groups <= part.cols;
  if (inside) {
    convolve_pixels<width, true>(image, out, part, top, left, weights);
  } else {
    convolve_pixels<width, false>(image, out, part, top, left, weights);
  }
}

template <int width>
void launch(const Task& task) {
  const Part work = part(task);
  const auto blocks = [](int pixels, int each) {
    return static_cast<unsigned>((pixels + each - 1) / each);
  };
  const unsigned block_rows = blocks(work.out_rows, warps * Window<width>::down);
  const unsigned layer = std::min(block_rows, 32768U);  // a grid has fewer rows than some images
  const dim3 grid(blocks(work.cols, 32 * across), layer, (block_rows + layer - 1) / layer);
  convolve_rows<width><<<grid, 32 * warps, 0, cuda::native(task.stream)>>>(
      task.in().data(), task.out().data(), work, Turned<width>(task, work.width));
  cuda::launched("convolve_rows");
}

struct RegisterRows : Variant {
  void compute(const Task& task) const override {
    const Part work = part(task);
    const bool aligned = work.cols % 4 == 0;
    const bool fits = aligned && task.accumulator() == Number::fp32;
    // Beyond a mask of 9 what is unrolled here does not fit the instruction cache.
    if (!fits ||
        !Widths<3, 5, 7, 9>::launch(work.width, [&](auto width) { launch<width>(task); })) {
      convolve_registers(task);
    }
  }
};
const VariantRegistrar<RegisterRows> registrar(
    "convolution", "register_rows", BackendKind::cuda,
    "pixels in registers, rows read directly from memory; only for masks up to 9, otherwise "
    "register_tile");

}  // namespace
}  // namespace apod::convolution
