// An expression of an experiment file: it is read and evaluated, for two sets of axes.

#include "kernels/api/expression.hpp"

#include <cmath>
#include <limits>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

/// What it comes to, or what is wrong with it and where.
std::string outcome(const std::string& text, std::int64_t number) {
  using namespace apod;
  try {
    const Expression expression(text);
    const std::string word = "fp32";
    std::vector<Binding> bindings;
    for (std::size_t i = 0; i < expression.names().size(); ++i) {
      const auto n = static_cast<std::int64_t>(i);
      fuzz::expect(text.compare(expression.place_of_name(i), expression.names()[i].size(),
                                expression.names()[i]) == 0,
                   "a name is where it is said to be");
      bindings.push_back({.value = i == 2 ? Value::of_word(word) : Value::of(number - n)});
      if (i == 1) {
        bindings.back().array = reinterpret_cast<const std::byte*>(word.data());
        bindings.back().count = 4;
        bindings.back().type = ElementType::u8;
      }
    }
    const auto value = expression.evaluate(bindings, 3);
    const auto again = Expression(text).evaluate(bindings, 3);
    fuzz::expect(to_string(value) == to_string(again), "an expression has one value");
    if (const auto many = expression.evaluate_many(bindings, -1, 3, 1)) {
      const bool is_real = many->kind == Value::Kind::real;
      const double third = is_real ? many->real[0] : static_cast<double>(many->whole[0]);
      const double one =
          value.kind == Value::Kind::real ? value.real : static_cast<double>(value.whole);
      fuzz::expect(third == one || (std::isnan(third) && std::isnan(one)),
                   "many places at once have the same values");
    }
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
