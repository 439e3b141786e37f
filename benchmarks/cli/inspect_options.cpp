#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/inspect_request.hpp"
#include "benchmarks/look/switches.hpp"
#include "benchmarks/show/export/kernel_table.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {
std::string inspect_footer() {
  std::string text =
      "Examples:\n  bench inspect -- python3 train.py             runs it, and shows why it is "
      "slow\n  bench inspect --out before.json -- ./app      saves the recording, to inspect it "
      "again or\n                                                to compare it (bench compare "
      "before.json after.json)\n  bench inspect --try tf32,1-thread -- ./app    measures the time "
      "that each switch saves\n  bench inspect --capture-range step/2 -- ./app records only the "
      "third NVTX range of this name\n  bench inspect before.json --table kernels     the kernels "
      "of a saved recording\n  nsys export --type sqlite -o app.sqlite app.nsys-rep\n  bench "
      "inspect app.sqlite                      what the program did, and why it is slow\n  bench "
      "inspect app.sqlite --range 'step/2'     the third range called step\n  bench inspect "
      "app.sqlite --step 'batch *'     each range whose name matches is a step\n  bench inspect "
      "app.sqlite --table kernels -w 150 -c idx,kernel,sil,grid,block\n  bench inspect app.sqlite "
      "--table summary --csv --out summary.csv\n  bench inspect app.sqlite --trace-out app.json "
      "for ui.perfetto.dev\n\nColumns of --table kernels, with PyProf's names (-c all: every "
      "column):\n";
  for (const auto& column : exports::kernel_columns())
    text += fmt::format("  {:<8} {}\n", column.name, column.help);
  text += "\nSwitches of --try:\n";
  for (const auto& one : look::known_switches())
    text += fmt::format("  {:<20} {}\n", one.name, one.help);
  return text +
         "\nExit codes of -- COMMAND: the program's own; 128 + N if signal N ended it; 127 if "
         "there is\n"
         "            no such program; 126 if it can't be started.\n"
         "Exit codes of a file: 0 good; 1 not a recording, or a usage or I/O error.";
}

void declare_inspect(Flags& flags, InspectRequest& request) {
  flags.words("recording", "FILE",
              "A recording from --out FILE.json, a folder of traced processes, a trace of "
              "PyTorch's profiler, or an nsys report (.nsys-rep or its SQLite export). To run a "
              "program instead: -- COMMAND ...",
              request.files);
  auto& program = request.program;
  flags.text(
      "--capture-range", "NAME", program.range,
      "With -- COMMAND: record only during the first NVTX range of this name (NAME/2: the third)");
  flags.seconds("--delay", program.delay_s,
                "With -- COMMAND: wait this long after the program's start, then record",
                Zero::allowed);
  flags.seconds("--duration", program.duration_s,
                "With -- COMMAND: stop recording after this time; the program continues");
  flags.names("--try", request.tries,
              "With -- COMMAND: run again, with and without each switch, and show the time that "
              "each switch saves. --help-all lists the switches; VARIABLE=VALUE is also a switch");
  flags.count("--rounds", request.rounds, 3, 100, "Number of runs per switch (default 5)");
  const Choices<TableChoice> choices{{"summary", TableChoice::summary},
                                     {"nvtx", TableChoice::nvtx},
                                     {"kernels", TableChoice::kernels},
                                     {"findings", TableChoice::findings}};
  flags.values("--table", "summary|nvtx|kernels|findings",
               "Print only this table; repeat the flag for several",
               [&request, choices](const std::string& word) {
                 request.tables.push_back(choose("--table", word, choices));
               });
  flags.text(
      "--range", "NAME", request.part.range,
      "Only this NVTX range, as NAME or DOMAIN:NAME; if several have this name, add /N (from 0)");
  flags.text("--step", "NAME", request.part.step,
             "Name of the NVTX ranges that are the steps; * matches any text ('step *'); default: "
             "bench finds the work that repeats");
  flags.count("--device", request.part.device, 0, 1023, "Only this device, by its index");
  flags.names("-c", request.columns, "Columns of the kernel table (listed below)");
  flags.count("-w", request.width, 1, 10'000, "Width of the kernel table, in characters");
  flags.flag("--csv", request.csv, "Write one table as comma-separated values");
  flags.file("--trace-out", request.trace_out, "Write a trace for ui.perfetto.dev (a .json)");
  flags.outputs(request.out, show::extensions_of(show::Formats::all_but_junit) +
                                 " (a .csv holds one table, a .json the recording)");
  flags.color(request.color);
}

void settle_inspect(InspectRequest& request) {
  refuse_beyond(1, request.files);
  const auto& program = request.program;
  if (request.is_run && program.words.empty()) throw UsageError("no command follows --");
  if (request.is_run && !request.files.empty()) refuse_both("FILE", "-- COMMAND");
  if (!request.is_run && request.files.empty())
    refuse_nothing("inspect", "a recording FILE, or a program with -- COMMAND");
  const bool has_window = !program.range.empty() || program.delay_s > 0 || program.duration_s > 0;
  if (!request.is_run && has_window) {
    throw UsageError(
        "--capture-range, --delay and --duration need a program to run (-- COMMAND); to select a "
        "part of a recording, use --range");
  }
  if (!request.is_run && !request.tries.empty()) refuse_without("--try", "-- COMMAND");
  for (const auto& name : request.tries) {
    try {
      (void)look::variables_of(name);
    } catch (const std::invalid_argument& error) {
      throw UsageError(std::string("--try: ") + error.what());
    }
  }
  const bool about_kernels = !request.columns.empty() || request.width > 0;
  if (about_kernels && request.tables.empty()) request.tables = {TableChoice::kernels};
  if (about_kernels && std::ranges::count(request.tables, TableChoice::kernels) == 0)
    refuse_without(request.width > 0 ? "-w" : "-c", "--table kernels");
  if (request.csv && request.width > 0) refuse_both("--csv", "-w");
  if (request.csv && request.tables.size() != 1) refuse_without("--csv", "one --table");
  const bool any_csv =
      std::ranges::any_of(request.out, [](const auto& path) { return path.ends_with(".csv"); });
  if (any_csv && request.tables.size() > 1)
    throw UsageError("--out: a .csv holds one table: choose the table with --table");
}

std::vector<std::string> part_flags(const InspectRequest& request) {
  std::vector<std::string> flags;
  const auto add = [&](const char* flag, const std::string& value) {
    flags.insert(flags.end(), {flag, value});
  };
  const auto& program = request.program;
  if (!program.range.empty()) add("--capture-range", program.range);
  if (program.delay_s > 0) add("--delay", fmt::format("{}s", program.delay_s));
  if (program.duration_s > 0) add("--duration", fmt::format("{}s", program.duration_s));
  if (!request.part.range.empty()) add("--range", request.part.range);
  if (!request.part.step.empty()) add("--step", request.part.step);
  if (request.part.device) add("--device", std::to_string(*request.part.device));
  return flags;
}

}  // namespace apod::cli
