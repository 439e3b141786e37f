/// What can't be compared: cases of one side alone, and those that are not the same question.

#include <gtest/gtest.h>

#include <string>

#include "benchmarks/judge/compare.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

TEST(CompareSides, MissingAndNewCasesAreNeverDropped) {
  const auto comparison =
      compare_sides(side_of({side_case("gone", {1, 1}), side_case("stays", {1, 1})}),
                    side_of({side_case("stays", {1, 1}), side_case("fresh", {1, 1})}), {});
  ASSERT_EQ(comparison.cases.size(), 3u);
  EXPECT_EQ(comparison.cases[0].verdict, Verdict::missing);
  EXPECT_EQ(comparison.cases[2].verdict, Verdict::added);
  EXPECT_EQ(comparison.cases[2].name, "fresh");
}

TEST(CompareSides, ARenamedCaseIsNamed) {
  auto old_case = side_case("old", {1, 1});
  auto new_case = side_case("fresh", {1, 1});
  old_case.params = new_case.params = {{"size", "8"}};
  const auto comparison = compare_sides(side_of({old_case}), side_of({new_case}), {});
  EXPECT_TRUE(contains(comparison.cases[0].reason, "'fresh' has the same axis values"));
  EXPECT_TRUE(contains(comparison.cases[1].reason, "'old'"));
}

TEST(CompareSides, OneNameWithOtherAxesIsInvalid) {
  auto base = side_case("x", {1, 1});
  auto after = side_case("x", {1, 1});
  base.params = {{"size", "8"}};
  after.params = {{"size", "16"}};
  const auto c = the_case(compare_sides(side_of({base}), side_of({after}), {}));
  EXPECT_EQ(c.verdict, Verdict::invalid);
  EXPECT_TRUE(contains(c.reason, "size changed: 8 -> 16"));
  after.params = {{"size", "8"}, {"streams", "1"}};
  EXPECT_NE(the_case(compare_sides(side_of({base}), side_of({after}), {})).verdict,
            Verdict::invalid)
      << "an axis that only one side knows contradicts nothing";
}

TEST(CompareSides, AnotherWayOfMeasuringIsInvalid) {
  auto base = side_case("x", {1, 1});
  auto after = side_case("x", {1, 1});
  base.version = "cache:cold seed:42 launch:graph";
  after.version = "cache:hot seed:42 launch:graph";
  const auto c = the_case(compare_sides(side_of({base}), side_of({after}), {}));
  EXPECT_EQ(c.verdict, Verdict::invalid);
  EXPECT_EQ(c.reason, "measured differently: cache:cold -> cache:hot");
}

TEST(CompareSides, AnotherDriverMakesAllInvalid) {
  auto after = side_of({side_case("x", {1, 1})});
  after.sessions[0].environment["driver"] = "2.0";
  const auto comparison = compare_sides(side_of({side_case("x", {1, 1})}), after, {});
  EXPECT_EQ(the_case(comparison).verdict, Verdict::invalid);
  ASSERT_FALSE(comparison.environment.empty());
  EXPECT_TRUE(contains(comparison.environment[0], "driver 1.0 -> 2.0"));
}

TEST(CompareSides, AnotherClockIsNamedAmongWhatDiffers) {
  const auto lines = [](const char* after) {
    auto base = side_of({side_case("x", {1, 1})});
    auto new_side = base;
    base.sessions[0].environment["cpu_mhz"] = "3000";
    new_side.sessions[0].environment["cpu_mhz"] = after;
    return compare_sides(base, new_side, {}).environment;
  };
  EXPECT_EQ(lines("2000"), std::vector<std::string>{"cpu_mhz 3000 -> 2000"});
  EXPECT_TRUE(lines("3100").empty()) << "it wanders";
}

TEST(CompareSides, AFailedCaseIsInvalidOnWhicheverSide) {
  SideCase failed = side_case("x", {});
  failed.failed = "verify: wrong";
  const auto good = side_case("x", {1, 1});
  EXPECT_TRUE(contains(the_case(compare_sides(side_of({good}), side_of({failed}), {})).reason,
                       "failed on the new side: verify: wrong"));
  EXPECT_EQ(the_case(compare_sides(side_of({failed}), side_of({good}), {})).verdict,
            Verdict::invalid);
}

}  // namespace
}  // namespace apod::judge
