/// \file
/// Arithmetic of whole columns.

#include <cmath>
#include <functional>
#include <limits>

#include "kernels/api/columns.hpp"

namespace apod {
namespace {

/// a / b, rounded down, and what is left of it. Most are small, for which the hardware is quicker.
struct Quotient {
  std::int64_t floor = 0;
  std::int64_t rest = 0;  ///< with the sign of b
};
Quotient divide(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t small = std::numeric_limits<std::uint32_t>::max();
  if (a >= 0 && a <= small && b > 0 && b <= small) {
    const auto n = static_cast<std::uint32_t>(a);
    const auto d = static_cast<std::uint32_t>(b);
    return {n / d, n % d};
  }
  const auto cut = a / b;
  const auto rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? Quotient{cut - 1, rest + b} : Quotient{cut, rest};
}

}  // namespace

Expression::Column Expression::Columns::whole_part(const Node& node, Places places) {
  const bool up = node.op == Op::ceil;
  const Node& inner = expression_.nodes_[static_cast<std::size_t>(node.parts[0])];
  Column column;
  if (inner.op == Op::divide) {
    column = number(inner.parts[0], places);
    auto by = number(inner.parts[1], places);
    if (column.kind == Kind::whole && by.kind == Kind::whole) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (by.whole[i] == 0 || by.whole[i] == -1) return left(places.size());
        const auto [floor, rest] = divide(column.whole[i], by.whole[i]);
        column.whole[i] = floor + (up && rest != 0 ? 1 : 0);
      }
      return column;
    }
    column = quotient(std::move(column), std::move(by));
  } else {
    column = number(node.parts[0], places);
  }
  if (column.kind == Kind::whole) return column;
  column.whole.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double whole = up ? std::ceil(column.real[i]) : std::floor(column.real[i]);
    if (!(std::abs(whole) < 0x1p63)) return left(places.size());
    column.whole[i] = static_cast<std::int64_t>(whole);
  }
  return {Kind::whole, std::move(column.whole), {}};
}

Expression::Column Expression::Columns::of_one(const Node& node, Places places) {
  auto column = number(node.parts[0], places);
  if (column.kind == Kind::whole && (node.op == Op::negate || node.op == Op::abs)) {
    for (auto& value : column.whole) {
      expect(value != std::numeric_limits<std::int64_t>::min());
      if (!simple_) break;
      value = node.op == Op::abs && value >= 0 ? value : -value;
    }
    return column;
  }
  make_real(column);
  column.mixed = column.mixed && (node.op == Op::negate || node.op == Op::abs);
  for (auto& value : column.real) {
    switch (node.op) {
      case Op::negate:
        value = -value;
        break;
      case Op::abs:
        value = std::abs(value);
        break;
      case Op::sqrt:
        expect(!(value < 0));
        value = std::sqrt(value);
        break;
      case Op::exp:
        value = std::exp(value);
        break;
      default:
        expect(value > 0);
        value = std::log(value);
    }
  }
  return column;
}

Expression::Column Expression::Columns::of_two(const Node& node, Places places) {
  auto a = number(node.parts[0], places);
  auto b = number(node.parts[1], places);
  if (node.op == Op::divide) return quotient(std::move(a), std::move(b));
  if (a.kind == Kind::whole && b.kind == Kind::whole) return of_wholes(node, std::move(a), b);
  const bool mixed = are_mixed(a, b);
  if (node.op == Op::remainder || (mixed && node.op == Op::power)) return left(places.size());
  make_alike(a, b);
  a.mixed = mixed;
  const auto each = [&](auto result) {
    std::transform(a.real.begin(), a.real.end(), b.real.begin(), a.real.begin(), result);
  };
  if (node.op == Op::add) each(std::plus<>());
  if (node.op == Op::subtract) each(std::minus<>());
  if (node.op == Op::multiply) each(std::multiplies<>());
  if (node.op == Op::power) {
    for (std::size_t i = 0; i < places.size(); ++i) expect(a.real[i] != 0 || b.real[i] >= 0);
    each([](double x, double y) { return std::pow(x, y); });
  }
  // At 2^53 an integer may have been rounded to it.
  for (std::size_t i = 0; mixed && i < a.real.size(); ++i) expect(std::abs(a.real[i]) < exact);
  return a;
}

Expression::Column Expression::Columns::of_wholes(const Node& node, Column a, const Column& b) {
  bool fits = true;
  const auto each = [&](auto result) {
    for (std::size_t i = 0; i < a.whole.size(); ++i) {
      fits = !result(a.whole[i], b.whole[i], &a.whole[i]) && fits;
    }
  };
  if (node.op == Op::power) return left(a.whole.size());
  if (node.op == Op::add) {
    each([](auto x, auto y, auto* to) { return __builtin_add_overflow(x, y, to); });
  } else if (node.op == Op::subtract) {
    each([](auto x, auto y, auto* to) { return __builtin_sub_overflow(x, y, to); });
  } else if (node.op == Op::multiply) {
    each([](auto x, auto y, auto* to) { return __builtin_mul_overflow(x, y, to); });
  } else {
    each([](auto x, auto y, auto* to) {
      if (y == 0 || y == -1) return true;
      *to = divide(x, y).rest;
      return false;
    });
  }
  expect(fits);
  return a;
}

Expression::Column Expression::Columns::quotient(Column a, Column b) {
  bool whole = a.kind == Kind::whole && b.kind == Kind::whole;
  if (whole) {
    auto both = a.whole;
    for (std::size_t i = 0; whole && i < both.size(); ++i) {
      if (b.whole[i] == 0 || b.whole[i] == -1) return left(both.size());
      const auto [floor, rest] = divide(both[i], b.whole[i]);
      whole = rest == 0;
      both[i] = floor;
    }
    if (whole) return {Kind::whole, std::move(both), {}};
    make_real_exactly(a);
    make_real_exactly(b);
    a.mixed = true;
  } else {
    const bool mixed = are_mixed(a, b);
    make_alike(a, b);
    a.mixed = mixed;
  }
  for (std::size_t i = 0; i < a.real.size(); ++i) {
    expect(b.real[i] != 0);
    a.real[i] /= b.real[i];
  }
  return a;
}

}  // namespace apod
