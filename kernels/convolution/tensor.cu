#include <algorithm>
#include <array>
#include <utility>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/backends/cuda/tensor_cores.hpp"
#include "kernels/convolution/register_tile.hpp"
#include "kernels/convolution/tile.hpp"

namespace apod::convolution {
namespace {

// A row of the mask, applied to a row of the image, is a product with a matrix of bands:
//
//                           | w0       |
//   width + 7 pixels times  | w1 w0    |  gives 8 results; column n has the weights from row n on,
//                           | .. w1 .. |  and zeros above and below.
//
// The tensor cores multiply blocks of it, 8 x 8, with blocks of the image, 16 rows x 8 columns. All
// blocks on a diagonal are equal, so a row of the mask has `depth` different ones: as many as cover
// `width` + 7 pixels.
constexpr int block = 8;
constexpr int warp_rows = 16;
constexpr int warp_blocks = 8;  ///< of 8 columns that a warp makes
constexpr int warps = 4;        ///< of a block, one below the other

/// Largest width that `depth` blocks are enough for.
constexpr int width_of(int depth) {
  return std::min(block * (depth - 1) + 1, int{largest_mask});
}

/// What a block of threads works on; for load_tile and store_tile.
template <int depth>
struct Strip {
  static constexpr int threads = warps * 32;
  static constexpr int rows = warps * warp_rows;
  static constexpr int cols = warp_blocks * block;
  static constexpr int all_rows = rows + width_of(depth) - 1;
  static constexpr int all_blocks = warp_blocks + depth - 1;  ///< of a row of the image
  static constexpr int row_groups = all_blocks * block / 4;
  /// 8 more than a multiple of 32, so that the threads that read together, two columns each of four
  /// rows, read different banks.
  static constexpr int row_floats = (all_blocks * block + 23) / 32 * 32 + 8;
  static constexpr int band = (depth + 1) * block;  ///< a row of the mask between its zeros
  static constexpr int bytes =
      (all_rows * row_floats + width_of(depth) * band) * static_cast<int>(sizeof(float));
  static_assert(bytes <= 48 * 1024, "more than 48 KiB need a launch attribute");
  __device__ static constexpr int at(int col) { return col; }
  __device__ static constexpr int after(int columns) { return columns; }
};

/// The turned mask, each row with 7 zeros before it and as many behind it as it takes.
template <class T>
__device__ void load_bands(float* bands, const float* mask, int width) {
  for (int n = static_cast<int>(threadIdx.x); n < width * T::band; n += T::threads) {
    const int l = n % T::band - (block - 1);
    if (l >= 0 && l < width) {
      __pipeline_memcpy_async(bands + n, mask + (width - n / T::band) * width - 1 - l,
                              sizeof(float));
    } else {
      bands[n] = 0;
    }
  }
}

/// Two neighbours, each as the sum of what TF32 holds of it and of a rest, below 2^-11 of it.
struct Split {
  unsigned high[2];
  unsigned high_bf16;  ///< the same, both in one register
  unsigned rest_bf16;  ///< likewise
};

__device__ Split split(float first, float second) {
  const unsigned a = cuda::to_tf32(first);
  const unsigned b = cuda::to_tf32(second);
  const float c = __uint_as_float(a);
  const float d = __uint_as_float(b);
  return {{a, b}, cuda::pair_bf16(c, d), cuda::pair_bf16(first - c, second - d)};
}

/// Each warp makes 16 rows of 64 pixels. A product a b is made of
///   a_high b_high                  by one instruction, in TF32
///   a_high b_rest + a_rest b_high  by one, in bf16, which takes twice the terms in the same time
/// What is left out, a_rest b_rest, is below 2^-22 of it, and bf16's rounding below 2^-17 at worst,
/// of either sign: over the terms of a wide mask it vanishes in fp32's own.
///
/// The tensor cores cut their sums off where fp32 would round them, always to the same side. So
/// they add up one row of the mask, and the rows are added in fp32.
template <int depth>
__global__ void __launch_bounds__(Strip<depth>::threads)
    convolve_bands(const float* __restrict__ image, const float* __restrict__ mask,
                   float* __restrict__ out, Part part) {
  using T = Strip<depth>;
  extern __shared__ float4 shared[];
  auto* tile = reinterpret_cast<float*>(shared);
  float* bands = tile + T::all_rows * T::row_floats;
  const int top = static_cast<int>(blockIdx.y) * T::rows;
  const int left = static_cast<int>(blockIdx.x) * T::cols;
  load_bands<T>(bands, mask, part.width);
  load_tile<T>(tile, image, part, part.first + top - part.width / 2, left - part.width / 2);

  // The order of a product's terms is free. Here a thread's two are neighbours: one load.
  const int group = static_cast<int>(threadIdx.x) % 32 / 4;
  const int pair = static_cast<int>(threadIdx.x) % 4 * 2;
  float* mine =
      tile + (static_cast<int>(threadIdx.x) / 32 * warp_rows + group) * T::row_floats + pair;
  const float* window = mine;
  const float* band = bands + block - 1 + pair - group;
  float sums[warp_blocks][4] = {};
#pragma unroll 1
  for (int k = 0; k < part.width; ++k, window += T::row_floats, band += T::band) {
    unsigned weights[depth][2];
    unsigned crossed[depth][2];  // rests, which meet high parts, and the other way round
#pragma unroll
    for (int d = 0; d < depth; ++d) {
      const Split two = split(band[d * block], band[d * block + 1]);
      weights[d][0] = two.high[0];
      weights[d][1] = two.high[1];
      crossed[d][0] = two.rest_bf16;
      crossed[d][1] = two.high_bf16;
    }
    float row[warp_blocks][4] = {};
#pragma unroll
    for (int c = 0; c < T::all_blocks; ++c) {
      const auto* two = reinterpret_cast<const float2*>(window + c * block);
      const Split upper = split(two->x, two->y);
      two += 8 * T::row_floats / 2;
      const Split lower = split(two->x, two->y);
      const unsigned pixels[4] = {upper.high[0], lower.high[0], upper.high[1], lower.high[1]};
      const unsigned both[4] = {upper.high_bf16, lower.high_bf16, upper.rest_bf16, lower.rest_bf16};
#pragma unroll
      for (int d = 0; d < depth; ++d) {
        if (c - d >= 0 && c - d < warp_blocks) cuda::multiply_bf16(row[c - d], both, crossed[d]);
      }
#pragma unroll
      for (int d = 0; d < depth; ++d) {
        if (c - d >= 0 && c - d < warp_blocks) cuda::multiply_tf32(row[c - d], pixels, weights[d]);
      }
    }
#pragma unroll
    for (int n = 0; n < warp_blocks; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[n][i] += row[n][i];
    }
  }

  // Back through shared memory, so that a warp stores whole rows whatever their alignment.
  __syncthreads();
#pragma unroll
  for (int n = 0; n < warp_blocks; ++n) {
    *reinterpret_cast<float2*>(mine + n * block) = make_float2(sums[n][0], sums[n][1]);
    *reinterpret_cast<float2*>(mine + 8 * T::row_floats + n * block) =
        make_float2(sums[n][2], sums[n][3]);
  }
  __syncthreads();
  store_tile<T>(tile, out, part, top, left);
}

template <int depth>
void launch(const Task& task) {
  using T = Strip<depth>;
  cuda::require_ampere("convolution/tensor", convolve_bands<depth>);
  const Part work = part(task);
  const dim3 grid(static_cast<unsigned>((work.cols + T::cols - 1) / T::cols),
                  static_cast<unsigned>((work.out_rows + T::rows - 1) / T::rows));
  convolve_bands<depth><<<grid, T::threads, T::bytes, cuda::native(task.stream)>>>(
      task.in().data(), static_cast<const float*>(task.constants), task.out().data(), work);
  cuda::launched("convolve_bands");
}

struct Tensor : Variant {
  bool executes_counted_work(const Params& params) const override {
    return accumulator_of(params) == Number::fp64;
  }
  void compute(const Task& task) const override {
    if (task.accumulator() == Number::fp64) return convolve_registers(task);
    using Launch = void (*)(const Task&);
    constexpr std::array<Launch, 5> launches{launch<1>, launch<2>, launch<3>, launch<4>, launch<5>};
    static_assert(width_of(launches.size()) == largest_mask);
    const int depth = (part(task).width + 2 * block - 2) / block;
    launches.at(static_cast<std::size_t>(depth - 1))(task);
  }
};
const VariantRegistrar<Tensor> registrar(
    "convolution", "tensor", BackendKind::cuda,
    "tensor cores: TF32 with a bf16 correction; fp64 uses register_tile");

}  // namespace
}  // namespace apod::convolution
