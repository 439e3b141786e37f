#pragma once

/// \file
/// The commands of bench. Each is created here and described in its own file.

#include <memory>
#include <string>
#include <vector>

#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

std::unique_ptr<Command> make_run();
std::unique_ptr<Command> make_try();
std::unique_ptr<Command> make_time();
std::unique_ptr<Command> make_new();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_plot();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_bisect();
std::unique_ptr<Command> make_tune();
std::unique_ptr<Command> make_calibrate();
std::unique_ptr<Command> make_ceilings();
std::unique_ptr<Command> make_history();
std::unique_ptr<Command> make_merge();
std::unique_ptr<Command> make_submit();
std::unique_ptr<Command> make_status();
std::unique_ptr<Command> make_inspect();
std::unique_ptr<Command> make_capture();
std::unique_ptr<Command> make_export();
std::unique_ptr<Command> make_sass();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_man();
std::unique_ptr<Command> make_schema();

/// All but bench itself, in the order of its help.
const std::vector<CommandEntry>& commands();
/// The command called `name`, else bench itself.
const CommandEntry& find_command(const std::string& name);
/// The name of the command that `word` may have meant; empty if none is close.
std::string closest_command(const std::string& word);

/// The command line `program FILE ...` as `program --config FILE ...`, `program try FILE ...` or
/// `program show FILE ...`, by the file's extension; `program OLD NEW ...`, of two programs, as
/// `program compare --base-cmd OLD --new-cmd NEW ...`; any other as it is.
std::vector<std::string> spelled_out(std::vector<std::string> line);

/// Plans `bench --config`, and measures or shows what would be. Returns the exit code.
int run_experiments(const Options& options, const Registry& registry);

}  // namespace apod::cli
