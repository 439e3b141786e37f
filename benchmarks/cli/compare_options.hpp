#pragma once

/// \file
/// The command line of `bench compare` as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/files/metric.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {

using show::FailOn;

/// Which exit codes a comparison ends with: exit_code.hpp, or those of `git bisect run`.
enum class ExitCodes : std::uint8_t { usual, git };

struct CompareRequest {
  std::vector<std::string> sides;  ///< BASE and NEW as words; settled, they are in the next two
  // Two sides of files ...
  std::vector<std::string> base;
  std::vector<std::string> new_side;
  // ... or two builds, or values of an axis, measured in turn ...
  std::string base_bin;
  std::string new_bin;
  // ... or both: files, and then two builds for what may have changed by them.
  bool confirm = false;
  bool changed = false;  ///< of two builds: run only cases whose code differs, or may
  // ... or two other programs ...
  std::string base_cmd;
  std::string new_cmd;
  std::optional<Reads> reads;  ///< how output is read; also that of base_bin and new_bin
  std::vector<std::string> base_words, new_words;  ///< settled
  std::string config;
  std::string by;                           ///< axis of --by; empty: builds
  std::vector<std::string> values;          ///< of that axis, two or more
  std::vector<std::string> slot_arguments;  ///< --set, --backend, --device ... for every slot
  std::optional<int> blocks;
  std::optional<double> budget_s;
  std::optional<std::uint64_t> seed;

  CompareOptions compare;
  std::optional<double> threshold;
  std::string calibration;  ///< --calibration FILE
  text::Pattern filter;
  FailOn fail_on = FailOn::suspect;
  ExitCodes exit_codes = ExitCodes::usual;
  files::Metric metric;  ///< of files: the number that is compared
  std::vector<std::string> out;
  show::Format format = show::Format::console;
  ColorChoice color = ColorChoice::automatic;
  bool quiet = false;

  /// Two programs other than `bench`.
  bool of_commands() const { return !base_cmd.empty() || !new_cmd.empty() || reads; }
  bool side_by_side() const { return (!config.empty() || of_commands()) && !confirm; }
};

/// Declares the flags of `bench compare`.
void declare_compare(Flags& flags, CompareRequest& request);
/// Combines the flags. Throws UsageError.
void settle_compare(CompareRequest& request);

/// Throws std::runtime_error if a program that `request` names can't be one, or its config can't be
/// read.
void check_programs(const CompareRequest& request);
/// Measures the two sides of `request` side by side, with progress on standard error, and judges
/// them; if there are `suspects`, only these cases, without screening.
Comparison compare_runs(const CompareRequest& request,
                        const std::vector<std::string>& suspects = {});

}  // namespace apod::cli
