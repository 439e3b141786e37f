#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench inspect`: what another program did, from an export of nsys. `arguments`: what follows
/// `bench inspect`. Returns the exit code.
int inspect_command(const std::vector<std::string>& arguments);

}  // namespace apod::cli
