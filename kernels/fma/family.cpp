#include <algorithm>
#include <cmath>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/worst.hpp"
#include "kernels/fma/problem.hpp"

namespace apod::fma {
namespace {

class Fma : public Problem {
 public:
  Fma(std::shared_ptr<const Floats> values, Number scalar, std::int64_t depth)
      : values_(std::move(values)),
        scalar_(scalar),
        shrink_(std::pow(static_cast<double>(factor), static_cast<double>(depth))) {
    // Each step rounds twice at most (once where it is fused), by half a unit in the last place
    // each, and shrinks all errors before it: they add up to no more than the smaller of `depth`
    // and 1 / (1 - factor) of them. The closed form itself
    // is good to a few units of fp64.
    const double steps = std::min(static_cast<double>(depth), 1.0 / (1.0 - factor));
    tolerance_ = steps * (scalar == Number::fp64 ? 0x1p-52 : 0x1p-23) + 1e-14;
  }

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    auto chunk = split_elements(static_cast<std::int64_t>(values_->size()), index, count);
    chunk.output_offset = static_cast<std::size_t>(chunk.begin) * size_of(scalar_);
    chunk.output_bytes = static_cast<std::size_t>(chunk.end - chunk.begin) * size_of(scalar_);
    return chunk;
  }
  std::size_t output_bytes(std::int64_t) const override {
    return values_->size() * size_of(scalar_);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    return with_accumulator(scalar_, [&](auto zero) { return verify_as<decltype(zero)>(output); });
  }

 private:
  template <class T>
  Verification verify_as(std::span<const std::byte> output) const {
    Verification check;
    check.measure = "largest error, relative to the larger of 1 and the value";
    check.tolerance = tolerance_;
    const auto wanted = [&](std::size_t i) { return 1 + ((*values_)[i] - 1.0) * shrink_; };
    const auto worst = worst_of(values_->size(), [&](std::size_t i) {
      const double start = (*values_)[i];
      return std::abs(element_of<T>(output, i) - wanted(i)) / std::max(1.0, std::abs(start));
    });
    check.error = worst.error;
    judge(check, "value " + std::to_string(worst.index), element_of<T>(output, worst.index),
          wanted(worst.index), 17);
    return check;
  }

  std::shared_ptr<const Floats> values_;
  Number scalar_;
  double shrink_;  ///< factor^depth
  double tolerance_ = 0;
};

class FmaFamily : public Family {
 public:
  std::string_view name() const override { return "fma"; }
  std::string_view summary() const override {
    return "fused multiply-adds on each value of an array; measures the ceiling of arithmetic";
  }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "values", std::int64_t{1} << 20),
            count_axis("depth", "dependent multiply-adds per value", 16, std::int64_t{1} << 24),
            choice_axis("accumulator", "type of the arithmetic", {"fp32", "fp64"})};
  }
  Footprint footprint(const Params& params) const override {
    const auto size = static_cast<std::uint64_t>(params.integer("size"));
    return {size * sizeof(float), size * size_of(accumulator_of(params))};
  }
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size"));
    const auto scalar = accumulator_of(params);
    Traffic traffic;
    traffic.bytes_read = n * sizeof(float);
    traffic.bytes_written = n * static_cast<double>(size_of(scalar));
    traffic.flops(scalar) = 2 * n * static_cast<double>(params.integer("depth"));
    return traffic;
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Fma>(make_vector(data, params.integer("size")), accumulator_of(params),
                                 params.integer("depth"));
  }
};
const FamilyRegistrar<FmaFamily> registrar;

}  // namespace
}  // namespace apod::fma
