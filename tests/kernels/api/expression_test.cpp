#include "kernels/files/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace apod {
namespace {

std::string worth(const std::string& text, std::int64_t n = 0, const std::string& word = "") {
  const Expression expression(text);
  std::vector<Binding> bindings;
  for (const auto& name : expression.names()) {
    bindings.push_back({.value = name == "w" ? Value::of_word(word) : Value::of(n)});
  }
  return to_string(expression.evaluate(bindings));
}

std::pair<std::size_t, std::string> wrong(const std::string& text, std::int64_t n = 0) {
  try {
    return {0, "no error: " + worth(text, n)};
  } catch (const ExpressionError& error) {
    return {error.at(), error.what()};
  }
}

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(worth("1 + 2 * 3"), "7");
  EXPECT_EQ(worth("(1 + 2) * 3"), "9");
  EXPECT_EQ(worth("10 - 3 - 2"), "5");
  EXPECT_EQ(worth("2 ^ 3 ^ 2"), "512");
  EXPECT_EQ(worth("-2 ^ 2"), "-4");
  EXPECT_EQ(worth("2 ^ -1"), "0.5");
  EXPECT_EQ(worth("not 1 > 2 and 3 >= 3"), "true");
  EXPECT_EQ(worth("1 == 2 or 2 != 3"), "true");
  EXPECT_EQ(worth("1 + 1 == 2"), "true");
}

TEST(Expression, KeepsIntegersExact) {
  EXPECT_EQ(worth("9007199254740993 * 1000"), "9007199254740993000");
  EXPECT_EQ(worth("6 / 3"), "2");
  EXPECT_EQ(worth("7 / 2"), "3.5");
  // 2^53 + 1 has no double; its half, rounded up, is exact all the same.
  EXPECT_EQ(worth("ceil(9007199254740993 / 2)"), "4503599627370497");
  EXPECT_EQ(worth("floor(9223372036854775807 / 2)"), "4611686018427387903");
  EXPECT_EQ(worth("ceil(-7 / 2)"), "-3");
  EXPECT_EQ(worth("floor(-7 / 2)"), "-4");
  EXPECT_EQ(worth("-7 % 3"), "2");
  EXPECT_EQ(worth("7 % -3"), "-2");
  EXPECT_EQ(worth("2 ^ 62"), "4611686018427387904");
  EXPECT_EQ(worth("log2(2 ^ 62)"), "62");
  EXPECT_EQ(worth("log2(10) > 3.3"), "true");
  EXPECT_EQ(worth("1e6"), "1000000");
  EXPECT_EQ(worth("max(1, 3, 2) - min(4, 0.5)"), "2.5");
  EXPECT_EQ(worth("abs(-3) + ceil(2.1) + floor(2.9)"), "8");
}

TEST(Expression, RefusesWhatDoesNotFit) {
  EXPECT_EQ(wrong("1 + 9223372036854775807"),
            (std::pair<std::size_t, std::string>{
                2, "overflow: 1 + 9223372036854775807 needs more than 63 bits"}));
  EXPECT_EQ(wrong("n * n", std::int64_t{1} << 32).second,
            "overflow: 4294967296 * 4294967296 needs more than 63 bits");
  EXPECT_NE(wrong("2 ^ 63").second.find("overflow"), std::string::npos);
  EXPECT_NE(wrong("3 ^ n", std::int64_t{1} << 60).second.find("overflow"), std::string::npos);
  EXPECT_EQ(worth("(0 - 1) ^ n", std::int64_t{1} << 60), "1");
  EXPECT_NE(wrong("-n", std::numeric_limits<std::int64_t>::min()).second.find("overflow"),
            std::string::npos);
  EXPECT_NE(wrong("ceil(1e300 * 1.0)").second.find("not exact"), std::string::npos);
  EXPECT_NE(wrong("ceil(10.0 ^ 30)").second.find("63 bits"), std::string::npos);
  EXPECT_EQ(wrong("9223372036854775808").second, "'9223372036854775808' is larger than 2^63 - 1");
}

