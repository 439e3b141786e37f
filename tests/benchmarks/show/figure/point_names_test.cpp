#include "benchmarks/show/figure/point_names.hpp"

#include <gtest/gtest.h>

namespace apod::figure {
namespace {

constexpr Box edge{0, 0, 400, 300};

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

TEST(PointNames, StandToTheRightWhereThereIsRoom) {
  const auto places = point_name_places({{100, 100, 50}}, {}, edge);
  ASSERT_TRUE(places[0]);
  EXPECT_GT(places[0]->left, 100);
  EXPECT_LT(places[0]->top, 100);
  EXPECT_GT(places[0]->bottom, 100);
}

TEST(PointNames, StandToTheLeftAtTheRightEdge) {
  const auto places = point_name_places({{390, 100, 50}}, {}, edge);
  ASSERT_TRUE(places[0]);
  EXPECT_LT(places[0]->right, 390);
}

TEST(PointNames, CoverNeitherEachOtherNorWhatIsThere) {
  std::vector<NamedPoint> points;
  for (int i = 0; i < 12; ++i) points.push_back({200.0 + i % 3, 150.0 + i % 5, 120});
  const Box there{208, 140, 300, 160};
  std::vector<Box> placed;
  for (const auto& place : point_name_places(points, {there}, edge)) {
    ASSERT_TRUE(place) << "there is room for twelve";
    EXPECT_FALSE(overlap(*place, there));
    for (const Box& other : placed) EXPECT_FALSE(overlap(*place, other));
    placed.push_back(*place);
  }
}

TEST(PointNames, StandNearestToTheirOwnPointWhereThereIsRoom) {
  // Right of the upper point its name would lie nearer to the lower one, to the right.
  const std::vector<NamedPoint> points{{100, 100, 50}, {130, 112, 50}};
  const auto places = point_name_places(points, {}, edge);
  ASSERT_TRUE(places[0] && places[1]);
  EXPECT_LT(places[0]->right, 100) << "left of its point";
  EXPECT_GT(places[1]->left, 130);
}

TEST(PointNames, OfPointsThatLieCloseTheyKeepTheOrder) {
  const auto places =
      point_name_places({{100, 103, 50}, {100, 100, 50}, {100, 102, 50}, {100, 101, 50}}, {}, edge);
  EXPECT_LT(places[1]->top, places[3]->top);
  EXPECT_LT(places[3]->top, places[2]->top);
  EXPECT_LT(places[2]->top, places[0]->top);
}

TEST(PointNames, ANameThatWentPastAnotherChangesPlacesWithIt) {
  const Box below{13, 110, 100, 300};  // so the second has room above the first alone
  const auto places = point_name_places({{5, 100, 50}, {5, 102, 50}}, {below}, edge);
  ASSERT_TRUE(places[0] && places[1]);
  EXPECT_LT(places[0]->bottom, places[1]->top + 1e-9);
}

TEST(PointNames, ANameWithoutRoomIsLeftOut) {
  EXPECT_FALSE(point_name_places({{100, 100, 500}}, {}, edge)[0]);
  EXPECT_FALSE(point_name_places({{100, 100, 50}}, {edge}, edge)[0]);
}

}  // namespace
}  // namespace apod::figure
