#pragma once

/// \file
/// An experiment file after it was read and checked, and what was wrong with it: plain values, no
/// YAML.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/facts.hpp"
#include "kernels/api/params.hpp"
#include "kernels/api/types.hpp"
#include "kernels/data/data.hpp"
#include "kernels/files/expression.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod {

/// `kernel`: data on the device, device time of the computation only. `end_to_end`: host memory to
/// host memory over N streams, host clock around a full synchronisation.
enum class Scope : std::uint8_t { kernel, end_to_end };
/// How a kernel-scope sample is launched. `stream`: event, launch, event. `blocked`: the same
/// behind a blocking kernel, so that the launch itself is not timed. `graph`: a CUDA graph of
/// several launches, timed as one and divided (always hot).
enum class LaunchMode : std::uint8_t { stream, blocked, graph };
/// At which clock of the device samples are taken. `burst`: it rests as long as it worked, every
/// few milliseconds, so that its power stays below the limit and each sample has the clock of a
/// rested device. `steady`: it is kept busy until clock and power have settled, and during all
/// samples. `unheld`: neither, as in older files. The clock itself is never set.
enum class ClockMode : std::uint8_t { burst, steady, unheld };

template <>
struct EnumNames<Scope> {
  static constexpr std::array<std::string_view, 2> names{"kernel", "end_to_end"};
};
template <>
struct EnumNames<LaunchMode> {
  static constexpr std::array<std::string_view, 3> names{"stream", "blocked", "graph"};
};
template <>
struct EnumNames<ClockMode> {
  static constexpr std::array<std::string_view, 3> names{"burst", "steady", "unheld"};
};

/// A place in a configuration file; line and column count from 1, 0 means none.
struct SourcePlace {
  int line = 0;
  int column = 0;
  bool is_behind = false;  ///< what is meant ends before this place: a value that is not there
};

/// How a case is measured. Times in seconds.
struct MeasureSpec {
  double precision = 0.01;  ///< wanted half-width of the printed 95 % interval, relative
  /// For the timed samples of one case in one process. Their number is fixed after the pilot so
  /// that they should fit; min_samples gives way to it. A case that slows down after its pilot
  /// takes longer.
  double max_time_s = 5;
  double warmup_s = 0.005;  ///< least warm-up
  double timeout_s = 120;   ///< one case in one process, setup and verification included
  int processes = 3;        ///< fresh ones that measure every case
  /// Further processes for the cases whose interval is wider than `precision`, up to this many in
  /// all. Equal to `processes`: none.
  int max_processes = 30;
  double budget_s = 10;  ///< no further process once a case took so long in all
  int min_samples = 20;
  int max_samples = 20000;
  int graph_launches = 20;  ///< launches in one graph, for LaunchMode::graph
  CacheMode cache = CacheMode::cold;
  LaunchMode launch = LaunchMode::blocked;
  ClockMode clocks = ClockMode::burst;  ///< of a GPU; nothing is done on the host
  /// Least relative change that matters when results are compared; 0: the comparison decides.
  double threshold = 0;
  bool trace = false;     ///< one traced pass after the timed ones, in a process of its own
  bool counters = false;  ///< likewise one in which the device's counters are read
  /// Further metrics of the device's profiler that are read with them, by their names there.
  std::vector<std::string> metrics{};
  bool energy = false;  ///< likewise one in which the energy of a run is measured
  /// No other shard of the study is measured on this machine meanwhile. Nothing: runs_alone()
  /// decides.
  std::optional<bool> exclusive{};
};

/// How a value is compared. `is_one_of` is a list; the others compare with its first entry.
enum class Comparator : std::uint8_t { eq, ne, lt, le, gt, ge, is_one_of };

/// The right side of a condition: a number, a word, or the name of an axis of the same case (where
/// the word is an axis: `{distinct_streams: "== streams"}`).
using Operand = std::variant<double, std::string>;

/// "> 1", "== streams", pinned, [1, 2].
struct Condition {
  Comparator comparator = Comparator::eq;
  std::vector<Operand> operands;
  std::string text;  ///< as it was written
};

/// Conditions on axes that must all hold: {host_memory: pageable, streams: "> 1"}.
using Match = std::vector<std::pair<std::string, Condition>>;

/// Why a rule may select no case of the plan without being a mistake.
enum class Narrowing : std::uint8_t { none, filter, set, variants, host_block, found_later };
template <>
struct EnumNames<Narrowing> {
  static constexpr std::array<std::string_view, 6> names{
      "",
      "--filter or --only",
      "--set",
      "the backend has fewer variants",
      "the 'host' block of the file",
      "the command's cases are known only after it has run"};
};

/// A case that meets all of `match` is left out.
struct Exclusion {
  Match match;
  SourcePlace place;
  Narrowing narrowed_by = Narrowing::none;  ///< none: it must leave out a case
};

