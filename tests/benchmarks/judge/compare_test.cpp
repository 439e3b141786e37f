#include "benchmarks/judge/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

CaseComparison compare_times(const std::vector<double>& base, const std::vector<double>& after,
                             const CompareOptions& options = known_sessions()) {
  return the_case(
      compare_sides(side_of({side_case("x", base)}), side_of({side_case("x", after)}), options));
}

TEST(CompareSides, ASlowerCaseIsARegressionWithItsNumbers) {
  const auto c = compare_times(around(1.0, 0.004), around(1.05, 0.004));
  EXPECT_EQ(c.verdict, Verdict::regression);
  EXPECT_NEAR(c.change, 0.05, 1e-9);
  EXPECT_LT(c.change_low, 0.05);
  EXPECT_GT(c.change_low, 0.04);
  EXPECT_GT(c.change_high, 0.05);
  EXPECT_LT(c.p_adjusted, 0.01);
  EXPECT_NEAR(c.base_s, 1e-3, 1e-9);
  EXPECT_NEAR(c.new_s, 1.05e-3, 1e-9);
  EXPECT_EQ(c.base_units, 12u);
  ASSERT_TRUE(c.detectable.has_value());
  EXPECT_LT(*c.detectable, 0.05);
}

TEST(CompareSides, AVerdictNeedsSignificanceAndTheThreshold) {
  struct Example {
    double change;
    double spread;
    double threshold;
    Verdict verdict;
    Verdict strict;  ///< where the whole interval must lie beyond the threshold
  };
  for (const auto& [change, spread, threshold, verdict, strict] :
       {Example{-0.1, 0.004, 0.01, Verdict::improvement, Verdict::improvement},
        Example{0.005, 0.001, 0.01, Verdict::small, Verdict::small},
        Example{0, 0.002, 0.01, Verdict::unchanged, Verdict::unchanged},
        // 0.8 % +- 0.3 %: surely not 0, and nobody knows on which side of 1 % it lies.
        Example{0.008, 0.004, 0.01, Verdict::inconclusive, Verdict::inconclusive},
        Example{0.022, 0.004, 0.02, Verdict::regression, Verdict::inconclusive},
        Example{0.04, 0.004, 0.02, Verdict::regression, Verdict::regression}}) {
    auto options = known_sessions();
    options.threshold = threshold;
    const auto base = around(1.0, spread);
    const auto after = around(1 + change, spread);
    const auto loose = compare_times(base, after, options);
    EXPECT_EQ(loose.verdict, verdict) << change;
    EXPECT_EQ(loose.causes.empty(), verdict == Verdict::unchanged) << change;
    options.strict = true;
    const auto tight = compare_times(base, after, options);
    EXPECT_EQ(tight.verdict, strict) << change;
    EXPECT_GT(*tight.detectable, *loose.detectable) << change;
  }
}

TEST(CompareSides, TooMuchNoiseIsInconclusiveAndSaysWhatWouldSettleIt) {
  const auto c = compare_times(around(1.0, 0.05), around(1.02, 0.05));
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  ASSERT_TRUE(c.units_needed.has_value());
  EXPECT_GT(*c.units_needed, 12u);
}

TEST(CompareSides, WithoutACalibrationASmallChangeIsInconclusiveAndALargeOneIsFound) {
  const CompareOptions cautious;
  const auto small = compare_times(around(1.0, 0.001), around(1.03, 0.001), cautious);
  EXPECT_EQ(small.verdict, Verdict::inconclusive);
  EXPECT_FALSE(small.units_needed.has_value()) << "no number of processes tells sessions apart";
  EXPECT_EQ(compare_times(around(1.0, 0.001), around(1.3, 0.001), cautious).verdict,
            Verdict::regression);
}

