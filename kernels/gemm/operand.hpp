#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/api/params.hpp"
#include "kernels/data/array.hpp"
#include "kernels/data/number.hpp"

namespace apod::gemm {

/// `count` elements of `type` as fp32, which is exact. `stored` is the first.
void read(Number type, const std::byte* stored, std::int64_t count, float* values);

/// A row-major matrix in the type of the product's inputs, as it is uploaded.
class Operand {
 public:
  /// Rounds `values` to the nearest values of `type`. Throws std::runtime_error, naming the
  /// element, for one that is too large.
  Operand(std::shared_ptr<const Floats> values, Shape shape, Number type);

  Shape shape() const { return shape_; }
  std::span<const std::byte> bytes() const;

  /// Elements first to first + count of a row.
  void read_row(std::int64_t row, std::int64_t first, std::int64_t count, float* values) const;

 private:
  Shape shape_;
  Number type_;
  std::shared_ptr<const Floats> words_;  ///< fp32 and tf32
  std::vector<std::uint16_t> halves_;    ///< fp16 and bf16
};

}  // namespace apod::gemm
