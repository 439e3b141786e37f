/// \file
/// What an expression comes to, at one place or at many: each operation is done for all of them, so
/// that the way through the expression is taken once.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/files/expression.hpp"

namespace apod {
namespace {

std::string said(const Value& value) {
  constexpr std::array<const char*, 4> kinds{"an integer", "a number", "a boolean", "a string"};
  return std::string(kinds[static_cast<std::size_t>(value.kind)]) + ", " + to_string(value);
}

bool both_whole(const Value& a, const Value& b) {
  return a.kind == Value::Kind::whole && b.kind == Value::Kind::whole;
}
/// The one quotient of integers that is none.
bool overflows(const Value& a, const Value& b) {
  return a.whole == INT64_MIN && b.whole == -1;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

class Expression::Evaluation {
 public:
  using Places = std::span<const std::int64_t>;
  using Values = std::vector<Value>;

  enum class Of : std::uint8_t { one, elements };

  Evaluation(const Expression& expression, std::span<const Binding> bindings, Of of,
             std::ptrdiff_t place = -1)
      : expression_(expression), bindings_(bindings), of_(of), place_(place) {}

  /// The values of node `index`, one a place.
  Values of(int index, Places places) const {
    const Node& node = at(index);
    switch (node.op) {
      case Op::constant:
        return Values(places.size(), node.value);
      case Op::word:
        return Values(places.size(), Value::of_word(expression_.words_[node.name]));
      case Op::name:
        return named(node, places);
      case Op::element:
        return elements_at(node, places);
      case Op::and_:
      case Op::or_:
        return joined(node, places);
      case Op::if_:
        return chosen(node, places);
      case Op::min:
      case Op::max:
        return extreme(node, places);
      case Op::ceil:
      case Op::floor:
        return whole_part(node, places);
      default:
        return node.parts.size() == 1 ? of_one(node, places) : of_two(node, places);
    }
  }

 private:
  const Node& at(int index) const { return expression_.nodes_[static_cast<std::size_t>(index)]; }
  const std::string& name(const Node& node) const { return expression_.names_[node.name]; }

  [[noreturn]] static void fail(const Node& node, const std::string& what) {
    throw ExpressionError(node.at, what);
  }
  [[noreturn]] static void overflow(const Node& node, const Value& a, const char* sign,
                                    const Value& b) {
    fail(node, "overflow: " + to_string(a) + " " + sign + " " + to_string(b) +
                   " needs more than 63 bits");
  }

  /// work(i) for each place; an error is told which.
  template <class Work>
  static void each(Places places, const Work& work) {
    std::size_t i = 0;
    try {
      for (; i < places.size(); ++i) work(i);
    } catch (ExpressionError& error) {
      if (error.place() < 0) error.set_place(places[i]);
      throw;
    }
  }

  static bool truth(const Node& node, const Value& value) {
    if (value.kind == Value::Kind::truth) return value.whole != 0;
    fail(node, "a condition such as n > 0 is needed, not " + said(value));
  }
  /// A real result. Of elements an infinity may be meant, and x != x; elsewhere neither is.
  Value real(const Node& node, double result) const {
    if (of_ == Of::one && !std::isfinite(result))
      fail(node, std::isnan(result) ? "its value is not a number" : "its value is infinite");
    return Value::of_real(result);
  }
  static void expect_number(const Node& node, const Value& value) {
    if (!value.is_number()) fail(node, "a number is needed, not " + said(value));
  }

  Values named(const Node& node, Places places) const {
    if (static_cast<std::ptrdiff_t>(node.name) == place_) {
      Values values(places.size());
      std::transform(places.begin(), places.end(), values.begin(), Value::of);
      return values;
    }
    const auto& binding = bindings_[node.name];
    if (binding.array == nullptr) {
      if (binding.value.kind == Value::Kind::real) real(node, binding.value.real);
      return Values(places.size(), binding.value);
    }
    if (!places.empty() && places.front() < 0)
      fail(node, "'" + name(node) + "' is an array: name an element, such as a[i]");
    return elements(node, places, places);
  }

  Values elements_at(const Node& node, Places places) const {
    const bool is_array = bindings_[node.name].array != nullptr;
    const auto said_places = of(node.parts[0], places);
    std::vector<std::int64_t> wanted(places.size());
    each(places, [&](std::size_t i) {
      if (!is_array) fail(node, "'" + name(node) + "' is not an array");
      const auto& value = said_places[i];
      if (value.kind != Value::Kind::whole)
        fail(node, "an index must be an integer, not " + said(value));
      wanted[i] = value.whole;
    });
    return elements(node, wanted, places);
  }

  Values elements(const Node& node, Places wanted, Places places) const {
    const auto& binding = bindings_[node.name];
    Values values(places.size());
    with_known(binding.type, [&](auto type) {
      each(places, [&](std::size_t i) {
        if (wanted[i] < 0 || wanted[i] >= binding.count) {
          fail(node, "there is no element " + std::to_string(wanted[i]) + " in '" + name(node) +
                         "', which has " + std::to_string(binding.count) + " elements");
        }
        const auto size = static_cast<std::int64_t>(size_of(type));
        values[i] = value_of_element(type, read_element(type, binding.array + wanted[i] * size));
      });
    });
    return values;
  }

  static Value value_of_element(ElementType type, const Element& read) {
    if (!is_whole(type)) return Value::of_real(read.real);
    if (is_signed(type) || type == ElementType::boolean) return Value::of(read.whole);
    if (read.natural >> 63 != 0) return Value::of_real(static_cast<double>(read.natural));
    return Value::of(static_cast<std::int64_t>(read.natural));
  }

  /// The places where a condition holds, and those where it does not.
  using Branches = std::array<std::vector<std::int64_t>, 2>;
  static Branches branches(const Node& node, const Values& condition, Places places) {
    Branches of_branch;
    each(places,
         [&](std::size_t i) { of_branch[truth(node, condition[i]) ? 0 : 1].push_back(places[i]); });
    return of_branch;
  }

  /// The second operand is asked for where the first does not decide.
  Values joined(const Node& node, Places places) const {
    auto left = of(node.parts[0], places);
    const auto of_branch = branches(node, left, places);
    const bool decides = node.op == Op::or_;
    const Places open = of_branch[decides ? 1 : 0];
    const auto right = open.empty() ? Values() : of(node.parts[1], open);
    each(open, [&](std::size_t i) { truth(node, right[i]); });
    std::size_t next = 0;
    for (auto& value : left) {
      if ((value.whole != 0) != decides) value = right[next++];
    }
    return left;
  }

  Values chosen(const Node& node, Places places) const {
    auto condition = of(node.parts[0], places);
    const auto of_branch = branches(node, condition, places);
    if (of_branch[1].empty()) return of(node.parts[1], places);
    if (of_branch[0].empty()) return of(node.parts[2], places);
    const std::array values{of(node.parts[1], of_branch[0]), of(node.parts[2], of_branch[1])};
    std::array<std::size_t, 2> next{};
    for (auto& value : condition) {
      const std::size_t branch = value.whole != 0 ? 0 : 1;
      value = values[branch][next[branch]++];
    }
    return condition;
  }

  Values extreme(const Node& node, Places places) const {
    auto best = of(node.parts.front(), places);
    each(places, [&](std::size_t i) { expect_number(node, best[i]); });
    std::vector<char> real(places.size());  // whether one of the numbers is
    for (std::size_t part = 1; part < node.parts.size(); ++part) {
      const auto others = of(node.parts[part], places);
      each(places, [&](std::size_t i) {
        const auto& other = others[i];
        expect_number(node, other);
        if (!both_whole(other, best[i])) real[i] = 1;
        const Value& low = node.op == Op::min ? other : best[i];
        const Value& high = node.op == Op::min ? best[i] : other;
        const bool better =
            both_whole(low, high) ? low.whole < high.whole : low.number() < high.number();
        if (better) best[i] = other;
      });
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (real[i] != 0) best[i] = Value::of_real(best[i].number());
    }
    return best;
  }

  /// ceil and floor; of a quotient of integers without rounding it first.
  Values whole_part(const Node& node, Places places) const {
    const bool up = node.op == Op::ceil;
    const Node& inner = at(node.parts[0]);
    const auto rounded = [&](const Value& value) {
      expect_number(node, value);
      if (value.kind == Value::Kind::whole) return value;
      const double whole = up ? std::ceil(value.real) : std::floor(value.real);
      if (!(std::abs(whole) < 0x1p63)) fail(node, to_string(value) + " needs more than 63 bits");
      return Value::of(static_cast<std::int64_t>(whole));
    };
    const bool is_quotient = inner.op == Op::divide;
    auto values = of(is_quotient ? inner.parts[0] : node.parts[0], places);
    const auto by = is_quotient ? of(inner.parts[1], places) : Values();
    each(places, [&](std::size_t i) {
      auto& a = values[i];
      if (!is_quotient) {
        a = rounded(a);
      } else if (both_whole(a, by[i]) && by[i].whole != 0 && !overflows(a, by[i])) {
        const auto b = by[i].whole;
        a = Value::of(floor_quotient(a.whole, b) + (up && a.whole % b != 0 ? 1 : 0));
      } else {
        a = rounded(two(inner, a, by[i]));
      }
    });
    return values;
  }

  Values of_one(const Node& node, Places places) const {
    auto values = of(node.parts[0], places);
    each(places, [&](std::size_t i) { values[i] = one(node, values[i]); });
    return values;
  }
  Value one(const Node& node, const Value& value) const {
    if (node.op == Op::not_) return Value::of_truth(!truth(node, value));
    expect_number(node, value);
    const bool whole = value.kind == Value::Kind::whole;
    switch (node.op) {
      case Op::negate:
      case Op::abs: {
        if (!whole) return Value::of_real(node.op == Op::abs ? std::abs(value.real) : -value.real);
        if (value.whole == INT64_MIN) fail(node, "overflow: -(-2^63) needs more than 63 bits");
        return Value::of(node.op == Op::abs && value.whole >= 0 ? value.whole : -value.whole);
      }
      case Op::sqrt:
        if (value.number() < 0) fail(node, "there is no square root of " + to_string(value));
        return real(node, std::sqrt(value.number()));
      case Op::exp:
        return real(node, std::exp(value.number()));
      default:
        if (!(value.number() > 0)) fail(node, "there is no logarithm of " + to_string(value));
        if (node.op == Op::log) return real(node, std::log(value.number()));
        if (whole && (value.whole & (value.whole - 1)) == 0)
          return Value::of(std::ilogb(static_cast<double>(value.whole)));
        return real(node, std::log2(value.number()));
    }
  }

  Values of_two(const Node& node, Places places) const {
    auto values = of(node.parts[0], places);
    const auto others = of(node.parts[1], places);
    each(places, [&](std::size_t i) { values[i] = two(node, values[i], others[i]); });
    return values;
  }
  Value two(const Node& node, const Value& a, const Value& b) const {
    if (node.op >= Op::equal && node.op <= Op::at_least) return compare(node, a, b);
    expect_number(node, a);
    expect_number(node, b);
    const bool whole = both_whole(a, b);
    std::int64_t result = 0;
    switch (node.op) {
      case Op::add:
        if (!whole) return real(node, a.number() + b.number());
        if (__builtin_add_overflow(a.whole, b.whole, &result)) overflow(node, a, "+", b);
        return Value::of(result);
      case Op::subtract:
        if (!whole) return real(node, a.number() - b.number());
        if (__builtin_sub_overflow(a.whole, b.whole, &result)) overflow(node, a, "-", b);
        return Value::of(result);
      case Op::multiply:
        if (!whole) return real(node, a.number() * b.number());
        if (__builtin_mul_overflow(a.whole, b.whole, &result)) overflow(node, a, "*", b);
        return Value::of(result);
      case Op::divide:
        if (b.number() == 0) fail(node, "division of " + to_string(a) + " by zero");
        if (whole && !overflows(a, b) && a.whole % b.whole == 0)
          return Value::of(a.whole / b.whole);
        return real(node, a.number() / b.number());
      case Op::remainder:
        if (!whole) fail(node, "% needs integers, not " + said(a) + " and " + said(b));
        if (b.whole == 0) fail(node, "remainder of " + to_string(a) + " by zero");
        if (b.whole == -1) return Value::of(0);  // of -2^63 the machine can't tell
        result = a.whole % b.whole;
        return Value::of(result != 0 && (result < 0) != (b.whole < 0) ? result + b.whole : result);
      default:
        return power(node, a, b);
    }
  }

  Value compare(const Node& node, const Value& a, const Value& b) const {
    const bool comparable = a.kind == b.kind || (a.is_number() && b.is_number());
    const bool is_equality = node.op == Op::equal || node.op == Op::unequal;
    if (!comparable || (!a.is_number() && !is_equality))
      fail(node, std::string("can't compare ") + said(a) + " with " + said(b));
    if (a.kind == Value::Kind::word)
      return Value::of_truth((*a.word == *b.word) == (node.op == Op::equal));
    const auto held = [&](auto x, auto y) {
      switch (node.op) {
        case Op::equal:
          return x == y;
        case Op::unequal:
          return x != y;
        case Op::less:
          return x < y;
        case Op::at_most:
          return x <= y;
        case Op::more:
          return x > y;
        default:
          return x >= y;
      }
    };
    const bool whole = both_whole(a, b);
    return Value::of_truth(whole ? held(a.whole, b.whole) : held(a.number(), b.number()));
  }

  Value power(const Node& node, const Value& a, const Value& b) const {
    if (!both_whole(a, b) || b.whole < 0) {
      if (a.number() == 0 && b.number() < 0) fail(node, "division of 1 by zero");
      return real(node, std::pow(a.number(), b.number()));
    }
    // Of these any power is known; of others 63 steps end in an overflow.
    if (a.whole == 0 || a.whole == 1) return Value::of(b.whole == 0 ? 1 : a.whole);
    if (a.whole == -1) return Value::of(b.whole % 2 == 0 ? 1 : -1);
    std::int64_t result = 1;
    for (std::int64_t i = 0; i < b.whole; ++i) {
      if (__builtin_mul_overflow(result, a.whole, &result)) overflow(node, a, "^", b);
    }
    return Value::of(result);
  }

  const Expression& expression_;
  std::span<const Binding> bindings_;
  Of of_;
  std::ptrdiff_t place_;
};

Value Expression::evaluate(std::span<const Binding> bindings, std::int64_t place) const {
  if (bindings.size() != names_.size()) throw std::logic_error("a name has no binding");
  return Evaluation(*this, bindings, place < 0 ? Evaluation::Of::one : Evaluation::Of::elements)
      .of(root_, {&place, 1})
      .front();
}

void Expression::evaluate(std::span<const Binding> bindings, std::ptrdiff_t place_name,
                          std::int64_t first, std::span<Value> to) const {
  if (bindings.size() != names_.size()) throw std::logic_error("a name has no binding");
  std::vector<std::int64_t> places(to.size());
  std::iota(places.begin(), places.end(), first);
  const auto values =
      Evaluation(*this, bindings, Evaluation::Of::elements, place_name).of(root_, places);
  std::copy(values.begin(), values.end(), to.begin());
}

}  // namespace apod
