#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench history`: the trend of cases over result files, with the runs in which they changed.
/// `arguments`: what follows `bench history`. Returns the exit code.
int history_command(const std::vector<std::string>& arguments);

}  // namespace apod::cli