TEST(CompareSides, OneProcessASideConvictsNobody) {
  const auto c = compare_times({1.0}, {1.5}, CompareOptions{});
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_TRUE(contains(c.reason, "+50.0 % in 1 and 1 processes")) << c.reason;
  ASSERT_EQ(c.warnings.size(), 1u);
  EXPECT_TRUE(contains(c.warnings.front(), "one process a side"));
  EXPECT_EQ(compare_times({1.0}, {1.0}, CompareOptions{}).verdict, Verdict::inconclusive)
      << "two equal rows are no proof";
}

TEST(CompareSides, TheNewSideCannotLoosenItsOwnGate) {
  const auto threshold = [](double base_own, double new_own, std::optional<double> given) {
    auto base = side_case("x", around(1.0, 0.002));
    auto after = side_case("x", around(1.03, 0.002));
    base.threshold = base_own;
    after.threshold = new_own;
    auto options = known_sessions();
    options.threshold_given = given.has_value();
    options.threshold = given.value_or(options.threshold);
    return the_case(compare_sides(side_of({base}), side_of({after}), options)).threshold;
  };
  EXPECT_DOUBLE_EQ(threshold(0.02, 0.05, 0.03), 0.02) << "the base's own comes first";
  EXPECT_DOUBLE_EQ(threshold(0, 0.05, 0.03), 0.03) << "then the command line's";
  EXPECT_DOUBLE_EQ(threshold(0, 0.05, {}), 0.05);
  EXPECT_DOUBLE_EQ(threshold(0, 0, {}), 0.01);
}

TEST(CompareSides, TheTicksOfTheTimerAreInEveryInterval) {
  auto base = side_case("x", {0.004, 0.004, 0.004, 0.004, 0.004});  // 4 us
  auto after = side_case("x", {0.004032, 0.004032, 0.004032, 0.004032, 0.004032});
  auto options = known_sessions();
  options.threshold = 0.005;
  EXPECT_EQ(the_case(compare_sides(side_of({base}), side_of({after}), options)).verdict,
            Verdict::regression);
  base.tick_s = after.tick_s = 32e-9;
  EXPECT_EQ(the_case(compare_sides(side_of({base}), side_of({after}), options)).verdict,
            Verdict::inconclusive)
      << "one tick may be none";
}

TEST(CompareSides, AnotherBoardAddsWhatBoardsDifferBy) {
  auto base = side_of({side_case("x", around(1.0, 0.001))});
  auto after = side_of({side_case("x", around(1.03, 0.001))});
  EXPECT_EQ(the_case(compare_sides(base, after, known_sessions())).verdict, Verdict::regression);
  base.sessions[0].environment["gpu_uuid"] = "GPU-1";
  after.sessions[0].environment["gpu_uuid"] = "GPU-2";
  const auto apart = compare_sides(base, after, known_sessions());
  EXPECT_EQ(the_case(apart).verdict, Verdict::inconclusive);
  ASSERT_EQ(apart.notes.size(), 1u);
  EXPECT_TRUE(contains(apart.notes[0], "of different machines: a spread of 1 %"));
  after.sessions[0].environment["gpu_uuid"] = "GPU-1";
  const auto together = compare_sides(base, after, known_sessions());
  EXPECT_EQ(the_case(together).verdict, Verdict::regression);
  EXPECT_TRUE(together.notes.empty());
}

TEST(CompareSides, NightsOfTheBaseAreTheYardstick) {
  const auto base = nights({1.0, 1.004, 0.996, 1.003, 0.997, 1.002, 0.998, 1.001, 0.999, 1.0});
  const auto c = the_case(compare_sides(base, nights({1.05}, 11), {}));
  EXPECT_EQ(c.session_source, SessionSource::history);
  EXPECT_EQ(c.verdict, Verdict::regression);
  EXPECT_EQ(c.base_units, 10u);
  EXPECT_EQ(the_case(compare_sides(base, nights({1.006}, 11), {})).verdict, Verdict::inconclusive);
}

