#include <span>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/register_tile.hpp"
#include "kernels/convolution/tile.hpp"
#include "kernels/convolution/widths.hpp"

namespace apod::convolution {
namespace {

constexpr int across = 16;  ///< pixels of a row that a thread makes, in the first pass
constexpr int down = 8;     ///< pixels of a column that a thread makes at a time, in the second
constexpr int threads_x = 8;
constexpr int threads_y = 16;
template <int width>
using Tile32 = Tile<width, across, 2, threads_x, threads_y>;  // 32 rows
static_assert(Tile32<1>::rows % down == 0);

/// The turned factors of the mask, as an argument of the kernel: in constant memory.
template <class Accumulator, int width>
struct Vectors {
  Accumulator down[width];
  Accumulator across[width];
};

/// 2 * `width` multiply-adds a pixel instead of `width` squared: first along the rows of the tile,
/// each of which its warp replaces by what it makes of it, then along the columns.
template <class Accumulator, int width>
__global__ void __launch_bounds__(threads_x* threads_y)
    convolve_rows_columns(const float* __restrict__ image, float* __restrict__ out, Part part,
                          const __grid_constant__ Vectors<Accumulator, width> vectors) {
  using T = Tile32<width>;
  constexpr int row_groups = T::row_floats / 4;
  extern __shared__ float4 shared[];
  auto* tile = reinterpret_cast<float*>(shared);
  const int top = static_cast<int>(blockIdx.y) * T::rows;
  const int left = static_cast<int>(blockIdx.x) * T::cols;
  load_tile<T>(tile, image, part, part.first + top - width / 2, left - width / 2);

  for (int first = 0; first < T::all_rows; first += threads_y) {
    const int r = first + static_cast<int>(threadIdx.x) / threads_x;
    const bool mine = r < T::all_rows;
    float4* row = shared + r * row_groups + threadIdx.x % threads_x;
    Accumulator sums[across] = {};
    if (mine) {
      Accumulator window[T::window_groups * 4];
      load_window<T>(window, row);
#pragma unroll
      for (int l = 0; l < width; ++l) {
#pragma unroll
        for (int x = 0; x < across; ++x) sums[x] += vectors.across[l] * window[x + l];
      }
    }
    __syncwarp();  // all readers of this row are in this warp and are done
    if (mine) {
#pragma unroll
      for (int g = 0; g < T::groups; ++g) {
        const Accumulator* four = sums + 4 * g;
        row[T::place(g)] = make_float4(static_cast<float>(four[0]), static_cast<float>(four[1]),
                                       static_cast<float>(four[2]), static_cast<float>(four[3]));
      }
    }
  }
  __syncthreads();

  const Lane<T> me;
  for (int c = 32 * me.warp + me.lane; c < T::cols; c += 32 * me.warps) {
    if (left + c >= part.cols) break;
    const float* column = tile + T::at(c);
    float* target = out + (static_cast<std::int64_t>(top) * part.cols + left + c);
    for (int r = 0; r < T::rows && top + r < part.out_rows; r += down) {
      Accumulator window[down + T::reach];
#pragma unroll
      for (int k = 0; k < down + T::reach; ++k) window[k] = column[(r + k) * T::row_floats];
#pragma unroll
      for (int y = 0; y < down; ++y) {
        Accumulator sum = 0;
#pragma unroll
        for (int k = 0; k < width; ++k) sum += vectors.down[k] * window[y + k];
        if (top + r + y < part.out_rows) {
          target[static_cast<std::int64_t>(r + y) * part.cols] = static_cast<float>(sum);
        }
      }
    }
  }
}

template <class Accumulator, int width>
void launch(const Task& task, const Factors& factors) {
  using T = Tile32<width>;
  Vectors<Accumulator, width> vectors{};  // zeros around a mask that is smaller
  const int side = static_cast<int>(factors.down.size());
  for (int k = 0; k < side; ++k) {
    const auto opposite = static_cast<std::size_t>(side - 1 - k);
    vectors.down[(width - side) / 2 + k] = static_cast<Accumulator>(factors.down[opposite]);
    vectors.across[(width - side) / 2 + k] = static_cast<Accumulator>(factors.across[opposite]);
  }
  const Part work = part(task);
  convolve_rows_columns<Accumulator, width>
      <<<T::grid(work), T::threads, T::bytes, cuda::native(task.stream)>>>(
          task.in().data(), task.out().data(), work, vectors);
  cuda::launched("convolve_rows_columns");
}

struct Separable : Variant {
  bool executes_counted_work(const Params& params) const override {
    return params.choice_or("weights", Weights::random) == Weights::random;
  }
  void compute(const Task& task) const override {
    const auto bytes = task.problem.constants();
    const std::span mask(reinterpret_cast<const float*>(bytes.data()),
                         bytes.size() / sizeof(float));
    const auto found = factors(mask, part(task).width);
    if (!found) return convolve_registers(task);
    with_accumulator(task.accumulator(), [&](auto zero) {
      FewWidths::launch(part(task).width,
                        [&](auto width) { launch<decltype(zero), width>(task, *found); });
    });
  }
};
const VariantRegistrar<Separable> registrar(
    "convolution", "separable", BackendKind::cuda,
    "separable mask: rows, then columns; other masks: register_tile");

}  // namespace
}  // namespace apod::convolution
