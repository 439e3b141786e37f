#include <cstdint>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::launch {
namespace {

constexpr unsigned threads = 256;

__global__ void add_one(std::uint32_t* words, std::size_t n, bool first) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) words[i] = first ? 1 : words[i] + 1;
}

__global__ void do_nothing() {}

struct OneByOne : Variant {
  void restore(const Task& task) const override {
    for (std::int64_t i = 0; i < task.params.integer_or("launches_before", 0); ++i) {
      do_nothing<<<1, 1, 0, cuda::native(task.stream)>>>();
      cuda::launched("do_nothing");
    }
  }
  void compute(const Task& task) const override {
    const std::size_t n = task.chunk.output_bytes / sizeof(std::uint32_t);
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
    for (std::int64_t i = 0; i < task.params.integer_or("launches", 1); ++i) {
      add_one<<<blocks, threads, 0, cuda::native(task.stream)>>>(
          static_cast<std::uint32_t*>(task.output), n, i == 0);
      cuda::launched("add_one");
    }
  }
};
const VariantRegistrar<OneByOne> registrar("launch", "one_by_one", BackendKind::cuda,
                                           "one launch after the other, in one stream");

}  // namespace
}  // namespace apod::launch
