#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace apod::cli {

/// Parses the arguments of a command line, first to last, without the program. Throws what
/// CLI::App::parse does, also where a file's name is empty: that is an unset variable of a shell,
/// not a wish to go without the file.
void parse_arguments(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace apod::cli
