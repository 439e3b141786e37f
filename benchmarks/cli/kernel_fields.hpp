#pragma once

#include <vector>

#include "benchmarks/cli/kernel_guess.hpp"

namespace apod::cli {

/// The kernel's parameters in turn, structures by their fields, and the __constant__ variables that
/// it reads. Throws std::runtime_error for a type that an experiment can't give.
std::vector<GuessedArgument> arguments_of(const GuessBasis& basis);

/// A line about each of the program's variables that the kernel names and that stay zero.
std::vector<std::string> zeros_of(const GuessBasis& basis,
                                  const std::vector<GuessedArgument>& given);

}  // namespace apod::cli
