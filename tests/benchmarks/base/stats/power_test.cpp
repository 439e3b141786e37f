#include "benchmarks/base/stats/power.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/benchmarks/base/stats/fixtures.hpp"

namespace apod::stats {
namespace {

TEST(Power, AgreesWithSciPy) {
  for (const auto& fixture : fixtures("power")) {
    const double power =
        t_test_power(fixture.at("shift"), 1, fixture.at("degrees"), fixture.at("alpha"));
    EXPECT_NEAR(power, fixture.at("power"), 1e-7) << fixture.dump();
  }
}

TEST(Power, DependsOnTheEffectInStandardErrorsOnly) {
  EXPECT_DOUBLE_EQ(t_test_power(3e-9, 1e-9, 6, 0.05), t_test_power(3, 1, 6, 0.05));
}

TEST(Power, WithoutAnEffectIsAlpha) {
  for (const double degrees : {1.0, 1.7, 30.0, 1e7, infinity}) {
    for (const double alpha : {0.4, 0.05, 5e-7}) {
      EXPECT_TRUE(close(t_test_power(0, 2, degrees, alpha), alpha, 1e-6))
          << degrees << " " << alpha;
    }
  }
}

TEST(Power, RisesWithTheEffectAndTheDegreesFromZeroToOne) {
  for (const double alpha : {0.05, 5e-7}) {
    for (const double degrees : {1.0, 3.0, 50.0}) {
      double last = 0;
      for (double effect = -100; effect <= 3e7;
           effect = effect < 100 ? effect + 0.5 : effect * 1.1) {
        const double power = t_test_power(effect, 1, degrees, alpha);
        ASSERT_GE(power, last - 1e-9) << effect << " " << degrees << " " << alpha;
        ASSERT_LE(power, t_test_power(effect, 1, degrees + 1, alpha) + 1e-9 + (effect < 0 ? 1 : 0));
        last = power;
      }
      EXPECT_NEAR(last, 1, 1e-6);
    }
  }
  EXPECT_EQ(t_test_power(infinity, 1, 3, 0.05), 1);
  EXPECT_EQ(t_test_power(-infinity, 1, 3, 0.05), 0);
}

TEST(Power, WithoutAnErrorIsCertain) {
  EXPECT_EQ(t_test_power(1e-9, 0, 1, 0.05), 1);
  EXPECT_EQ(t_test_power(0, 0, 1, 0.05), 0);
  EXPECT_EQ(t_test_power(-1, 0, 1, 0.05), 0);
  EXPECT_EQ(detectable_effect(0, 1, 0.05, 0.8), 0);
}

TEST(DetectableEffect, AgreesWithStatsmodels) {
  for (const auto& fixture : fixtures("detectable")) {
    const double effect = detectable_effect(fixture.at("standard_error"), fixture.at("degrees"),
                                            fixture.at("alpha"), fixture.at("power"));
    EXPECT_TRUE(close(effect, fixture.at("effect"), 1e-6)) << fixture.dump();
  }
}

TEST(DetectableEffect, IsFoundWithThePowerItPromises) {
  for (const double degrees : {1.0, 1.01, 2.0, 4.6, 18.0, 29.0, 31.0, 1e3, 1e6, 1e12, infinity}) {
    for (const double alpha : {0.49, 0.05, 1e-3, 5e-7, 1e-12}) {
      for (const double power : {0.5, 0.8, 0.999}) {
        SCOPED_TRACE(testing::Message() << degrees << " " << alpha << " " << power);
        const double effect = detectable_effect(0.01, degrees, alpha, power);
        EXPECT_GT(effect, 0);
        EXPECT_NEAR(t_test_power(effect, 0.01, degrees, alpha), power, 1e-8);
      }
    }
  }
}

TEST(DetectableEffect, OfAPowerJustAboveAlphaIsAlmostNothing) {
  for (const double excess : {1e-4, 1e-9, 1e-13}) {
    const double effect = detectable_effect(1, 10, 0.05, 0.05 + excess);
    EXPECT_GT(effect, 0);
    EXPECT_LT(effect, 20 * excess);
  }
}

TEST(UnitsToDetect, AgreesWithStatsmodels) {
  for (const auto& fixture : fixtures("units")) {
    EXPECT_EQ(units_to_detect(fixture.at("effect"), fixture.at("deviation"),
                              fixture.at("degrees_per_unit"), fixture.at("degrees_lost"),
                              fixture.at("alpha"), fixture.at("power")),
              fixture.at("units").get<std::size_t>())
        << fixture.dump();
  }
}

TEST(UnitsToDetect, IsTheSmallestNumberThatIsEnough) {
  for (const double effect : {50.0, 3.0, 0.4, 0.03, 0.004}) {
    for (const double lost : {0.0, 1.0, 17.0}) {
      for (const double alpha : {0.05, 5e-7}) {
        const std::size_t units = units_to_detect(effect, 1, 1, lost, alpha, 0.9);
        const auto power = [&](std::size_t n) {
          const auto size = static_cast<double>(n);
          return t_test_power(effect, 1 / std::sqrt(size), size - lost, alpha);
        };
        SCOPED_TRACE(testing::Message() << effect << " " << lost << " " << alpha << " " << units);
        if (units < 1'000'000) {
          EXPECT_GE(power(units), 0.9);
        }
        if (static_cast<double>(units) - 1 - lost >= 1 && units > 2) {
          EXPECT_LT(power(units - 1), 0.9);
        }
      }
    }
  }
}

TEST(UnitsToDetect, IsAtLeastTwo) {
  EXPECT_EQ(units_to_detect(1, 0, 2, 2, 0.05, 0.8), 2u);
  EXPECT_EQ(units_to_detect(1e300, 1, 2, 2, 0.05, 0.8), 2u);
  EXPECT_EQ(units_to_detect(1, 0, 1, 4.5, 0.05, 0.8), 6u);  // the first with a degree of freedom
}

TEST(UnitsToDetect, SaturatesWhereNothingIsEnough) {
  constexpr std::size_t most = 1'000'000;
  EXPECT_EQ(units_to_detect(0, 1, 2, 2, 0.05, 0.8), most);
  EXPECT_EQ(units_to_detect(-1, 1, 2, 2, 0.05, 0.8), most);
  EXPECT_EQ(units_to_detect(1e-300, 1e300, 2, 2, 0.05, 0.8), most);
  EXPECT_EQ(units_to_detect(not_a_number, 1, 2, 2, 0.05, 0.8), most);
  EXPECT_EQ(units_to_detect(1, not_a_number, 2, 2, 0.05, 0.8), most);
  EXPECT_EQ(units_to_detect(1, infinity, 2, 2, 0.05, 0.8), most);
  EXPECT_EQ(units_to_detect(1, 1, 1, 1e7, 0.05, 0.8), most);
}

TEST(Power, RefusesWhatMakesNoSense) {
  for (const double bad : {0.0, -0.1, 0.5, 1.0, not_a_number}) {
    EXPECT_THROW(t_test_power(1, 1, 5, bad), std::domain_error);
    EXPECT_THROW(detectable_effect(1, 5, bad, 0.8), std::domain_error);
    EXPECT_THROW(units_to_detect(1, 1, 1, 1, bad, 0.8), std::domain_error);
  }
  for (const double bad : {0.0, 0.05, 1.0, not_a_number}) {
    EXPECT_THROW(detectable_effect(1, 5, 0.05, bad), std::domain_error);
    EXPECT_THROW(units_to_detect(1, 1, 1, 1, 0.05, bad), std::domain_error);
  }
  for (const double bad : {0.0, -1.0, not_a_number}) {
    EXPECT_THROW(t_test_power(1, 1, bad, 0.05), std::domain_error);
    EXPECT_THROW(units_to_detect(1, 1, bad, 1, 0.05, 0.8), std::domain_error);
  }
  EXPECT_THROW(t_test_power(1, -1, 5, 0.05), std::domain_error);
  EXPECT_THROW(detectable_effect(-1, 5, 0.05, 0.8), std::domain_error);
  EXPECT_THROW(units_to_detect(1, 1, 1, infinity, 0.05, 0.8), std::domain_error);
}

TEST(Power, PassesNaNOn) {
  EXPECT_TRUE(std::isnan(t_test_power(not_a_number, 1, 5, 0.05)));
  EXPECT_TRUE(std::isnan(t_test_power(1, not_a_number, 5, 0.05)));
  EXPECT_TRUE(std::isnan(detectable_effect(not_a_number, 5, 0.05, 0.8)));
}

}  // namespace
}  // namespace apod::stats
