#pragma once

/// \file
/// The command line as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::cli {

enum class BackendChoice : std::uint8_t { automatic, host, cuda };
enum class ColorChoice : std::uint8_t { automatic, always, never };

struct Options {
  std::string config;
  std::vector<std::string> set;
  std::string having;  ///< "axis=value,value"
  std::string filter;
  std::string only;  ///< file of ids
  std::vector<std::string> out;
  BackendChoice backend = BackendChoice::automatic;
  int device = 0;
  std::optional<int> processes;
  std::optional<double> timeout_s;
  std::optional<std::uint64_t> seed;
  bool list = false;
  bool dry_run = false;
  bool list_cases = false;  ///< --benchmark_list_tests: ids alone
  bool resume = false;
  bool in_process = false;
  bool profile = false;
  bool counters = false;
  std::optional<int> profile_runs;
  bool explain = false;
  std::string trace_out;
  bool timers = false;
  bool quiet = false;
  ColorChoice color = ColorChoice::automatic;
  report::Format format = report::Format::console;           ///< of standard output
  std::vector<std::pair<std::string, std::string>> context;  ///< --benchmark_context
  std::vector<std::string> command_line;
};

/// What came of the command line: options to act on, or an exit code (help and version were printed
/// to standard output, errors to standard error).
struct ParseOutcome {
  std::optional<Options> options;
  int exit_code = 0;
};
ParseOutcome parse(int argc, char** argv);

/// Takes the --benchmark_* flags out of `arguments` and into `options`: a user of Google Benchmark
/// finds what has a meaning here under its old name. What has none is a diagnostic with the way to
/// say it here.
Diagnostics take_google_flags(std::vector<std::string>& arguments, Options& options);

}  // namespace apod::cli
