#include "benchmarks/cli/inspect_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/report/kernel_table.hpp"

namespace apod::cli {
namespace {

constexpr const char* empty_range =
    "names no range; leave the flag out to look at everything, --table nvtx lists the ranges";

std::string inspect_footer() {
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

/// The names in lists separated by commas, without the blanks around them; an empty one is kept, to
/// be refused. CLI11 would leave it out.
std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (std::string_view rest : lists) {
    for (auto comma = std::size_t{0}; comma != std::string_view::npos;) {
      comma = rest.find(',');
      auto name = rest.substr(0, comma);
      if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
      name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
      name = name.substr(0, name.find_last_not_of(" \t") + 1);
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace

InspectRequest parse_inspect(CLI::App& app, const std::vector<std::string>& arguments) {
  InspectRequest request;
  app.footer(inspect_footer());
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
         "Only what this NVTX range did, of DOMAIN:NAME or NAME; /N (from 0) tells equal names "
         "apart")
      ->type_name("NAME");
  app.add_option("--device", request.part.device, "Only what this device did, by its index")
      ->check(CLI::Range(0, 1023).description(""))
      ->type_name("N");
  app.add_option("-c", request.columns, "Columns of the kernel table, see below")
      ->type_name("NAME,...")
      ->take_all()
      ->expected(1);
  app.add_option("-w", request.width, "Kernel table in columns, N characters wide")
      ->type_name("N")
      ->check(CLI::Range(1, 10000).description(""));
  app.add_flag("--csv", request.csv, "One table as comma-separated values");
  app.add_option("--trace-out", request.trace_out, "Trace for ui.perfetto.dev, a .json")
      ->type_name("FILE");
  app.add_option("-o,--out", request.out,
                 "File to write instead of standard output: .txt, with --csv .csv")
      ->type_name("FILE");
  add_choice<ColorChoice>(app, "--color", request.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "Colour in the tables");
  parse_arguments(app, arguments);
  request.columns = names_in(request.columns);
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

}  // namespace apod::cli
