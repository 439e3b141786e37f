#include "benchmarks/base/stats/moderated_variance.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/benchmarks/base/stats/fixtures.hpp"

namespace apod::stats {
namespace {

TEST(VariancePrior, AgreesWithSciPy) {
  for (const auto& fixture : fixtures("variance_priors")) {
    SCOPED_TRACE(fixture.dump().substr(0, 200));
    const auto prior =
        variance_prior(fixture.at("variances").get<Values>(), fixture.at("degrees").get<double>());
    EXPECT_TRUE(close(prior.variance, fixture.at("prior_variance"), 1e-8));
    const auto& degrees = fixture.at("prior_degrees");
    EXPECT_TRUE(degrees.is_null() ? prior.degrees == infinity
                                  : close(prior.degrees, degrees.get<double>(), 1e-8));
  }
}

TEST(VariancePrior, OfFewerThanTwoSaysNothing) {
  EXPECT_EQ(variance_prior({}, 4).degrees, 0);
  EXPECT_EQ(variance_prior(Values{2.0}, 4).degrees, 0);
}

TEST(VariancePrior, RefusesWhatIsNoVariance) {
  for (const double bad : {0.0, -1.0, infinity, not_a_number}) {
    EXPECT_THROW(variance_prior(Values{1.0, bad}, 4), std::domain_error) << bad;
  }
  for (const double bad : {0.0, -1.0, not_a_number}) {
    EXPECT_THROW(variance_prior(Values{1.0, 2.0}, bad), std::domain_error) << bad;
  }
}

TEST(VariancePrior, HoldsForVariancesFarApart) {
  const auto prior = variance_prior(Values{1e-16, 1e-8, 1.0}, 9);
  EXPECT_GT(prior.degrees, 0);
  EXPECT_LT(prior.degrees, 1) << "so different that one says next to nothing of another";
}

TEST(Moderated, WeighsByDegrees) {
  const auto both = moderated({4.0, 3.0}, {1.0, 6.0});
  EXPECT_DOUBLE_EQ(both.variance, 2.0);
  EXPECT_DOUBLE_EQ(both.degrees, 9.0);
  EXPECT_DOUBLE_EQ(moderated({4.0, 3.0}, {}).variance, 4.0);
  EXPECT_DOUBLE_EQ(moderated({4.0, 3.0}, {1.0, infinity}).variance, 1.0);
  EXPECT_DOUBLE_EQ(moderated({4.0, 0.0}, {}).variance, 4.0);
}

}  // namespace
}  // namespace apod::stats
