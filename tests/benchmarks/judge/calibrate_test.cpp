#include "benchmarks/judge/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "benchmarks/judge/judge.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// `count` cases measured in `sessions` sessions of `processes` processes, with known deviations.
Side measured(int count, int sessions, int processes, double session, double process,
              std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Side side;
  for (int s = 0; s < sessions; ++s) {
    side.sessions.push_back({std::to_string(s) + ".json",
                             "apod",
                             {{"gpu", "G"}, {"commit", "c"}, {"config", "x"}, {"date", "2026"}}});
  }
  for (int i = 0; i < count; ++i) {
    SideCase c;
    c.name = std::to_string(i);
    for (int s = 0; s < sessions; ++s) {
      const double level = session * normal(random);
      for (int p = 0; p < processes; ++p) {
        c.times.push_back({1e-3 * std::exp(level + process * normal(random)),
                           static_cast<std::uint32_t>(s), false, 0.01});
      }
    }
    side.cases.push_back(std::move(c));
  }
  return side;
}

constexpr double alpha = 0.01;

TEST(Calibrate, FindsTheKnownParts) {
  const auto calibration = calibrate(measured(200, 5, 5, 0.01, 0.004), alpha);
  ASSERT_EQ(calibration.cases.size(), 200u);
  EXPECT_EQ(calibration.sessions, 5);
  EXPECT_EQ(calibration.processes, 5);
  double process = 0;
  double mean = 0;
  for (const auto& c : calibration.cases) {
    process += c.process * c.process / 200;
    mean += c.session_mean * c.session_mean / 200;
  }
  EXPECT_NEAR(std::sqrt(process), 0.004, 0.0004);
  EXPECT_NEAR(mean, 0.01 * 0.01 + 0.004 * 0.004 / 5, 1e-5);
  EXPECT_DOUBLE_EQ(calibration.cases[0].sample, 0.01);
  EXPECT_NEAR(calibration.cases[0].time_s, 1e-3, 1e-4);
}

TEST(KnownSpreads, AreThoseOfAllCasesWhereTheyAreAlike) {
  const auto calibration = calibrate(measured(200, 5, 5, 0.01, 0.004), alpha);
  const double truth = 1e-4 + 0.004 * 0.004 / 5;
  double spread = 0;
  double alone = 0;
  const auto spreads = known_spreads(calibration);
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const auto& known = spreads[i];
    spread = std::max(spread, std::abs(known.mean_variance - truth));
    const double own = calibration.cases[i].session_mean;
    alone = std::max(alone, std::abs(own * own - truth));
    EXPECT_GT(known.mean_degrees, 4);
    EXPECT_LE(known.mean_degrees, 8);
  }
  EXPECT_LT(spread, 0.7 * alone) << "nearer to the truth than each case by itself";
}

TEST(KnownSpreads, OfFewSessionsOrFewCasesAreTheirOwn) {
  for (const auto& side : {measured(200, 4, 5, 0.01, 0.004), measured(19, 10, 5, 0.01, 0.004)}) {
    const auto calibration = calibrate(side, alpha);
    for (std::size_t i = 0; i < calibration.cases.size(); ++i) {
      const auto known = known_spreads(calibration)[i];
      const double own = calibration.cases[i].session_mean;
      EXPECT_DOUBLE_EQ(known.mean_variance, own * own);
      EXPECT_EQ(known.mean_degrees, calibration.sessions - 1);
    }
  }
}

TEST(KnownSpreads, ACaseOfItsOwnSpreadKeepsMostOfIt) {
  auto side = measured(50, 5, 5, 0.001, 0.001);
  side.cases.push_back(measured(1, 5, 5, 0.1, 0.001, 9).cases.front());
  side.cases.back().name = "wild";
  const auto calibration = calibrate(side, alpha);
  const auto& wild = calibration.cases.back();
  ASSERT_GT(wild.session, 0.03);
  const auto known = known_spreads(calibration).back();
  EXPECT_GT(known.mean_variance, 0.45 * wild.session_mean * wild.session_mean);
}

TEST(KnownSpreads, NothingThatVariesIsNoCertainty) {
  const auto calibration = calibrate(measured(3, 3, 3, 0, 0), alpha);
  EXPECT_NEAR(calibration.cases[0].session, 0, 1e-12);
  EXPECT_GT(calibration.cases[0].floor, 1e-4);
  const auto known = known_spreads(calibration)[0];
  EXPECT_GE(known.mean_variance, 0.99e-8);
}

