#pragma once

#include <memory>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"
#include "kernels/sums/sums.hpp"

namespace apod::normalize {

/// The streams tutorial's program: out = in / sum(in). The first pass leaves one partial sum per
/// chunk, the host adds them, the second pass divides. Unlike the tutorial's, it does not overwrite
/// its input, so it can run again on the same data. The bytes moved are the same.
class Normalize : public Problem {
 public:
  Normalize(std::shared_ptr<const Floats> values, Number accumulator);

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t) const override { return values_->size() * sizeof(float); }
  std::size_t partial_bytes() const override { return size_of(accumulator_); }
  std::vector<std::byte> combine(std::span<const std::byte> partials) const override;
  /// Every element against x / S in fp64, S being the reference sum. The tolerance is that of the
  /// sum, over the cancellation |S| / sum of magnitudes, and two roundings to fp32.
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  std::shared_ptr<const Floats> values_;
  Number accumulator_;
  sums::ReferenceSum reference_;
  double sum_tolerance_;  ///< relative to the sum of magnitudes
};

}  // namespace apod::normalize
