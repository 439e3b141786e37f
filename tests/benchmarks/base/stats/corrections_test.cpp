#include "benchmarks/base/stats/corrections.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/benchmarks/base/stats/fixtures.hpp"
#include "tests/support/texts.hpp"

namespace apod::stats {
namespace {

void expect_all_close(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_TRUE(close(actual[i], expected[i], 1e-14)) << i;
}

TEST(Corrections, AgreeWithStatsmodels) {
  for (const auto& fixture : fixtures("corrections")) {
    SCOPED_TRACE(fixture.dump());
    const Values p = fixture.at("p");
    expect_all_close(holm(p), fixture.at("holm"));
    expect_all_close(benjamini_hochberg(p), fixture.at("benjamini_hochberg"));
  }
}

TEST(Corrections, KeepTheOrderOfTheTests) {
  EXPECT_EQ(holm(Values{0.5, 0.0, 0.125}), Values({0.5, 0.0, 0.25}));
  EXPECT_EQ(benjamini_hochberg(Values{0.5, 0.0, 0.125}), Values({0.5, 0.0, 0.1875}));
}

TEST(Corrections, OfNoTestsAreNone) {
  EXPECT_TRUE(holm({}).empty());
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(Corrections, RefuseWhatIsNoProbability) {
  for (const double bad : {-1e-300, 1.0001, not_a_number, infinity}) {
    EXPECT_THROW(holm(Values{0.5, bad}), std::domain_error);
    EXPECT_THROW(benjamini_hochberg(Values{bad}), std::domain_error);
  }
  try {
    holm(Values{0.5, 2});
    FAIL();
  } catch (const std::domain_error& error) {
    EXPECT_TRUE(contains(error.what(), "p[1]"));
  }
}

TEST(Corrections, HolmIsNeverBelowBenjaminiAndHochberg) {
  Values p;
  for (int i = 0; i < 100'000; ++i) p.push_back((i * 7919 % 100'003) / 100'003.0);
  const Values strict = holm(p);
  const Values lenient = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    ASSERT_LE(p[i], lenient[i]);
    ASSERT_LE(lenient[i], strict[i]);
    ASSERT_LE(strict[i], 1);
  }
}

}  // namespace
}  // namespace apod::stats
