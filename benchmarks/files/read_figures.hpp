#pragma once

/// \file
/// Numbers from what a program printed or wrote, and the cases in it.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/text/pattern.hpp"

namespace apod::files {

/// More output than this is not read.
inline constexpr std::size_t longest_output = std::size_t{4} << 20;

/// The values of each of the command's figures, in the units of their facts and the order of the
/// output: one for each line that the expression matches, or for each value that the path leads to.
/// Throws std::runtime_error, with the figure, if there is none, if one is not a number or has
/// another unit, and for a time that is not above 0. `ask` is called now and then; what it throws
/// stops the reading.
std::map<std::string, std::vector<double>> read_figures(const CommandSpec& command,
                                                        const std::string& output,
                                                        const text::Ask& ask = {});

/// The cases of a JSON output, at `command.cases`: arrays, or a value each. A repeated name is
/// another sample of its case. A row without a time is a failure of its case; one without a name is
/// left out, and `notes` say which. Throws std::runtime_error where none has a name.
std::vector<FoundCase> read_json_cases(const CommandSpec& command, const std::string& output,
                                       std::vector<std::string>& notes);

/// "; its last line is 'took 3 s'", "; it printed nothing": for messages that miss something in it.
std::string what_was_printed(const std::string& output);

}  // namespace apod::files
