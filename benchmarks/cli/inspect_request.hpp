#pragma once

/// \file
/// `bench inspect`: its command line as plain values, and what is done with it.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/run/inspected_program.hpp"
#include "benchmarks/show/export/kernel_table.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/step_text.hpp"

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

/// For --try: runs the program of the request in rounds: once without and once with each switch, in
/// an order that turns from round to round. `first` is the first run without. The unit is the
/// process: of each its median step counts, or the run where nothing repeats. A switch with which
/// the program fails is given up.
std::vector<TriedSwitch> try_switches(const InspectRequest& request, const Inspection& first);

/// Prints what was asked for to standard output.
void print_inspection(std::ostream& out, const InspectRequest& request,
                      const Inspection& inspection, const show::ConsoleStyle& style);

/// Likewise to each file of --out, in the format of its extension; .json is the recording.
void write_inspection(const InspectRequest& request, const Inspection& inspection);

/// The timeline for Perfetto.
void write_timeline(const InspectRequest& request, const Recording& recording);

/// How the kernel table is written.
exports::KernelTableStyle kernel_table_style(const InspectRequest& request);

/// The steps of the device that is judged; empty if none is.
std::optional<show::StepReport> step_report(const Inspection& inspection, const std::string& file);

/// What limits the program, as a sentence; the timeline, findings, kernels, copies, calls and NVTX
/// ranges, the device, and the command that repeats it. `file`: the source of the recording, if it
/// is not from a run of ours.
show::Document inspection_page(const Inspection& inspection, const std::string& file);
/// The parts above and below it.
show::PageFrame page_frame(const Inspection& inspection, const std::string& file);

}  // namespace apod::cli
