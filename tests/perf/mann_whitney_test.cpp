#include "tests/perf/mann_whitney.hpp"

#include <gtest/gtest.h>

namespace apod::simulation {
namespace {

using Values = std::vector<double>;

/// The values first, first + step, ...; `repeat` of each.
Values grid(int count, double first, double step = 1, int repeat = 1) {
  Values values;
  for (int i = 0; i < count; ++i) values.push_back(first + step * (i / repeat));
  return values;
}

TEST(MannWhitney, AgreesWithSciPyAndEnumeration) {
  struct Example {
    Values a;
    Values b;
    double p;
  };
  // SciPy: mannwhitneyu(a, b, method="exact" or, of more than 50 values, "asymptotic"); exact ties
  // by enumeration of all choices of ranks.
  for (const auto& [a, b, p] :
       {Example{{}, {1}, 1}, Example{{5}, {5}, 1}, Example{{1, 2, 3}, {4, 5, 6, 7}, 2.0 / 35},
        Example{{1, 2, 2, 3}, {2, 3, 3, 4, 5}, 0.15873015873015872},
        Example{{0, 0, 0, 1, 1}, {1, 1, 1, 1, 1, 1, 2}, 0.0707070707070707},
        Example{grid(20, 0), grid(20, 5.5), 0.009483607191205003},
        Example{grid(30, 0), grid(30, 8.5), 0.001236184563209011},
        Example{grid(40, 0, 1, 4), grid(30, 1, 1, 3), 0.17600996479622044},
        Example{Values(30, 1.0), Values(30, 1.0), 1}}) {
    EXPECT_NEAR(mann_whitney_p(a, b), p, 1e-12);
    EXPECT_NEAR(mann_whitney_p(b, a), p, 1e-12);
  }
}

}  // namespace
}  // namespace apod::simulation
