#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "benchmarks/judge/compare.hpp"
#include "benchmarks/judge/file_verdicts.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

TEST(CompareSides, ANightIsHeldAgainstTheCasesOwn) {
  const auto base = nights(ten_nights);
  const auto slow = the_case(compare_sides(base, nights({1.3}, 11), {}));
  EXPECT_EQ(slow.verdict, Verdict::suspect);
  EXPECT_EQ(slow.noise_source, NoiseSource::nights);
  EXPECT_EQ(slow.replicate, Replicate::session);
  EXPECT_EQ(slow.base_units, 10u);
  EXPECT_NEAR(slow.change.value, 0.3, 0.005);
  EXPECT_EQ(the_case(compare_sides(base, nights({1.01}, 11), {})).verdict, Verdict::within_noise);
  EXPECT_EQ(the_case(compare_sides(base, nights({0.7}, 11), {})).verdict, Verdict::suspect);
  EXPECT_EQ(the_case(compare_sides(base, nights({5}, 11), {})).verdict, Verdict::regression);
}

TEST(CompareSides, ASecondNightMakesASuspectAVerdict) {
  const auto both = the_case(compare_sides(nights(ten_nights), nights({1.3, 1.29}, 11), {}));
  EXPECT_EQ(both.verdict, Verdict::regression);
  EXPECT_TRUE(contains(both.reason, "2 nights in a row")) << both.reason;
  EXPECT_NE(the_case(compare_sides(nights(ten_nights), nights({1.3, 1.0}, 11), {})).verdict,
            Verdict::regression);
  // A job that is run again on one host is no second night.
  Side again = nights({1.3, 1.29}, 11);
  again.sessions[1].environment["date"] = "2026-01-11T02:05:00Z";
  EXPECT_EQ(the_case(compare_sides(nights(ten_nights), again, {})).verdict, Verdict::regression);
  for (auto& session : again.sessions) session.environment["host"] = "lab";
  EXPECT_EQ(the_case(compare_sides(nights(ten_nights), again, {})).verdict, Verdict::suspect);
  // The first of them may be the last of the base.
  auto before = ten_nights;
  before.push_back(1.3);
  const auto second = the_case(compare_sides(nights(before), nights({1.29}, 12), {}));
  EXPECT_EQ(second.verdict, Verdict::regression);
  EXPECT_NEAR(second.change.value, 0.29, 0.005) << "from the level before both";
  EXPECT_EQ(the_case(compare_sides(nights(before), nights({1.0}, 12), {})).verdict,
            Verdict::within_noise);
}

TEST(CompareSides, ACaseIsHeldAgainstItsLastLevel) {
  auto stepped = ten_nights;
  for (const double night : ten_nights) stepped.push_back(1.1 * night);
  const auto stays = compare_sides(nights(stepped), nights({1.1}, 21), {});
  EXPECT_EQ(the_case(stays).verdict, Verdict::within_noise);
  EXPECT_TRUE(has_note(stays, "in 1 of 1 cases, the level changed within the base, by +10."));
  EXPECT_FALSE(has_note(compare_sides(nights(ten_nights), nights({1.0}, 11), {}), "within the"));
}

TEST(CompareSides, WhatAHistoryTellsOfTheNightsIsSaid) {
  std::vector<double> drifting;
  for (int i = 0; i < 20; ++i) drifting.push_back(1 + 0.02 * i);
  const auto drifts = compare_sides(nights(drifting), nights({1.4}, 21), {});
  EXPECT_EQ(the_case(drifts).verdict, Verdict::within_noise);
  EXPECT_TRUE(has_note(drifts, "in 1 of 1 cases, the level drifts from night to night, by +"));
  // A step smaller than half of what a single night may do.
  auto stepped = ten_nights;
  for (const double night : ten_nights) stepped.push_back(1.05 * night);
  EXPECT_TRUE(has_note(compare_sides(nights(stepped), nights({1.05}, 21), {}),
                       "in 1 of 1 cases, the level changed within the base, by +5."));
  auto long_base = ten_nights;
  long_base.insert(long_base.end(), ten_nights.begin(), ten_nights.end());
  const auto since = compare_sides(nights(long_base), nights({1.05, 1.051, 1.049, 1.05}, 21), {});
  if (the_case(since).verdict == Verdict::within_noise) {
    EXPECT_TRUE(
        has_note(since, "in 1 of 1 cases, the level changed from the base to the new side"));
  }
}

TEST(CompareSides, TheTwoValuesHaveTheRatioOfTheChange) {
  const auto repeated = [](const std::vector<double>& milliseconds) {
    auto side = side_of({side_case("x", milliseconds)});
    side.sessions[0].one_process = true;
    return side;
  };
  const auto c = the_case(compare_sides(repeated({1, 1, 9}), repeated({2, 2, 2}), {}));
  EXPECT_NEAR(c.change.value, 1, 1e-12) << "of the medians of repetitions";
  EXPECT_NEAR(c.new_s / c.base_s - 1, c.change.value, 1e-12);
}

TEST(CompareSides, AnOlderNewSideIsSaid) {
  EXPECT_TRUE(has_note(compare_sides(nights(ten_nights, 11), nights({1.0}, 1), {}),
                       "check the order of the two sides"));
  EXPECT_FALSE(has_note(compare_sides(nights(ten_nights), nights({1.0}, 11), {}), "swapped"));
}

