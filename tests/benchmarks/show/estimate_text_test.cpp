#include "benchmarks/show/estimate_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace apod::show {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// `change` in the middle of its interval.
std::string with_half(double change, double half) {
  return change_text({change, change - half, change + half});
}

TEST(ChangeText, HasTheDecimalsThatItsIntervalBears) {
  EXPECT_EQ(with_half(0.0612, 0.008), "+6.1 % ±0.8");
  EXPECT_EQ(with_half(-0.0612, 0.0004), "-6.12 % ±0.04");
  EXPECT_EQ(with_half(0.0612, 0), "+6.12 %");
  EXPECT_EQ(with_half(0.0612, 1e-9), "+6.12 % ±<0.01");
  EXPECT_EQ(with_half(12.5, 0.1), "+1250 % ±10");
  EXPECT_EQ(with_half(0, 0.01), "+0.0 % ±1.0");
}

TEST(ChangeText, AnUnevenIntervalHasTwoEnds) {
  EXPECT_EQ(change_text({0.1, -0.05, 0.65}), "+10.0 %, -5.0 to +65.0 %");
  EXPECT_EQ(change_text({0.1, 0.0, 0.24}), "+10.0 % ±12.0") << "nearly even";
  EXPECT_EQ(change_text({0.1, -0.9, 40}), "+10.0 %, -90 to +4000 %");
  EXPECT_EQ(change_text({-0.284, -0.52, 0.001}), "-28.4 %, -52.0 to +0.1 %") << "it reaches 0";
  EXPECT_EQ(marked_change({0.0044, 0.0003, 0.0085}), "~ +0.4 %, +0.0 to +0.9 %")
      << "it reaches 0 in the digits that are printed";
  EXPECT_EQ(marked_change({0.0044, 0.0008, 0.008}), "+0.4 % ±0.4");
  EXPECT_EQ(change_text({0.2, 0.01, 0.44}), "+20.0 %, +1.0 to +44.0 %") << "it does not";
}

TEST(ChangeText, SaysNothingOfWhatIsNotKnown) {
  EXPECT_EQ(with_half(1e200, 1e199), ">9999 %");
  EXPECT_EQ(with_half(nan, 0.1), "");
  EXPECT_EQ(with_half(0.5, nan), "+50.00 %");
  EXPECT_EQ(with_half(0.5, infinity), "+50.0 %");
}

TEST(IntervalText, IsRelativeOrHasTwoEndsWhereTheyDiffer) {
  EXPECT_EQ(interval_text({2, 1.9, 2.1}), "±5.00 %");
  EXPECT_EQ(interval_text({20e-6, 12.14e-6, 96e-6}), "12.1 to 96.0 us");
  EXPECT_EQ(interval_text({1.2e-3, 0.0009, 0.01}), "0.9 to 10.0 ms");
  EXPECT_EQ(interval_text({1e-9, 0, 5e-9}), "0.00 to 5.00 ns");
  EXPECT_EQ(interval_text({100e6, 61.4e6, 162.8e6}, "bandwidth"), "61.4 MB/s to 163 MB/s");
  EXPECT_EQ(interval_text({16, 12, 44}, "speedup"), "12 to 44");
  EXPECT_EQ(interval_text({2, 2, 2}), "");
  EXPECT_EQ(interval_text({2, 1, infinity}), "");
  EXPECT_EQ(interval_text({2, 2, std::nextafter(2, 3)}), "±0.00 %") << "rounding has no side";
}

TEST(FactText, HasTheUnitOfTheFact) {
  EXPECT_EQ(fact_text("time", 1.234e-5), "12.34 us");
  EXPECT_EQ(fact_text("overlap", 0.42), "42.0 %");
  EXPECT_EQ(fact_text("kernels", 8), "8");
  EXPECT_EQ(fact_text("bandwidth", 4.55e12), "4.55 TB/s");
  EXPECT_EQ(fact_text("sm_clock", 1980), "1980 MHz");
  EXPECT_EQ(fact_text("of a later version", 1.5), "1.5");
}

}  // namespace
}  // namespace apod::show
