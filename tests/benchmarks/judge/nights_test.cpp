#include "benchmarks/judge/nights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace apod::judge {
namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

/// Each night is of a day of its own; `on_days` are those of the new nights.
Nights on_nights(const std::vector<NightRow>& base, const std::vector<NightRow>& after,
                 double tick = 0, std::vector<std::uint32_t> on_days = {}) {
  NightRows before{base, {}};
  NightRows later{after, std::move(on_days)};
  std::uint32_t day = 0;
  while (day < base.front().size()) before.occasions.push_back(day++);
  while (later.occasions.size() < after.front().size()) later.occasions.push_back(day++);
  return {before, later, std::vector<double>(base.size(), tick)};
}

TEST(NoiseOfNights, IsItsFormula) {
  // Of 150 distances, the farthest three beyond the next.
  const auto noise = [](double deviation, double farthest, double next, std::size_t nights = 100,
                        const Restlessness& night = {}) {
    const Distances::Tail tail{{farthest, farthest, farthest, next}, 150};
    return noise_of_nights({deviation, nights, tail, tail}, true, night);
  };
  // 100 nights: s = 1.2 deviations.
  EXPECT_NEAR(noise(0.01, 0.03, 0.02), 10 * 0.012, 1e-12);
  EXPECT_NEAR(noise(0.01, 0.03, 0.02, 100, {4, 1}), 2 * 10 * 0.012, 1e-12) << "a restless night";
  EXPECT_NEAR(noise(0.01, 0.2, 0.02), 0.2 + 2 * 0.012, 1e-12) << "beyond rare nights";
  EXPECT_NEAR(noise(0.01, 2, 0.02), std::log(1.4), 1e-3)
      << "rare wild nights hide no change of half the time";
  EXPECT_NEAR(noise(0.01, 2, 0.45), 0.45, 1e-12) << "more of them do";
  EXPECT_NEAR(noise(0.01, 2, 1.5), 0.5, 1e-12) << "and no more than so much";
  EXPECT_NEAR(noise(0.11, 2, 0.1), 3 * 0.132, 1e-12) << "a noisy case";
  EXPECT_NEAR(noise(0.2, 2, 0.1), 0.5, 1e-12) << "twice the time is always seen";
  EXPECT_NEAR(noise(0.01, 0.01, 0.01, 4), 10 * 0.02, 1e-12) << "few nights";
}

TEST(NoiseOfNights, ARestlessNightIsExpectedToHaveMoreThatAreFar) {
  const Distances::Tail tail{{0.9, 0.8, 0.7, 0.45, 0.44, 0.43, 0.42}, 360};
  const Distances known{0.01, 100, tail, tail};
  EXPECT_NEAR(noise_of_nights(known, true), 0.42, 1e-12);
  EXPECT_NEAR(noise_of_nights(known, true, {1, 1.3}), 0.44, 1e-12);
  EXPECT_NEAR(noise_of_nights(known, true, {1, 9}), 0.45, 1e-12) << "two nights of one case";
}

TEST(NoiseOfNights, FastNightsDoNotHideASlowerCase) {
  const Distances fast{0.01, 100, {{0.02, 0.01}, 100}, {{0.3, 0.25}, 100}};
  EXPECT_NEAR(noise_of_nights(fast, true), 10 * 0.012, 1e-12);
  EXPECT_NEAR(noise_of_nights(fast, false), 0.3 + 2 * 0.012, 1e-12);
}

TEST(Nights, CasesThatSpreadAlikeShareTheirRareNights) {
  // Twenty cases; those from the third on are wild in two nights each where `are_wild`.
  const auto noise_of_first = [](double spread_of_wild, bool are_wild) {
    std::vector<NightRow> base;
    for (int i = 0; i < 20; ++i) {
      auto& row = base.emplace_back();
      for (int night = 0; night < 40; ++night) {
        const double spread = i < 2 ? 0.005 : spread_of_wild;
        const bool is_wild = are_wild && i > 1 && (night == 8 + i || night == 18 + i);
        row.push_back(spread * std::sin(3 * i + 5 * night) + (is_wild ? 0.45 : 0));
      }
    }
    return on_nights(base, std::vector<NightRow>(20, {0})).cases()[0]->noise;
  };
  EXPECT_LT(noise_of_first(0.005, false), 0.15);
  EXPECT_GT(noise_of_first(0.005, true), 0.4);
}

