#include "benchmarks/base/stats/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "tests/benchmarks/base/stats/noise.hpp"

namespace apod::stats {
namespace {

TEST(TwoModes, AreFoundWithTheirMeans) {
  const auto found = two_modes(std::vector<double>{1.01, 2.0, 1.0, 2.02, 0.99, 1.98, 1.0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->low_count, 4U);
  EXPECT_EQ(found->high_count, 3U);
  EXPECT_NEAR(found->low, 1.0, 1e-12);
  EXPECT_NEAR(found->high, 2.0, 1e-12);
}

TEST(TwoModes, OfAnOutlierOrOfEqualsAreNone) {
  EXPECT_FALSE(two_modes(std::vector<double>{1.01, 0.99, 1.0, 1.02, 0.98, 2.0}));
  EXPECT_FALSE(two_modes(std::vector<double>(8, 1.0)));
  EXPECT_FALSE(two_modes(std::vector<double>{1, 1, 1, 2, 2}));
  EXPECT_TRUE(two_modes(std::vector<double>{1, 1, 1, 2, 2, 2})) << "the gap has no width to be in";
}

TEST(TwoModes, AreRarelySeenWhereThereIsOne) {
  Noise normal(5);
  const auto heavy = [&] {  // Student's t with three degrees of freedom
    const double z = normal();
    return z / std::sqrt((square(normal()) + square(normal()) + square(normal())) / 3);
  };
  for (const std::size_t n : {6U, 8U, 12U, 16U}) {
    int of_normal = 0, of_heavy = 0, found = 0;
    constexpr int sets = 2000;
    for (int i = 0; i < sets; ++i) {
      std::vector<double> a(n), b(n), c(n);
      for (std::size_t k = 0; k < n; ++k) {
        a[k] = normal();
        b[k] = heavy();
        c[k] = normal() + (k % 2 == 0 ? 0 : 15);
      }
      of_normal += two_modes(a) ? 1 : 0;
      of_heavy += two_modes(b) ? 1 : 0;
      found += two_modes(c) ? 1 : 0;
    }
    EXPECT_LE(of_normal, sets / 80) << n;
    EXPECT_LE(of_heavy, sets / 40) << n;
    EXPECT_GE(found, sets * 8 / 10) << n;
  }
}

TEST(TakingTurns, HasEveryLevelThatIsThere) {
  const auto turns = [](const std::vector<double>& levels) {
    std::vector<double> values;
    for (int i = 0; i < 24; ++i) {
      values.push_back(levels[static_cast<std::size_t>(i) % levels.size()] + 0.001 * (i * 7 % 5));
    }
    return taking_turns(values);
  };
  const auto near = [](const std::vector<double>& found, const std::vector<double>& levels) {
    ASSERT_EQ(found.size(), levels.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], levels[i], 0.01);
  };
  near(turns({0, 0.7}), {0, 0.7});
  near(turns({0, 0.7, 1.4}), {0, 0.7, 1.4});
  near(turns({0, 1.1, 0.4}), {0, 0.4, 1.1});
  near(turns({0, 1.1, 0.2}), {0, 0.2, 1.1});
  near(turns({0}), {});
  const std::vector<double> ticks{50, 51, 52, 50, 52, 51, 50, 51, 55, 56, 55, 56, 55, 56, 56};
  near(taking_turns(ticks), {});
}

}  // namespace
}  // namespace apod::stats
