#include "benchmarks/cli/inspect_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/report/atomic_file.hpp"
#include "benchmarks/report/findings_text.hpp"
#include "benchmarks/report/kernel_table.hpp"
#include "benchmarks/report/perfetto.hpp"
#include "benchmarks/report/profile_tables.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/report/text.hpp"

namespace apod::cli {
namespace {

enum class TableChoice : std::uint8_t { summary, nvtx, kernels, findings };

struct Request {
  std::string file;
  std::vector<TableChoice> tables;
  Part part;
  std::vector<std::string> columns;
  std::size_t width = 0;
  bool csv = false;
  std::string trace_out;
  std::string out;
  ColorChoice color = ColorChoice::automatic;
};

constexpr const char* empty_range =
    "names no range; leave the flag out to look at everything, --table nvtx lists the ranges";

std::string footer() {
  std::string text =
      "Examples:\n"
      "  nsys export --type sqlite -o app.sqlite app.nsys-rep\n"
      "  bench inspect app.sqlite                      what it did, and why it is slow\n"
      "  bench inspect app.sqlite --range 'step/2'     the third range called step\n"
      "  bench inspect app.sqlite --table kernels -w 150 -c idx,kernel,sil,grid,block\n"
      "  bench inspect app.sqlite --table summary --csv --out summary.csv\n"
      "  bench inspect app.sqlite --trace-out app.json for ui.perfetto.dev\n\n"
      "Columns of --table kernels, which are PyProf's (-c all: every one):\n";
  for (const auto& column : report::kernel_columns()) {
    text += fmt::format("  {:<8} {}\n", column.name, column.help);
  }
  return text + "\nExit codes: 0 good; 1 usage or I/O error, or a file that is no export of nsys.";
}

Request parse(CLI::App& app, const std::vector<std::string>& arguments) {
  Request request;
  app.footer(footer());
  app.get_formatter()->column_width(34);
  app.add_option("report", request.file, "Report of nsys, exported with --type sqlite")
      ->type_name("FILE")
      ->required();
  const Choices<TableChoice> choices{{"summary", TableChoice::summary},
                                     {"nvtx", TableChoice::nvtx},
                                     {"kernels", TableChoice::kernels},
                                     {"findings", TableChoice::findings}};
  std::vector<std::string> tables;
  app.add_option("--table", tables, "This table alone; repeat it for several")
      ->type_name("summary|nvtx|kernels|findings")
      ->take_all()
      ->expected(1);
  app.add_option_function<std::string>(
         "--range",
         [&](const std::string& name) {
           if (name.empty()) throw CLI::ValidationError("--range", empty_range);
           request.part.range = name;
         },
         "Only what this NVTX range did; @DOMAIN and /N (from 0) tell equal names apart")
      ->type_name("NAME");
  app.add_option("--device", request.part.device, "Only what this device did, by its index")
      ->check(CLI::Range(0, 1023).description(""))
      ->type_name("N");
  app.add_option("-c", request.columns, "Columns of the kernel table, see below")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->take_all()
      ->expected(1);
  app.add_option("-w", request.width, "Kernel table in columns, N characters wide")
      ->type_name("N")
      ->check(CLI::Range(1, 10000).description(""));
  app.add_flag("--csv", request.csv, "One table as comma-separated values");
  app.add_option("--trace-out", request.trace_out, "Trace for ui.perfetto.dev")->type_name("FILE");
  app.add_option("-o,--out", request.out, "File to write instead of standard output")
      ->type_name("FILE");
  add_choice<ColorChoice>(app, "--color", request.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "Colour in the tables");
  // CLI11 takes a vector from its back.
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  for (const auto& table : tables) request.tables.push_back(choose("--table", table, choices));
  const bool about_kernels = !request.columns.empty() || request.width > 0;
  if (about_kernels && request.tables.empty()) request.tables = {TableChoice::kernels};
  if (about_kernels &&
      std::count(request.tables.begin(), request.tables.end(), TableChoice::kernels) == 0) {
    throw CLI::ValidationError("-c and -w are for --table kernels");
  }
  if (request.csv && request.width > 0) {
    throw CLI::ValidationError("--csv and -w are two forms of one table: choose one");
  }
  if (request.csv && request.tables.size() != 1) {
    throw CLI::ValidationError("--csv writes one table: name it with --table");
  }
  return request;
}

report::KernelTableStyle kernel_style(const Request& request) {
  using Form = report::KernelTableForm;
  const auto form = request.csv ? Form::csv : request.width > 0 ? Form::columns : Form::spaces;
  return {form, request.columns, request.width};
}

/// Which ceilings the findings are held against; empty where no device is known.
std::string ceilings_line(const Inspection& inspection) {
  if (inspection.device.name.empty()) return "";
  if (!inspection.ceilings)
    return "none of such a device were found (bench ceilings measures them)";
  const auto& [path, ceilings] = *inspection.ceilings;
  return fmt::format("{}: driver {}, CUDA {}", path, ceilings.driver, ceilings.cuda);
}

std::string unseen_work(const Inspection& inspection) {
  return fmt::format(
      "unknown: {} launches of CUDA graphs left nothing on the device in this recording "
      "(nsys profile --cuda-graph-trace=node records their kernels)",
      inspection.unseen_graphs);
}

void write_head(std::ostream& out, const Request& request, const Inspection& inspection,
                const report::ConsoleStyle& style) {
  const auto& recording = inspection.recording;
  constexpr std::size_t label = 10;
  const auto room = static_cast<std::size_t>(std::max(style.width, 40)) - label;
  const auto lines = [&](std::string name, const std::vector<std::string>& texts) {
    for (const auto& text : texts)
      out << fmt::format("{:<{}}{}\n", std::exchange(name, ""), label, text);
  };
  const auto line = [&](const std::string& name, const std::string& text) {
    if (!text.empty()) lines(name, report::wrap(report::printable(text), room));
  };
  out << report::paint(report::printable(request.file), report::Tone::title, style) << '\n';
  line("from",
       recording.producer + (recording.schema.empty() ? "" : ", schema " + recording.schema));
  line("range", request.part.range);
  line("program", fmt::format("{}", fmt::join(recording.programs, ", ")));
  for (const auto& device : recording.devices) {
    const auto& used = inspection.devices;
    const auto index = static_cast<std::uint32_t>(device.index);
    if (std::find(used.begin(), used.end(), index) == used.end()) continue;
    line("device", fmt::format("{}: {}, {} multiprocessors, compute capability {}", device.index,
                               device.name, device.multiprocessors, device.compute_capability));
  }
  line("ceilings", ceilings_line(inspection));
  if (inspection.unseen_graphs > 0) {
    line("timeline", unseen_work(inspection));
  } else {
    if (inspection.facts.empty()) line("timeline", "nothing ran on a device");
    lines("timeline", report::timeline_lines(inspection.facts, room));
  }
  for (const auto& note : inspection.notes) line("note", note);
  for (const auto& note : recording.trace.notes) line("note", note);
}

void write_kernels(std::ostream& out, const Request& request, const Inspection& inspection) {
  report::write_kernel_table(out, {inspection.recording.trace, &inspection.profile, {}},
                             kernel_style(request));
}

void write_findings(std::ostream& out, const Inspection& inspection,
                    const report::ConsoleStyle& style) {
  if (inspection.unseen_graphs > 0) {
    out << "  not judged: what CUDA graphs did on the device is not in this recording\n";
    return;
  }
  if (inspection.recording.trace.activities.empty()) {
    out << "  nothing ran on a device, so there is nothing to judge\n";
    return;
  }
  if (inspection.devices.size() > 1) {
    out << fmt::format("  of device {}, the busiest of {}\n", inspection.devices.front(),
                       inspection.devices.size());
  }
  report::write_findings(out, inspection.findings, style);
}

void write_table(std::ostream& out, TableChoice table, const Request& request,
                 const Inspection& inspection, const report::ConsoleStyle& style) {
  switch (table) {
    case TableChoice::summary:
      return request.csv ? report::write_summary_csv(out, inspection.profile)
                         : report::write_summary(out, inspection.profile, style);
    case TableChoice::nvtx:
      return request.csv ? report::write_ranges_csv(out, inspection.profile)
                         : report::write_ranges(out, inspection.profile, style);
    case TableChoice::kernels:
      return write_kernels(out, request, inspection);
    case TableChoice::findings:
      return request.csv ? report::write_findings_csv(out, inspection.findings)
                         : write_findings(out, inspection, style);
  }
}

void write_all(std::ostream& out, const Request& request, const Inspection& inspection,
               const report::ConsoleStyle& style) {
  if (!request.tables.empty()) {
    for (const auto table : request.tables) {
      if (table != request.tables.front()) out << '\n';
      write_table(out, table, request, inspection, style);
    }
    return;
  }
  const auto heading = [&](const char* text) {
    out << '\n' << report::paint(text, report::Tone::title, style) << '\n';
  };
  write_head(out, request, inspection, style);
  heading("summary");
  report::write_summary(out, inspection.profile, style);
  if (!inspection.profile.ranges.empty()) {
    heading("NVTX ranges");
    report::write_ranges(out, inspection.profile, style);
  }
  heading("findings");
  write_findings(out, inspection, style);
}

void write_trace(const Request& request, const inspect::Recording& recording) {
  report::TrackNames names;
  for (const auto& device : recording.devices) {
    names.devices[static_cast<std::uint32_t>(device.index)] = device.name;
  }
  names.threads = recording.thread_names;
  report::write_atomically(request.trace_out, [&](std::ostream& out) {
    report::write_perfetto(out, {{"", &recording.trace}}, names);
  });
}

/// Before a large file is read: what can't be written, and columns that there are not.
void check(const Request& request) {
  std::vector<std::string> outputs;
  for (const auto& path : {request.out, request.trace_out}) {
    if (path.empty()) continue;
    outputs.push_back(path);
    report::check_writable(path, 1 << 16);
  }
  keep_inputs(outputs, {request.file});
  std::ostringstream nowhere;
  report::write_kernel_table(nowhere, {Trace{}, nullptr, {}}, kernel_style(request));
}

int run(const Request& request) {
  check(request);
  auto recording = inspect::read_nsys(request.file);
  const auto inspection = inspection_of(std::move(recording), request.part);
  if (!request.trace_out.empty()) write_trace(request, inspection.recording);
  if (!request.out.empty()) {
    report::write_atomically(request.out,
                             [&](std::ostream& out) { write_all(out, request, inspection, {}); });
    return ExitCode::success;
  }
  write_all(std::cout, request, inspection,
            {wants_color(request.color), terminal_width(STDOUT_FILENO)});
  if (!std::cout.flush()) throw std::runtime_error("standard output could not be written");
  return ExitCode::success;
}

}  // namespace

int inspect_command(const std::vector<std::string>& arguments) {
  CLI::App app("What another program did on a GPU, from a report of Nsight Systems.",
               "bench inspect");
  try {
    return run(parse(app, arguments));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "bench inspect: " << error.what() << "\nbench inspect --help shows the flags.\n";
  } catch (const std::exception& error) {
    std::cerr << "bench inspect: " << error.what() << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
