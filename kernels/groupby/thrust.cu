#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "kernels/api/registry.hpp"
#include "kernels/groupby/runs.hpp"

namespace apod::groupby {
namespace {

struct KeyOf {
  __host__ __device__ int operator()(const Row& row) const { return row.key; }
};
struct ValueOf {
  __host__ __device__ float operator()(const Row& row) const { return row.value; }
};
template <class T>
struct RunOf {
  __host__ __device__ Run<T> operator()(float value) const { return {1, value}; }
};

template <class T>
struct Arrays {
  Arrays(void* scratch, std::size_t n, std::int64_t groups)
      : carver(scratch),
        keys(carver.take<int>(n)),
        values(carver.take<float>(n)),
        found(carver, groups) {}

  Carver carver;
  int* keys;
  float* values;
  Runs<T> found;
};

template <class T>
void aggregate_on(const Task& task) {
  clear_partial(task);
  const std::size_t n = count_of(task);
  if (n == 0) return;
  const auto stream = cuda::native(task.stream);
  const auto policy = ::thrust::cuda::par.on(stream);
  const Arrays<T> arrays(task.scratch, n, groups_of(task));
  const auto& found = arrays.found;
  const Row* rows = rows_of(task);
  ::thrust::transform(policy, rows, rows + n, arrays.keys, KeyOf{});
  ::thrust::transform(policy, rows, rows + n, arrays.values, ValueOf{});
  ::thrust::sort_by_key(policy, arrays.keys, arrays.keys + n, arrays.values);
  const auto ends =
      ::thrust::reduce_by_key(policy, arrays.keys, arrays.keys + n,
                              ::thrust::make_transform_iterator(arrays.values, RunOf<T>{}),
                              found.keys, found.runs, ::thrust::equal_to<int>{}, AddRuns<T>{});
  // Thrust tells the host, and the next kernel asks the device. The copy reads the number before it
  // returns, since pageable memory is staged first.
  const std::int64_t count = ends.first - found.keys;
  APOD_CUDA(cudaMemcpyAsync(found.count, &count, sizeof count, cudaMemcpyHostToDevice, stream));
  scatter(found, task);
}

struct Thrust : TwoPasses {
  std::size_t most_scratch_bytes(const Params& params) const override {
    return Arrays<double>(nullptr, most_rows_of_chunk(params), params.integer("groups"))
        .carver.bytes();
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { aggregate_on<decltype(zero)>(task); });
  }
  bool waits(const Params&) const override { return true; }
};
const VariantRegistrar<Thrust> registrar("groupby", "thrust", BackendKind::cuda,
                                         "thrust::sort_by_key, reduce_by_key; waits and allocates");

}  // namespace
}  // namespace apod::groupby
