#include "kernels/gemm/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "kernels/data/data.hpp"
#include "kernels/data/random.hpp"
#include "kernels/data/worst.hpp"

namespace apod::gemm {
namespace {

constexpr double unit = std::numeric_limits<float>::epsilon() / 2;  // u, of rounding to fp32

/// Below this sum of |a b| products in fp32 underflow, so that the error is no longer in proportion
/// to it: it is relative to this instead. A row of zeros still has to give zeros.
constexpr double smallest_magnitude = 1e-30;

/// A sum of e_j x_j, with x_j = +-1 at random, is above 8 |e|_2 with a probability of 2 exp(-32), 3
/// in 10^14 (Hoeffding 1963, theorem 2), whatever the errors e_j have in common.
constexpr double deviations = 8;

/// What decides how a product is checked.
struct Content {
  bool is_whole = true;  ///< nothing but whole numbers
  bool has_negative = false;
  double largest = 0;  ///< |value|
};

Content content_of(const Operand& matrix) {
  const auto [rows, cols] = matrix.shape();
  Content content;
  std::mutex mutex;
  parallel_for(rows, [&](std::int64_t first, std::int64_t last) {
    Content mine;
    std::vector<float> values(static_cast<std::size_t>(cols));
    for (auto row = first; row < last; ++row) {
      matrix.read_row(row, 0, cols, values.data());
      for (const float value : values) {
        mine.is_whole = mine.is_whole && value == std::trunc(value);
        mine.has_negative = mine.has_negative || value < 0;
        mine.largest = std::max(mine.largest, std::abs(static_cast<double>(value)));
      }
    }
    const std::lock_guard lock(mutex);
    content.is_whole = content.is_whole && mine.is_whole;
    content.has_negative = content.has_negative || mine.has_negative;
    content.largest = std::max(content.largest, mine.largest);
  });
  return content;
}

template <std::size_t count>
void add_multiple(std::array<double, count>& sum, double factor,
                  const std::array<double, count>& values) {
  for (std::size_t v = 0; v < count; ++v) sum[v] += factor * values[v];
}

double error_of(double got, double wanted, double scale) {
  return std::abs(got - wanted) / std::max(scale, smallest_magnitude);
}

}  // namespace

/// fp32: k products and their sum in any order are within k u / (1 - k u) (Higham 2002, "Accuracy
/// and Stability of Numerical Algorithms", lemma 3.1). Roundings cancel, so that the spread is
/// about sqrt(k) u / 3, and lambda sqrt(k) u holds with a probability that falls with exp(-lambda^2
/// / 2) (Higham and Mary 2019, "A New Approach to Probabilistic Rounding Error Analysis"): 4 here.
///
/// Tensor cores multiply exactly, but cut off where fp32 arithmetic rounds, so nothing cancels:
/// with each block of 4 to 16 products the sum and each product lose up to one unit of the last
/// place of the largest, 2 u, or a quarter of that (Fasi et al. 2021, "Numerical Behavior of NVIDIA
/// Tensor Cores"). On average a block of 4 without further bits loses 3 to 4 u of the sum so far,
/// which is k u / 2 in the end; k u is allowed, and 16 u where one block is all.
double tolerance(Number type, std::int64_t k) {
  const auto products = static_cast<double>(k);
  if (type != Number::fp32) return unit * std::max(products, 16.0);
  const double certain = products * unit / (1 - products * unit);
  return std::min(certain, 4 * std::sqrt(products) * unit);
}

std::int64_t checked_rows(const ProductSides& sides, std::int64_t most_products) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 22;  // kept on the host
  const auto affordable = std::min(most_products / sides.n / sides.k, most_elements / sides.n);
  return std::min(sides.m, std::max<std::int64_t>(2, affordable));
}

Reference::Reference(const Operand& a, const Operand& b, Number type, std::int64_t rows)
    : m_(a.shape().rows),
      n_(b.shape().cols),
      k_(a.shape().cols),
      tolerance_(gemm::tolerance(type, k_)) {
  const auto of_a = content_of(a);
  const auto of_b = content_of(b);
  // Every partial sum is a whole number that fp32 holds: there is one right result.
  const double largest_sum = static_cast<double>(k_) * of_a.largest * of_b.largest;
  if (of_a.is_whole && of_b.is_whole && largest_sum <= 0x1p24) tolerance_ = 0;

  for (std::int64_t i = 0; i < rows; ++i) {
    rows_.push_back(rows == 1 ? 0 : i * (m_ - 1) / (rows - 1));  // the first and the last too
  }
  elements_.resize(rows_.size() * static_cast<std::size_t>(n_));
  if (of_a.has_negative || of_b.has_negative) magnitudes_.resize(elements_.size());
  compute_rows(a, b);
  if (!is_whole()) compute_products(a, b);
}

