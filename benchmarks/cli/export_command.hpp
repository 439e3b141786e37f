#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench export`; returns the exit code.
int export_command(const std::vector<std::string>& arguments);

}  // namespace apod::cli
