/// \file
/// Expressions of the elements of an array: what it holds at first, or what it should be.

#include <algorithm>

#include "kernels/api/file/launch.hpp"

namespace apod::file {

Shapes::Formula Shapes::formula(const Text& text, const Params& params, const Layout& layout,
                                const std::byte* input) const {
  Formula made{.expression = &text.expression, .bindings = {}, .key = text.key};
  for (const auto& name : text.expression.names()) {
    auto& binding = made.bindings.emplace_back();
    if (const auto* value = params.find(name)) {
      binding.value = value_of(*value);
      continue;
    }
    const auto found = std::find_if(spec_.args.begin(), spec_.args.end(),
                                    [&](const Argument& arg) { return arg.name == name; });
    if (found == spec_.args.end()) {
      made.index = static_cast<std::ptrdiff_t>(made.bindings.size()) - 1;  // `i`
      continue;
    }
    const auto& place = layout.args[static_cast<std::size_t>(found - spec_.args.begin())];
    if (found->shape.empty()) {
      const auto element = read_element(found->type, place.scalar.data());
      binding.value = is_whole(found->type)
                          ? Value::of(is_signed(found->type) || found->type == ElementType::boolean
                                          ? element.whole
                                          : static_cast<std::int64_t>(element.natural))
                          : Value::of_real(element.real);
    } else {
      binding = {.array = input + place.in_input, .count = place.count, .type = found->type};
    }
  }
  return made;
}

Shapes::Formula Shapes::reference_formula(const std::string& name, const Params& params,
                                          const Layout& layout, const std::byte* input) const {
  return formula(outputs_.at(name), params, layout, input);
}

Shapes::Formula Shapes::data_formula(std::size_t arg, const Params& params,
                                     const Layout& layout) const {
  return formula(contents_.at(arg), params, layout, nullptr);
}

void Shapes::Formula::numbers(std::int64_t first, std::span<double> to) const {
  const auto column = expression->evaluate_many(bindings, index, first, to.size());
  if (column && column->kind == Value::Kind::real) {
    std::copy(column->real.begin(), column->real.end(), to.begin());
  } else if (column) {
    std::copy(column->whole.begin(), column->whole.end(), to.begin());
  } else {
    each(first, to.size(), [&](std::int64_t i, const Value& value) {
      to[static_cast<std::size_t>(i - first)] =
          value.kind == Value::Kind::truth ? static_cast<double>(value.whole) : value.number();
    });
  }
}

void Shapes::Formula::each(std::int64_t first, std::size_t count,
                           const std::function<void(std::int64_t, const Value&)>& use) const {
  if (const auto column = expression->evaluate_many(bindings, index, first, count)) {
    for (std::size_t i = 0; i < count; ++i) {
      use(first + static_cast<std::int64_t>(i),
          column->kind == Value::Kind::real
              ? Value::of_real(column->real[i])
              : Value{.kind = column->kind, .whole = column->whole[i]});
    }
    return;
  }
  auto own = bindings;
  for (auto i = first; i < first + static_cast<std::int64_t>(count); ++i) {
    if (index >= 0) own[static_cast<std::size_t>(index)].value = Value::of(i);
    try {
      use(i, expression->evaluate(own, i));
    } catch (const ExpressionError& error) {
      throw SpecError(key, error.at(),
                      "element " + std::to_string(i) + ": " + std::string(error.what()));
    }
  }
}

}  // namespace apod::file
