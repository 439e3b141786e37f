#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench sass`; returns the exit code.
int sass_command(const std::vector<std::string>& arguments);

}  // namespace apod::cli