TEST(Expression, NamesDivisionByZeroAndItsPlace) {
  EXPECT_EQ(wrong("100 / (n - 0)"),
            (std::pair<std::size_t, std::string>{4, "division of 100 by zero"}));
  EXPECT_EQ(wrong("1.5 / n").second, "division of 1.5 by zero");
  EXPECT_EQ(wrong("5 % n").second, "remainder of 5 by zero");
  EXPECT_EQ(wrong("ceil(5 / n)").second, "division of 5 by zero");
  EXPECT_EQ(wrong("n ^ -1").second, "division of 1 by zero");
  // What is not needed is not computed.
  EXPECT_EQ(worth("n == 0 or 5 / n > 1"), "true");
  EXPECT_EQ(worth("if(n == 0, 7, 5 / n)"), "7");
}

TEST(Expression, ComparesWordsByEqualityAlone) {
  EXPECT_EQ(worth("w == 'fp32'", 0, "fp32"), "true");
  EXPECT_EQ(worth("w != 'fp32'", 0, "fp64"), "true");
  EXPECT_NE(wrong("'a' < 'b'").second.find("can't compare"), std::string::npos);
  EXPECT_NE(wrong("'a' == 1").second.find("can't compare"), std::string::npos);
  EXPECT_NE(wrong("'a' + 1").second.find("a number is needed"), std::string::npos);
  EXPECT_NE(wrong("1 and 2").second.find("a condition such as n > 0 is needed"), std::string::npos);
  EXPECT_NE(wrong("1 + (2 > 1)").second.find("a number is needed"), std::string::npos);
}

TEST(Expression, SaysWhereATextIsWrong) {
  EXPECT_EQ(wrong("1 + ").second, "the expression ends, but a value is missing");
  EXPECT_EQ(wrong("(1 + 2").second, "the expression ends, but ')' is missing");
  EXPECT_EQ(wrong("1 $ 2"), (std::pair<std::size_t, std::string>{2, "'$' is not allowed here"}));
  EXPECT_EQ(wrong("a = 1").second, "'=' is not an operator; to compare, write '=='");
  EXPECT_EQ(wrong("1 < 2 < 3").second, "comparisons can't be chained: write a < b and b < c");
  EXPECT_EQ(wrong("2 ** 3").second, "for a power, write a ^ b");
  EXPECT_EQ(wrong("system(1)").first, 0u);
  EXPECT_NE(wrong("system(1)").second.find("there is no function 'system'"), std::string::npos);
  EXPECT_NE(wrong("if(1)").second.find("takes 3"), std::string::npos);
  EXPECT_NE(wrong("64Mi").second.find("a letter follows a number"), std::string::npos);
  EXPECT_EQ(wrong("'open").second, "the string that begins here has no closing '");
  EXPECT_EQ(wrong("1..2").second, "'.' is not allowed here");
  EXPECT_EQ(wrong("").second, "the expression ends, but a value is missing");
}

TEST(Expression, IsBounded) {
  EXPECT_NE(wrong(std::string(1001, '1')).second.find("the limit is 1000"), std::string::npos);
  EXPECT_EQ(wrong(std::string(400, '(') + "1" + std::string(400, ')')).second,
            "the expression is nested too deeply");
  EXPECT_EQ(wrong(std::string(500, '-') + "1").second, "the expression is nested too deeply");
  std::string sum = "1";
  while (sum.size() < 990) sum += "+1";
  EXPECT_EQ(worth(sum), std::to_string((sum.size() + 1) / 2));
}

TEST(Expression, ReadsElementsOfArrays) {
  const std::vector<float> x{1.5F, 2.5F, 4.0F};
  const Expression expression("2 * x + x[(i + 1) % 3] + n");
  ASSERT_EQ(expression.names(), (std::vector<std::string>{"x", "i", "n"}));
  std::vector<Binding> bindings(3);
  bindings[0] = {.array = reinterpret_cast<const std::byte*>(x.data()), .count = 3};
  bindings[2].value = Value::of(100);
  const auto at = [&](std::int64_t i) {
    bindings[1].value = Value::of(i);
    return expression.evaluate(bindings, i).number();
  };
  EXPECT_EQ(at(0), 105.5);
  EXPECT_EQ(at(2), 109.5);
  EXPECT_THROW(at(3), ExpressionError);
  const Expression outside("x[0 - 1]");
  EXPECT_THROW(outside.evaluate(std::span(bindings).first(1), 0), ExpressionError);
}

