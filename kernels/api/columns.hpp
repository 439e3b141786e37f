#pragma once

/// \file
/// An expression at many places at once. Each operation is done for all of them, so that the way
/// through the expression is taken once. What makes this slow or long, it leaves to evaluate(),
/// which alone says what an expression means: errors, words in wrong places, and integers whose
/// operations are rare.

#include <algorithm>

#include "kernels/api/expression.hpp"

namespace apod {

class Expression::Columns {
 public:
  using Kind = Value::Kind;
  using Places = std::span<const std::int64_t>;

  Columns(const Expression& expression, std::span<const Binding> bindings, std::ptrdiff_t place)
      : expression_(expression), bindings_(bindings), place_(place) {}

  /// What node `index` is at each of the places; of any content where is_simple() is false then.
  Column of(int index, Places places);
  bool is_simple() const { return simple_; }

 private:
  /// To evaluate(), by the caller.
  Column left(std::size_t count) {
    simple_ = false;
    return {Kind::real, {}, std::vector<double>(count)};
  }
  void expect(bool condition) { simple_ = simple_ && condition; }

  Column repeated(const Value& value, std::size_t count);
  Column elements(const Binding& binding, Places at);
  static std::size_t length(const Column& column) {
    return column.kind == Kind::real ? column.real.size() : column.whole.size();
  }
  Column number(int index, Places places) {
    auto column = of(index, places);
    if (column.kind == Kind::truth) return left(places.size());
    return column;
  }
  Column truths(int index, Places places) {
    auto column = of(index, places);
    if (column.kind == Kind::truth) return column;
    left(0);
    return {Kind::truth, std::vector<std::int64_t>(places.size()), {}};
  }
  static void make_real(Column& column) {
    if (column.kind == Kind::real) return;
    column.real.assign(column.whole.begin(), column.whole.end());
    column.whole.clear();
    column.kind = Kind::real;
  }
  static constexpr std::int64_t exact = std::int64_t{1} << 53;  ///< integers to here have doubles
  /// Where an integer stands beside real numbers as what it is.
  void make_real_exactly(Column& column) {
    for (const auto value : column.whole) expect(value >= -exact && value <= exact);
    make_real(column);
  }
  /// Two columns of numbers become of one kind.
  void make_alike(Column& a, Column& b) {
    if (a.kind == b.kind) return;
    make_real_exactly(a);
    make_real_exactly(b);
  }
  /// Whether some results of an operation on both are integers, which real numbers hold.
  static bool are_mixed(const Column& a, const Column& b) {
    const auto is_real = [](const Column& c) { return c.kind == Kind::real && !c.mixed; };
    return (a.mixed || b.mixed) && !is_real(a) && !is_real(b);
  }

  Column joined(const Node& node, Places places);
  Column chosen(const Node& node, Places places);
  /// The word that a node is; null where it is none.
  const std::string* word_of(int index) const;
  Column compared(const Node& node, Places places);
  template <class Relation>
  static Column held(const Column& a, const Column& b, const Relation& relation) {
    Column column{Kind::truth, std::vector<std::int64_t>(length(a)), {}};
    if (a.kind == Kind::real) {
      std::transform(a.real.begin(), a.real.end(), b.real.begin(), column.whole.begin(), relation);
    } else {
      std::transform(a.whole.begin(), a.whole.end(), b.whole.begin(), column.whole.begin(),
                     relation);
    }
    return column;
  }

  Column extreme(const Node& node, Places places);
  Column whole_part(const Node& node, Places places);
  Column of_one(const Node& node, Places places);
  Column of_two(const Node& node, Places places);
  Column of_wholes(const Node& node, Column a, const Column& b);
  /// Of integers it is one where it is exact. Where only some are, all are exact as real numbers.
  Column quotient(Column a, Column b);
  const Expression& expression_;
  std::span<const Binding> bindings_;
  std::ptrdiff_t place_;
  bool simple_ = true;
};

}  // namespace apod
