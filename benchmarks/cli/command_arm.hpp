#pragma once

/// \file
/// Programs other than `bench`, as commands measure them side by side.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/run/side_by_side.hpp"

namespace apod::cli {

/// --read: what is read of such programs.
void declare_read(
    Flags& flags, std::optional<Reads>& reads,
    const std::string& by_default = "google if the program contains Google Benchmark");

/// The words of a command line. Throws UsageError: an open quote, no word, or need of a shell.
std::vector<std::string> command_words(const std::string& line);

/// Throws std::runtime_error where `file` is not a program; `hint` says where to find one.
void check_program(const std::string& file, const std::string& hint);
/// The same of the program that a command's words name, which may be on the PATH.
void check_command(const std::vector<std::string>& words);

/// How the output of commands is read: as `wished`; else as Google Benchmark's where each is such a
/// program, which is said on standard error; else not at all. Nothing is run to find out.
Reads reads_of(const std::vector<std::vector<std::string>>& commands, std::optional<Reads> wished);

/// For how long each benchmark of a Google Benchmark program runs. A process is one sample, however
/// long that is: short ones give more processes in the same time.
constexpr double usual_seconds = 0.1;
/// The same, so that so many blocks of the benchmarks that the programs list, and the filter keeps,
/// fit into the budget. At least 1 ms. A program that lists none counts as one.
double seconds_in_budget(const std::vector<std::vector<std::string>>& commands, Reads reads,
                         std::optional<double> budget_s, const text::Pattern& filter, int blocks);

/// The words of a command that reads `reads`, with the time of each benchmark.
std::vector<std::string> shortened(std::vector<std::string> words, Reads reads,
                                   double seconds = usual_seconds);

/// This program, which runs an experiment of the one command in `folder`; it is written to `file`.
run::Arm arm_of_command(std::vector<std::string> words, Reads reads, const std::string& folder,
                        const std::string& file, double seconds = usual_seconds);

}  // namespace apod::cli
