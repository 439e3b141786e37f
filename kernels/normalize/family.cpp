#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/worst.hpp"
#include "kernels/normalize/problem.hpp"

namespace apod::normalize {

Normalize::Normalize(std::shared_ptr<const Floats> values, Number accumulator)
    : values_(std::move(values)),
      accumulator_(accumulator),
      reference_(sums::reference_sum(*values_)),
      sum_tolerance_(sums::sum_tolerance(*values_, reference_, accumulator)) {
  // Near-total cancellation (normal data has mean 0) leaves a sum that no fp32 accumulator knows;
  // dividing by it tests nothing.
  if (!(std::abs(reference_.sum) > 8 * reference_.magnitude * sum_tolerance_)) {
    throw std::runtime_error(
        "the values cancel: their sum is too close to zero for a division (try data: uniform or "
        "ones)");
  }
}

Chunk Normalize::chunk(std::int64_t index, std::int64_t count) const {
  return split_map(static_cast<std::int64_t>(values_->size()), index, count);
}

std::vector<std::byte> Normalize::combine(std::span<const std::byte> partials) const {
  const double sum = sums::add_partials(partials, accumulator_);
  std::vector<std::byte> combined(partial_bytes());
  if (accumulator_ == Number::fp64) {
    std::memcpy(combined.data(), &sum, sizeof sum);
  } else {
    const auto rounded = static_cast<float>(sum);
    std::memcpy(combined.data(), &rounded, sizeof rounded);
  }
  return combined;
}

Verification Normalize::verify(std::span<const std::byte> output, std::int64_t) const {
  const Worst worst = worst_of(values_->size(), [&](std::size_t i) {
    const double wanted = (*values_)[i] / reference_.sum;
    const double difference = std::abs(element_of<float>(output, i) - wanted);
    return wanted != 0 ? difference / std::abs(wanted) : difference;
  });
  Verification check;
  check.measure = "largest relative error of an element";
  check.error = worst.error;
  const double cancellation = std::abs(reference_.sum) / reference_.magnitude;
  check.tolerance = sum_tolerance_ / cancellation + 2 * std::numeric_limits<float>::epsilon();
  judge(check, "element " + std::to_string(worst.index), element_of<float>(output, worst.index),
        (*values_)[worst.index] / reference_.sum);
  return check;
}

namespace {

class NormalizeFamily : public Family {
 public:
  std::string_view name() const override { return "normalize"; }
  std::string_view summary() const override {
    return "sum an fp32 array, then divide each element by the sum";
  }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "elements", std::int64_t{1} << 24),
            choice_axis("accumulator", "type of the sum", {"fp32", "fp64"}),
            count_axis("compute_repeats",
                       "number of times that the sum is computed (only to add work)", 1, 1000)};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, bytes};
  }
  /// `compute_repeats` passes of n reads and n additions in the accumulator's type, then n reads, n
  /// divisions (one FLOP each, in fp32) and n writes.
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size"));
    const auto repeats = static_cast<double>(params.integer_or("compute_repeats", 1));
    Traffic traffic;
    traffic.bytes_read = (repeats + 1) * n * sizeof(float);
    traffic.bytes_written = n * sizeof(float);
    traffic.flops(accumulator_of(params)) = repeats * n;
    traffic.flops_fp32 += n;
    return traffic;
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Normalize>(make_vector(data, params.integer("size")),
                                       accumulator_of(params));
  }
};
const FamilyRegistrar<NormalizeFamily> registrar;

}  // namespace
}  // namespace apod::normalize
