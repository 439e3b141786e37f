#pragma once

/// \file
/// The product of matrices C = A B, all row-major: A is m x k, B is k x n, C is m x n in fp32. A
/// and B are rounded to the type of the inputs when the problem is made; products are added up in
/// fp32.

#include <cstddef>
#include <cstdint>

#include "kernels/api/operation.hpp"
#include "kernels/api/workload.hpp"
#include "kernels/gemm/reference.hpp"

namespace apod::gemm {

inline constexpr std::int64_t largest_side = 1 << 24;     ///< of A, in elements
inline constexpr std::int64_t largest_columns = 1 << 20;  ///< of B and C

/// A is the input, split by rows; B is needed whole by every part.
class Product : public Problem {
 public:
  Product(Operand a, Operand b, Number type) : a_(std::move(a)), b_(std::move(b)), type_(type) {}

  Number type() const { return type_; }
  std::int64_t n() const { return b_.shape().cols; }
  std::int64_t k() const { return a_.shape().cols; }

  std::span<const std::byte> input() const override { return a_.bytes(); }
  std::span<const std::byte> constants() const override { return b_.bytes(); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t chunks) const override;
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    return reference_.check(output);
  }

 private:
  Operand a_;
  Operand b_;
  Number type_;
  Reference reference_{a_, b_, type_, checked_rows({a_.shape().rows, n(), k()})};
};

/// A chunk's product as kernels see it: `rows` x `n` from `rows` x `k` and `k` x `n`.
struct Part {
  int rows = 0;  ///< may be 0
  int n = 0;
  int k = 0;
  Number type = Number::fp32;
};
/// The part that `task` is about. Its problem must be a Product.
Part part(const Task& task);
/// The part as an operation, for the range that a variant marks its kernels with.
Operation operation(const Part& part);

}  // namespace apod::gemm
