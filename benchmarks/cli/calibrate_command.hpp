#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench calibrate`; returns the exit code.
int calibrate_command(const std::vector<std::string>& arguments);

}  // namespace apod::cli
