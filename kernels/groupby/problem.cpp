#include "kernels/groupby/problem.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

#include "kernels/api/chunk.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/worst.hpp"

namespace apod::groupby {
namespace {

/// Parts of the rows, each with a table of its own. Tables that hold more cells than there are rows
/// would cost more than the threads save.
std::vector<ReferenceCell> reference_of(const std::vector<Row>& rows, std::int64_t groups) {
  const std::int64_t threads = std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t n = std::ssize(rows);
  // Two tables a part, which together take no more than the rows.
  const auto most = n * static_cast<std::int64_t>(sizeof(Row)) /
                    (2 * groups * static_cast<std::int64_t>(sizeof(ReferenceCell)));
  const std::int64_t parts = std::clamp<std::int64_t>(most, 1, threads);
  std::vector<std::vector<ReferenceCell>> tables(static_cast<std::size_t>(parts));
  parallel_for(parts, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t begin = n * p / parts;
      const std::int64_t end = n * (p + 1) / parts;
      tables[static_cast<std::size_t>(p)] =
          aggregate<ReferenceCell>(rows.data() + begin, static_cast<std::size_t>(end - begin),
                                   static_cast<std::size_t>(groups));
    }
  });
  auto& total = tables.front();
  for (std::size_t p = 1; p < tables.size(); ++p) {
    for (std::size_t g = 0; g < total.size(); ++g) total[g].add(tables[p][g]);
  }
  return std::move(total);
}

/// The largest power of two of which `value` is a multiple; infinity for 0.
double quantum_of(float value) {
  if (value == 0) return std::numeric_limits<double>::infinity();
  int exponent = 0;
  const double fraction = std::frexp(std::abs(static_cast<double>(value)), &exponent);
  const auto significand = static_cast<std::uint32_t>(std::ldexp(fraction, 24));  // exact
  return std::ldexp(static_cast<double>(significand & (~significand + 1)), exponent - 24);
}

double quantum_of(const std::vector<Row>& rows) {
  std::mutex guard;
  double smallest = std::numeric_limits<double>::infinity();
  parallel_for(std::ssize(rows), [&](std::int64_t first, std::int64_t last) {
    double mine = std::numeric_limits<double>::infinity();
    for (std::int64_t i = first; i < last; ++i) {
      mine = std::min(mine, quantum_of(rows[static_cast<std::size_t>(i)].value));
    }
    const std::lock_guard lock(guard);
    smallest = std::min(smallest, mine);
  });
  return smallest;
}

/// Value `index` of an array that begins at `from`, aligned or not: in the results of several
/// chunks of fp32 sums, 64-bit counts begin at any multiple of four bytes.
template <class T>
T value_at(const std::byte* from, std::size_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof value, sizeof value);
  return value;
}

double unit_of(Number accumulator) {
  return accumulator == Number::fp64 ? std::numeric_limits<double>::epsilon() / 2
                                     : std::numeric_limits<float>::epsilon() / 2;
}

}  // namespace

GroupBy::GroupBy(std::vector<Row> rows, std::int64_t groups, Number accumulator)
    : rows_(std::move(rows)),
      accumulator_(accumulator),
      reference_(reference_of(rows_, groups)),
      quantum_(quantum_of(rows_)) {}

Chunk GroupBy::chunk(std::int64_t index, std::int64_t count) const {
  auto chunk = split_elements(std::ssize(rows_), index, count);
  chunk.input_offset = static_cast<std::size_t>(chunk.begin) * sizeof(Row);
  chunk.input_bytes = static_cast<std::size_t>(chunk.end - chunk.begin) * sizeof(Row);
  const auto range = group_range(groups(), index, count);
  chunk.output_offset = result_bytes(range.begin, accumulator_);
  chunk.output_bytes = result_bytes(range.size(), accumulator_);
  return chunk;
}

template <class T>
std::vector<std::byte> GroupBy::combine_as(std::span<const std::byte> partials) const {
  const auto n = static_cast<std::size_t>(groups());
  std::vector<Cell<double>> total(n);
  for (std::size_t at = 0; at < partials.size(); at += partial_bytes()) {
    const auto* counts = partials.data() + at;
    const auto* sums = counts + n * sizeof(Count);
    for (std::size_t g = 0; g < n; ++g) {
      total[g].add(Cell<T>{value_at<Count>(counts, g), value_at<T>(sums, g)});
    }
  }
  std::vector<std::byte> combined(partial_bytes());
  const auto columns = columns_of<T>(combined.data(), groups());
  for (std::size_t g = 0; g < n; ++g) {
    columns.counts[g] = total[g].count;
    columns.sums[g] = static_cast<T>(total[g].sum);
  }
  return combined;
}

