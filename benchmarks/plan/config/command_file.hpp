#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/command.hpp"

namespace apod::config {

/// An experiment file of one command without axes. Its cases are called `name` and "program",
/// whatever the program's name, so that two programs can be compared.
std::string command_file(const std::string& name, const std::vector<std::string>& words,
                         const std::string& folder, Reads reads);

}  // namespace apod::config