TEST(CompareSides, ACaseThatLacksDaysIsNotHeldAgainstThem) {
  // The machine gets slower by 5 % from the eleventh night on; one case was measured before alone.
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Side base = nights(std::vector<double>(20, 1.0));
  Side after = nights({1.0}, 21);
  base.cases.clear();
  after.cases.clear();
  for (int i = 0; i < 40; ++i) {
    SideCase c;
    c.name = "case" + std::to_string(i);
    for (std::uint32_t night = 0; night < (i == 0 ? 10 : 20); ++night) {
      const double level = (night < 10 ? 1 : 1.05) * std::exp(0.003 * normal(random));
      for (int p = 0; p < 3; ++p) c.times.push_back({level * 1e-3, night});
    }
    base.cases.push_back(c);
    c.times.clear();
    const double level = 1.05 * std::exp(0.003 * normal(random));
    for (int p = 0; p < 3; ++p) c.times.push_back({level * 1e-3, 0});
    after.cases.push_back(c);
  }
  EXPECT_NE(compare_sides(base, after, {}).cases[0].verdict, Verdict::regression);
}

bool has_note(const Side& base, const Side& after, const char* text) {
  const auto notes = compare_sides(base, after, {}).notes;
  return std::any_of(notes.begin(), notes.end(),
                     [&](const auto& note) { return contains(note, text); });
}

TEST(CompareSides, AStepWithinTheBaseIsNamed) {
  const auto five_of = [](Side side) {
    side.cases.resize(5, side.cases[0]);
    for (std::size_t i = 0; i < 5; ++i) side.cases[i].name = std::to_string(i);
    return side;
  };
  const auto is_told = [&](const std::vector<double>& levels) {
    return has_note(five_of(nights(levels)), five_of(nights({1.1}, 20)),
                    "farther apart than chance");
  };
  std::vector<double> levels{1.0, 1.004, 0.996, 1.003, 0.997, 1.002, 0.998, 1.001, 0.999, 1.0};
  EXPECT_FALSE(is_told(levels));
  levels.back() = 1.3;
  EXPECT_TRUE(is_told(levels));
}

TEST(CompareSides, ALevelThatChangedAmongTheNightsIsToldWithItsDate) {
  // Twelve nights, of which the sixth and all after it are slower by 10 %.
  const std::vector<double> quiet{1.0,   1.004, 0.996, 1.003, 0.997, 1.002,
                                  0.998, 1.001, 0.999, 1.0,   1.003, 0.998};
  auto stepped = quiet;
  for (std::size_t night = 5; night < stepped.size(); ++night) stepped[night] *= 1.1;
  const auto sides = [&](std::size_t with_step) {
    Side base = nights(quiet);
    const SideCase calm = base.cases[0];
    const SideCase slower = nights(stepped).cases[0];
    base.cases.clear();
    Side after = nights({1.21}, 20);
    after.cases.resize(8, after.cases[0]);
    for (std::size_t i = 0; i < 8; ++i) {
      base.cases.push_back(i < with_step ? slower : calm);
      base.cases[i].name = after.cases[i].name = std::to_string(i);
    }
    return std::pair(base, after);
  };
  for (const std::size_t with_step : {8, 1}) {
    const auto [base, after] = sides(with_step);
    const auto told = "the level of " + std::to_string(with_step) + " of 8 cases changed, by +10.";
    EXPECT_TRUE(has_note(base, after, told.c_str())) << told;
    EXPECT_TRUE(has_note(base, after, "of 2026-01-16T02:00:00Z: this hides changes"));
  }
  const auto [calm, after] = sides(0);
  EXPECT_FALSE(has_note(calm, after, "within the base"));
}

TEST(CompareSides, AGivenSpreadTakesNoSureVerdictAway) {
  const auto base = nights({1.0, 1.004, 0.996, 1.003, 0.997, 1.002, 0.998, 1.001, 0.999, 1.0});
  const auto after = nights({1.053}, 20);
  CompareOptions options;
  EXPECT_EQ(the_case(compare_sides(base, after, options)).verdict, Verdict::regression);
  options.session_deviation = 0.003;
  EXPECT_EQ(the_case(compare_sides(base, after, options)).verdict, Verdict::regression);
  // Of processes it tells nothing: three a side don't know how far theirs lie apart.
  EXPECT_EQ(the_case(compare_sides(nights({1.0}), after, options)).verdict, Verdict::inconclusive);
}

