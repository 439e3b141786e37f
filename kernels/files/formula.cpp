/// \file
/// Expressions of the elements of an array: what it holds at first, or what it should be.

#include <algorithm>

#include "kernels/files/launch.hpp"

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

void Shapes::Formula::values(std::int64_t first, std::span<Value> to) const {
  try {
    expression->evaluate(bindings, index, first, to);
  } catch (const ExpressionError& error) {
    throw SpecError(key, error.at(),
                    "element " + std::to_string(error.place()) + ": " + std::string(error.what()));
  }
}

void Shapes::Formula::numbers(std::int64_t first, std::span<double> to) const {
  std::vector<Value> found(to.size());
  values(first, found);
  std::transform(found.begin(), found.end(), to.begin(), [](const Value& value) {
    return value.kind == Value::Kind::truth ? static_cast<double>(value.whole) : value.number();
  });
}

}  // namespace apod::file
