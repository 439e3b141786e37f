#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/fma/problem.hpp"

namespace apod::fma {
namespace {

class Fma : public Problem {
 public:
  Fma(std::shared_ptr<const Floats> values, Scalar scalar, std::int64_t depth)
      : values_(std::move(values)),
        scalar_(scalar),
        shrink_(std::pow(static_cast<double>(factor), static_cast<double>(depth))) {
    // Each step rounds twice at most (once where it is fused), by half a unit in the last place
    // each, and shrinks all errors before it: they add up to no more than the smaller of `depth`
    // and 1 / (1 - factor) of them. The closed
    // form itself is good to a few units of fp64.
    const double steps = std::min(static_cast<double>(depth), 1.0 / (1.0 - factor));
    tolerance_ = steps * (scalar == Scalar::fp64 ? 0x1p-52 : 0x1p-23) + 1e-14;
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
    return scalar_ == Scalar::fp64 ? verify_as<double>(output) : verify_as<float>(output);
  }

 private:
  template <class T>
  Verification verify_as(std::span<const std::byte> output) const {
    Verification check;
    check.measure = "largest error, relative to the larger of 1 and the value";
    check.tolerance = tolerance_;
    check.passed = true;
    for (std::size_t i = 0; i < values_->size(); ++i) {
      T got{};
      std::memcpy(&got, output.data() + i * sizeof(T), sizeof(T));
      const double start = (*values_)[i];
      const double wanted = 1 + (start - 1) * shrink_;
      const double error = std::abs(got - wanted) / std::max(1.0, std::abs(start));
      if (error <= check.error) continue;
      check.error = error;
      if (error <= tolerance_ || !check.passed) continue;
      check.passed = false;
      std::array<char, 120> text{};
      std::snprintf(text.data(), text.size(), "value %zu is %.17g, expected %.17g", i,
                    static_cast<double>(got), wanted);
      check.detail = text.data();
      if (std::isnan(error)) break;
    }
    return check;
  }

  std::shared_ptr<const Floats> values_;
  Scalar scalar_;
  double shrink_;  ///< factor^depth
  double tolerance_ = 0;
};

class FmaFamily : public Family {
 public:
  std::string_view name() const override { return "fma"; }
  std::string_view summary() const override {
    return "fused multiply-adds on each value of an array: the ceiling of arithmetic";
  }
  std::vector<AxisSpec> axes() const override {
    return {{.name = "size",
             .help = "values",
             .default_value = std::int64_t{1} << 20,
             .max = std::int64_t{1} << 36},
            {.name = "depth",
             .help = "dependent multiply-adds per value",
             .default_value = std::int64_t{16},
             .max = std::int64_t{1} << 24},
            {.name = "accumulator",
             .kind = AxisSpec::Kind::choice,
             .help = "type of the arithmetic",
             .default_value = std::string("fp32"),
             .choices = {"fp32", "fp64"}}};
  }
  Footprint footprint(const Params& params) const override {
    const auto size = static_cast<std::uint64_t>(params.integer("size"));
    return {size * sizeof(float), size * size_of(params.choice_or("accumulator", Scalar::fp32)), 0};
  }
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size"));
    const auto scalar = params.choice_or("accumulator", Scalar::fp32);
    Traffic traffic;
    traffic.bytes_read = n * sizeof(float);
    traffic.bytes_written = n * static_cast<double>(size_of(scalar));
    (scalar == Scalar::fp64 ? traffic.flops_fp64 : traffic.flops_fp32) =
        2 * n * static_cast<double>(params.integer("depth"));
    return traffic;
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Fma>(make_vector(data, params.integer("size")),
                                 params.choice_or("accumulator", Scalar::fp32),
                                 params.integer("depth"));
  }
};
const FamilyRegistrar<FmaFamily> registrar;

}  // namespace
}  // namespace apod::fma
