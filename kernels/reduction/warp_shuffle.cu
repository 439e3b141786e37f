#include <algorithm>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/single_pass.hpp"

namespace apod::reduction {
namespace {

constexpr int threads = 512;
constexpr std::size_t most_blocks = 2048;
constexpr int loads = 4;  ///< 16-byte loads in flight per thread

/// A counter of finished blocks, zero between launches, then one partial sum a block.
struct Scratch {
  unsigned finished;
  alignas(8) double partials[most_blocks];  // as float where the accumulator is
};

/// One launch as in textbooks: a fence, and the last block to count itself adds what the others
/// left, always in the same order, so that equal inputs give equal bits.
template <class Accumulator>
__global__ void __launch_bounds__(threads)
    single_pass_kernel(const float* values, std::size_t n, Accumulator* sum, Scratch* scratch) {
  using Total = sums::Plain<Accumulator>;
  __shared__ Total of_warps[2][threads / 32];
  __shared__ bool last;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto* quads = reinterpret_cast<const float4*>(values);  // chunks begin 256-byte aligned
  const std::size_t count = n / 4;

  Accumulator strands[loads] = {};
  const auto add = [&](int strand, float4 quad) {
    strands[strand] += (static_cast<Accumulator>(quad.x) + static_cast<Accumulator>(quad.y)) +
                       (static_cast<Accumulator>(quad.z) + static_cast<Accumulator>(quad.w));
  };
  std::size_t i = first;
  for (; i + (loads - 1) * stride < count; i += loads * stride) {
    float4 loaded[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) loaded[k] = __ldcs(quads + i + k * stride);
#pragma unroll
    for (int k = 0; k < loads; ++k) add(k, loaded[k]);
  }
  for (; i < count; i += stride) add(0, __ldcs(quads + i));
  const std::size_t tail = count * 4 + first;
  if (tail < n) strands[0] += values[tail];

  Total total;
  total.add((strands[0] + strands[1]) + (strands[2] + strands[3]));
  total = sums::block_total(total, of_warps[0]);
  auto* partials = reinterpret_cast<Accumulator*>(scratch->partials);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total.rounded();
    __threadfence();
    // Wraps to zero with the last block, so that the next launch finds it as this one did.
    last = atomicInc(&scratch->finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  total = {};
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    total.add(__ldcg(partials + block));
  }
  total = sums::block_total(total, of_warps[1]);
  if (threadIdx.x == 0) *sum = total.rounded();
}

template <class Accumulator>
void sum_on(const Task& task) {
  const auto values = task.in();
  constexpr std::size_t tile = std::size_t{threads} * loads * 4;
  const auto resident = cuda::resident_blocks(single_pass_kernel<Accumulator>, threads);
  const auto blocks = static_cast<unsigned>(std::max<std::size_t>(
      1, std::min({(values.size() + tile - 1) / tile, resident, most_blocks})));
  single_pass_kernel<<<blocks, threads, 0, cuda::native(task.stream)>>>(
      values.data(), values.size(), task.out<Accumulator>().data(),
      static_cast<Scratch*>(task.scratch));
  cuda::launched("single_pass_kernel");
}

struct WarpShuffle : Variant {
  std::size_t most_scratch_bytes(const Params&) const override { return sizeof(Scratch); }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { sum_on<decltype(zero)>(task); });
  }
};
const VariantRegistrar<WarpShuffle> registrar(
    "reduction", "warp_shuffle", BackendKind::cuda,
    "one launch: 16-byte loads, shuffles; the last block adds all partial sums");

}  // namespace
}  // namespace apod::reduction
