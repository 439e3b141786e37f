#include <cmath>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/worst.hpp"
#include "kernels/reduction/problem.hpp"

namespace apod::reduction {

Sum::Sum(std::shared_ptr<const Floats> values, Number accumulator)
    : values_(std::move(values)),
      accumulator_(accumulator),
      reference_(sums::reference_sum(*values_)),
      tolerance_(sums::sum_tolerance(*values_, reference_, accumulator_)) {}

Chunk Sum::chunk(std::int64_t index, std::int64_t count) const {
  auto chunk = split_elements(static_cast<std::int64_t>(values_->size()), index, count);
  chunk.output_offset = static_cast<std::size_t>(index) * size_of(accumulator_);
  chunk.output_bytes = size_of(accumulator_);
  return chunk;
}

Verification Sum::verify(std::span<const std::byte> output, std::int64_t) const {
  const double got = sums::add_partials(output, accumulator_);
  Verification check;
  check.measure = "error of the sum, relative to the sum of magnitudes";
  check.tolerance = tolerance_;
  const double difference = std::abs(got - reference_.sum);
  check.error = reference_.magnitude > 0 ? difference / reference_.magnitude : difference;
  judge(check, "the sum", got, reference_.sum, 17);
  return check;
}

namespace {

class Reduction : public Family {
 public:
  std::string_view name() const override { return "reduction"; }
  std::string_view summary() const override { return "sum of an fp32 array"; }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "elements", std::int64_t{1} << 24),
            choice_axis("accumulator", "type of the sum", {"fp32", "fp64"})};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, sizeof(double)};
  }
  /// Reads every value once; one addition a value, in the accumulator's type.
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size"));
    const auto accumulator = accumulator_of(params);
    Traffic traffic;
    traffic.bytes_read = n * sizeof(float);
    traffic.bytes_written = static_cast<double>(size_of(accumulator));
    traffic.flops(accumulator) = n;
    return traffic;
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Sum>(make_vector(data, params.integer("size")), accumulator_of(params));
  }
};
const FamilyRegistrar<Reduction> registrar;

}  // namespace
}  // namespace apod::reduction