TEST(CompareSides, FilesOfOneDayAreNoHistory) {
  auto base = nights({1.0, 1.0001, 0.9999, 1.0, 1.0001});
  for (auto& session : base.sessions) session.environment["date"] = "2026-01-01T02:00:00Z";
  auto after = nights({1.02, 1.0201, 1.0199, 1.02, 1.0201});
  for (auto& session : after.sessions) session.environment["date"] = "2026-01-02T02:00:00Z";
  const auto comparison = compare_sides(base, after, {});
  EXPECT_EQ(the_case(comparison).verdict, Verdict::inconclusive);
  EXPECT_EQ(the_case(comparison).session_source, SessionSource::assumed);
  EXPECT_TRUE(contains(comparison.notes.at(0), "of one day")) << comparison.notes.at(0);
}

TEST(CompareSides, SidesThatLieApartInTimeAreTold) {
  const auto note_of = [](const Side& base, const Side& after) {
    return has_note(base, after, "the sides lie apart in time");
  };
  EXPECT_TRUE(note_of(nights({1.0, 1.0}), nights({1.0, 1.0}, 3)));
  EXPECT_FALSE(note_of(nights({1.0, 1.0, 1.0}), nights({1.0, 1.0}, 2))) << "in turns";
  EXPECT_FALSE(note_of(nights({1.0, 1.0}), nights({1.0}, 3))) << "one file can't be in turns";
  EXPECT_FALSE(note_of(nights({1.0, 1.0, 1.0, 1.0}), nights({1.0, 1.0}, 5)))
      << "a history knows what lies between days";
}

TEST(CompareSides, TheNextStepFitsTheFiles) {
  const auto step_of = [](const Side& base, const Side& after) {
    const auto comparison = compare_sides(base, after, {});
    EXPECT_EQ(the_case(comparison).verdict, Verdict::inconclusive);
    return comparison.next_step;
  };
  EXPECT_TRUE(contains(step_of(nights({1.0, 1.02, 0.98, 1.01}), nights({1.0}, 5)),
                       "on further days, a file each"));
  EXPECT_TRUE(contains(step_of(nights({1.0}), nights({1.02}, 2)), "name files of four days"));
  auto undated = nights({1.0});
  undated.sessions[0].environment.erase("date");
  const auto step = step_of(undated, nights({1.02}));
  EXPECT_TRUE(contains(step, "side by side: bench compare --base-cmd A --new-cmd B --read google"))
      << step;
  EXPECT_FALSE(contains(step, "four days"));
  auto ours = nights({1.02}, 2);
  ours.sessions[0].format = "apod";
  EXPECT_TRUE(contains(step_of(nights({1.0}), ours), "add --confirm"))
      << "its program measured what both have";
}

TEST(CompareSides, ACalibrationOfOneDayDoesNotKnowOtherDays) {
  CompareOptions options;
  options.known_spreads["x"] = {1e-6, 9, 1e-6, 40, 3};
  EXPECT_EQ(the_case(compare_sides(nights({1.0}), nights({1.05}, 5), options)).verdict,
            Verdict::regression);
  options.known_spreads["x"].one_day = true;
  EXPECT_EQ(the_case(compare_sides(nights({1.0}), nights({1.05}, 5), options)).verdict,
            Verdict::inconclusive);
  EXPECT_EQ(the_case(compare_sides(nights({1.0}), nights({1.05}), options)).verdict,
            Verdict::regression)
      << "the same day";
}

