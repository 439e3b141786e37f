#include "tests/habits/product.hpp"

#include <cstring>
#include <vector>

#include "kernels/api/registry.hpp"

namespace apod::habits {
namespace {

constexpr unsigned values = 8;  // 0 to 7: k * 49 stays far below 2^24

/// `rows` by `columns` numbers times a vector.
std::vector<double> times(const float* matrix, std::size_t rows, std::size_t columns,
                          const std::vector<double>& vector) {
  std::vector<double> result(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      result[r] += static_cast<double>(matrix[r * columns + c]) * vector[c];
    }
  }
  return result;
}

/// A result is held against a vector x of whole numbers, C x = A (B x), as Freivalds does: that is
/// quick, and exact here. x has no pattern that rows or columns which changed places would share.
class Product : public Problem {
 public:
  explicit Product(Sides sides) : sides_(sides), input_(sides.m * sides.k + sides.k * sides.n) {
    std::uint32_t state = 1;
    const auto next = [&] { return (state = state * 1664525U + 1013904223U) >> 16; };
    for (auto& value : input_) value = static_cast<float>(next() % values);
    x_.resize(sides.n);
    for (auto& value : x_) value = next();
    const float* b = input_.data() + sides.m * sides.k;
    wanted_ = times(input_.data(), sides.m, sides.k, times(b, sides.k, sides.n, x_));
  }
  std::span<const std::byte> input() const override { return std::as_bytes(std::span(input_)); }
  /// Not split: the first chunk is all of it.
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    Chunk chunk{.index = index, .count = count};
    if (index > 0) return chunk;
    chunk.input_bytes = input().size();
    chunk.output_bytes = output_bytes(count);
    return chunk;
  }
  std::size_t output_bytes(std::int64_t) const override {
    return sides_.m * sides_.n * sizeof(float);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    std::vector<float> c(sides_.m * sides_.n);
    std::memcpy(c.data(), output.data(), output.size());
    const bool same = times(c.data(), sides_.m, sides_.n, x_) == wanted_;
    return {same, same ? 0.0 : 1.0, 0, "wrong products", same ? "" : "C x is not A (B x)"};
  }

 private:
  Sides sides_;
  std::vector<float> input_;
  std::vector<double> x_;
  std::vector<double> wanted_;
};

class ProductFamily : public Family {
 public:
  std::string_view name() const override { return "product"; }
  std::string_view summary() const override { return "a product of matrices, C = A B"; }
  std::vector<AxisSpec> axes() const override {
    std::vector<AxisSpec> axes;
    for (const auto& [name, help] : {std::pair{"m", "rows of A and C"},
                                     {"n", "columns of B and C"},
                                     {"k", "columns of A, rows of B"}}) {
      axes.push_back(
          {.name = name, .help = help, .default_value = std::int64_t{1024}, .max = 1 << 14});
    }
    return axes;
  }
  Footprint footprint(const Params& params) const override {
    const Sides s(params);
    return {(s.m * s.k + s.k * s.n) * sizeof(float), s.m * s.n * sizeof(float)};
  }
  Traffic traffic(const Params& params) const override {
    const Sides s(params);
    return {.bytes_read = static_cast<double>((s.m * s.k + s.k * s.n) * sizeof(float)),
            .bytes_written = static_cast<double>(s.m * s.n * sizeof(float)),
            .flops_fp32 = 2.0 * static_cast<double>(s.m * s.n * s.k)};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec&) const override {
    return std::make_unique<Product>(Sides(params));
  }
};
const FamilyRegistrar<ProductFamily> product_family;

}  // namespace
}  // namespace apod::habits
