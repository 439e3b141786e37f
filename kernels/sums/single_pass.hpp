#pragma once

/// \file
/// The sum of an array in one launch: as fast as device memory where the array is large, with as
/// little waiting as possible where it is small. For .cu files only.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <cuda/atomic>
#include <type_traits>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"

namespace apod::sums {

/// A sum as the processor rounds it.
template <class T>
struct Plain {
  using Scalar = T;
  static constexpr int parts = 1;
  T part[parts] = {};

  __device__ void add(T value) { part[0] += value; }
  __device__ void add(const Plain& other) { add(other.part[0]); }
  __device__ T rounded() const { return part[0]; }
};

/// A sum and, beside it, what rounding took from it: the error of each addition, exactly (Knuth,
/// "The Art of Computer Programming", vol. 2, 4.2.2, theorem B).
template <class T>
struct Compensated {
  using Scalar = T;
  static constexpr int parts = 2;
  T part[parts] = {};

  __device__ void add(T value) {
    const T sum = part[0] + value;
    const T added = sum - part[0];
    part[1] += (part[0] - (sum - added)) + (value - added);
    part[0] = sum;
  }
  __device__ void add(const Compensated& other) {
    add(other.part[0]);
    part[1] += other.part[1];
  }
  __device__ T rounded() const { return part[0] + part[1]; }
};

/// Sum over the block of one `Total` a thread; valid in thread 0. For whole warps. `of_warps` has
/// room for one value a warp and was not used before.
template <class Total>
__device__ Total block_total(Total mine, Total* of_warps) {
  const auto add_warp = [&mine] {
    for (int offset = 16; offset > 0; offset /= 2) {
      Total other;
      for (int p = 0; p < Total::parts; ++p) {
        other.part[p] = __shfl_down_sync(~0U, mine.part[p], offset);
      }
      mine.add(other);
    }
  };
  add_warp();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : Total{};
    add_warp();
  }
  return mine;
}

/// Where blocks leave their sums for the last one. A slot is zero until its sum is there, and zero
/// again once the sum was taken, so that the next launch finds all of them empty. Number and signal
/// are one word: who sees the one has the other, and no fence is needed between them.
template <class Total>
class Slots {
 public:
  static constexpr unsigned most = 2048;  ///< blocks
  static constexpr std::size_t bytes = most * Total::parts * sizeof(typename Total::Scalar);

  explicit Slots(void* memory) : words_(static_cast<Word*>(memory)) {}

  /// Has the slot on its way while there is other work: its first use would wait for cold memory.
  __device__ void prefetch(unsigned block) {
    for (int p = 0; p < Total::parts; ++p) {
      asm volatile("prefetch.global.L2 [%0];" : : "l"(&words_[p * most + block]));
    }
  }
  __device__ void put(unsigned block, const Total& total) {
    for (int p = 0; p < Total::parts; ++p) word(block, p).store(encode(total.part[p]), relaxed);
  }
  /// Waits until it is there.
  __device__ Total take(unsigned block) {
    Total total;
    for (int p = 0; p < Total::parts; ++p) {
      Word found = 0;
      while (found == 0) found = word(block, p).load(relaxed);
      word(block, p).store(0, relaxed);
      total.part[p] = decode(found);
    }
    return total;
  }

 private:
  using Scalar = typename Total::Scalar;
  using Word = std::conditional_t<sizeof(Scalar) == 4, unsigned, unsigned long long>;
  using Atomic = ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>;
  static constexpr auto relaxed = ::cuda::memory_order_relaxed;

  __device__ Atomic word(unsigned block, int part) { return Atomic(words_[part * most + block]); }

  /// All bits turned: zero is common, but only one of many NaNs has every bit set, and another of
  /// them does as well.
  __device__ static Word encode(Scalar value) {
    Word bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == ~Word{0} ? Word{1} : ~bits;
  }
  __device__ static Scalar decode(Word word) {
    word = ~word;
    Scalar value;
    memcpy(&value, &word, sizeof value);
    return value;
  }

  Word* words_;
};

inline constexpr unsigned single_pass_block = 512;

