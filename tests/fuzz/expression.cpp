// An expression of an experiment file: it is read and evaluated, for two sets of axes.

#include "kernels/api/expression.hpp"

#include <array>
#include <cmath>
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
  const auto many = expression.evaluate_many(bindings, place, 0, places);
  if (!many) return;
  for (std::size_t i = 0; i < places; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (place >= 0) bindings[static_cast<std::size_t>(place)].value = Value::of(at);
    bool is_same = false;
    try {
      const auto one = expression.evaluate(bindings, at);
      if (many->kind == Value::Kind::real) {
        const double real = many->real[i];
        is_same = one.is_number() &&
                  (real == one.number() || (std::isnan(real) && std::isnan(one.number())));
      } else {
        is_same = one.kind == many->kind && one.whole == many->whole[i];
      }
    } catch (const ExpressionError&) {
      fuzz::expect(false, "a mistake at one of many places is left to the long way");
    }
    fuzz::expect(is_same, "many places at once have the same values");
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
    const auto again = Expression(text).evaluate(bindings, 3);
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