TEST(Calibrate, TheFloorIsWhatTwoSuchFilesCanShow) {
  const auto calibration = calibrate(measured(1, 10, 5, 0.01, 0.004), alpha);
  const auto& c = calibration.cases[0];
  // SciPy: nct.sf(t.isf(0.005, 9), 9, x) is 0.8 for x = 4.2123.
  const double in_errors = std::log1p(c.floor) / (std::sqrt(2.0) * c.session_mean);
  EXPECT_NEAR(in_errors, 4.2123, 1e-3);
}

TEST(Calibrate, AFloorIsANumberHoweverFarTwoSessionsLieApart) {
  const auto calibration = calibrate(measured(1, 2, 2, 5, 0.1), alpha);
  EXPECT_DOUBLE_EQ(calibration.cases.at(0).floor, stats::as_share(far_out));
}

TEST(Calibrate, TheVersionOfACaseIsKept) {
  auto side = measured(2, 2, 2, 0.01, 0.01);
  side.cases[1].version = "cold";
  EXPECT_EQ(calibrate(side, alpha).cases[1].version, "cold");
}

TEST(Calibrate, KeepsOnlyWhatMakesTimesIncomparable) {
  const auto calibration = calibrate(measured(2, 2, 2, 0.01, 0.01), alpha);
  EXPECT_EQ(calibration.environment, (std::map<std::string, std::string>{{"gpu", "G"}}));
  EXPECT_EQ(calibration.config, "x");
  EXPECT_EQ(calibration.commit, "c");
}

TEST(Calibrate, CasesThatASessionLacksAreLeftOut) {
  auto side = measured(4, 3, 3, 0.01, 0.01);
  side.cases[0].times.resize(6);   // the last session has none
  side.cases[3].times.pop_back();  // or one process less
  side.cases[1].failed = "wrong answer";
  const auto calibration = calibrate(side, alpha);
  ASSERT_EQ(calibration.cases.size(), 1u);
  EXPECT_EQ(calibration.cases[0].name, "2");
}

TEST(Calibrate, HasTheCasesOfAsManyProcessesAsMost) {
  auto side = measured(4, 3, 3, 0.01, 0.01);
  for (std::uint32_t session = 0; session < 3; ++session) {
    side.cases[1].times.push_back({1, session});
  }
  const auto calibration = calibrate(side, alpha);
  EXPECT_EQ(calibration.processes, 3);
  EXPECT_EQ(calibration.cases.size(), 3u);
}

TEST(Calibrate, OneProcessASessionHasNoSpreadOfItsOwn) {
  const auto calibration = calibrate(measured(30, 8, 1, 0.01, 0.004), alpha);
  EXPECT_EQ(calibration.processes, 1);
  const auto known = known_spreads(calibration)[0];
  EXPECT_NEAR(std::sqrt(known.mean_variance), 0.0108, 0.003);
}

TEST(Calibrate, KnowsItsDaysAndBoards) {
  auto side = measured(30, 8, 3, 0.01, 0.004);
  const auto undated = calibrate(side, alpha);
  EXPECT_EQ(undated.days, 0);
  EXPECT_EQ(undated.boards, 0);
  EXPECT_TRUE(known_spreads(undated)[0].one_day) << "who knows";
  for (std::size_t i = 0; i < 8; ++i) {
    auto& environment = side.sessions[i].environment;
    environment["date"] = "2026-01-0" + std::to_string(1 + i / 2) + "T01:00:00Z";
    environment["gpu_uuid"] = i < 4 ? "GPU-1" : "GPU-2";
  }
  const auto calibration = calibrate(side, alpha);
  EXPECT_EQ(calibration.days, 4);
  EXPECT_EQ(calibration.boards, 2);
  EXPECT_FALSE(known_spreads(calibration)[0].one_day);
}

TEST(Calibrate, WhyNoCaseCanBeCalibratedIsSaid) {
  const auto refusal = [](const Side& side) {
    return error_of<NothingToCalibrate>([&] { calibrate(side, alpha); });
  };
  auto side = measured(2, 2, 3, 0.01, 0.01);
  for (auto& c : side.cases) c.times.pop_back();
  EXPECT_TRUE(
      contains(refusal(side), "; 0 does not have the same number of processes in every session"))
      << refusal(side);
  for (auto& c : side.cases) c.times.resize(3);
  EXPECT_TRUE(contains(refusal(side), "; 0 is in only 1 of 2 sessions")) << refusal(side);
  side.cases[0].failed = "one side has measurements with different settings: a; b";
  side.cases[1].times.clear();
  EXPECT_TRUE(contains(refusal(side), "; 0: one side has measurements")) << refusal(side);
}

TEST(Calibrate, TooLittleIsRefused) {
  EXPECT_THROW(calibrate(measured(3, 1, 3, 0.01, 0.01), alpha), NothingToCalibrate);
  EXPECT_THROW(calibrate(Side{}, alpha), std::runtime_error);
}

}  // namespace
}  // namespace apod::judge
