#pragma once

/// \file
/// An experiment from a command line: it is printed, so that its user can keep it, and run.

#include <string>

#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Runs an experiment for the command called `name`. Its text names files by their whole paths. It
/// is trusted: the user wrote the command line. Standard output belongs to the printed experiment,
/// so all else goes to standard error. The result is kept only where `options` name a file. Returns
/// the exit code.
int run_printed(const std::string& name, const std::string& text, Options options,
                const Registry& registry);

}  // namespace apod::cli