TEST(Nights, TailsHaveTheirSides) {
  std::vector<double> row;
  for (int night = 0; night < 30; ++night) row.push_back(0.01 * (night % 2));
  for (const std::size_t night : {8, 9, 16, 24}) row[night] = -0.3;
  const auto noise = [&](double after) { return on_nights({row}, {{after}}).cases()[0]->noise; };
  EXPECT_LT(noise(0.2), 0.25) << "no night was slow";
  EXPECT_GT(noise(-0.2), 0.3);
}

TEST(Nights, AStepIsNoWildNightAndHidesNoOther) {
  std::vector<double> row;
  for (int night = 0; night < 30; ++night) row.push_back(0.005 * (night % 2));
  const auto noise = [](const std::vector<double>& base) {
    return on_nights({base}, {{0}}).cases()[0]->noise;
  };
  const double calm = noise(row);
  auto stepped = row;
  for (std::size_t night = 12; night < 30; ++night) stepped[night] += 0.3;
  EXPECT_NEAR(noise(stepped), calm, 0.01);
  auto wild = row;
  wild[12] += 0.3;
  EXPECT_GT(noise(wild), 0.3) << "the next night does not confirm it";
  auto late = row;
  late[28] += 0.3;
  late[29] += 0.3;
  EXPECT_GT(on_nights({late}, {{0.3}}).cases()[0]->in_a_row, 2u) << "too few nights to confirm it";
}

TEST(Nights, FewNightsAreNoHistory) {
  const auto four = on_nights({{0, 0.01, 0, 0.01}}, {{1}});
  EXPECT_FALSE(four.cases()[0].has_value());
  const auto lacking = on_nights({{0, none, 0, 0.01, none, 0}}, {{1}});
  EXPECT_FALSE(lacking.cases()[0].has_value()) << "four of six";
  const auto five = on_nights({{0, 0.01, 0, 0.01, 0}}, {{1}});
  ASSERT_TRUE(five.cases()[0].has_value());
  EXPECT_EQ(five.cases()[0]->base_nights, 5u);
}

TEST(Nights, TheLastSpeaksWithThoseThatSayTheSame) {
  const std::vector<double> calm{0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01};
  const auto word = [&](const std::vector<double>& after) {
    return *on_nights({calm}, {after}).cases()[0];
  };
  const auto wild = word({0, 0.01, 3});
  EXPECT_NEAR(wild.change, 3, 0.02);
  EXPECT_LT(wild.noise, 0.3);
  EXPECT_EQ(wild.new_nights, 1u);
  EXPECT_EQ(wild.other_nights, 2u);
  const auto over = word({3, 0.01, 0});
  EXPECT_NEAR(over.change, 0, 0.02);
  EXPECT_EQ(over.other_nights, 1u);
  EXPECT_NEAR(word({0.4, -0.7}).change, -0.7, 0.02);
  const auto same = word({0.7, 0.71, 0.72});
  EXPECT_NEAR(same.change, 0.71, 0.02);
  EXPECT_EQ(same.other_nights, 0u);
}

TEST(Nights, NightsInARowReachIntoTheBase) {
  const std::vector<double> calm{0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01};
  const auto in_a_row = [&](std::vector<double> more, const std::vector<double>& after) {
    auto base = calm;
    base.insert(base.end(), more.begin(), more.end());
    return on_nights({base}, {after}).cases()[0]->in_a_row;
  };
  EXPECT_EQ(in_a_row({}, {0}), 0u);
  EXPECT_EQ(in_a_row({}, {1}), 1u);
  EXPECT_EQ(in_a_row({}, {1, 1}), 2u);
  EXPECT_EQ(in_a_row({}, {1, -1}), 1u) << "on one side";
  EXPECT_EQ(in_a_row({}, {0, 1}), 1u);
  EXPECT_EQ(in_a_row({}, {1, 0}), 0u);
  EXPECT_EQ(in_a_row({1}, {0, 1}), 1u) << "the night between says otherwise";
  EXPECT_EQ(in_a_row({}, {1, none}), 1u) << "not measured on the second";
  EXPECT_EQ(in_a_row({1}, {1}), 2u);
  EXPECT_EQ(in_a_row({1, 1, 1}, {1}), 4u);
  EXPECT_EQ(in_a_row({1}, {0}), 0u);
  EXPECT_EQ(in_a_row({-1}, {1}), 1u);
}

