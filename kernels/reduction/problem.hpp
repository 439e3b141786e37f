#pragma once

#include <memory>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"
#include "kernels/sums/sums.hpp"

namespace apod::reduction {

/// Sum of n fp32 values, split over chunks; every chunk leaves one value of the accumulator's type.
class Sum : public Problem {
 public:
  Sum(std::shared_ptr<const Floats> values, Number accumulator);

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t chunks) const override {
    return static_cast<std::size_t>(chunks) * size_of(accumulator_);
  }
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  std::shared_ptr<const Floats> values_;
  Number accumulator_;
  sums::ReferenceSum reference_;
  double tolerance_;
};

}  // namespace apod::reduction
