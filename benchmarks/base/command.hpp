#pragma once

/// \file
/// A workload that is a program: what is started, and what is read from it. In each of its texts
/// "{size}" stands for the value of that axis, "{scratch}" for an empty folder of the process, and
/// "{{" and "}}" for braces.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/facts.hpp"
#include "kernels/api/params.hpp"
#include "kernels/api/types.hpp"

namespace apod {

/// Where the numbers of a process come from.
enum class Reads : std::uint8_t {
  process,  ///< its own time
  regex,    ///< lines of its output that expressions match
  json,     ///< values of its output, which is JSON
  google,   ///< Google Benchmark's JSON, which it is told to write
  nvbench,  ///< likewise NVBench's
  nccl_tests,
  nvbandwidth,
};
template <>
struct EnumNames<Reads> {
  static constexpr std::array<std::string_view, 7> names{
      "process", "regex", "json", "google", "nvbench", "nccl-tests", "nvbandwidth"};
};

/// A number of the output: the time, or another, which becomes a fact.
struct Figure {
  std::string name;    ///< "time", a fact of the table, or a name of its own
  std::string where;   ///< an expression with a group or two, or the path to a value
  std::string unit{};  ///< that it is written in: "ms"; empty: none
};

struct CommandSpec {
  std::vector<std::string> words;  ///< the program and its arguments
  std::map<std::string, std::string> env{};
  std::string cwd;  ///< where it starts
  std::vector<std::string> setup{};
  std::vector<std::string> cleanup{};
  std::vector<int> exit{0};  ///< the codes of success
  std::string match{};       ///< an expression that its output must hold
  std::string output{};      ///< the file that is read; empty: what it prints
  Reads reads = Reads::process;
  /// What Reads::regex and Reads::json look for; of others the facts that are in no table.
  std::vector<Figure> figures{};
  /// Of Reads::json, where the output tells of several cases: the path to them, and that of the
  /// name of each. The paths of `figures` begin there too. Empty: it tells of one.
  std::string cases{};
  std::string case_name{};
  std::vector<AxisSpec> axes{};  ///< what the experiment sweeps; they are its own

  /// Whether the cases are those that its output tells of.
  bool finds_cases() const {
    if (reads == Reads::json) return !cases.empty();
    return reads != Reads::process && reads != Reads::regex;
  }
};

/// What Experiment::workload says of a command.
inline constexpr std::string_view command_workload = "command";
inline constexpr std::string_view scratch_name = "scratch";
/// The axis whose values are the cases that are found in an output, and its value before.
inline constexpr std::string_view found_axis = "case";
inline constexpr std::string_view not_yet_found = "*";

/// The unit of a fact that is in no table but among the figures.
std::optional<Unit> unit_of_figure(const std::optional<CommandSpec>& command,
                                   std::string_view name);

/// The names that the texts of a command refer to; nothing where a brace is left open or alone.
std::optional<std::vector<std::string>> names_in(std::string_view text);

/// `text` with the values of `params` and the folder in the places of their names. Throws
/// std::runtime_error for a name that is neither.
std::string filled_in(std::string_view text, const Params& params, const std::string& scratch);

}  // namespace apod
