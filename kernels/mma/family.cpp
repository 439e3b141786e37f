#include <cstring>
#include <span>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"
#include "kernels/mma/problem.hpp"

namespace apod::mma {
namespace {

/// Row `i / 16` of the input times column `i % 16` of the matrix. A row that the size cuts short
/// goes on with zeros.
double product(std::span<const float> rows, const std::array<float, side * side>& factors,
               std::size_t i) {
  const std::size_t begin = i / side * side;
  const std::size_t end = std::min(begin + side, rows.size());
  double sum = 0;
  for (std::size_t k = begin; k < end; ++k) {
    sum += static_cast<double>(rows[k]) * factors[(k - begin) * side + i % side];
  }
  return sum;
}

class Products : public Problem {
 public:
  Products(std::span<const float> values, std::int64_t depth)
      : rows_(values.size()), factors_(matrix()), depth_(static_cast<double>(depth)) {
    std::transform(values.begin(), values.end(), rows_.begin(), whole);
  }

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(rows_)); }
  std::span<const std::byte> constants() const override {
    return std::as_bytes(std::span(factors_));
  }
  /// Chunks begin at multiples of 64 values, so they hold whole rows.
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    return split_map(static_cast<std::int64_t>(rows_.size()), index, count);
  }
  std::size_t output_bytes(std::int64_t) const override { return rows_.size() * sizeof(float); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    Verification check;
    check.measure = "wrong values";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      float got = 0;
      std::memcpy(&got, output.data() + i * sizeof(float), sizeof got);
      const auto wanted = static_cast<float>(depth_ * product(rows_, factors_, i));
      if (got == wanted) continue;
      if (check.error == 0) {
        check.detail = "value " + std::to_string(i) + " is " + std::to_string(got) + ", expected " +
                       std::to_string(wanted);
      }
      check.error += 1;
    }
    check.passed = check.error == 0;
    return check;
  }

 private:
  std::vector<float> rows_;
  std::array<float, side * side> factors_;
  double depth_;
};

class MmaFamily : public Family {
 public:
  std::string_view name() const override { return "mma"; }
  std::string_view summary() const override {
    return "products of 16x16 matrices; measures the ceiling of tensor cores";
  }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "values, 16 per row", std::int64_t{1} << 20),
            count_axis("depth", "products added up per row", 4, largest_depth),
            choice_axis("type", "type of the factors; sums are fp32", {"fp16", "tf32"})};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size"));
    const double flops =
        2 * static_cast<double>(side) * n * static_cast<double>(params.integer("depth"));
    Traffic traffic{.bytes_read = n * sizeof(float), .bytes_written = n * sizeof(float)};
    traffic.flops(params.choice_or("type", Number::fp16)) = flops;
    return traffic;
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Products>(*make_vector(data, params.integer("size")),
                                      params.integer("depth"));
  }
};
const FamilyRegistrar<MmaFamily> registrar;

}  // namespace
}  // namespace apod::mma
