#include "benchmarks/stats/variance_components.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/benchmarks/stats/judging.hpp"
#include "tests/benchmarks/stats/noise.hpp"

namespace apod::stats {
namespace {

using Nested = std::vector<std::vector<std::vector<double>>>;

TEST(VarianceComponents, AgreeWithProjections) {
  for (const auto& fixture : judging("variance_components")) {
    SCOPED_TRACE(fixture.dump());
    const VarianceComponents found = variance_components(fixture.at("values").get<Nested>());
    EXPECT_NEAR(found.sample, fixture.at("sample"), 1e-9);
    EXPECT_NEAR(found.process, fixture.at("process"), 1e-9);
    EXPECT_NEAR(found.session, fixture.at("session"), 1e-9);
    EXPECT_EQ(found.session_degrees, fixture.at("session_degrees").get<double>());
    if (fixture.contains("session_upper")) {
      EXPECT_TRUE(close(found.session_upper, fixture.at("session_upper"), 1e-8));
    } else {
      EXPECT_EQ(found.session_upper, infinity);
    }
  }
}

// Calcium in turnip leaves: Snedecor & Cochran 1967, "Statistical Methods", 6th ed., 10.16.
TEST(VarianceComponents, OfTheTextbook) {
  const VarianceComponents found =
      variance_components({{{3.28, 3.09}, {3.52, 3.48}, {2.88, 2.80}},
                           {{2.46, 2.44}, {1.87, 1.92}, {2.19, 2.19}},
                           {{2.77, 2.66}, {3.74, 3.44}, {2.55, 2.55}},
                           {{3.78, 3.87}, {4.07, 4.12}, {3.31, 3.31}}});
  EXPECT_NEAR(found.sample, 0.0067, 0.00005);
  EXPECT_NEAR(found.process, 0.1611, 0.00005);
  EXPECT_NEAR(found.session, 0.3652, 0.00005);
}

Nested simulated(Noise& noise, std::size_t sessions, std::size_t processes, std::size_t samples,
                 double session, double process, double sample) {
  Nested values(sessions);
  for (auto& of_session : values) {
    const double level = 100 + session * noise();
    of_session.resize(processes);
    for (auto& of_process : of_session) {
      const double centre = level + process * noise();
      of_process.resize(samples);
      for (double& value : of_process) value = centre + sample * noise();
    }
  }
  return values;
}

TEST(VarianceComponents, FindWhatWasSimulated) {
  Noise noise(1);
  const auto found = variance_components(simulated(noise, 2000, 5, 4, 3, 2, 1));
  EXPECT_NEAR(found.sample, 1, 0.05);
  EXPECT_NEAR(found.process, 4, 0.2);
  EXPECT_NEAR(found.session, 9, 0.9);
  EXPECT_GT(found.session_upper, found.session);
  EXPECT_LT(found.session_upper, 1.1 * found.session);
}

/// Share of experiments whose upper bound is not below the truth.
double covered(Noise& noise, std::size_t sessions, std::size_t samples, double session) {
  constexpr int runs = 2000;
  int inside = 0;
  for (int run = 0; run < runs; ++run) {
    const auto values = simulated(noise, sessions, 4, samples, session, 1, samples > 1 ? 1 : 0);
    inside += variance_components(values).session_upper >= session * session ? 1 : 0;
  }
  return static_cast<double>(inside) / runs;
}

TEST(VarianceComponents, UpperBoundHoldsInNineOfTenExperiments) {
  Noise noise(2);
  // 2000 runs of 90 % have a standard deviation of 0.7 %.
  for (const std::size_t sessions : {2u, 3u, 8u}) {
    for (const double session : {0.3, 1.0, 4.0}) {
      const double share = covered(noise, sessions, 3, session);
      EXPECT_GT(share, 0.87) << sessions << " sessions of " << session;
      EXPECT_LT(share, 0.96) << sessions << " sessions of " << session;
    }
  }
  EXPECT_NEAR(covered(noise, 5, 1, 2), 0.9, 0.03);
}

TEST(VarianceComponents, HoldWhateverTheLevelAndTheUnit) {
  Noise noise(3);
  const Nested values = simulated(noise, 5, 3, 4, 2, 1, 0.5);
  const auto expected = variance_components(values);
  Nested moved = values;
  for (auto& session : moved) {
    for (auto& process : session) {
      for (double& value : process) value = (value + 1e6) * 1e-9;
    }
  }
  const auto found = variance_components(moved);
  EXPECT_TRUE(close(found.sample, expected.sample * 1e-18, 1e-6));
  EXPECT_TRUE(close(found.process, expected.process * 1e-18, 1e-6));
  EXPECT_TRUE(close(found.session, expected.session * 1e-18, 1e-6));
  EXPECT_TRUE(close(found.session_upper, expected.session_upper * 1e-18, 1e-6));
}

TEST(VarianceComponents, SkipWhatIsEmpty) {
  const Nested values{{{1, 2}, {3, 4}}, {{5, 7}, {6, 6}}};
  const Nested holes{{}, {{1, 2}, {}, {3, 4}}, {{}}, {{5, 7}, {6, 6}}};
  const auto expected = variance_components(values);
  const auto found = variance_components(holes);
  EXPECT_EQ(found.sample, expected.sample);
  EXPECT_EQ(found.process, expected.process);
  EXPECT_EQ(found.session, expected.session);
  EXPECT_EQ(found.session_upper, expected.session_upper);
  EXPECT_EQ(found.session_degrees, 1);
}

TEST(VarianceComponents, OfNothingOrOneValueAreZeroWithoutAnUpperBound) {
  for (const Nested& values : {Nested{}, Nested{{}}, Nested{{{}}}, Nested{{{3}}}}) {
    const auto found = variance_components(values);
    EXPECT_EQ(found.sample, 0);
    EXPECT_EQ(found.process, 0);
    EXPECT_EQ(found.session, 0);
    EXPECT_EQ(found.session_upper, infinity);
    EXPECT_EQ(found.session_degrees, 0);
  }
}

TEST(VarianceComponents, OfEqualValuesAreZero) {
  const auto found = variance_components(Nested(3, {Values(7, 0.1), Values(5, 0.1)}));
  EXPECT_EQ(found.sample, 0);
  EXPECT_EQ(found.process, 0);
  EXPECT_EQ(found.session, 0);
  EXPECT_EQ(found.session_upper, 0);
  EXPECT_EQ(found.session_degrees, 2);
}

TEST(VarianceComponents, RefuseWhatIsNotFinite) {
  for (const double bad : {not_a_number, infinity, -infinity}) {
    EXPECT_THROW(variance_components({{{1, 2}, {bad}}, {{3}}}), std::domain_error);
  }
}

}  // namespace
}  // namespace apod::stats
