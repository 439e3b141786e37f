#include <gtest/gtest.h>

#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

using Texts = std::vector<std::string>;

Texts of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::optional<AxisValue>> values(numbers.begin(), numbers.end());
  return axis_texts(values);
}

TEST(AxisTexts, WriteTheSizesOfAColumnOneWay) {
  EXPECT_EQ(of({1, 4, 4096}), (Texts{"1", "4", "4096"}));
  EXPECT_EQ(of({1024, 1 << 20}), (Texts{"2^10", "2^20"}));
  EXPECT_EQ(of({1000, 100'000'000, 25'000'000}), (Texts{"1e3", "1e8", "2.5e7"}));
  EXPECT_EQ(of({1 << 20, 100'000'000}), (Texts{"1048576", "100000000"}));
  EXPECT_EQ(of({0, 1 << 20}), (Texts{"0", "1048576"}));
  EXPECT_EQ(of({-8192, 100'000}), (Texts{"-8192", "100000"}));
  EXPECT_EQ(of({12'345'678}), (Texts{"12345678"}));
}

TEST(AxisTexts, LeaveWordsAndGapsAsTheyAre) {
  EXPECT_EQ(axis_texts({std::string("pinned"), std::nullopt, std::int64_t{1} << 20}),
            (Texts{"pinned", "", "2^20"}));
}

}  // namespace
}  // namespace apod::show