TEST(Expression, IsTheSameForManyPlacesAtOnce) {
  constexpr std::int64_t count = 100;
  std::vector<double> x;
  std::vector<std::uint64_t> n;
  for (std::int64_t i = 0; i < count; ++i) {
    x.push_back(0.5 + static_cast<double>(i % 7));
    n.push_back(static_cast<std::uint64_t>(i));
  }
  const std::string word = "fp32";
  const auto bytes = [](const auto& values) {
    return reinterpret_cast<const std::byte*>(values.data());
  };
  const std::vector<std::string> texts{
      "2.5 * x + 1",
      "x[99 - i] - x",
      "if(i % 10 == 0 or i >= 90, x, 0.25 * (x + x[max(0, i - 1)] + x[min(99, i + 1)]))",
      "x[i % 10 * 10 + floor(i / 10)]",
      "ceil(i / 7) + floor(-3 / (i + 1)) + ceil(x) - floor(x * -1.0)",
      "(i - 50) % 7 + (i - 50) % -7",
      "i / 7 + (i + 1) / (i + 1)",
      "n * n - 3 + abs(i - 50) + abs(0.5 - x) - -x",
      "min(i, x, 3) + max(x, 2) + min(i, 4) * max(i, 5, n)",
      "sqrt(x) + exp(-x) + log(x) + log2(x) + x ^ 2 + 2.0 ^ i",
      "i < 50 and not x > 3 or x == 0.5 and i != 7 or n <= 3",
      "if(i < 50, i, x)",
      "if(i > 0, 5 / i, 7)",
      "if(x > 100, x[1000], x) + axis",
      "if(w == 'fp32' and w != 'fp64', x, i)",
      "i ^ 2 + log2(8)",
      "9223372036854775807 - i",
      "7"};
  for (const auto& text : texts) {
    const Expression expression(text);
    std::vector<Binding> bindings;
    std::ptrdiff_t place = -1;
    for (const auto& name : expression.names()) {
      auto& binding = bindings.emplace_back();
      if (name == "x") binding = {.array = bytes(x), .count = count, .type = ElementType::f64};
      if (name == "n") binding = {.array = bytes(n), .count = count, .type = ElementType::u64};
      if (name == "axis") binding.value = Value::of(5);
      if (name == "w") binding.value = Value::of_word(word);
      if (name == "i") place = static_cast<std::ptrdiff_t>(bindings.size()) - 1;
    }
    std::vector<Value> many(count - 1);
    expression.evaluate(bindings, place, 1, many);
    for (std::int64_t i = 1; i < count; ++i) {
      if (place >= 0) bindings[static_cast<std::size_t>(place)].value = Value::of(i);
      const auto one = expression.evaluate(bindings, i);
      ASSERT_EQ(to_string(one), to_string(many[static_cast<std::size_t>(i - 1)]))
          << text << " at " << i;
    }
  }
}

/// What an expression comes to at the places of `n`, for the name n alone.
std::string worth_at_each(const std::string& text, const std::vector<std::uint64_t>& n) {
  const Expression expression(text);
  std::vector<Binding> bindings(expression.names().size());
  for (auto& binding : bindings) {
    binding = {.array = reinterpret_cast<const std::byte*>(n.data()),
               .count = static_cast<std::int64_t>(n.size()),
               .type = ElementType::u64};
  }
  std::vector<Value> many(n.size());
  try {
    expression.evaluate(bindings, -1, 0, many);
  } catch (const ExpressionError& error) {
    return "place " + std::to_string(error.place()) + ": " + error.what();
  }
  std::string all;
  for (const auto& value : many) all += (all.empty() ? "" : " ") + to_string(value);
  return all;
}

TEST(Expression, KeepsIntegersAmongRealNumbersExact) {
  // What is an integer at some places only is one there, whatever stands beside it.
  EXPECT_EQ(worth_at_each("n / 2 + 9007199254740992", {1, 2}),
            "9.00719925474e+15 9007199254740993");
  EXPECT_EQ(worth_at_each("if(n > 1, 4611686018427387904 + n, 0.5)", {1, 3}),
            "0.5 4611686018427387907");
  EXPECT_EQ(worth_at_each("min(n / 2, 5)", {4, 5, 20}), "2 2.5 5");
  EXPECT_EQ(worth_at_each("n", {1, std::uint64_t{1} << 63}), "1 9.22337203685e+18");
  EXPECT_EQ(worth_at_each("n ^ 2 + log2(n)", {8, 3}), "67 10.5849625007");
}

