#include "benchmarks/cli/inspect_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "benchmarks/cli/usage_error.hpp"
#include "benchmarks/export/kernel_table.hpp"

namespace apod::cli {
namespace {

constexpr const char* empty_range =
    "names no range; leave the flag out to look at everything, --table nvtx lists the ranges";

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
  for (const auto& column : exports::kernel_columns()) {
    text += fmt::format("  {:<8} {}\n", column.name, column.help);
  }
  return text +
         "\nExit codes: 0 good; 1 usage or I/O error, or a file that is not an export of nsys.";
}

void declare_inspect(Flags& flags, InspectRequest& request) {
  flags.words("report", "FILE", "Report of nsys, exported with --type sqlite (required)",
              request.files);
  const Choices<TableChoice> choices{{"summary", TableChoice::summary},
                                     {"nvtx", TableChoice::nvtx},
                                     {"kernels", TableChoice::kernels},
                                     {"findings", TableChoice::findings}};
  flags.values("--table", "summary|nvtx|kernels|findings",
               "This table alone; repeat it for several",
               [&request, choices](const std::string& word) {
                 request.tables.push_back(choose("--table", word, choices));
               });
  flags.value("--range", "NAME",
              "Only what this NVTX range did, of DOMAIN:NAME or NAME; /N (from 0) tells equal "
              "names apart",
              [&request](const std::string& name) {
                if (name.empty()) throw UsageError(std::string("--range: ") + empty_range);
                request.part.range = name;
              });
  flags.count("--device", request.part.device, 0, 1023, "Only what this device did, by its index");
  flags.texts("-c", "NAME,...", request.columns, "Columns of the kernel table, see below");
  flags.count("-w", request.width, 1, 10'000, "Kernel table in columns, N characters wide");
  flags.flag("--csv", request.csv, "One table as comma-separated values");
  flags.file("--trace-out", request.trace_out, "Trace for ui.perfetto.dev, a .json");
  flags.file("-o,--out", request.out,
             "File to write instead of standard output: .txt or .html, with --csv .csv");
  flags.color(request.color);
}

void settle_inspect(InspectRequest& request) {
  refuse_beyond(1, request.files);
  if (request.files.empty()) {
    throw UsageError("report is required: FILE, which nsys exported with --type sqlite");
  }
  request.columns = names_in(request.columns);
  const bool about_kernels = !request.columns.empty() || request.width > 0;
  if (about_kernels && request.tables.empty()) request.tables = {TableChoice::kernels};
  if (about_kernels &&
      std::count(request.tables.begin(), request.tables.end(), TableChoice::kernels) == 0) {
    throw UsageError("-c and -w are for --table kernels");
  }
  if (request.csv && request.width > 0) {
    throw UsageError("--csv and -w are two forms of one table: choose one");
  }
  if (request.csv && request.tables.size() != 1) {
    throw UsageError("--csv writes one table: name it with --table");
  }
}

}  // namespace apod::cli
