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
  google,   ///< Google Benchmark's JSON; a flag makes the program write it
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
  std::string name;    ///< "time", a fact of the table, or a new name
  std::string where;   ///< an expression with a group or two, or the path to a value
  std::string unit{};  ///< of the printed number: "ms"; empty: none
};

struct CommandSpec {
  std::vector<std::string> words;  ///< the program and its arguments
  std::map<std::string, std::string> env{};
  std::string cwd;  ///< where it starts
  std::vector<std::string> setup{};
  std::vector<std::string> cleanup{};
  std::vector<int> exit{0};  ///< the codes of success
  std::string match{};       ///< an expression that its output must hold
  std::string output{};      ///< the file to read; empty: what the program prints
  Reads reads = Reads::process;
  /// What Reads::regex and Reads::json look for; of others the facts that are in no table.
  std::vector<Figure> figures{};
  /// For Reads::json with several cases in the output: the path to the cases, and the path to the
  /// name of each. The paths of `figures` then begin at a case. Empty: the output has one case.
  std::string cases{};
  std::string case_name{};
  std::vector<AxisSpec> axes{};  ///< what the experiment sweeps; all are its own

  /// Whether the cases are found in its output.
  bool finds_cases() const {
    if (reads == Reads::json) return !cases.empty();
    return reads != Reads::process && reads != Reads::regex;
  }
};

/// Experiment::workload of a command.
inline constexpr std::string_view command_workload = "command";
inline constexpr std::string_view scratch_name = "scratch";
/// The axis whose values are the cases that are found in an output, and its value before.
inline constexpr std::string_view found_axis = "case";
inline constexpr std::string_view not_yet_found = "*";

/// The unit of a fact that is in no table but among the figures.
std::optional<Unit> unit_of_figure(const std::optional<CommandSpec>& command,
                                   std::string_view name);

/// The names that the texts of a command refer to; nothing if a brace has no partner.
std::optional<std::vector<std::string>> names_in(std::string_view text);

/// `text` with the values of `params` and the folder in the places of their names. Throws
/// std::runtime_error for a name that is neither.
std::string filled_in(std::string_view text, const Params& params, const std::string& scratch);

}  // namespace apod
