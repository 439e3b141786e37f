/// \file
/// The way through an expression, and what compares and chooses.

#include "kernels/api/columns.hpp"

#include <array>
#include <functional>
#include <numeric>

namespace apod {

Expression::Column Expression::Columns::of(int index, Places places) {
  const Node& node = expression_.nodes_[static_cast<std::size_t>(index)];
  switch (node.op) {
    case Op::constant:
      return repeated(node.value, places.size());
    case Op::name: {
      if (static_cast<std::ptrdiff_t>(node.name) == place_) {
        return {Kind::whole, {places.begin(), places.end()}, {}};
      }
      const auto& binding = bindings_[node.name];
      if (binding.array == nullptr) return repeated(binding.value, places.size());
      return elements(binding, places);
    }
    case Op::element: {
      const auto at = of(node.parts[0], places);
      const auto& binding = bindings_[node.name];
      if (binding.array == nullptr || at.kind != Kind::whole) return left(places.size());
      return elements(binding, at.whole);
    }
    case Op::and_:
    case Op::or_:
      return joined(node, places);
    case Op::not_: {
      auto column = truths(node.parts[0], places);
      for (auto& value : column.whole) value = 1 - value;
      return column;
    }
    case Op::if_:
      return chosen(node, places);
    case Op::equal:
    case Op::unequal:
    case Op::less:
    case Op::at_most:
    case Op::more:
    case Op::at_least:
      return compared(node, places);
    case Op::min:
    case Op::max:
      return extreme(node, places);
    case Op::ceil:
    case Op::floor:
      return whole_part(node, places);
    case Op::negate:
    case Op::abs:
    case Op::sqrt:
    case Op::exp:
    case Op::log:
      return of_one(node, places);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::remainder:
    case Op::power:
      return of_two(node, places);
    case Op::word:
    case Op::log2:
      break;
  }
  return left(places.size());
}

Expression::Column Expression::Columns::repeated(const Value& value, std::size_t count) {
  switch (value.kind) {
    case Kind::real:
      return {Kind::real, {}, std::vector<double>(count, value.real)};
    case Kind::whole:
    case Kind::truth:
      return {value.kind, std::vector<std::int64_t>(count, value.whole), {}};
    case Kind::word:
      break;
  }
  return left(count);
}

Expression::Column Expression::Columns::elements(const Binding& binding, Places at) {
  for (const auto i : at) {
    if (i < 0 || i >= binding.count) return left(at.size());
  }
  return with_known(binding.type, [&](auto type) {
    const auto size = static_cast<std::int64_t>(size_of(type));
    Column column;
    if (!is_whole(type)) {
      column.kind = Kind::real;
      column.real.resize(at.size());
      for (std::size_t i = 0; i < at.size(); ++i) {
        column.real[i] = read_element(type, binding.array + at[i] * size).real;
      }
      return column;
    }
    const bool is_natural = !is_signed(type) && type != ElementType::boolean;
    column.whole.resize(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto read = read_element(type, binding.array + at[i] * size);
      column.whole[i] = is_natural ? static_cast<std::int64_t>(read.natural) : read.whole;
      expect(!is_natural || column.whole[i] >= 0);
    }
    return column;
  });
}

Expression::Column Expression::Columns::joined(const Node& node, Places places) {
  auto a = truths(node.parts[0], places);
  const auto b = truths(node.parts[1], places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    a.whole[i] = node.op == Op::and_ ? a.whole[i] & b.whole[i] : a.whole[i] | b.whole[i];
  }
  return a;
}

Expression::Column Expression::Columns::chosen(const Node& node, Places places) {
  const auto condition = truths(node.parts[0], places);
  std::array<std::vector<std::int64_t>, 2> of_branch;
  for (std::size_t i = 0; i < places.size(); ++i) {
    of_branch[condition.whole[i] != 0 ? 0 : 1].push_back(places[i]);
  }
  if (of_branch[1].empty()) return of(node.parts[1], places);
  if (of_branch[0].empty()) return of(node.parts[2], places);
  std::array branches{of(node.parts[1], of_branch[0]), of(node.parts[2], of_branch[1])};
  const bool mixed = branches[0].kind != branches[1].kind || branches[0].mixed || branches[1].mixed;
  if (branches[0].kind != branches[1].kind) {
    for (auto& branch : branches) {
      if (branch.kind == Kind::truth) return left(places.size());
      make_real_exactly(branch);
    }
  }
  Column column{branches[0].kind, {}, {}, mixed};
  const auto merge = [&](auto& to, const auto& yes, const auto& no) {
    to.resize(places.size());
    std::array<std::size_t, 2> next{};
    for (std::size_t i = 0; i < places.size(); ++i) {
      to[i] = condition.whole[i] != 0 ? yes[next[0]++] : no[next[1]++];
    }
  };
  if (column.kind == Kind::real) {
    merge(column.real, branches[0].real, branches[1].real);
  } else {
    merge(column.whole, branches[0].whole, branches[1].whole);
  }
  return column;
}

const std::string* Expression::Columns::word_of(int index) const {
  const Node& node = expression_.nodes_[static_cast<std::size_t>(index)];
  if (node.op == Op::word) return &expression_.words_[node.name];
  const bool is_name = node.op == Op::name && static_cast<std::ptrdiff_t>(node.name) != place_;
  return is_name ? bindings_[node.name].value.word : nullptr;
}

Expression::Column Expression::Columns::compared(const Node& node, Places places) {
  // Words are the same at every place.
  const auto* one = word_of(node.parts[0]);
  const auto* other = word_of(node.parts[1]);
  if (one != nullptr && other != nullptr && (node.op == Op::equal || node.op == Op::unequal)) {
    return repeated(Value::of_truth((*one == *other) == (node.op == Op::equal)), places.size());
  }
  auto a = number(node.parts[0], places);
  auto b = number(node.parts[1], places);
  make_alike(a, b);
  switch (node.op) {
    case Op::equal:
      return held(a, b, std::equal_to<>());
    case Op::unequal:
      return held(a, b, std::not_equal_to<>());
    case Op::less:
      return held(a, b, std::less<>());
    case Op::at_most:
      return held(a, b, std::less_equal<>());
    case Op::more:
      return held(a, b, std::greater<>());
    default:
      return held(a, b, std::greater_equal<>());
  }
}

Expression::Column Expression::Columns::extreme(const Node& node, Places places) {
  auto best = number(node.parts.front(), places);
  const auto take = [&](auto& mine, const auto& others) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool better = node.op == Op::min ? others[i] < mine[i] : others[i] > mine[i];
      mine[i] = better ? others[i] : mine[i];
    }
  };
  for (std::size_t part = 1; part < node.parts.size(); ++part) {
    auto other = number(node.parts[part], places);
    const bool mixed = are_mixed(best, other);
    make_alike(best, other);
    best.mixed = mixed;
    if (best.kind == Kind::real) {
      take(best.real, other.real);
    } else {
      take(best.whole, other.whole);
    }
  }
  return best;
}

std::optional<Expression::Column> Expression::evaluate_many(std::span<const Binding> bindings,
                                                            std::ptrdiff_t place_name,
                                                            std::int64_t first,
                                                            std::size_t count) const {
  std::vector<std::int64_t> places(count);
  std::iota(places.begin(), places.end(), first);
  Columns columns(*this, bindings, place_name);
  auto column = columns.of(root_, places);
  if (!columns.is_simple()) return std::nullopt;
  return column;
}

}  // namespace apod
