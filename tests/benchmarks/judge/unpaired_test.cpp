/// Cases of one side alone.

#include "benchmarks/judge/unpaired.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/benchmarks/judge/sides.hpp"

namespace apod::judge {
namespace {

using Lines = std::vector<std::string>;

/// Nights in which the cases were measured, each as far as its number of nights.
Side nights(const std::vector<std::pair<std::string, std::uint32_t>>& cases, std::uint32_t count) {
  Side side;
  for (std::uint32_t i = 0; i < count; ++i) {
    side.sessions.push_back({fmt::format("n{}.json", i),
                             "google",
                             {{"date", fmt::format("2026-01-{:02}T02:00:00Z", 1 + i)}},
                             true});
  }
  for (const auto& [name, last] : cases) {
    auto c = side_case(name, {});
    for (std::uint32_t i = 0; i < last; ++i) {
      c.times.emplace_back();
      c.times.back().seconds = 1e-3;
      c.times.back().session = i;
    }
    side.cases.push_back(c);
  }
  return side;
}

TEST(Unpaired, ACaseThatWasRemovedLongAgoIsLeftOut) {
  auto base = nights({{"stays", 9}, {"old", 2}, {"now", 9}, {"late", 8}, {"back", 3}}, 9);
  auto after = side_of({side_case("stays", {1}), side_case("back", {1})});
  EXPECT_EQ(
      take_out_settled(base, after),
      Lines({"old is left out: missing on the new side and in the last five days of the base"}));
  EXPECT_EQ(names_of(base), Lines({"stays", "now", "late", "back"}))
      << "now and late are missing, back is compared";
  auto undated = nights({{"stays", 9}, {"old", 2}}, 9);
  undated.sessions[1].environment.erase("date");
  EXPECT_TRUE(take_out_settled(undated, after).empty()) << "it may have been measured last";
  for (auto& session : undated.sessions) session.environment.erase("date");
  EXPECT_TRUE(take_out_settled(undated, after).empty()) << "which run is the last is not known";
}

TEST(Unpaired, ATimeOf0OnBothSidesIsNoQuestion) {
  auto zero = side_case("blocked", {});
  zero.failed = "time: 0 s is not a time";
  auto base = side_of({zero, side_case("x", {1})});
  auto after = base;
  EXPECT_EQ(take_out_settled(base, after),
            Lines({"blocked is left out: the value is 0 on both sides"}));
  EXPECT_EQ(names_of(base), Lines({"x"}));
  EXPECT_EQ(names_of(after), Lines({"x"}));
  base = nights({{"blocked", 2}, {"now", 9}}, 9);
  after = side_of({zero, side_case("now", {1})});
  EXPECT_EQ(take_out_settled(base, after).size(), 1u) << "it was not always 0";
  base = nights({{"blocked", 9}}, 9);
  after = side_of({zero});
  EXPECT_TRUE(take_out_settled(base, after).empty()) << "it was not 0 the day before";
  base = side_of({zero});
  after = side_of({side_case("blocked", {1})});
  EXPECT_TRUE(take_out_settled(base, after).empty());
}

TEST(Unpaired, NearNamesWithEqualTimesMayBeRenamed) {
  const auto base = side_of({side_case("BM_sum/8", {1}), side_case("BM_copy/8", {1})});
  EXPECT_EQ(renamed_cases(base, side_of({side_case("BM_sums/8", {1.01}), side_case("y", {1})})),
            Lines({"perhaps renamed: BM_sum/8 -> BM_sums/8 (similar names, times within 10 %)"}));
  EXPECT_TRUE(renamed_cases(base, side_of({side_case("BM_sums/8", {2})})).empty());
  EXPECT_TRUE(renamed_cases(base, side_of({side_case("another", {1})})).empty());
  EXPECT_EQ(
      renamed_cases(side_of({side_case("BM_A1/2", {1})}), side_of({side_case("Bench_A1/2", {1})}))
          .size(),
      1u);
}

}  // namespace
}  // namespace apod::judge
