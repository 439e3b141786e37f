#include "benchmarks/plan/filter.hpp"

#include <gtest/gtest.h>

#include "tests/support/texts.hpp"

namespace apod::plan {
namespace {

Plan plan_of(const std::vector<std::string>& ids) {
  Plan plan;
  plan.experiments.resize(1);
  for (const auto& id : ids) {
    Case c;
    c.index = plan.cases.size();
    c.id = id;
    plan.cases.push_back(c);
  }
  return plan;
}

std::string refusal(const std::string& filter) {
  Diagnostics diagnostics;
  const auto expression = read_filter(filter, diagnostics);
  EXPECT_EQ(expression.has_value(), diagnostics.empty());
  return diagnostics.empty() ? "" : to_string(diagnostics.front());
}

std::size_t matches(const std::vector<std::string>& ids, const std::string& filter) {
  Diagnostics diagnostics;
  const auto expression = read_filter(filter, diagnostics);
  if (!expression) return 999;
  auto plan = plan_of(ids);
  return apply_filter(plan, *expression) ? plan.cases.size() : 0;
}

TEST(ReadFilter, TakesWhatPeopleWrite) {
  const std::vector<std::string> ids{"sum/fast/size:64", "sum/fast/size:640", "sum/slow/size:64"};
  EXPECT_EQ(matches(ids, "fast"), 2u);
  EXPECT_EQ(matches(ids, "size:64$"), 2u);
  EXPECT_EQ(matches(ids, "(fast|slow)/size:[0-9]{2}$"), 2u);
  EXPECT_EQ(matches(ids, "^sum/(?!fast)"), 1u);
  EXPECT_EQ(matches(ids, "SUM"), 0u);
  EXPECT_EQ(matches(ids, "size:\\d{1,20}"), 3u);
}

TEST(ReadFilter, LeavesThePlanAloneWhereNothingMatches) {
  Diagnostics diagnostics;
  auto plan = plan_of({"a", "b"});
  EXPECT_FALSE(apply_filter(plan, *read_filter("c", diagnostics)));
  EXPECT_EQ(plan.cases.size(), 2u);
  EXPECT_EQ(plan.cases[1].id, "b");
}

// With backtracking, each of these would take longer than the universe is old, or a deep stack.
TEST(ReadFilter, MatchesHostileExpressions) {
  const std::vector<std::string> ids(3, std::string(200, 'a'));
  for (const char* filter : {"(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)*(.*)*(.*)*x", "(a?){20}b",
                             "(((a+)+)+)+b", "^(([a-z])+.)+[A-Z]([a-z])+$"}) {
    EXPECT_EQ(matches(ids, filter), 0u) << filter;
  }
  EXPECT_EQ(matches(ids, "(a|b)*"), 3u);
  EXPECT_EQ(matches({std::string(1000, 'a')}, ".*$"), 1u);
}

TEST(ReadFilter, RefusesWhatWouldTakeTooLong) {
  EXPECT_EQ(refusal(std::string(257, 'a')),
            "--filter: the expression has 257 characters (it may have 256)");
  EXPECT_EQ(refusal(std::string(256, 'a')), "");
  EXPECT_EQ(refusal("a{21}"), "--filter: 'a{21}' repeats a part more than 20 times (write * or +)");
  EXPECT_EQ(refusal("a{20}"), "");
  for (const char* filter : {"((a{9}){9}){9}", "a{1,1000}", "a{99999999999999999999}",
                             "(((a{1000}){1000}){1000}){1000}"}) {
    EXPECT_TRUE(contains(refusal(filter), "repeats a part")) << filter;
  }
  EXPECT_TRUE(contains(refusal("(a)\\1"), "refers back"));
}

TEST(ReadFilter, SurvivesNestingAndNonsense) {
  EXPECT_EQ(refusal(std::string(100, '(') + "a" + std::string(100, ')')), "");
  EXPECT_NE(refusal(std::string(256, '(')), "");
  EXPECT_NE(refusal(std::string(256, '[')), "");
  EXPECT_NE(refusal("*"), "");
  EXPECT_NE(refusal("\\"), "");
}

}  // namespace
}  // namespace apod::plan
