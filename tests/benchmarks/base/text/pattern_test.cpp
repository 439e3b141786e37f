#include "benchmarks/base/text/pattern.hpp"

#include <gtest/gtest.h>

namespace apod::text {
namespace {

std::string refusal(const std::string& expression) {
  try {
    const Pattern pattern(expression);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Pattern, TakesWhatPeopleWrite) {
  const std::string fast = "sum/fast/size:64";
  const std::string slow = "sum/slow/size:640";
  for (const char* expression :
       {"fast", "size:64$", "(fast|twice)/size:[0-9]{2}$", "^(?!sum/slow)"}) {
    EXPECT_TRUE(Pattern(expression).is_in(fast)) << expression;
    EXPECT_FALSE(Pattern(expression).is_in(slow)) << expression;
  }
  EXPECT_TRUE(Pattern("size:\\d{1,20}").is_in(slow));
  EXPECT_FALSE(Pattern("SUM").is_in(slow));
  EXPECT_TRUE(Pattern().is_in(slow));
}

TEST(Pattern, GivesTheGroupsOfItsFirstPlace) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Pattern("([0-9.]+) (ms|s)").find("a 12.5 ms, 7 s")->groups, (Texts{"12.5", "ms"}));
  EXPECT_EQ(Pattern("([0-9.]+)$").find("12 34")->groups, Texts{"34"});
  EXPECT_EQ(Pattern("(x)|(y)").find("y")->groups, (Texts{"", "y"}));
  EXPECT_FALSE(Pattern("([0-9]+)").find("none"));
  EXPECT_EQ(Pattern("(a)(?:b)(c)").groups(), 2U);
}

// With backtracking, each of these would take longer than the universe is old, or a deep stack.
TEST(Pattern, SearchesHostileNamesForHostileExpressions) {
  const std::string name(200, 'a');
  for (const char* expression : {"(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)*(.*)*(.*)*x", "(a?){20}b",
                                 "(((a+)+)+)+b", "^(([a-z])+.)+[A-Z]([a-z])+$"}) {
    EXPECT_FALSE(Pattern(expression).is_in(name)) << expression;
  }
  EXPECT_TRUE(Pattern("(a|b)*").is_in(name));
  const std::string longest(8192, 'a');
  EXPECT_TRUE(Pattern(".*$").is_in(longest));
  for (const char* expression : {"a.*z", "(a*)*z", "a$z", "^(?=.*z)a", "^(?!.*a)a"}) {
    EXPECT_FALSE(Pattern(expression).is_in(longest)) << expression;
  }
  const std::string most(std::size_t{4} << 20, 'a');
  EXPECT_EQ(Pattern("(a)").find(most)->groups, std::vector<std::string>{"a"});
  EXPECT_THROW(Pattern("a").is_in(most + "a"), std::runtime_error);
}

TEST(Pattern, RefusesWhatWouldTakeTooLong) {
  EXPECT_EQ(refusal(std::string(257, 'a')), "the expression has 257 characters (the limit is 256)");
  EXPECT_EQ(refusal(std::string(256, 'a')), "");
  EXPECT_EQ(refusal("a{21}"), "'a{21}' repeats a part more than 20 times (write * or +)");
  EXPECT_EQ(refusal("a{20}"), "");
  for (const char* expression : {"\\{100\\}", "[{]100}", "\\(?=x", "[(?=]"}) {
    EXPECT_EQ(refusal(expression), "") << expression << " stands for itself";
  }
  for (const char* expression : {"((a{9}){9}){9}", "a{1,1000}", "a{99999999999999999999}",
                                 "(((a{1000}){1000}){1000}){1000}"}) {
    EXPECT_NE(refusal(expression).find("repeats a part"), std::string::npos) << expression;
  }
  for (const std::string expression : {"(a)\\1", "\\\\\\22222222222222222222"}) {
    EXPECT_NE(refusal(expression).find("has an unsupported back reference"), std::string::npos)
        << expression;
  }
  EXPECT_EQ(refusal("\\\\22222222222222222222"), "");
  EXPECT_EQ(
      refusal("^sum/(?!slow)"),
      "'^sum/(?!slow)' has an unsupported lookahead (use one, at the start: ^(?!...) or ^(?=...))");
  for (const std::string expression : {"(?=.*b)c", "^(?=.*(?=.*b))c", "^(?!a)|(?=.*b)c"}) {
    EXPECT_NE(refusal(expression).find("unsupported lookahead"), std::string::npos) << expression;
  }
}

TEST(Pattern, SurvivesNestingAndNonsense) {
  EXPECT_EQ(refusal(std::string(100, '(') + "a" + std::string(100, ')')), "");
  for (const auto& expression :
       {std::string(256, '('), std::string(256, '['), std::string("*"), std::string("a)(b")}) {
    EXPECT_NE(refusal(expression), "") << expression;
  }
  EXPECT_EQ(refusal("\\"),
            "'\\' is not a valid regular expression (to match a character such as ( [ { * + ? \\ "
            "itself, write a \\ before it)");
}

TEST(ClosestPart, IsANameOrAPartOfOne) {
  const std::vector<std::string> names{"sum/fast/size:64", "copy"};
  EXPECT_EQ(closest_part(Pattern("fats"), names), "fast");
  EXPECT_EQ(closest_part(Pattern("cpoy"), names), "copy");
  EXPECT_EQ(closest_part(Pattern("something"), names), "");
}

TEST(Literal, IsFoundWhereItsTextStands) {
  const std::string name = "a.b*(c)[d]{e}^$|?+\\f/g";
  EXPECT_TRUE(Pattern("^" + literal(name) + "$").is_in(name));
  EXPECT_FALSE(Pattern(literal("a.b")).is_in("axb"));
}

}  // namespace
}  // namespace apod::text
