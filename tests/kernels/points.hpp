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

inline Points network_points() {
  const auto point = [](const char* size, std::int64_t batch, std::int64_t channels,
                        const char* direction, const char* type) {
    return Point{{"size", std::string(size)},
                 {"batch", batch},
                 {"channels", channels},
                 {"direction", std::string(direction)},
                 {"type", std::string(type)}};
  };
  return {{point("2x2", 1, 1, "bprop", "fp32"), point("2x3", 2, 3, "bprop", "tf32"),
           point("5x4", 3, 9, "bprop", "fp32"), point("7x37", 2, 17, "bprop", "fp32"),
           point("18x34", 1, 33, "fprop", "fp32"), point("19x6", 2, 8, "fprop", "tf32")},
          {point("56x56", 8, 64, "bprop", "fp32"), point("57x55", 5, 40, "bprop", "tf32"),
           point("224x224", 2, 16, "fprop", "fp32")}};
}

/// The points of `family`; null where it has none of its own.
inline const Points* points_of(std::string_view family) {
  static const std::map<std::string, Points, std::less<>> all{
      {"network", network_points()},
  };
  const auto found = all.find(family);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace apod::test
