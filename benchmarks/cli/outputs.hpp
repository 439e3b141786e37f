#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/turns.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {

/// Where the result goes: to the files of --out, else to a file named after the plan, in results/
/// if there is such a folder. None without --out and without a plan.
std::vector<std::string> output_paths(const Options& options, const Plan* plan);

/// A default result, and a shard's own file, have names that the user did not give.
os::Destination destination(const std::string& path, const Options& options);

/// What is wrong with these outputs, a line each: an unknown extension, a file that can't be
/// written, one named twice, the experiment, its data or its list of ids, a study that --profile
/// would replace. Without a plan, what can be known without one.
std::vector<std::string> output_problems(const std::vector<std::string>& paths,
                                         const Options& options, const Plan* plan);

/// Whether one of these outputs could be written now.
bool some_are_writable(const std::vector<std::string>& paths, const Options& options);

/// Beside an output that is a regular file, links followed; empty for others.
std::string journal_path(const std::string& output);

/// Claims outputs so that no other run writes them, except for the one whose journal is `but`.
/// Throws std::runtime_error if another run has one.
std::vector<os::Claim> claim_outputs(const std::vector<std::string>& outputs,
                                     const std::string& but = {});

/// Whether a traced run recorded anything. If none did, --trace-out leaves an existing file alone.
bool anything_traced(const Result& result);

/// Writes every output; a failure does not stop the others. False, with a line on standard error,
/// if one could not be written.
bool write_results(const std::vector<std::string>& paths, const Options& options,
                   const Result& result);

/// The result as standard output gets it.
void print_result(std::ostream& out, const Options& options, const Result& result);

}  // namespace apod::cli
