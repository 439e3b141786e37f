// Numbers in evidence, as a person reads them.

#include <gtest/gtest.h>

#include "benchmarks/inspect/rules.hpp"

namespace apod::test {
namespace {

TEST(NumberText, TimesChangeTheirUnitOnceRounded) {
  for (const auto& [seconds, text] :
       {std::pair{5e-8, "50 ns"}, std::pair{0.9994e-6, "999 ns"}, std::pair{0.9999e-6, "1 us"},
        std::pair{50.63e-6, "50.6 us"}, std::pair{0.9994e-3, "999 us"},
        std::pair{0.9999e-3, "1 ms"}, std::pair{0.9994, "999 ms"}, std::pair{0.9999, "1 s"},
        std::pair{999.4, "999 s"}, std::pair{999.9, "1000 s"}, std::pair{12345.0, "12345 s"}}) {
    EXPECT_EQ(inspect::seconds(seconds), text) << seconds;
  }
}

TEST(NumberText, CountsAreNeverPowersOfTen) {
  for (const auto& [value, text] :
       {std::pair{1056.0, "1056"}, std::pair{1.234, "1.23"}, std::pair{99.94, "99.9"},
        std::pair{99.96, "100"}, std::pair{1972.5, "1972"}}) {
    EXPECT_EQ(inspect::count(value), text) << value;
  }
}

TEST(NumberText, RatesAndSharesHaveThreeDigits) {
  EXPECT_EQ(inspect::rate(999.6e9, "B"), "1 TB/s");
  EXPECT_EQ(inspect::bytes(400e6), "400 MB");
  EXPECT_EQ(inspect::percent(0.0994), "9.9 %");
  EXPECT_EQ(inspect::percent(0.0996), "10 %");
}

}  // namespace
}  // namespace apod::test
