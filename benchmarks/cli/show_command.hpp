#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench show`: prints saved results as their runs printed them. Returns the exit code.
int show_command(const std::vector<std::string>& arguments);

}  // namespace apod::cli
