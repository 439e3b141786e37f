#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {

/// A file that names commands is a program of whoever wrote it. So is one that names kernels: where
/// the system shares its page tables with the GPU, a kernel reaches all memory of its process.
bool is_trusted(const Options& options);

/// "commands", "kernels" or both; empty where the plan runs nothing that the file brings.
std::string code_of_file(const Plan& plan);

/// Says that `config` brings this code and was not trusted; returns ExitCode::nothing_to_judge.
int refuse_code(const std::string& config, const std::string& code);

/// Where the plan brings code that is not trusted: prints it, and refuses as refuse_code().
std::optional<int> refuse_untrusted(const Options& options, const Plan& plan);

/// For what starts `bench` on `config` with `arguments` (--set, --backend, --device ..., --trust):
/// where that would be refused, prints what would run and refuses at once. Nothing where it may
/// run, or where the file can't be planned, which the started program says. Throws
/// std::runtime_error as look_at_machine().
std::optional<int> refuse_untrusted(const std::string& config,
                                    const std::vector<std::string>& arguments);

}  // namespace apod::cli
