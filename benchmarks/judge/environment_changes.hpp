#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// A property of the machine or the build in which the two sides differ.
struct EnvironmentChange {
  std::string key;   ///< "driver"
  std::string text;  ///< "driver 570.1 -> 580.2", "commit ..."
  /// Times of the two can't be compared: another GPU, driver, power limit ...
  bool decisive = false;
};

/// All differences, decisive ones first. A key that one side does not record is a difference that
/// decides nothing; a side whose own sessions differ in a decisive key is one that does.
std::vector<EnvironmentChange> environment_changes(const Side& base, const Side& new_side);

}  // namespace apod::judge
