#pragma once

/// \file
/// Messages to a person on standard error. No text from a file or a program reaches the terminal
/// with its control characters.

#include <string>

#include "benchmarks/cli/exit_code.hpp"

namespace apod::cli {

/// From here on messages begin with this name: "bench compare".
void speak_as(const std::string& program);

/// Prints "bench compare: TEXT". Each further line of the text is quoted after a bar, so that it
/// can't be mistaken for a message, or for a command to the system that reads the log.
void say(const std::string& text);
/// The same, and returns the exit code.
int fail(const std::string& text, int exit_code = ExitCode::failure);

/// Prints one line as it is: a problem that begins with its place, as editors read it.
void say_problem(const std::string& text);

}  // namespace apod::cli
