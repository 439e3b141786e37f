#pragma once

/// \file
/// The sum of an array in one launch: as fast as device memory for a large array, and with as
/// little waiting as possible for a small one. For .cu files only.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <cuda/atomic>
#include <span>
#include <type_traits>

#include "kernels/api/workload.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/sums.hpp"

namespace apod::sums {

/// An ordinary sum.
template <class T>
struct Plain {
  using Scalar = T;
  static constexpr int parts = 1;
  T part[parts] = {};

  __device__ void add(T value) { part[0] += value; }
  __device__ void add(const Plain& other) { add(other.part[0]); }
  __device__ T rounded() const { return part[0]; }
};

/// A sum and the rounding that it lost: the error of each addition, exactly (Knuth, "The Art of
/// Computer Programming", vol. 2, 4.2.2, theorem B).
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

/// Sum over the warp of one `Total` per thread; valid in its first lane.
template <class Total>
__device__ Total warp_total(Total mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    Total other;
    for (int p = 0; p < Total::parts; ++p) {
      other.part[p] = __shfl_down_sync(~0U, mine.part[p], offset);
    }
    mine.add(other);
  }
  return mine;
}

/// Sum over the block of one `Total` per thread; valid in thread 0. For whole warps. `of_warps` has
/// room for one value per warp and was not used before.
template <class Total>
__device__ Total block_total(const Total& mine, Total* of_warps) {
  Total total = warp_total(mine);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x >= 32) return total;
  return warp_total(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : Total{});
}

/// Where blocks leave their sums for the one that is the last to leave its own. A slot is zero
/// until its sum is written, and zero again once the sum was taken, so that the next launch finds
/// all of them empty. Value and flag are one word, so no fence is needed between them.
template <class Total>
class Slots {
 public:
  static constexpr unsigned most = 2048;  ///< blocks
  static constexpr std::size_t bytes =
      most * Total::parts * sizeof(typename Total::Scalar) + 2 * sizeof(unsigned);
  /// Milliseconds, where a store is seen within microseconds.
  static constexpr unsigned most_looks = 1U << 14U;

  explicit Slots(void* memory, unsigned looks = most_looks)
      : words_(static_cast<Word*>(memory)),
        left_(reinterpret_cast<unsigned*>(words_ + most * Total::parts)),
        given_up_(left_ + 1),
        looks_(looks) {}

  /// Has the slot on its way while there is other work: its first use would wait for cold memory.
  __device__ void prefetch(unsigned block) {
    for (int p = 0; p < Total::parts; ++p) {
      asm volatile("prefetch.global.L2 [%0];" : : "l"(&words_[p * most + block]));
    }
  }
  /// Whether the block is the last of `blocks`.
  __device__ bool put(unsigned block, unsigned blocks, const Total& total) {
    for (int p = 0; p < Total::parts; ++p) word(block, p).store(encode(total.part[p]), relaxed);
    return atomicInc(left_, blocks - 1) == blocks - 1;  // 0 again after the last
  }
  /// For the last block. Every block has stored its sum before it was counted, so this waits for no
  /// block to run, but until a store can be seen. C++ promises that only "in a finite period of
  /// time" ([intro.progress]), so the wait has a bound. False: the sum was not there by then.
  __device__ bool take(unsigned block, Total& total) {
    for (int p = 0; p < Total::parts; ++p) {
      Word found = 0;
      for (unsigned looks = 0; found == 0; ++looks) {
        if (looks == looks_) return false;
        found = word(block, p).load(relaxed);
      }
      word(block, p).store(0, relaxed);
      total.part[p] = decode(found);
    }
    return true;
  }
  /// Whether a launch has missed a sum. It may have come later, so no slot is believed any more.
  __device__ bool are_given_up() const { return *given_up_ != 0; }
  __device__ void give_up() { *given_up_ = 1; }

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
  unsigned* left_;      ///< blocks that have left their sums
  unsigned* given_up_;  ///< not 0: for good
  unsigned looks_;
};

/// Threads of a block if there are several, and loads of 16 bytes that each has in flight: few
/// threads with many loads, so that few values are left to combine.
inline constexpr unsigned single_pass_threads = 256;
inline constexpr int single_pass_loads = 8;
/// Values that a block works on at once.
inline constexpr std::size_t single_pass_tile =
    std::size_t{single_pass_threads} * single_pass_loads * 4;

/// Blocks that a multiprocessor holds. A thread needs more registers for a larger total, and with
/// too few of them its loads wait for each other.
template <class Total>
constexpr int single_pass_resident = sizeof(Total) <= 8 ? 4 : 3;

/// Sums of four neighbours' values, so that no addition waits for the one before.
template <class Total>
struct Strands {
  Total total[4];

  __device__ void add(const float4& quad) {
    total[0].add(quad.x);
    total[1].add(quad.y);
    total[2].add(quad.z);
    total[3].add(quad.w);
  }
  __device__ Total joined() {
    total[0].add(total[1]);
    total[2].add(total[3]);
    total[0].add(total[2]);
    return total[0];
  }
};

/// Adds `loads` quads of the thread, `stride` apart from `begin` on; those from `end` on are zero.
template <int loads, class Total>
__device__ void add_quads(const float4* quads, std::size_t begin, std::size_t stride,
                          std::size_t end, Strands<Total>& strands) {
  float4 loaded[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const std::size_t i = begin + k * stride;
    // Not marked as streaming: large arrays are then read slower.
    loaded[k] = i < end ? quads[i] : float4{};
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) strands.add(loaded[k]);
}

