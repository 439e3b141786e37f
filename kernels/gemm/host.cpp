#include <algorithm>
#include <array>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/gemm/problem.hpp"

namespace apod::gemm {
namespace {

constexpr int depth = 64;   ///< rows of B that are worked on together
constexpr int width = 256;  ///< columns of them: as fp32 they stay in the second-level cache

/// Adds the product of `depth` columns of A with a block of B to as many columns of C.
void add_block(const float* a, const float* block, float* c, int count, int columns) {
  for (int i = 0; i < count; ++i) {
    const float factor = a[i];
    const float* row = block + i * width;
    for (int j = 0; j < columns; ++j) c[j] += factor * row[j];
  }
}

void multiply(const std::byte* a, const std::byte* b, float* c, const Part& part) {
  const auto at = [&](const std::byte* matrix, int row, int cols, int column) {
    return matrix + (static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                     static_cast<std::size_t>(column)) *
                        size_of(part.type);
  };
  std::fill_n(c, static_cast<std::size_t>(part.rows) * static_cast<std::size_t>(part.n), 0.0F);
  std::vector<float> block(static_cast<std::size_t>(depth) * width);
  std::array<float, depth> left{};
  for (int column = 0; column < part.n; column += width) {
    const int columns = std::min(width, part.n - column);
    for (int first = 0; first < part.k; first += depth) {
      const int count = std::min(depth, part.k - first);
      for (int i = 0; i < count; ++i) {
        read(part.type, at(b, first + i, part.n, column), columns, block.data() + i * width);
      }
      for (int row = 0; row < part.rows; ++row) {
        read(part.type, at(a, row, part.k, first), count, left.data());
        float* out = c + static_cast<std::size_t>(row) * static_cast<std::size_t>(part.n) + column;
        add_block(left.data(), block.data(), out, count, columns);
      }
    }
  }
}

struct Host : Variant {
  void compute(const Task& task) const override {
    host::enqueue(
        task.stream,
        [a = static_cast<const std::byte*>(task.input),
         b = static_cast<const std::byte*>(task.constants), c = task.out().data(),
         work = part(task)] { multiply(a, b, c, work); },
        "multiply");
  }
};
const VariantRegistrar<Host> registrar("gemm", "host", BackendKind::host,
                                       "blocks of B in the cache; one thread per stream");

}  // namespace
}  // namespace apod::gemm
