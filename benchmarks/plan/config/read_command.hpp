#pragma once

#include <string>

#include "benchmarks/base/command.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {

/// `workload: {command: [...], ...}`. `axes` and `zip` are the experiment's, and give its axes:
/// counts if all values are, else words. A relative `cwd` starts at `folder`, the config's. The
/// result is useful only if there was no problem.
CommandSpec read_command(const Field& workload, const Fields& axes, const Field* zip,
                         const std::string& folder, Problems& problems);

/// The name of the program, for ids: "sort" of /usr/bin/sort.
std::string name_of_program(const CommandSpec& command);

}  // namespace apod::config