/// Does the work of block_total for a block of `single_pass_threads`: one warp adds what all have
/// left in `all`, which takes fewer dependent steps, and more memory.
template <class Total>
__device__ Total total_by_one_warp(const Total& mine, Total* all) {
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return mine;
  constexpr unsigned each = single_pass_threads / 32;
  static_assert((each & (each - 1)) == 0);
  Total total[each];
#pragma unroll
  for (unsigned k = 0; k < each; ++k) total[k] = all[k * 32 + threadIdx.x];
#pragma unroll
  for (unsigned half = each / 2; half > 0; half /= 2) {
#pragma unroll
    for (unsigned k = 0; k < half; ++k) total[k].add(total[k + half]);
  }
  return warp_total(total[0]);
}

/// The sum of what block `block` works through: tiles of neighbouring values. Valid in thread 0.
template <class Total>
__device__ Total share_of(unsigned block, const float* values, std::size_t n, Total* all) {
  const auto* quads = reinterpret_cast<const float4*>(values);  // chunks begin 256-byte aligned
  const std::size_t count = n / 4;
  constexpr std::size_t tile = single_pass_tile / 4;
  Strands<Total> strands;
  for (std::size_t begin = block * tile; begin < count; begin += gridDim.x * tile) {
    add_quads<single_pass_loads>(quads, begin + threadIdx.x, single_pass_threads, count, strands);
  }
  if (block == gridDim.x - 1 && threadIdx.x < n % 4) {
    strands.total[0].add(values[4 * count + threadIdx.x]);
  }
  return total_by_one_warp(strands.joined(), all);
}

/// What the thread would have taken from the slots, from the values themselves: one block does the
/// work of all, and gets the same bits.
template <class Total>
__device__ Total without_slots(const float* values, std::size_t n, Total* all) {
  __shared__ Total shared_share;
  Total total;
  for (unsigned block = 0; block < gridDim.x; ++block) {
    const Total share = share_of(block, values, n, all);
    if (threadIdx.x == 0) shared_share = share;
    __syncthreads();
    if (threadIdx.x == block % single_pass_threads) total.add(shared_share);
  }
  return total;
}

/// Each block leaves its sum. The last to do so adds up all of them, always in the same order:
/// equal inputs give equal bits.
template <class Total>
__global__ void __launch_bounds__(single_pass_threads, single_pass_resident<Total>)
    single_pass(const float* values, std::size_t n, typename Total::Scalar* sum,
                Slots<Total> slots) {
  if (threadIdx.x == 0) slots.prefetch(blockIdx.x);
  __shared__ Total all[2][single_pass_threads];
  Total total = share_of(blockIdx.x, values, n, all[0]);
  __shared__ bool is_last;
  __shared__ unsigned is_late;
  if (threadIdx.x == 0) {
    is_last = slots.put(blockIdx.x, gridDim.x, total);
    is_late = 0;
  }
  __syncthreads();
  if (!is_last) return;
  bool late = threadIdx.x == 0 && slots.are_given_up();
  total = {};
  for (unsigned block = threadIdx.x; block < gridDim.x; block += single_pass_threads) {
    Total share;
    late = !slots.take(block, share) || late;
    total.add(share);
  }
  if (late) atomicOr(&is_late, 1U);
  total = total_by_one_warp(total, all[1]);
  if (is_late != 0) {
    if (threadIdx.x == 0) slots.give_up();
    total = total_by_one_warp(without_slots(values, n, all[0]), all[1]);
  }
  if (threadIdx.x == 0) *sum = total.rounded();
}

/// Loads of a thread if a single block, of at most 1024 threads, does everything.
inline constexpr int one_block_loads = 2;
inline constexpr std::size_t one_block_most = std::size_t{1024} * one_block_loads * 4;  ///< values

/// A sum that needs one block: its launch and its loads are nearly all of its time, so it has no
/// instructions for combining blocks. For as many whole warps as have work.
template <class Total>
__global__ void __launch_bounds__(1024)
    one_block(const float* values, unsigned n, typename Total::Scalar* sum) {
  Strands<Total> strands;
  add_quads<one_block_loads>(reinterpret_cast<const float4*>(values), threadIdx.x, blockDim.x,
                             n / 4, strands);
  if (threadIdx.x < n % 4) strands.total[0].add(values[n / 4 * 4 + threadIdx.x]);

  __shared__ Total of_warps[32];
  const Total total = block_total(strands.joined(), of_warps);
  if (threadIdx.x == 0) *sum = total.rounded();
}

/// Enqueues the sum. task.scratch has `Slots<Total>::bytes`, zero before the first use, and serves
/// launch after launch on one stream, and graphs.
template <class Total>
void enqueue_single_pass(typename Total::Scalar* sum, const Task& task,
                         unsigned most_looks = Slots<Total>::most_looks) {
  const float* values = task.in().data();
  const std::size_t n = task.in().size();
  const auto stream = cuda::native(task.stream);
  if (n <= one_block_most) {
    constexpr unsigned of_warp = 32 * one_block_loads * 4;
    const auto short_n = static_cast<unsigned>(n);
    const unsigned warps = std::max(1U, (short_n + of_warp - 1) / of_warp);
    one_block<Total><<<1, warps * 32, 0, stream>>>(values, short_n, sum);
    cuda::launched("one_block");
    return;
  }
  const std::size_t tiles = (n + single_pass_tile - 1) / single_pass_tile;
  const auto held = static_cast<std::size_t>(single_pass_resident<Total>) * cuda::multiprocessors();
  const auto blocks = std::min({tiles, held, std::size_t{Slots<Total>::most}});
  single_pass<Total><<<static_cast<unsigned>(blocks), single_pass_threads, 0, stream>>>(
      values, n, sum, Slots<Total>(task.scratch, most_looks));
  cuda::launched("single_pass");
}

}  // namespace apod::sums
