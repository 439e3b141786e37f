#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/base/os/claim.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {

/// Where the result goes: what --out says, else a file called as the plan, in results/ where there
/// is such a folder. None when --out says nothing and there is no plan.
std::vector<std::string> output_paths(const Options& options, const Plan* plan);

/// What is wrong with these outputs, a line each: an extension that means nothing, a file that
/// can't be written, one named twice, the experiment, its data or its list of ids, a study that
/// --profile would replace. Without a plan, what can be known without one.
std::vector<std::string> output_problems(const std::vector<std::string>& paths,
                                         const Options& options, const Plan* plan);

/// Whether one of these outputs could be written now.
bool some_are_writable(const std::vector<std::string>& paths);

/// Beside an output that is a regular file, links followed; empty for others.
std::string journal_path(const std::string& output);

/// Keeps outputs from other runs, which would lose theirs to this one, but for that whose journal
/// is `but`. Throws std::runtime_error where another run has one.
std::vector<os::Claim> claim_outputs(const std::vector<std::string>& outputs,
                                     const std::string& but = {});

/// Whether a traced run saw anything. Where none did, --trace-out leaves alone what is there.
bool anything_traced(const Result& result);

/// Writes every output; the ones that could be written are, whatever happens to the others. False,
/// and a line on standard error, where one could not.
bool write_results(const std::vector<std::string>& paths, const Options& options,
                   const Result& result);

/// The result as standard output gets it.
void print_result(std::ostream& out, const Options& options, const Result& result);

}  // namespace apod::cli
