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

/// Arrays whose length is a multiple of four and not, walks of one pair and of many, each
/// allocator.
inline Points elementwise_points() {
  const auto point = [](std::int64_t size, std::int64_t arrays, const char* allocator) -> Point {
    return {{"size", size}, {"arrays", arrays}, {"allocator", allocator}};
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
  for (const char* accumulator : {"fp32", "fp64"}) {
    for (const char* keys : {"uniform", "skewed", "sorted"}) {
      const auto point = [&](std::int64_t size, std::int64_t groups) -> Point {
        return {{"size", size}, {"groups", groups}, {"keys", keys}, {"accumulator", accumulator}};
      };
      for (const std::int64_t groups : {1, 3, 100, 5000}) {
        for (const std::int64_t size : {1, 8195, 100'001}) {
          points.small.push_back(point(size, groups));
        }
      }
      for (const std::int64_t groups : {1, 10, 100, 1000, 20'000, 1'000'000}) {
        points.large.push_back(point(10'000'001, groups));
      }
    }
  }
  return points;
}

inline Points bilinear_points() {
  const auto both = [](std::vector<Point>& points, const char* size, std::int64_t scale,
                       std::int64_t batch, std::int64_t channels) {
    for (const char* direction : {"fprop", "bprop"}) {
      points.push_back({{"size", size},
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
  both(points.small, "6x200", 2, 2, 3);  // two windows of eight outputs a lane, in aligned rows
  both(points.small, "5x132", 1, 1, 2);
  both(points.large, "3x130", 2, 40'000, 1);  // several planes a thread
  both(points.large, "257x1023", 2, 2, 7);
  both(points.large, "256x256", 4, 2, 8);
  both(points.large, "2x2", 2, 70'000, 1);  // more planes than a grid has along y
  return points;
}

/// Sides of 1, odd ones and whole tiles, of each type; rows that are aligned to 16 bytes and not;
/// large products of which some rows alone are checked one by one.
inline Points gemm_points() {
  const auto point = [](const char* a, std::int64_t n, const char* type) -> Point {
    return {{"size", a}, {"n", n}, {"type", type}};
  };
  return {.small = {point("1x1", 1, "fp32"), point("1x37", 1, "fp16"), point("7x1", 5, "tf32"),
                    point("1x40", 72, "bf16"), point("33x65", 17, "fp32"),
                    point("64x64", 64, "fp32"), point("70x36", 132, "tf32"),
                    point("67x33", 131, "fp16"), point("72x40", 136, "fp16"),
                    point("129x24", 72, "bf16"), point("131x19", 65, "bf16")},
          .large = {point("1000x1001", 999, "fp32"), point("2049x1100", 1030, "fp32"),
                    point("2048x2048", 2048, "fp32"), point("2048x2048", 2048, "tf32"),
                    point("1500x4104", 1288, "fp16"), point("1501x4099", 1283, "fp16"),
                    point("2048x4096", 2048, "bf16"), point("100x30001", 103, "bf16"),
                    point("4100x200", 2312, "fp16")}};  // several tiles for each multiprocessor
}

inline Points network_points() {
  const auto point = [](const char* size, std::int64_t batch, std::int64_t channels,
                        const char* direction, const char* type, const char* layout = "nchw") {
    return Point{{"size", size},           {"batch", batch}, {"channels", channels},
                 {"direction", direction}, {"type", type},   {"layout", layout}};
  };
  return {
      // cuDNN takes multiples of 4 channels; tests of the host have others.
      {point("2x2", 1, 4, "bprop", "fp32"), point("2x3", 2, 12, "bprop", "tf32"),
       point("5x4", 3, 20, "bprop", "fp32"), point("7x37", 2, 40, "bprop", "fp32"),
       point("18x34", 1, 36, "fprop", "fp32"), point("19x6", 2, 8, "fprop", "tf32"),
       point("7x6", 2, 8, "bprop", "fp32", "nhwc"), point("9x12", 3, 12, "bprop", "tf32", "nhwc")},
      {point("56x56", 8, 64, "bprop", "fp32"), point("57x55", 5, 40, "bprop", "tf32"),
       point("224x224", 2, 16, "fprop", "fp32"), point("56x56", 8, 64, "bprop", "fp32", "nhwc"),
       point("28x28", 8, 64, "bprop", "tf32", "nhwc")}};
}

/// The points of `family`; null where it has none of its own.
inline const Points* points_of(std::string_view family) {
  static const std::map<std::string, Points, std::less<>> all{
      {"bilinear", bilinear_points()}, {"elementwise", elementwise_points()},
      {"groupby", groupby_points()},   {"gemm", gemm_points()},
      {"network", network_points()},
  };
  const auto found = all.find(family);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace apod::test
