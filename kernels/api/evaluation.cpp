#include <algorithm>
#include <cmath>

#include "kernels/api/expression.hpp"

namespace apod {
namespace {

const char* kind_name(const Value& value) {
  switch (value.kind) {
    case Value::Kind::whole:
      return "an integer";
    case Value::Kind::real:
      return "a number";
    case Value::Kind::truth:
      return "a truth value";
    case Value::Kind::word:
      break;
  }
  return "a word";
}

bool both_whole(const Value& a, const Value& b) {
  return a.kind == Value::Kind::whole && b.kind == Value::Kind::whole;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

class Expression::Evaluation {
 public:
  Evaluation(const Expression& expression, std::span<const Binding> bindings, std::int64_t place)
      : expression_(expression), bindings_(bindings), place_(place) {}

  Value of(int index) const {
    const Node& node = expression_.nodes_[static_cast<std::size_t>(index)];
    switch (node.op) {
      case Op::constant:
        return node.value;
      case Op::word:
        return Value::of_word(expression_.words_[node.name]);
      case Op::name: {
        const auto& binding = bindings_[node.name];
        if (binding.array == nullptr) return binding.value;
        if (place_ < 0) fail(node, "'" + name(node) + "' is an array: write which element");
        return element(node, binding, place_);
      }
      case Op::element: {
        const auto& binding = bindings_[node.name];
        if (binding.array == nullptr) fail(node, "'" + name(node) + "' is not an array");
        const auto at = of(node.parts[0]);
        if (at.kind != Value::Kind::whole) fail(node, "an index is an integer, not " + said(at));
        return element(node, binding, at.whole);
      }
      case Op::and_:
      case Op::or_: {
        const bool left = truth(node, of(node.parts[0]));
        if (left == (node.op == Op::or_)) return Value::of_truth(left);
        return Value::of_truth(truth(node, of(node.parts[1])));
      }
      case Op::not_:
        return Value::of_truth(!truth(node, of(node.parts[0])));
      case Op::if_:
        return of(node.parts[truth(node, of(node.parts[0])) ? 1 : 2]);
      case Op::equal:
      case Op::unequal:
      case Op::less:
      case Op::at_most:
      case Op::more:
      case Op::at_least:
        return Value::of_truth(compare(node));
      case Op::min:
      case Op::max:
        return extreme(node);
      case Op::ceil:
      case Op::floor:
        return whole_part(node);
      case Op::negate:
      case Op::abs:
      case Op::log2:
      case Op::sqrt:
      case Op::exp:
      case Op::log:
        return of_one(node);
      default:
        return of_two(node);
    }
  }

 private:
  [[noreturn]] static void fail(const Node& node, const std::string& what) {
    throw ExpressionError(node.at, what);
  }
  const std::string& name(const Node& node) const { return expression_.names_[node.name]; }
  static std::string said(const Value& value) {
    return std::string(kind_name(value)) + ", " + to_string(value);
  }

  static bool truth(const Node& node, const Value& value) {
    if (value.kind == Value::Kind::truth) return value.whole != 0;
    fail(node, "a condition was expected, such as n > 0, not " + said(value));
  }
  Value number(const Node& node, int part) const {
    const auto value = of(part);
    if (!value.is_number()) fail(node, "a number was expected, not " + said(value));
    return value;
  }
  [[noreturn]] static void overflow(const Node& node, const Value& a, const char* sign,
                                    const Value& b) {
    fail(node,
         "overflow: " + to_string(a) + " " + sign + " " + to_string(b) + " does not fit 63 bits");
  }

  Value element(const Node& node, const Binding& binding, std::int64_t at) const {
    if (at < 0 || at >= binding.count) {
      fail(node, "element " + std::to_string(at) + " of '" + name(node) + "', which has " +
                     std::to_string(binding.count));
    }
    const auto size = static_cast<std::int64_t>(size_of(binding.type));
    const auto read = read_element(binding.type, binding.array + at * size);
    if (!is_whole(binding.type)) return Value::of_real(read.real);
    if (is_signed(binding.type) || binding.type == ElementType::boolean) {
      return Value::of(read.whole);
    }
    if (read.natural >> 63 != 0) return Value::of_real(static_cast<double>(read.natural));
    return Value::of(static_cast<std::int64_t>(read.natural));
  }

  bool compare(const Node& node) const {
    const auto a = of(node.parts[0]);
    const auto b = of(node.parts[1]);
    const bool comparable = a.kind == b.kind || (a.is_number() && b.is_number());
    const bool is_equality = node.op == Op::equal || node.op == Op::unequal;
    if (!comparable || (!a.is_number() && !is_equality)) {
      fail(node, std::string("can't compare ") + said(a) + " with " + said(b));
    }
    // Of elements it may be meant, x != x; elsewhere it would leave cases out without a word.
    if (place_ < 0 && (std::isnan(a.number()) || std::isnan(b.number()))) {
      fail(node, "can't compare what is no number, as infinity less infinity");
    }
    if (a.kind == Value::Kind::word) return (*a.word == *b.word) == (node.op == Op::equal);
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
    if (a.kind == Value::Kind::real || b.kind == Value::Kind::real) {
      return held(a.number(), b.number());
    }
    return held(a.whole, b.whole);
  }

  Value extreme(const Node& node) const {
    auto best = number(node, node.parts.front());
    bool real = best.kind == Value::Kind::real;
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const auto other = number(node, node.parts[i]);
      real = real || other.kind == Value::Kind::real;
      const bool less =
          both_whole(other, best) ? other.whole < best.whole : other.number() < best.number();
      const bool more =
          both_whole(other, best) ? other.whole > best.whole : other.number() > best.number();
      if (node.op == Op::min ? less : more) best = other;
    }
    return real ? Value::of_real(best.number()) : best;
  }

  /// ceil and floor; of a quotient of integers without rounding it first.
  Value whole_part(const Node& node) const {
    const Node& inner = expression_.nodes_[static_cast<std::size_t>(node.parts[0])];
    const bool up = node.op == Op::ceil;
    if (inner.op == Op::divide) {
      const auto a = number(inner, inner.parts[0]);
      const auto b = number(inner, inner.parts[1]);
      if (both_whole(a, b) && b.whole != 0 && !(a.whole == INT64_MIN && b.whole == -1)) {
        const auto down = floor_quotient(a.whole, b.whole);
        return Value::of(down + (up && a.whole % b.whole != 0 ? 1 : 0));
      }
    }
    const auto value = number(node, node.parts[0]);
    if (value.kind == Value::Kind::whole) return value;
    const double whole = up ? std::ceil(value.real) : std::floor(value.real);
    if (!(std::abs(whole) < 0x1p63)) fail(node, to_string(value) + " does not fit 63 bits");
    return Value::of(static_cast<std::int64_t>(whole));
  }

  Value of_one(const Node& node) const {
    const auto value = number(node, node.parts[0]);
    const bool whole = value.kind == Value::Kind::whole;
    switch (node.op) {
      case Op::negate:
      case Op::abs: {
        if (!whole) return Value::of_real(node.op == Op::abs ? std::abs(value.real) : -value.real);
        if (value.whole == INT64_MIN) fail(node, "overflow: -(-2^63) does not fit 63 bits");
        return Value::of(node.op == Op::abs && value.whole >= 0 ? value.whole : -value.whole);
      }
      case Op::sqrt:
        if (value.number() < 0) fail(node, "the root of " + to_string(value));
        return Value::of_real(std::sqrt(value.number()));
      case Op::exp:
        return Value::of_real(std::exp(value.number()));
      case Op::log:
      default:
        if (!(value.number() > 0)) fail(node, "the logarithm of " + to_string(value));
        if (node.op == Op::log) return Value::of_real(std::log(value.number()));
        if (whole && (value.whole & (value.whole - 1)) == 0) {
          return Value::of(std::ilogb(static_cast<double>(value.whole)));
        }
        return Value::of_real(std::log2(value.number()));
    }
  }

  Value of_two(const Node& node) const {
    const auto a = number(node, node.parts[0]);
    const auto b = number(node, node.parts[1]);
    const bool whole = both_whole(a, b);
    std::int64_t result = 0;
    switch (node.op) {
      case Op::add:
        if (!whole) return Value::of_real(a.number() + b.number());
        if (__builtin_add_overflow(a.whole, b.whole, &result)) overflow(node, a, "+", b);
        return Value::of(result);
      case Op::subtract:
        if (!whole) return Value::of_real(a.number() - b.number());
        if (__builtin_sub_overflow(a.whole, b.whole, &result)) overflow(node, a, "-", b);
        return Value::of(result);
      case Op::multiply:
        if (!whole) return Value::of_real(a.number() * b.number());
        if (__builtin_mul_overflow(a.whole, b.whole, &result)) overflow(node, a, "*", b);
        return Value::of(result);
      case Op::divide:
        if (b.number() == 0) fail(node, "division of " + to_string(a) + " by zero");
        if (whole && !(a.whole == INT64_MIN && b.whole == -1) && a.whole % b.whole == 0) {
          return Value::of(a.whole / b.whole);
        }
        return Value::of_real(a.number() / b.number());
      case Op::remainder:
        if (!whole) fail(node, "% takes integers, not " + said(a) + " and " + said(b));
        if (b.whole == 0) fail(node, "remainder of " + to_string(a) + " by zero");
        if (b.whole == -1) return Value::of(0);
        return Value::of(a.whole - b.whole * floor_quotient(a.whole, b.whole));
      default:
        return power(node, a, b);
    }
  }

  static Value power(const Node& node, const Value& a, const Value& b) {
    if (!both_whole(a, b) || b.whole < 0) {
      if (a.number() == 0 && b.number() < 0) fail(node, "division of 1 by zero");
      return Value::of_real(std::pow(a.number(), b.number()));
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
  std::int64_t place_;
};

Value Expression::evaluate(std::span<const Binding> bindings, std::int64_t place) const {
  if (bindings.size() != names_.size()) throw std::logic_error("a name has no binding");
  return Evaluation(*this, bindings, place).of(root_);
}

}  // namespace apod