TEST(CompareSides, SessionsOfBothSidesReplaceAnyAssumption) {
  // Within a session all agree; the sessions of one side differ by 4 %.
  Side base = side_of({}), after = side_of({});
  base.sessions.push_back(base.sessions.front());
  after.sessions.push_back(after.sessions.front());
  for (auto* side : {&base, &after}) {
    side->sessions[0].environment["date"] = "2026-01-01";
    side->sessions[1].environment["date"] = "2026-01-02";
  }
  auto b = side_case("x", {1.00, 1.001, 1.00}, 0);
  for (const double ms : {1.04, 1.041, 1.04}) b.times.push_back({ms * 1e-3, 1});
  auto n = side_case("x", {1.01, 1.011, 1.01}, 0);
  for (const double ms : {1.05, 1.051, 1.05}) n.times.push_back({ms * 1e-3, 1});
  base.cases = {b};
  after.cases = {n};
  EXPECT_EQ(the_case(compare_sides(base, after, CompareOptions{})).verdict, Verdict::inconclusive);
  // Taken as one session each, six processes a side would find the same data nothing but noisy too,
  // while a calibrated spread of 0 and agreeing sessions find the 1 %.
  b.times.resize(3);
  n.times.resize(3);
  base.cases = {b};
  after.cases = {n};
  EXPECT_EQ(the_case(compare_sides(base, after, known_sessions())).change > 0.009, true);
}

TEST(CompareSides, HolmGuardsManyCases) {
  // A p of about 0.002 is enough alone and not among a hundred.
  const auto base = around(1.0, 0.01);
  const auto after = around(1.0145, 0.01);
  const auto alone = compare_times(base, after);
  ASSERT_LT(alone.p, 0.01);
  ASSERT_GT(alone.p * 100, 0.01);
  EXPECT_EQ(alone.verdict, Verdict::regression);
  std::vector<SideCase> bases, news;
  for (int i = 0; i < 100; ++i) {
    bases.push_back(side_case("case" + std::to_string(i), base));
    news.push_back(side_case("case" + std::to_string(i), i == 0 ? after : base));
  }
  const auto many = compare_sides(side_of(bases), side_of(news), known_sessions());
  EXPECT_NE(many.cases[0].verdict, Verdict::regression);
  EXPECT_EQ(many.count(Verdict::regression), 0u);
  EXPECT_GE(many.cases[0].p_adjusted, many.cases[0].p);
}

TEST(CompareSides, ACalibratedSpreadOfTheCaseComesFirst) {
  auto options = known_sessions();
  options.known_spreads["x"] = {0.05 * 0.05, 9, 1e-8, 40, 12};
  EXPECT_EQ(compare_times(around(1.0, 0.001), around(1.03, 0.001), options).verdict,
            Verdict::inconclusive);
}

TEST(CompareSides, ThreeProcessesThatHappenToAgreeDoNotOutvoteACalibration) {
  // A process that runs in one of two modes: three in the fast one, then three in the slow one.
  const std::vector<double> fast{1.0, 1.0001, 0.9999};
  const std::vector<double> slow{1.08, 1.0801, 1.0799};
  auto options = known_sessions();
  EXPECT_EQ(compare_times(fast, slow, options).verdict, Verdict::inconclusive);
  options.known_spreads["x"] = {1e-6, 9, 1e-8, 40, 3};
  EXPECT_EQ(compare_times(fast, slow, options).verdict, Verdict::regression);
  options.known_spreads["x"] = {0.044 * 0.044 / 3, 9, 0.044 * 0.044, 40, 3};
  EXPECT_EQ(compare_times(fast, slow, options).verdict, Verdict::inconclusive);
}

TEST(CompareSides, NothingInCommonJudgesNothing) {
  const auto comparison = compare_sides(side_of({side_case("a", {1, 1})}),
                                        side_of({side_case("b", {1, 1})}), known_sessions());
  EXPECT_EQ(comparison.count(Verdict::missing), 1u);
  EXPECT_EQ(comparison.count(Verdict::added), 1u);
  EXPECT_TRUE(compare_sides(side_of({}), side_of({}), known_sessions()).cases.empty());
}

}  // namespace
}  // namespace apod::judge