TEST(Nights, ARowBeginsWithItsStep) {
  // Fourteen nights, of which the last `stepped` are on a level of their own; then one more such
  // night.
  const auto word = [](std::size_t stepped) {
    std::vector<double> row;
    for (std::size_t night = 0; night < 14; ++night) {
      row.push_back(0.005 * static_cast<double>(night % 3) + (night + stepped < 14 ? 0 : 0.6));
    }
    return *on_nights({row}, {{0.605}}).cases()[0];
  };
  for (std::size_t stepped = 1; stepped <= 3; ++stepped) {
    EXPECT_EQ(word(stepped).in_a_row, stepped + 1);
    EXPECT_EQ(word(stepped).taken, stepped);
    EXPECT_TRUE(word(stepped).sure) << stepped;
    EXPECT_NEAR(word(stepped).change, 0.6, 0.01);
  }
  for (std::size_t stepped = 4; stepped <= 9; ++stepped) {
    EXPECT_EQ(word(stepped).in_a_row, 0u) << "the base has had this level for longer: " << stepped;
    EXPECT_NEAR(word(stepped).change, 0, 0.01) << stepped;
    EXPECT_LT(word(stepped).noise, 0.2) << "the step is no wild night: " << stepped;
  }
}

TEST(Nights, WhatAllCasesShareIsTakenOut) {
  // Ten cases; the new night is slower by 40 % for all, and one case by as much again.
  std::vector<NightRow> base;
  std::vector<NightRow> after;
  for (int i = 0; i < 10; ++i) {
    std::vector<double> values;
    for (int night = 0; night < 20; ++night) {
      values.push_back(i + 0.05 * std::sin(night) + 0.002 * std::sin(3 * i + 5 * night));
    }
    base.push_back(values);
    after.push_back({i + 0.4 + (i == 4 ? 0.4 : 0)});
  }
  const auto nights = on_nights(base, after);
  ASSERT_TRUE(nights.common().has_value());
  EXPECT_NEAR(nights.common()->beyond, 0.4, 0.1);
  for (int i = 0; i < 10; ++i) {
    const auto& word = *nights.cases()[static_cast<std::size_t>(i)];
    EXPECT_NEAR(word.beyond, i == 4 ? 0.4 : 0, 0.01) << i;
    EXPECT_EQ(word.in_a_row, i == 4 ? 1u : 0u) << i;
  }
}

TEST(Nights, TwoRunsOfOneEveningAreNoSecondNight) {
  const std::vector<double> calm{0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01, 0, 0.01};
  EXPECT_TRUE(on_nights({calm}, {{0.6, 0.6}}).cases()[0]->sure);
  const auto evening = on_nights({calm}, {{0.6, 0.6}}, 0, {10, 10});
  EXPECT_FALSE(evening.cases()[0]->sure);
  EXPECT_EQ(evening.cases()[0]->in_a_row, 2u) << "both lie beyond the noise";
}

TEST(Nights, OneTickIsNoChange) {
  const double tick = std::log(51.0 / 50);
  const std::vector<double> calm(10, 0);
  EXPECT_GT(on_nights({calm}, {{tick, tick}}).cases()[0]->in_a_row, 0u);
  EXPECT_EQ(on_nights({calm}, {{tick, tick}}, tick).cases()[0]->in_a_row, 0u);
  EXPECT_TRUE(on_nights({calm}, {{5 * tick, 5 * tick}}, tick).cases()[0]->sure);
}

TEST(Nights, HalfOfASuiteDoesNotHideItself) {
  std::vector<NightRow> base;
  std::vector<NightRow> after;
  for (int i = 0; i < 30; ++i) {
    auto& row = base.emplace_back();
    for (int night = 0; night < 30; ++night) row.push_back(0.005 * std::sin(3 * i + 5 * night));
    after.push_back({i < 15 ? 0.4 : 0.0});
  }
  const auto nights = on_nights(base, after);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(nights.cases()[i]->in_a_row, i < 15 ? 1u : 0u) << i;
  }
}

}  // namespace
}  // namespace apod::judge
