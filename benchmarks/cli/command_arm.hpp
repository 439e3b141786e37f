#pragma once

/// \file
/// Programs other than `bench`, as commands measure them side by side.

#include <string>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/run/side_by_side.hpp"

namespace apod::cli {

/// --read: what is read of such programs.
void declare_read(Flags& flags, std::optional<Reads>& reads);

/// The words of such a command line. Throws UsageError: `flag` leaves a quote open, or names
/// nothing.
std::vector<std::string> command_words(const std::string& flag, const std::string& line);

/// This program, which runs an experiment of the one command in `folder`; it is written to `file`.
run::Arm arm_of_command(std::vector<std::string> words, Reads reads, const std::string& folder,
                        const std::string& file);

}  // namespace apod::cli
