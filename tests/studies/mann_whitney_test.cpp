#include "tests/studies/mann_whitney.hpp"

#include <gtest/gtest.h>

namespace apod::simulation {
namespace {

using Values = std::vector<double>;

/// 20 values: first, first + 1, ...
Values grid(double first) {
  Values values(20);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(MannWhitney, AgreesWithSciPyAndEnumeration) {
  struct Example {
    Values a;
    Values b;
    double p;
  };
  // SciPy: mannwhitneyu(a, b, method="exact"); ties by enumeration of all choices of ranks.
  for (const auto& [a, b, p] :
       {Example{{}, {1}, 1}, Example{{5}, {5}, 1}, Example{{1, 2, 3}, {4, 5, 6, 7}, 2.0 / 35},
        Example{{1, 2, 2, 3}, {2, 3, 3, 4, 5}, 0.15873015873015872},
        Example{{0, 0, 0, 1, 1}, {1, 1, 1, 1, 1, 1, 2}, 0.0707070707070707},
        Example{grid(0), grid(5.5), 0.009483607191205003}, Example{{7, 7}, {7, 7, 7}, 1}}) {
    EXPECT_NEAR(mann_whitney_p(a, b), p, 1e-12);
    EXPECT_NEAR(mann_whitney_p(b, a), p, 1e-12);
  }
  EXPECT_THROW(mann_whitney_p(Values(26, 1.0), Values(25, 1.0)), std::invalid_argument);
}

}  // namespace
}  // namespace apod::simulation
