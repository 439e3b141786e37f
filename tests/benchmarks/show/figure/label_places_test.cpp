#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/show/figure/point_names.hpp"

namespace apod::figure {
namespace {

TEST(LabelPlacesTest, LabelsThatHaveRoomStayWhereTheyAre) {
  EXPECT_EQ(label_places({10, 50, 30}, 15, 0, 100), (std::vector<double>{10, 50, 30}));
}

TEST(LabelPlacesTest, LabelsThatWouldOverlapMoveApartAboutTheirMean) {
  EXPECT_EQ(label_places({50, 50}, 10, 0, 100), (std::vector<double>{45, 55}));
  EXPECT_EQ(label_places({50, 52, 48}, 10, 0, 100), (std::vector<double>{50, 60, 40}));
}

TEST(LabelPlacesTest, LabelsStayWithinTheEnds) {
  EXPECT_EQ(label_places({0, 0}, 10, 5, 100), (std::vector<double>{5, 15}));
  EXPECT_EQ(label_places({99, 99}, 10, 0, 100), (std::vector<double>{90, 100}));
}

TEST(LabelPlacesTest, ManyLabelsKeepTheirDistance) {
  std::vector<double> wanted;
  for (int i = 0; i < 40; ++i) wanted.push_back((i * 37) % 50);
  auto places = label_places(wanted, 12, 0, 300);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 12 - 1e-9);
}

TEST(LabelPlacesTest, NoLabelsHaveNoPlaces) {
  EXPECT_TRUE(label_places({}, 10, 0, 100).empty());
}

}  // namespace
}  // namespace apod::figure
