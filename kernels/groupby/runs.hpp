#pragma once

/// \file
/// The common part of the variants that sort: sorted keys come in runs. For .cu files only.

#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>

#include "kernels/groupby/passes.hpp"

namespace apod::groupby {

/// The rows of one key.
template <class T>
struct Run {
  Count count;
  T sum;
};

template <class T>
struct AddRuns {
  __host__ __device__ Run<T> operator()(const Run<T>& a, const Run<T>& b) const {
    return {a.count + b.count, a.sum + b.sum};
  }
};

/// Cuts scratch memory into arrays, each aligned to 256 bytes. From null it only counts.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  template <class U>
  U* take(std::size_t count) {
    auto* const array = memory_ == nullptr ? nullptr : reinterpret_cast<U*>(memory_ + bytes_);
    bytes_ += (count * sizeof(U) + 255) / 256 * 256;
    return array;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

/// The runs of a chunk, at most as many as groups.
template <class T>
struct Runs {
  Runs(Carver& carver, std::int64_t groups)
      : keys(carver.take<int>(static_cast<std::size_t>(groups))),
        runs(carver.take<Run<T>>(static_cast<std::size_t>(groups))),
        count(carver.take<std::int64_t>(1)) {}

  int* keys;
  Run<T>* runs;
  std::int64_t* count;
};

template <class T>
__global__ void scatter_runs(Runs<T> found, Columns<T> out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= *found.count) return;
  const int key = found.keys[i];
  out.counts[key] = found.runs[i].count;
  out.sums[key] = found.runs[i].sum;
}

/// Enqueues the writing of the runs to their keys' places in the partial value.
template <class T>
void scatter(const Runs<T>& found, const Task& task) {
  constexpr unsigned block = 256;
  const auto blocks = static_cast<unsigned>((groups_of(task) + block - 1) / block);
  scatter_runs<T><<<blocks, block, 0, cuda::native(task.stream)>>>(found, partial_of<T>(task));
  cuda::launched("scatter_runs");
}

}  // namespace apod::groupby
