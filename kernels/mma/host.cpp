#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/mma/problem.hpp"

namespace apod::mma {
namespace {

void add_products(const float* rows, const float* factors, float* out, std::size_t count,
                  std::int64_t depth) {
  for (std::size_t begin = 0; begin < count; begin += side) {
    const std::size_t width = std::min(side, count - begin);
    std::array<float, side> sums{};
    for (std::int64_t step = 0; step < depth; ++step) {
      for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t column = 0; column < side; ++column) {
          sums[column] += rows[begin + k] * factors[k * side + column];
        }
      }
    }
    std::copy_n(sums.begin(), width, out + begin);
  }
}

struct Host : Variant {
  void compute(const Task& task) const override {
    const auto* rows = task.in().data();
    const auto* factors = static_cast<const float*>(task.constants);
    auto* out = task.out().data();
    const auto count = task.out().size();
    const auto depth = task.params.integer_or("depth", 1);
    host::enqueue(
        task.stream, [=] { add_products(rows, factors, out, count, depth); }, "add_products");
  }
};
const VariantRegistrar<Host> registrar("mma", "host", BackendKind::host,
                                       "fp32 arithmetic, one row after the other");

}  // namespace
}  // namespace apod::mma
