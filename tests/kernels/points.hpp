#pragma once

/// \file
/// The points at which families are tested whose shapes the general ones don't fit. A family that
/// is not named here is tested at general sizes, masks and accumulators (cases.hpp).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/api/params.hpp"

namespace apod::test {

/// Values of some axes; the others have their defaults.
using Point = std::vector<std::pair<std::string, AxisValue>>;

struct Points {
  std::vector<Point> small;  ///< odd shapes, for every backend
  std::vector<Point> large;  ///< for devices that are fast: more work than a grid holds at once
};

/// Sides of one, windows of columns that are full and that are not, both directions.
inline Points bilinear_points() {
  const auto both = [](std::vector<Point>& points, const char* size, std::int64_t scale,
                       std::int64_t batch, std::int64_t channels) {
    for (const std::string direction : {"fprop", "bprop"}) {
      points.push_back({{"size", std::string(size)},
                        {"scale", scale},
                        {"batch", batch},
                        {"channels", channels},
                        {"direction", direction}});
    }
  };
  Points points;
  for (const char* size : {"1x7", "7x1", "2x2", "64x64"}) both(points.small, size, 2, 2, 3);
  for (const std::int64_t scale : {1, 2, 3}) both(points.small, "33x65", scale, 2, 3);
  for (const std::int64_t scale : {1, 32}) both(points.small, "1x1", scale, 1, 2);
  for (const char* size : {"2x3", "3x2", "9x5"}) both(points.small, size, 32, 1, 2);
  both(points.small, "5x131", 1, 1, 1);  // more columns than a warp's window, and shared by none
  both(points.small, "4x66", 7, 1, 1);
  both(points.large, "257x1023", 2, 2, 7);
  both(points.large, "256x256", 4, 2, 8);
  both(points.large, "2x2", 2, 70'000, 1);  // more planes than a grid has along y
  return points;
}

/// Arrays whose length is a multiple of four and not, walks of one pair and of many, each
/// allocator.
inline Points elementwise_points() {
  const auto point = [](std::int64_t size, std::int64_t arrays, const char* allocator) -> Point {
    return {{"size", size}, {"arrays", arrays}, {"allocator", std::string(allocator)}};
  };
  return {.small = {point(1, 2, "arena"), point(1, 40, "malloc"), point(7, 3, "pool"),
                    point(33, 5, "arena"), point(64, 2, "pool"), point(257, 17, "malloc"),
                    point(1003, 19, "arena"), point(4096, 8, "arena"), point(40000, 20, "pool"),
                    point(50001, 6, "arena")},
          .large = {point(1 << 20, 34, "malloc"), point(1000003, 12, "pool"),
                    point(5, 30000, "arena"), point(1 << 24, 3, "arena")}};
}

/// No rows for a group, one group, tables in one copy and in many, tables that are too large.
inline Points groupby_points() {
  Points points;
  for (const std::string accumulator : {"fp32", "fp64"}) {
    const auto add = [&](std::vector<Point>& to, std::int64_t size, std::int64_t groups,
                         std::string keys) {
      to.push_back(
          {{"size", size}, {"groups", groups}, {"keys", keys}, {"accumulator", accumulator}});
    };
    for (const std::string keys : {"uniform", "skewed", "sorted"}) {
      for (const std::int64_t groups : {1, 3, 100, 5000}) {
        for (const std::int64_t size : {1, 8195, 100'001}) {
          add(points.small, size, groups, keys);
        }
      }
      for (const std::int64_t groups : {1, 10, 1000, 20'000, 1'000'000}) {
        add(points.large, 10'000'001, groups, keys);
      }
    }
  }
  return points;
}

/// The points of `family`; null where it has none of its own.
inline const Points* points_of(std::string_view family) {
  static const std::map<std::string, Points, std::less<>> all{
      {"bilinear", bilinear_points()},
      {"elementwise", elementwise_points()},
      {"groupby", groupby_points()},
  };
  const auto found = all.find(family);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace apod::test
