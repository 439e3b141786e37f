#pragma once

/// \file
/// The command line of `bench inspect` as plain values.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/run/inspected_program.hpp"

namespace apod::cli {

enum class TableChoice : std::uint8_t { summary, nvtx, kernels, findings };

/// What `bench inspect` was asked for.
struct InspectRequest {
  std::vector<std::string> files;  ///< one, once it is settled, unless a program is run
  bool is_run = false;             ///< a program follows --
  run::InspectedProgram program;   ///< its library is yet to be found
  std::vector<std::string> tries;  ///< switches, see look/switches.hpp
  std::size_t rounds = 5;          ///< of the runs with and without them
  std::vector<TableChoice> tables;
  Part part;
  std::vector<std::string> columns;
  std::size_t width = 0;
  bool csv = false;
  std::string trace_out;
  std::vector<std::string> out;
  ColorChoice color = ColorChoice::automatic;
};

/// Declares the flags of `bench inspect`.
void declare_inspect(Flags& flags, InspectRequest& request);
/// Combines the flags. Throws UsageError.
void settle_inspect(InspectRequest& request);
/// The flags that chose a part of what there was.
std::vector<std::string> part_flags(const InspectRequest& request);
/// What follows them in the help.
std::string inspect_footer();

}  // namespace apod::cli
