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

/// The points of `family`; null where it has none of its own.
inline const Points* points_of(std::string_view family) {
  static const std::map<std::string, Points, std::less<>> all{};
  const auto found = all.find(family);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace apod::test
