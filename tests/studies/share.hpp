#pragma once

/// \file
/// How often something happened in a simulation.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace apod::simulation {

/// A share with the 95 % interval of Wilson (1927).
struct Share {
  int hits = 0;
  int trials = 0;
  std::string text() const {
    const double n = trials;
    const double p = hits / n;
    const double z = 1.96;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return fmt::format("{:.1f} ({:.1f} to {:.1f})", 100 * p, 100 * std::max(0.0, centre - half),
                       100 * std::min(1.0, centre + half));
  }
};

}  // namespace apod::simulation