TEST(Expression, SaysAtWhichPlaceItIsWrong) {
  EXPECT_EQ(worth_at_each("5 / (n - 1)", {3, 1, 2}), "place 1: division of 5 by zero");
  EXPECT_EQ(worth_at_each("n % (n - 2)", {5, 4, 2}), "place 2: remainder of 2 by zero");
  EXPECT_EQ(worth_at_each("n[n + 1]", {0, 1}),
            "place 1: there is no element 2 in 'n', which has 2 elements");
  EXPECT_EQ(worth_at_each("(n + 1) * 9223372036854775807", {0, 1}),
            "place 1: overflow: 2 * 9223372036854775807 needs more than 63 bits");
  EXPECT_EQ(worth_at_each("n + 'word'", {7}), "place 0: a number is needed, not a string, 'word'");
  EXPECT_EQ(worth_at_each("(n > 1) + 1", {2}), "place 0: a number is needed, not a boolean, true");
  EXPECT_EQ(worth_at_each("if(n, 1, 2)", {2}),
            "place 0: a condition such as n > 0 is needed, not an integer, 2");
  // What a condition rules out is not asked.
  EXPECT_EQ(worth_at_each("if(n > 0, 6 / n, 1)", {0, 2, 3}), "1 3 2");
  EXPECT_EQ(worth_at_each("n == 0 or 6 / n > 2", {0, 2, 3}), "true true false");
}

TEST(Element, RoundsHalvesToTheNearest) {
  const auto half = [](double value) {
    std::array<std::byte, 2> bytes{};
    write_real(ElementType::f16, value, bytes.data());
    return read_element(ElementType::f16, bytes.data()).real;
  };
  EXPECT_EQ(half(1.0), 1.0);
  EXPECT_EQ(half(1.0 + 0x1p-11), 1.0);             // a tie goes to the even one
  EXPECT_EQ(half(1.0 + 0x1.8p-10), 1.0 + 0x1p-9);  // likewise, upwards
  EXPECT_EQ(half(-0.1), -0.0999755859375);
  EXPECT_EQ(half(65504), 65504);
  EXPECT_EQ(half(65519), 65504);
  EXPECT_TRUE(std::isinf(half(65520)));
  EXPECT_EQ(half(0x1p-24), 0x1p-24);
  EXPECT_EQ(half(0x1p-25), 0);
  EXPECT_EQ(half(0x1.8p-24), 0x1p-23);
  EXPECT_TRUE(std::isnan(half(std::nan(""))));
}

TEST(Element, KeepsEveryHalf) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    std::array<std::byte, 2> bytes{};
    const auto pattern = static_cast<std::uint16_t>(bits);
    for (const auto type : {ElementType::f16, ElementType::bf16}) {
      std::memcpy(bytes.data(), &pattern, 2);
      const double value = read_element(type, bytes.data()).real;
      if (std::isnan(value)) continue;
      write_real(type, value, bytes.data());
      std::uint16_t again = 0;
      std::memcpy(&again, bytes.data(), 2);
      ASSERT_EQ(again, pattern) << to_string(type) << " " << value;
    }
  }
}

TEST(Element, HoldsIntegersOfEveryWidth) {
  EXPECT_TRUE(holds(ElementType::i8, -128));
  EXPECT_FALSE(holds(ElementType::i8, 128));
  EXPECT_TRUE(holds(ElementType::u8, 255));
  EXPECT_FALSE(holds(ElementType::u8, -1));
  EXPECT_TRUE(holds(ElementType::u64, std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(holds(ElementType::u64, -1));
  EXPECT_FALSE(holds(ElementType::boolean, 2));
  EXPECT_TRUE(holds(ElementType::i32, -(std::int64_t{1} << 31)));
  EXPECT_FALSE(holds(ElementType::i32, std::int64_t{1} << 31));
  std::array<std::byte, 16> bytes{};
  write_whole(ElementType::i16, -5, bytes.data());
  EXPECT_EQ(read_element(ElementType::i16, bytes.data()).whole, -5);
  write_real(ElementType::c128, 2.5, bytes.data());
  EXPECT_EQ(read_element(ElementType::c128, bytes.data()).real, 2.5);
  EXPECT_EQ(read_element(ElementType::c128, bytes.data()).imaginary, 0);
}

}  // namespace
}  // namespace apod
