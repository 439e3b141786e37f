#pragma once

/// \file
/// What bench tells a person on standard error. No text from a file or a program reaches the
/// terminal with its control characters.

#include <string>

#include "benchmarks/cli/exit_code.hpp"

namespace apod::cli {

/// From here on messages begin with this name: "bench compare".
void speak_as(const std::string& program);

/// Prints "bench compare: TEXT". Where the text has more lines, each of them is quoted behind a bar
/// and so can't be taken for a message, or for a command to the system that reads the log.
void say(const std::string& text);
/// The same, and returns the exit code.
int fail(const std::string& text, int exit_code = ExitCode::failure);

/// Prints one line as it is: a problem that begins with its place, as editors read it.
void say_problem(const std::string& text);

}  // namespace apod::cli