std::vector<std::byte> GroupBy::combine(std::span<const std::byte> partials) const {
  return with_accumulator(accumulator_,
                          [&](auto zero) { return combine_as<decltype(zero)>(partials); });
}

/// The largest error of a correct sum, relative to the group's magnitudes.
///
/// Where the magnitudes are no more quanta than the significand counts (2^24 in fp32, 2^53 in
/// fp64), no order of additions rounds, and nothing is allowed. Elsewhere the order is that of the
/// hardware's atomics. A chain of k additions is off by at most k u (Higham 2002, "Accuracy and
/// Stability of Numerical Algorithms", 4.2); with rounding errors that are independent and of mean
/// 0 it is off by more than a sqrt(k) u with a chance of no more than 2 exp(-a^2 / 2) (Higham and
/// Mary 2019, "A new approach to probabilistic rounding error analysis", theorem 2.4), which a = 8
/// makes 3e-14 a group. No chain is longer than a strand, and those of a strand's sums. The
/// reference is such a sum in fp64. Counts are exact, so that a lost row is found all the same.
double GroupBy::sum_tolerance(const ReferenceCell& group) const {
  const double unit = unit_of(accumulator_);
  if (group.magnitude * unit <= quantum_) return 0;
  const auto count = static_cast<double>(group.count);
  const double chain = std::min(count, static_cast<double>(strand)) + count / strand;
  return std::min(chain, 8 * std::sqrt(chain)) * (unit + unit_of(Number::fp64));
}

namespace {

constexpr const char* measure =
    "error of a group's sum or mean, relative to the magnitudes in the group";

/// A number of a result, and what it should be.
struct Found {
  const char* what = "";
  double got = 0;
  double wanted = 0;
  double scale = 1;      ///< that the error is relative to, unless it is 0
  double tolerance = 0;  ///< largest error

  double error() const {
    const double off = std::abs(got - wanted);
    if (std::isnan(off)) return std::numeric_limits<double>::infinity();
    return scale > 0 ? off / scale : off;
  }
  /// More than 1 where the error is too large; infinite where none is allowed.
  double badness() const { return error() == 0 ? 0 : error() / tolerance; }
};

}  // namespace

template <class T>
Verification GroupBy::verify_as(std::span<const std::byte> output, std::int64_t chunks) const {
  const auto number = [&](std::size_t index) -> Found {
    const auto group = static_cast<std::int64_t>(index / 3);
    const auto range = group_range(groups(), ((group + 1) * chunks - 1) / groups(), chunks);
    const auto size = static_cast<std::size_t>(range.size());
    const auto* counts = output.data() + result_bytes(range.begin, accumulator_);
    const auto* sums = counts + size * sizeof(Count);
    const auto at = static_cast<std::size_t>(group - range.begin);
    const auto& wanted = reference_[static_cast<std::size_t>(group)];
    const auto rows = static_cast<double>(wanted.count);
    const double some = std::max(rows, 1.0);
    const double allowed = sum_tolerance(wanted);
    if (index % 3 == 0)
      return {"count", static_cast<double>(value_at<Count>(counts, at)), rows, some, 0};
    if (index % 3 == 1)
      return {"sum", value_at<T>(sums, at), wanted.sum, wanted.magnitude, allowed};
    // The count is rounded to the accumulator's type, and so is the quotient.
    const double roundings = rows > 0 ? 2 * unit_of(accumulator_) : 0;
    return {"mean", value_at<T>(sums, size + at), wanted.sum / some, wanted.magnitude / some,
            allowed + roundings};
  };
  const auto worst =
      worst_of(3 * reference_.size(), [&](std::size_t index) { return number(index).badness(); });
  const auto found = number(worst.index);
  Verification check;
  check.measure = measure;
  check.error = found.error();
  check.tolerance = found.tolerance;
  judge(check, std::string("the ") + found.what + " of group " + std::to_string(worst.index / 3),
        found.got, found.wanted, 17);
  return check;
}

Verification GroupBy::verify(std::span<const std::byte> output, std::int64_t chunks) const {
  Verification sized{.measure = measure};
  if (!has_size(output, output_bytes(chunks), sized)) return sized;
  return with_accumulator(accumulator_,
                          [&](auto zero) { return verify_as<decltype(zero)>(output, chunks); });
}

}  // namespace apod::groupby
