#include "benchmarks/plan/config/conditions.hpp"

#include <gtest/gtest.h>

namespace apod::config {
namespace {

TEST(Conditions, HaveOneSignAndOneValue) {
  const auto more = parse_condition(">= 30%", Unit::ratio);
  ASSERT_TRUE(more.value);
  EXPECT_EQ(more.value->comparator, Comparator::ge);
  EXPECT_DOUBLE_EQ(std::get<double>(more.value->operands.at(0)), 0.3);
  EXPECT_EQ(more.value->text, ">= 30%");

  const auto axis = parse_condition("== streams", std::nullopt);
  ASSERT_TRUE(axis.value);
  EXPECT_EQ(axis.value->comparator, Comparator::eq);
  EXPECT_EQ(std::get<std::string>(axis.value->operands.at(0)), "streams");

  EXPECT_EQ(parse_condition("pinned", std::nullopt).value->comparator, Comparator::eq);
  EXPECT_EQ(parse_condition("!= pinned", std::nullopt).value->comparator, Comparator::ne);
  EXPECT_EQ(parse_condition("<1", std::nullopt).value->comparator, Comparator::lt);
  EXPECT_EQ(parse_condition("<=1", std::nullopt).value->comparator, Comparator::le);
  EXPECT_EQ(parse_condition(">1", std::nullopt).value->comparator, Comparator::gt);
  EXPECT_EQ(parse_condition("=1", std::nullopt).value->comparator, Comparator::eq);
  for (const char* text : {"", ">", "> ", "> 1 && < 3", "=> 1", "1, 2", "=== 1"}) {
    EXPECT_FALSE(parse_condition(text, std::nullopt).value) << text;
  }
}

TEST(Conditions, OnFactsAreInItsUnit) {
  EXPECT_DOUBLE_EQ(std::get<double>(parse_condition("< 5us", Unit::seconds).value->operands[0]),
                   5e-6);
  EXPECT_EQ(parse_condition("< 5", Unit::seconds).message, "'5' has no unit");
  EXPECT_EQ(parse_condition("< 5GB/s", Unit::seconds).message, "'5GB/s' is not a time in seconds");
  // What does not begin like a number may be an axis.
  EXPECT_EQ(std::get<std::string>(parse_condition("== streams", Unit::count).value->operands[0]),
            "streams");
}

TEST(Conditions, OnAxesHaveWordsThatBeginWithDigits) {
  for (const char* text : {"200x300", "64MiB", "5ms", "30%"}) {
    const auto parsed = parse_condition(text, std::nullopt);
    ASSERT_TRUE(parsed.value) << text;
    EXPECT_EQ(std::get<std::string>(parsed.value->operands.at(0)), text);
  }
}

}  // namespace
}  // namespace apod::config