TEST(CompareSides, NothingIsSureOfACaseWhoseOwnNightsAreWild) {
  auto wild = ten_nights;
  for (const std::size_t night : {2, 4, 7}) wild[night] *= 1.9;
  const auto after = nights({4.9, 5}, 11);
  EXPECT_EQ(the_case(compare_sides(nights(ten_nights), after, {})).verdict, Verdict::regression);
  EXPECT_EQ(the_case(compare_sides(nights(wild), after, {})).verdict, Verdict::suspect);
}

TEST(CompareSides, BothEndsAreWhatTheColumnWouldSay) {
  // Nights are wild on the slow side alone.
  auto base = ten_nights;
  base[4] *= 1.2;
  const auto slower = the_case(compare_sides(nights(base), nights({1.01}, 11), {}));
  const auto faster = the_case(compare_sides(nights(base), nights({0.99}, 11), {}));
  ASSERT_TRUE(slower.detectable && slower.detectable_other && faster.detectable_other);
  EXPECT_DOUBLE_EQ(*slower.detectable, *faster.detectable_other);
  EXPECT_DOUBLE_EQ(*slower.detectable_other, *faster.detectable);
}

TEST(CompareSides, MachinesThatTakeTurnsAreTheirOwnSeries) {
  // Two kinds of machines take turns; the other one takes twice the time.
  std::vector<double> levels;
  for (const double level : ten_nights) levels.insert(levels.end(), {level, 2 * level});
  Side base = nights(levels);
  for (std::size_t i = 0; i < base.sessions.size(); ++i) {
    base.sessions[i].environment["caches"] = i % 2 == 0 ? "small" : "large";
  }
  Side after = nights({2.0}, 21);
  after.sessions[0].environment["caches"] = "large";
  const auto same = compare_sides(base, after, {});
  EXPECT_EQ(the_case(same).verdict, Verdict::within_noise);
  EXPECT_NEAR(the_case(same).change.value, 0, 0.01);
  EXPECT_TRUE(has_note(same, "10 of 20 files of the base come from another kind of machine"));
  after.sessions[0].environment["caches"] = "small";
  EXPECT_EQ(the_case(compare_sides(base, after, {})).verdict, Verdict::suspect);
}

TEST(CompareSides, FilesWithoutADateAreNoNights) {
  auto base = nights(ten_nights);
  for (auto& session : base.sessions) session.environment.erase("date");
  const auto comparison = compare_sides(base, nights({1.3}, 11), {});
  EXPECT_EQ(the_case(comparison).noise_source, NoiseSource::processes);
  EXPECT_TRUE(has_note(comparison, "10 of 10 files of the base have no date"));
}

TEST(CompareSides, AFileWithoutADateCostsThatFileAlone) {
  auto base = nights(ten_nights);
  base.sessions[3].environment["date"] = "yesterday";
  base.sessions[3].file = "n3.json";
  const auto comparison = compare_sides(base, nights({1.3}, 11), {});
  EXPECT_EQ(the_case(comparison).noise_source, NoiseSource::nights);
  EXPECT_EQ(the_case(comparison).base_units, 9u);
  EXPECT_TRUE(has_note(comparison, "1 of 10 files of the base have no readable date"));
  EXPECT_TRUE(has_note(comparison, "n3.json"));
}

TEST(CompareSides, WhereNoFileHasADateTheyAreNightsInTheirOrder) {
  auto base = nights(ten_nights);
  auto after = nights({5, 5}, 11);
  for (auto* side : {&base, &after}) {
    for (auto& session : side->sessions) session.environment.erase("date");
  }
  const auto slow = the_case(compare_sides(base, after, {}));
  EXPECT_EQ(slow.noise_source, NoiseSource::nights);
  after = nights({1.4, 1.4}, 11);
  for (auto& session : after.sessions) session.environment.erase("date");
  EXPECT_EQ(the_case(compare_sides(base, after, {})).verdict, Verdict::suspect)
      << "nothing tells that these are two nights";
}

TEST(CompareSides, WhatIsLaterThanTheNewSideIsNoneOfItsNights) {
  std::vector<double> levels = ten_nights;
  for (const double night : ten_nights) levels.push_back(1.4 * night);
  auto base = nights(levels);
  const auto comparison = compare_sides(base, nights({1.0}, 10), {});
  EXPECT_EQ(the_case(comparison).verdict, Verdict::within_noise);
  EXPECT_TRUE(has_note(comparison, "left out: 1 file")) << "the new side itself";
  EXPECT_TRUE(has_note(comparison, "10 of 19 files of the base are later than the new side"));
}

TEST(CompareSides, ANightIsTheMedianOfItsRepetitions) {
  auto base = nights(ten_nights);
  auto after = nights({1}, 11);
  for (auto* side : {&base, &after}) {
    for (auto& session : side->sessions) session.one_process = true;
  }
  after.cases[0].times[2].seconds *= 20;
  EXPECT_EQ(the_case(compare_sides(base, after, {})).verdict, Verdict::within_noise);
}

}  // namespace
}  // namespace apod::judge
