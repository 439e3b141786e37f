#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include "kernels/api/registry.hpp"
#include "kernels/groupby/runs.hpp"

namespace apod::groupby {
namespace {

/// A row as one integer, with the key in its low half, as memory has it: what a radix sort moves
/// are whole rows, and it sorts by the bits that keys have.
using Packed = unsigned long long;

struct KeyOf {
  __host__ __device__ int operator()(Packed row) const { return static_cast<int>(row); }
};
template <class T>
struct RunOf {
  __device__ Run<T> operator()(Packed row) const {
    return {1, static_cast<T>(__uint_as_float(static_cast<unsigned>(row >> 32)))};
  }
};

template <class T>
struct Sorter {
  Sorter(void* scratch, std::size_t n, std::int64_t groups)
      : carver(scratch),
        n(static_cast<std::int64_t>(n)),
        key_bits(
            std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(groups - 1))))),
        sorted(carver.take<Packed>(n)),
        found(carver, groups) {
    std::size_t sort_bytes = 0;
    std::size_t reduce_bytes = 0;
    APOD_CUDA(sort(nullptr, sort_bytes, nullptr, nullptr));
    APOD_CUDA(reduce(nullptr, reduce_bytes, nullptr));
    temporary_bytes = std::max(sort_bytes, reduce_bytes);
    temporary = carver.take<std::byte>(temporary_bytes);
  }

  cudaError_t sort(void* memory, std::size_t& bytes, const Row* rows, cudaStream_t stream) const {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, reinterpret_cast<const Packed*>(rows),
                                          sorted, n, 0, key_bits, stream);
  }
  cudaError_t reduce(void* memory, std::size_t& bytes, cudaStream_t stream) const {
    return cub::DeviceReduce::ReduceByKey(
        memory, bytes, ::thrust::make_transform_iterator(sorted, KeyOf{}), found.keys,
        ::thrust::make_transform_iterator(sorted, RunOf<T>{}), found.runs, found.count,
        AddRuns<T>{}, n, stream);
  }

  Carver carver;
  std::int64_t n;
  int key_bits;
  Packed* sorted;
  Runs<T> found;
  std::size_t temporary_bytes = 0;
  std::byte* temporary = nullptr;
};

template <class T>
void aggregate_on(const Task& task) {
  clear_partial(task);
  if (count_of(task) == 0) return;
  const auto stream = cuda::native(task.stream);
  Sorter<T> sorter(task.scratch, count_of(task), groups_of(task));
  std::size_t bytes = sorter.temporary_bytes;
  APOD_CUDA(sorter.sort(sorter.temporary, bytes, rows_of(task), stream));
  bytes = sorter.temporary_bytes;
  APOD_CUDA(sorter.reduce(sorter.temporary, bytes, stream));
  scatter(sorter.found, task);
}

struct CubSort : TwoPasses {
  /// The sorted rows, a second copy of CUB's own, what it counts of every tile of rows, and the
  /// runs.
  std::size_t most_scratch_bytes(const Params& params) const override {
    const auto rows = most_rows_of_chunk(params) * sizeof(Row);
    constexpr std::size_t of_tiles = std::size_t{8} << 20;
    Carver runs(nullptr);
    Runs<double>(runs, params.integer("groups"));
    return 2 * rows + rows / 8 + of_tiles + runs.bytes();
  }
  std::size_t scratch_bytes(const Problem&, const Params& params,
                            const Chunk& chunk) const override {
    const auto n = chunk.input_bytes / sizeof(Row);
    return with_accumulator(accumulator_of(params), [&](auto zero) {
      return Sorter<decltype(zero)>(nullptr, n, params.integer("groups")).carver.bytes();
    });
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { aggregate_on<decltype(zero)>(task); });
  }
};
const VariantRegistrar<CubSort> registrar("groupby", "cub_sort", BackendKind::cuda,
                                          "cub::DeviceRadixSort, then cub::DeviceReduce");

}  // namespace
}  // namespace apod::groupby
