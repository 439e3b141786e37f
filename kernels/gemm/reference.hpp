#pragma once

/// \file
/// Checks whether a matrix is the product of two others. Small products are computed completely in
/// fp64. For larger ones some rows are, and every row is compared with A (B x) for random x.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/data/product_sides.hpp"
#include "kernels/gemm/operand.hpp"

namespace apod::gemm {

/// The largest error of a correct element, relative to its sum of |a b|, over `k` products.
double tolerance(Number type, std::int64_t k);

/// Rows of an m x n product over k whose elements are checked one by one, within `most_products`
/// for all of them; at least two.
std::int64_t checked_rows(const ProductSides& sides,
                          std::int64_t most_products = std::int64_t{1} << 31);

class Reference {
 public:
  /// `a` is m x k, `b` k x n; neither is kept. `rows` of the product are checked one by one.
  Reference(const Operand& a, const Operand& b, Number type, std::int64_t rows);

  /// Elements of whole rows that are checked one by one, in order.
  const std::vector<std::int64_t>& rows() const { return rows_; }

  /// Checks C, row-major fp32 of m x n.
  Verification check(std::span<const std::byte> c) const;

 private:
  static constexpr std::size_t vectors = 4;  ///< x of Freivalds' check, with elements of +-1
  using Values = std::array<double, vectors>;

  void compute_rows(const Operand& a, const Operand& b);
  void compute_products(const Operand& a, const Operand& b);
  void check_elements(std::span<const std::byte> c, Verification& check) const;
  void check_products(std::span<const std::byte> c, Verification& check) const;
  bool is_whole() const { return static_cast<std::int64_t>(rows_.size()) == m_; }

  std::int64_t m_;
  std::int64_t n_;
  std::int64_t k_;
  double tolerance_;
  std::vector<std::int64_t> rows_;
  std::vector<double> elements_;    ///< of rows_, each of n
  std::vector<double> magnitudes_;  ///< sums of |a b|, likewise
  // Unless rows_ are all of them:
  std::vector<Values> x_;       ///< n
  std::vector<Values> wanted_;  ///< A (B x), m
  std::vector<double> norms_;   ///< of the rows of |A| |B|, at most; m
};

}  // namespace apod::gemm
