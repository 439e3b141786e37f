#pragma once

/// \file
/// What can be changed about any program from outside, by its environment.

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/finding.hpp"
#include "benchmarks/look/frameworks.hpp"
#include "kernels/api/backend.hpp"

namespace apod::look {

/// The compute capability as a number. A device that tells none counts as a new one.
inline double capability(const DeviceFacts& device) {
  return device.compute_capability.empty() ? 9 : std::atof(device.compute_capability.c_str());
}

struct Switch {
  struct Variable {
    std::string_view name;
    std::string_view value;
    /// Between what the variable holds already and the value; empty: the value replaces it.
    std::string_view joined_by = "";
  };
  std::string_view name;
  std::string_view help;              ///< one line
  std::array<Variable, 2> variables;  ///< the second may be empty
  std::string_view finding;           ///< whose cause it takes away; empty: of none
  /// The framework whose programs get this advice; `cuda`: all programs.
  Framework framework = Framework::cuda;
  double least_capability = 0;
};

/// All that there are. Memory can't be pinned from outside: the program allocates it.
std::span<const Switch> known_switches();

/// The environment variables of a switch of the list, or of `VARIABLE=VALUE`. Throws
/// std::invalid_argument for an unknown name; the message has the list.
std::vector<std::pair<std::string, std::string>> variables_of(const std::string& name);

/// The finding that a switch tests; empty for one that is not in the list.
std::string_view finding_of_switch(std::string_view name);

/// Adds to the advice of each finding the switch that tests it in programs of this framework on
/// this device.
void name_switches(Framework framework, const DeviceFacts& device, std::vector<Finding>& findings);

}  // namespace apod::look
