#pragma once

/// \file
/// The command line of a run as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/run/memory_check.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {

struct Options {
  std::string config;
  std::string printed_as;  ///< what its user knows `config` by, a temporary file; empty: a file
  std::vector<std::string> set;
  std::string having;  ///< "axis=value,value"
  text::Pattern filter;
  std::string only;  ///< file of ids
  std::vector<std::string> out;
  BackendChoice backend = BackendChoice::automatic;
  DeviceChoice devices;        ///< as --device of a run names them
  bool spread = false;         ///< each of them measures a shard
  std::vector<int> gpus;       ///< those that each get a run of their own; usually none
  std::optional<int> device;   ///< the one that this process uses; nothing: the first
  std::optional<Shard> shard;  ///< nothing: what a launcher says
  std::optional<int> processes;
  std::optional<double> timeout_s;
  show::FailsToo fail_on;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> list;  ///< --list: this workload; empty: all
  bool dry_run = false;
  std::optional<run::MemoryFault> check;  ///< cases run under compute-sanitizer instead
  bool trust = false;                     ///< the commands of the file may be run
  bool bounded = false;                   ///< compiling may take as little as without trust
  bool list_cases = false;                ///< --benchmark_list_tests: only ids
  bool resume = false;
  bool in_process = false;
  bool profile = false;
  bool counters = false;
  std::optional<int> profile_runs;
  bool explain = false;
  std::string trace_out;
  bool timers = false;
  std::vector<std::string> columns;  ///< of the tables of cases; none: what fits them
  bool quiet = false;
  ColorChoice color = ColorChoice::automatic;
  show::Format format = show::Format::console;               ///< of standard output
  std::vector<std::pair<std::string, std::string>> context;  ///< --benchmark_context
  std::vector<std::string> command_line;
};

/// The short flags of a run that take no value, a letter each.
constexpr const char* short_switches = "hq";

/// Declares the flags of a run, including those for how a result is printed.
void declare_run(Flags& flags, Options& options);
void declare_timers(Flags& flags, Options& options);

/// Takes the --benchmark_* flags out of `arguments` and into `options`, so that users of Google
/// Benchmark find known flags under their old names. Throws UsageError with a line for each flag
/// without a meaning here, which says what to write instead.
void take_google_flags(std::vector<std::string>& arguments, Options& options);

/// What --set sets: the axes of all workloads, and the keys of `measure`.
std::vector<std::string> names_to_set();

}  // namespace apod::cli
