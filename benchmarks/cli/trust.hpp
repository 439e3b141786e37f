#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {

/// Whether the user trusts what the command line names: by --trust or by APOD_TRUST.
bool trusts(const Options& options);

/// Whether the experiment file may run code. A file that names commands runs its author's code. So
/// does one that names kernels: if the system shares its page tables with the GPU, a kernel reaches
/// all memory of its process.
bool is_trusted(const Options& options);

/// "commands", "kernels" or both; empty if the plan runs no code from the file.
std::string code_of_file(const Plan& plan);

/// Says that `config` brings this code and was not trusted; returns ExitCode::nothing_to_judge.
int refuse_code(const std::string& config, const std::string& code);

/// If the plan has code that is not trusted: prints it, and refuses as refuse_code().
std::optional<int> refuse_untrusted(const Options& options, const Plan& plan);

/// For functions that start `bench` on `config` with `arguments` (--set, --backend, --device ...,
/// --trust): if that would be refused, prints what would run and refuses at once. Nothing if it may
/// run, or if the file can't be planned, which the started program reports. Throws
/// std::runtime_error as look_at_machine().
std::optional<int> refuse_untrusted(const std::string& config,
                                    const std::vector<std::string>& arguments);

}  // namespace apod::cli