/// The cases whose change against their baseline answers the question of the study.
struct Answer {
  Match match;  ///< empty: all that have a baseline
  SourcePlace place;
  Narrowing narrowed_by = Narrowing::none;  ///< none: it must select a case
};

/// An expression that is true of the cases that are kept.
struct Where {
  Expression expression;
  SourcePlace place;  ///< of its first byte
};

/// A rule about the measured facts of the cases that `where` selects. A miss is exit code 3.
struct Expectation {
  Match where;
  std::string fact;
  Condition condition;
  SourcePlace place;                        ///< of the fact
  SourcePlace where_place{};                ///< of `where`, if any
  Narrowing narrowed_by = Narrowing::none;  ///< none: it must select a case
};

struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  std::vector<SourcePlace> places;  ///< of each value; for diagnostics
};

/// Axes that advance together (zipped); usually a single axis. All have equally many values.
struct AxisGroup {
  std::vector<Axis> axes;
  std::size_t size() const { return axes.empty() ? 0 : axes.front().values.size(); }
};

/// What its cases share, and what they are made from. A result keeps only the first part.
struct Experiment {
  std::string name;      ///< unique in its file; default: the workload's name
  std::string workload;  ///< a registered family, or command_workload
  Scope scope = Scope::kernel;
  DataSpec data;
  MeasureSpec measure;
  std::string weight{};            ///< the axis that says how much a case counts; empty: none
  std::vector<std::string> swept;  ///< names of the axes with more than one value in the plan
  std::optional<CommandSpec> command{};
  std::optional<file::KernelFile> kernel{};
  std::vector<Expectation> expectations;

  std::vector<AxisGroup> groups;  ///< the plan is their product
  std::vector<Where> where{};     ///< a case that misses one is left out, and counted
  std::vector<Exclusion> exclude;
  std::vector<Params> include;  ///< cases added to the product
  Params baseline;              ///< axes not named are those of the compared case
  std::string baseline_of{};    ///< the experiment that has it; empty: this one
  std::optional<Answer> answer{};
  bool axes_were_set = false;  ///< from outside the file, by --set

  bool has_baseline() const { return !baseline.entries().empty() || !baseline_of.empty(); }

  SourcePlace place;           ///< of the experiment
  SourcePlace exclude_place;   ///< of its `exclude`, if any
  SourcePlace baseline_place;  ///< of its `baseline`, if any
  SourcePlace data_place;      ///< of its `data`, or of the file's
  SourcePlace measure_place;   ///< of its `measure`, or of the file's
  /// Where the first byte of each text of the kernel is, by file::SpecError::key().
  std::map<std::string, SourcePlace> kernel_places{};
};

/// One file.
struct ExperimentConfig {
  std::string name;
  std::string description;
  std::string path;                     ///< as given
  std::string text;                     ///< the file's content, kept with the results
  std::vector<Experiment> experiments;  ///< those read without a problem
};

struct MeasuredBy {
  FactNeeds needs;
  std::string_view flag;  ///< its key
  bool MeasureSpec::*is_on;
  std::string_view words;  ///< such a fact is known only ...
};

inline constexpr std::array<MeasuredBy, 3> measured_by{{
    {FactNeeds::trace, "trace", &MeasureSpec::trace, "with a traced pass"},
    {FactNeeds::counters, "counters", &MeasureSpec::counters, "with the device's counters"},
    {FactNeeds::energy, "energy", &MeasureSpec::energy, "with an energy measurement"},
}};

/// Numbers count as equal if they differ by at most this share of the larger one.
inline constexpr double tolerance = 1e-9;
bool nearly_equal(double a, double b);

/// Whether `value` satisfies `condition`. An operand that names an axis of `params` stands for that
/// axis' value. Numbers compare as numbers (eq and ne within `tolerance`), words as words; a number
/// compared with a word satisfies only `ne`.
bool holds(const Condition& condition, const AxisValue& value, const Params& params);
bool holds(const Condition& condition, double value, const Params& params);

/// "streams > 1", "host_memory == pinned", "size in [1, 2]": the condition on the axis or fact
/// called `name`.
std::string to_string(std::string_view name, const Condition& condition);

/// Whether every condition holds for the axes of `params`. An axis that is absent does not match.
bool matches(const Match& match, const Params& params);

/// One mistake in what the user wrote. All are collected and shown together.
struct Diagnostic {
  std::string file;  ///< or the flag, e.g. "--set"
  SourcePlace place;
  std::string message;
  std::string hint;  ///< what to write instead; may be empty
};
using Diagnostics = std::vector<Diagnostic>;

/// "file:line:col: message (hint)"; without a place if there is none.
std::string to_string(const Diagnostic& diagnostic);

/// In the order in which a person mends them: those of the file from top to end, then those of
/// flags as they come. Duplicates are dropped.
Diagnostics in_order(Diagnostics diagnostics);

}  // namespace apod
