#pragma once

#include <string>
#include <vector>

#include "benchmarks/model/side.hpp"

namespace apod::compare {

/// A property of the machine or the build in which the two sides differ.
struct EnvironmentChange {
  std::string key;   ///< "driver"
  std::string text;  ///< "driver 570.1 -> 580.2", "commit ..."
  /// Times of the two can't be compared: another GPU, driver, power limit ...
  bool decisive = false;
};

/// Whether times taken under different values of `key` can't be compared.
bool is_decisive(const std::string& key);

/// All differences, decisive ones first. A key that one side does not record is a difference that
/// decides nothing; a side whose own sessions differ in a decisive key is one that does.
std::vector<EnvironmentChange> environment_changes(const Side& base, const Side& new_side);

/// Processors of the machine; 1 where no session tells.
double processors(const Side& base, const Side& new_side);

/// Why a change of times between the two would not be the code's: other processes used the GPU, or
/// many of the `cpus` processors, while one of them was measured. Empty where they did not, or as
/// much on both sides.
std::string disturbance(const SideCase& base, const SideCase& new_case, double cpus);

}  // namespace apod::compare