/// Kept simple, so that its correctness is obvious. A strip of a row of B is used for several rows
/// of A, whose sums stay in the first-level cache.
void Reference::compute_rows(const Operand& a, const Operand& b) {
  constexpr std::int64_t strip = 512;
  constexpr std::int64_t together = 4;
  parallel_for(static_cast<std::int64_t>(rows_.size()), [&](std::int64_t first, std::int64_t last) {
    const auto k = static_cast<std::size_t>(k_);
    std::vector<float> left(k * together);
    std::array<float, strip> right{};
    for (auto begin = first; begin < last; begin += together) {
      const auto count = static_cast<std::size_t>(std::min(together, last - begin));
      for (std::size_t r = 0; r < count; ++r) {
        a.read_row(rows_[static_cast<std::size_t>(begin) + r], 0, k_, left.data() + r * k);
      }
      for (std::int64_t column = 0; column < n_; column += strip) {
        const auto width = static_cast<std::size_t>(std::min(strip, n_ - column));
        const auto place = [&](std::vector<double>& values, std::size_t r) {
          return values.data() +
                 (static_cast<std::size_t>(begin) + r) * static_cast<std::size_t>(n_) +
                 static_cast<std::size_t>(column);
        };
        for (std::size_t i = 0; i < k; ++i) {
          b.read_row(static_cast<std::int64_t>(i), column, static_cast<std::int64_t>(width),
                     right.data());
          for (std::size_t r = 0; r < count; ++r) {
            const double factor = left[r * k + i];
            double* sums = place(elements_, r);
            for (std::size_t j = 0; j < width; ++j) sums[j] += factor * right[j];
            if (magnitudes_.empty()) continue;
            double* sizes = place(magnitudes_, r);
            for (std::size_t j = 0; j < width; ++j) sizes[j] += std::abs(factor * right[j]);
          }
        }
      }
    }
  });
}

/// Freivalds 1977, "Probabilistic machines can use less running time".
void Reference::compute_products(const Operand& a, const Operand& b) {
  x_.resize(static_cast<std::size_t>(n_));
  // +-1, four of them for each index.
  const RandomBits random(1);
  for (std::size_t j = 0; j < x_.size(); ++j) {
    const auto bits = random[static_cast<std::int64_t>(j)];
    for (std::size_t v = 0; v < vectors; ++v) x_[j][v] = (bits >> v & 1U) != 0 ? 1 : -1;
  }
  std::vector<Values> of_b(static_cast<std::size_t>(k_));  // B x
  std::vector<double> norms(of_b.size());                  // of the rows of B
  parallel_for(k_, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> row(x_.size());
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      b.read_row(static_cast<std::int64_t>(i), 0, n_, row.data());
      double squares = 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        add_multiple(of_b[i], row[j], x_[j]);
        squares += static_cast<double>(row[j]) * row[j];
      }
      norms[i] = std::sqrt(squares);
    }
  });
  wanted_.resize(static_cast<std::size_t>(m_));
  norms_.resize(wanted_.size());
  parallel_for(m_, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> row(of_b.size());
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      a.read_row(static_cast<std::int64_t>(i), 0, k_, row.data());
      for (std::size_t j = 0; j < row.size(); ++j) {
        add_multiple(wanted_[i], row[j], of_b[j]);
        norms_[i] += std::abs(static_cast<double>(row[j])) * norms[j];
      }
    }
  });
}

Verification Reference::check(std::span<const std::byte> c) const {
  Verification check;
  check.measure = is_whole() ? "largest error of an element, relative to its sum of |a b|"
                             : "largest error in some rows and in random sums of rows, relative to "
                               "the sums of |a b|";
  check.tolerance = tolerance_;
  if (!has_size(c, static_cast<std::size_t>(m_ * n_) * sizeof(float), check)) return check;
  check_elements(c, check);
  if (!is_whole() && check.passed) check_products(c, check);
  return check;
}

void Reference::check_elements(std::span<const std::byte> c, Verification& check) const {
  const auto n = static_cast<std::size_t>(n_);
  const auto value = [&](std::size_t index) {
    const auto row = static_cast<std::size_t>(rows_[index / n]);
    return static_cast<double>(element_of<float>(c, row * n + index % n));
  };
  const auto worst = worst_of(elements_.size(), [&](std::size_t i) {
    return error_of(value(i), elements_[i], magnitudes_.empty() ? elements_[i] : magnitudes_[i]);
  });
  check.error = worst.error;
  const auto row = static_cast<std::size_t>(rows_[worst.index / n]);
  judge(check, place_in(n, row * n + worst.index % n), value(worst.index), elements_[worst.index]);
}

/// An element may be wrong by the tolerance times its sum of |a b|, so a row times signs by
/// `deviations` times the norm of all of these.
void Reference::check_products(std::span<const std::byte> c, Verification& check) const {
  const auto n = static_cast<std::size_t>(n_);
  std::vector<Values> got(wanted_.size());
  const auto worst = worst_of(got.size(), [&](std::size_t i) {
    std::vector<float> row(n);
    std::memcpy(row.data(), c.data() + i * n * sizeof(float), n * sizeof(float));
    for (std::size_t j = 0; j < n; ++j) add_multiple(got[i], row[j], x_[j]);
    Worst error;
    for (std::size_t v = 0; v < vectors; ++v) {
      error.consider({error_of(got[i][v], wanted_[i][v], deviations * norms_[i]), v});
    }
    return error.error;
  });
  Worst error{check.error, 0};
  error.consider(worst);
  check.error = error.error;
  judge(check, "row " + std::to_string(worst.index) + " times random signs", got[worst.index][0],
        wanted_[worst.index][0]);
}

}  // namespace apod::gemm