/// Blocks that a multiprocessor holds. What a thread needs for a larger total takes registers, and
/// with too few of them its loads wait for each other.
template <class Total>
constexpr int single_pass_resident = sizeof(Total) == 4   ? 4
                                     : sizeof(Total) == 8 ? 3
                                                          : 2;

/// Each thread has `loads` loads of 16 bytes on their way, and each block works through tiles of
/// neighbouring values. The last block adds up what the others leave, always in the same order:
/// equal inputs give equal bits. It may wait for them, since blocks start in the order of their
/// numbers and no other block waits.
template <class Total, int loads>
__global__ void __launch_bounds__(single_pass_block, single_pass_resident<Total>)
    single_pass(const float* values, std::size_t n, typename Total::Scalar* sum,
                Slots<Total> slots) {
  const auto* quads = reinterpret_cast<const float4*>(values);  // chunks begin 256-byte aligned
  const std::size_t count = n / 4;
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * loads;
  const unsigned last = gridDim.x - 1;
  if (last > 0 && threadIdx.x == 0) slots.prefetch(blockIdx.x);
  Total strands[4];
  for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
    float4 loaded[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const std::size_t i = begin + k * blockDim.x + threadIdx.x;
      // Not marked as streaming: those that are were 4 % slower behind a flushed, dirty cache.
      loaded[k] = i < count ? __ldg(quads + i) : float4{};
    }
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      strands[0].add(loaded[k].x);
      strands[1].add(loaded[k].y);
      strands[2].add(loaded[k].z);
      strands[3].add(loaded[k].w);
    }
  }
  if (blockIdx.x == last && threadIdx.x < n % 4) strands[0].add(values[4 * count + threadIdx.x]);
  strands[0].add(strands[1]);
  strands[2].add(strands[3]);
  strands[0].add(strands[2]);

  __shared__ Total of_warps[2][single_pass_block / 32];
  Total total = block_total(strands[0], of_warps[0]);
  if (blockIdx.x < last) {
    if (threadIdx.x == 0) slots.put(blockIdx.x, total);
    return;
  }
  if (last > 0) {
    if (threadIdx.x > 0) total = {};
    for (unsigned block = threadIdx.x; block < last; block += blockDim.x) {
      total.add(slots.take(block));
    }
    total = block_total(total, of_warps[1]);
  }
  if (threadIdx.x == 0) *sum = total.rounded();
}

/// Enqueues the sum. `scratch` has `Slots<Total>::bytes`, zero before the first use, and serves
/// launch after launch on one stream, and graphs.
template <class Total>
void enqueue_single_pass(const float* values, std::size_t n, typename Total::Scalar* sum,
                         void* scratch, cudaStream_t stream) {
  const auto multiprocessors = static_cast<std::size_t>(cuda::multiprocessors());
  const auto launch = [&]<int loads>(std::integral_constant<int, loads>, unsigned threads,
                                     std::size_t most_blocks) {
    const std::size_t tile = std::size_t{threads} * loads * 4;
    const auto blocks = std::clamp<std::size_t>(
        (n + tile - 1) / tile, 1, std::min<std::size_t>(most_blocks, Slots<Total>::most));
    single_pass<Total, loads><<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
        values, n, sum, Slots<Total>(scratch));
    cuda::launched("single_pass");
  };
  constexpr std::integral_constant<int, 2> two;
  constexpr std::integral_constant<int, 4> four;
  constexpr std::size_t tile = single_pass_block * 4 * 4;
  const std::size_t tiles = (n + tile - 1) / tile;
  if (tiles <= 1) {  // one block, of as many warps as have something to do: nothing to wait for
    launch(four, std::max(1U, static_cast<unsigned>((n + 511) / 512)) * 32, 1);
  } else if (tiles < multiprocessors) {  // shorter tiles, so that more multiprocessors have one
    launch(two, single_pass_block, 2 * multiprocessors);
  } else {
    constexpr std::size_t resident = single_pass_resident<Total>;
    launch(four, single_pass_block,
           (tiles <= 4 * multiprocessors ? 2 : resident) * multiprocessors);
  }
}

}  // namespace apod::sums
