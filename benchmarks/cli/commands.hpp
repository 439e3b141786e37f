#pragma once

/// \file
/// What `bench` does once the command line is understood. Each returns the exit code.

#include <string>
#include <vector>

#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Plans, runs, reports and writes.
int run_command(const Options& options, const Registry& registry);
/// Workloads, variants, axes, facts and shipped configs, one line each.
int list_command(const Registry& registry);
/// Tells standard error of variants whose family is not there: a slip in a registrar.
void warn_of_strays(const Registry& registry);
/// Prints the plan of a run that does not take place; returns the number of cases that would run.
std::size_t print_plan(const Plan& plan, const Registry& registry);

/// Where shipped configs are: `configs/` beside or above the executable, and in an installation
/// share/apodbench/configs. In the order in which they are searched.
std::vector<std::string> config_folders();
/// The file that `--config name` means: the path itself when it exists or has a folder in it, else
/// a shipped config of that name, with or without ".yaml".
std::string find_config(const std::string& name);

/// This program's own file, for starting it again.
std::string own_program();

}  // namespace apod::cli
