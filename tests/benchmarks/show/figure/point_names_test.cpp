#include "benchmarks/show/figure/point_names.hpp"

#include <gtest/gtest.h>

#include <random>

namespace apod::figure {
namespace {

constexpr Box edge{0, 0, 400, 300};

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

TEST(PointNames, StandToTheRightWhereThereIsRoom) {
  const auto places = point_name_places({{100, 100, 50}}, {}, edge);
  ASSERT_TRUE(places[0]);
  EXPECT_GT(places[0]->box.left, 100);
  EXPECT_LT(places[0]->box.top, 100);
  EXPECT_GT(places[0]->box.bottom, 100);
}

TEST(PointNames, StandToTheLeftAtTheRightEdge) {
  const auto places = point_name_places({{390, 100, 50}}, {}, edge);
  ASSERT_TRUE(places[0]);
  EXPECT_LT(places[0]->box.right, 390);
}

TEST(PointNames, CoverNeitherEachOtherNorWhatIsThere) {
  std::vector<NamedPoint> points;
  for (int i = 0; i < 12; ++i) points.push_back({200.0 + i % 3, 150.0 + i % 5, 120});
  const Box there{208, 140, 300, 160};
  std::vector<Box> placed;
  for (const auto& place : point_name_places(points, {{there}}, edge)) {
    ASSERT_TRUE(place) << "there is room for twelve";
    EXPECT_FALSE(overlap(place->box, there));
    for (const Box& other : placed) EXPECT_FALSE(overlap(place->box, other));
    placed.push_back(place->box);
  }
}

TEST(PointNames, StandNearestToTheirOwnPointWhereThereIsRoom) {
  // Right of the upper point its name would lie nearer to the lower one, to the right.
  const std::vector<NamedPoint> points{{100, 100, 50}, {130, 112, 50}};
  const auto places = point_name_places(points, {}, edge);
  ASSERT_TRUE(places[0] && places[1]);
  EXPECT_LT(places[0]->box.right, 100) << "left of its point";
  EXPECT_GT(places[1]->box.left, 130);
}

TEST(PointNames, OfPointsThatLieCloseTheyKeepTheOrder) {
  const auto places =
      point_name_places({{100, 103, 50}, {100, 100, 50}, {100, 102, 50}, {100, 101, 50}}, {}, edge);
  EXPECT_LT(places[1]->box.top, places[3]->box.top);
  EXPECT_LT(places[3]->box.top, places[2]->box.top);
  EXPECT_LT(places[2]->box.top, places[0]->box.top);
}

TEST(PointNames, ANameThatWentPastAnotherChangesPlacesWithIt) {
  const Box below{13, 110, 100, 300};  // so the second has room above the first alone
  const auto places = point_name_places({{5, 100, 50}, {5, 102, 50}}, {{below}}, edge);
  ASSERT_TRUE(places[0] && places[1]);
  EXPECT_LT(places[0]->box.bottom, places[1]->box.top + 1e-9);
}

/// Whether the line goes through the box, by its points.
bool crosses(const Line& line, const Box& box) {
  for (int i = 0; i <= 1000; ++i) {
    const double x = line.x1 + (line.x2 - line.x1) * i / 1000;
    const double y = line.y1 + (line.y2 - line.y1) * i / 1000;
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}

TEST(PointNames, NoLeaderCrossesANameOrWhatIsWritten) {
  std::mt19937 random(1);
  const auto below = [&](double end) { return std::uniform_real_distribution(0.0, end)(random); };
  std::size_t leaders = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<NamedPoint> points;
    for (int i = 0; i < 10; ++i)
      points.push_back({150 + below(60), 120 + below(50), 60 + below(60)});
    const Box text{180, 90, 260, 106};
    const auto places = point_name_places(points, {{}, {text}}, edge);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i] || !places[i]->leader) continue;
      ++leaders;
      EXPECT_FALSE(crosses(*places[i]->leader, text));
      for (std::size_t k = 0; k < places.size(); ++k) {
        if (!places[k] || k == i) continue;
        EXPECT_FALSE(crosses(*places[i]->leader, places[k]->box));
      }
    }
  }
  EXPECT_GT(leaders, 100U);
}

TEST(NameAlong, StandsAboveTheLineClearOfWhatIsThere) {
  const Line line{0, 300, 400, 0};
  const auto free = name_along(line, 100, {}, edge);
  ASSERT_TRUE(free);
  EXPECT_LT(free->bottom, 300 - free->right * 0.75) << "above the line";
  const auto moved = name_along(line, 100, {{*free}}, edge);
  ASSERT_TRUE(moved);
  EXPECT_FALSE(overlap(*moved, *free));
  EXPECT_FALSE(name_along(line, 100, {{edge}}, edge)) << "no room";
}

TEST(PointNames, ANameWithoutRoomIsLeftOut) {
  EXPECT_FALSE(point_name_places({{100, 100, 500}}, {}, edge)[0]);
  EXPECT_FALSE(point_name_places({{100, 100, 50}}, {{edge}}, edge)[0]);
}

}  // namespace
}  // namespace apod::figure
