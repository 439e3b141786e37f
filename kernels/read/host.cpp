#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/read/problem.hpp"

namespace apod::read {
namespace {

struct Host : Variant {
  void compute(const Task& task) const override {
    const auto* words = static_cast<const std::uint32_t*>(task.input);
    const auto count = task.chunk.input_bytes / sizeof(std::uint32_t);
    auto* sums = static_cast<std::uint32_t*>(task.output);
    host::enqueue(
        task.stream,
        [=] {
          std::uint32_t sum = 0;
          for (std::size_t i = 0; i < count; ++i) sum += words[i];
          std::fill_n(sums, partial_sums, 0U);
          sums[0] = sum;
        },
        "sum_words");
  }
};
const VariantRegistrar<Host> registrar("read", "host", BackendKind::host,
                                       "sum of 32-bit words; one thread per stream");

}  // namespace
}  // namespace apod::read
