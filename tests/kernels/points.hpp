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

/// Sides of 1, odd ones and whole tiles, of each type; rows that are aligned to 16 bytes and not;
/// large products of which some rows alone are checked one by one.
inline Points gemm_points() {
  const auto point = [](const char* a, std::int64_t n, const char* type) -> Point {
    return {{"size", std::string(a)}, {"n", n}, {"type", std::string(type)}};
  };
  return {.small = {point("1x1", 1, "fp32"), point("1x37", 1, "fp16"), point("7x1", 5, "tf32"),
                    point("1x40", 72, "bf16"), point("33x65", 17, "fp32"),
                    point("64x64", 64, "fp32"), point("70x36", 132, "tf32"),
                    point("67x33", 131, "fp16"), point("72x40", 136, "fp16"),
                    point("129x24", 72, "bf16"), point("131x19", 65, "bf16")},
          .large = {point("1000x1001", 999, "fp32"), point("2049x1100", 1030, "fp32"),
                    point("2048x2048", 2048, "fp32"), point("2048x2048", 2048, "tf32"),
                    point("1500x4104", 1288, "fp16"), point("1501x4099", 1283, "fp16"),
                    point("2048x4096", 2048, "bf16"), point("100x30001", 103, "bf16")}};
}

/// The points of `family`; null where it has none of its own.
inline const Points* points_of(std::string_view family) {
  static const std::map<std::string, Points, std::less<>> all{
      {"gemm", gemm_points()},
  };
  const auto found = all.find(family);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace apod::test
