// An expression of an experiment file: it is read and evaluated, for two sets of axes.

#include "kernels/files/expression.hpp"

#include <array>
#include <limits>
#include <vector>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

constexpr std::size_t places = 16;

/// What many places at once come to is what each of them does.
void try_many(const apod::Expression& expression, std::vector<apod::Binding> bindings,
              std::ptrdiff_t place) {
  using namespace apod;
  std::array<Value, places> many{};
  try {
    expression.evaluate(bindings, place, 0, many);
  } catch (const ExpressionError& error) {
    // It is wrong there alone as well.
    fuzz::expect(error.place() >= 0 && error.place() < std::ssize(many), "a mistake has a place");
    if (place >= 0) bindings[static_cast<std::size_t>(place)].value = Value::of(error.place());
    bool is_wrong = false;
    try {
      expression.evaluate(bindings, error.place());
    } catch (const ExpressionError& alone) {
      is_wrong = std::string_view(alone.what()) == error.what();
    }
    fuzz::expect(is_wrong, "a place has the same mistake alone");
    return;
  }
  for (std::size_t i = 0; i < places; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (place >= 0) bindings[static_cast<std::size_t>(place)].value = Value::of(at);
    const auto one = expression.evaluate(bindings, at);
    fuzz::expect(one.kind == many[i].kind && to_string(one) == to_string(many[i]),
                 "many places at once have the same values");
  }
}

/// What it comes to, or what is wrong with it and where. Of its names, 'i' is the place; of the
/// others the second is an array of integers, the third a word, the fourth an array of numbers.
std::string outcome(const std::string& text, std::int64_t number) {
  using namespace apod;
  static const auto wholes = [] {
    std::array<std::int64_t, places> values{};
    for (std::size_t i = 0; i < places; ++i) {
      const auto n = static_cast<std::int64_t>(i);
      values[i] = i % 4 == 3 ? (std::int64_t{1} << (50 + i / 2)) + n : 3 * n - 9;
    }
    return values;
  }();
  static const auto reals = [] {
    std::array<double, places> values{};
    for (std::size_t i = 0; i < places; ++i) values[i] = 0.25 * static_cast<double>(i) - 1;
    return values;
  }();
  try {
    const Expression expression(text);
    const std::string word = "fp32";
    std::vector<Binding> bindings;
    std::ptrdiff_t place = -1;
    for (std::size_t i = 0; i < expression.names().size(); ++i) {
      const auto n = static_cast<std::int64_t>(i);
      fuzz::expect(text.compare(expression.place_of_name(i), expression.names()[i].size(),
                                expression.names()[i]) == 0,
                   "a name is where it is said to be");
      auto& binding = bindings.emplace_back();
      binding.count = places;
      if (expression.names()[i] == "i") {
        binding.value = Value::of(3);
        place = n;
      } else if (i == 1) {
        binding.array = reinterpret_cast<const std::byte*>(wholes.data());
        binding.type = ElementType::i64;
      } else if (i == 3) {
        binding.array = reinterpret_cast<const std::byte*>(reals.data());
        binding.type = ElementType::f64;
      } else {
        binding.value = i == 2 ? Value::of_word(word) : Value::of(number - n);
      }
    }
    try_many(expression, bindings, place);
    const auto value = expression.evaluate(bindings, 3);
    const Expression second(text);  // a word that it comes to is its own
    const auto again = second.evaluate(bindings, 3);
    fuzz::expect(to_string(value) == to_string(again), "an expression has one value");
    return to_string(value);
  } catch (const ExpressionError& error) {
    fuzz::expect(error.at() <= text.size(), "a mistake is within the text");
    fuzz::expect(*error.what() != '\0', "a mistake is explained");
    return error.what();
  }
}

}  // namespace

void apod::fuzz::try_expression(const std::string& input) {
  outcome(input, 7);
  outcome(input, 0);
  outcome(input, std::numeric_limits<std::int64_t>::max());
  // In an experiment file it may hold anything.
  std::string quoted;
  for (const char c : input) quoted.append(c == '\'' ? 2 : 1, c);
  bench({"--config",
         write("x.yaml",
               "schema: 1\nexperiments:\n  - workload: reduction\n    axes: {variant: "
               "host, size: [1, 2]}\n    where: ['" +
                   quoted + "']\n"),
         "--dry-run", "--backend", "host"},
        input);
}
