#include <algorithm>
#include <array>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/fma/problem.hpp"

namespace apod::fma {
namespace {

// Values computed at once: enough chains to keep a core's units busy, few enough for its registers.
constexpr std::size_t together = 64;

template <class T>
void creep(const float* in, T* out, std::size_t count, std::int64_t depth) {
  for (std::size_t i = 0; i < count; i += together) {
    const std::size_t n = std::min(together, count - i);
    std::array<T, together> values{};
    std::copy_n(in + i, n, values.begin());
    for (std::int64_t step = 0; step < depth; ++step) {
      for (auto& value : values) value = value * static_cast<T>(factor) + static_cast<T>(summand);
    }
    std::copy_n(values.begin(), n, out + i);
  }
}

struct Host : Variant {
  void compute(const Task& task) const override {
    const auto depth = task.params.integer_or("depth", 1);
    with_accumulator(task.accumulator(), [&](auto zero) {
      host::enqueue(
          task.stream,
          [in = task.in(), out = task.out<decltype(zero)>().data(), depth] {
            creep(in.data(), out, in.size(), depth);
          },
          "creep");
    });
  }
};
const VariantRegistrar<Host> registrar("fma", "host", BackendKind::host,
                                       "64 values at once; one thread per stream");

}  // namespace
}  // namespace apod::fma
