#include "benchmarks/cli/export_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/export/export_side.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/results/read_side.hpp"

namespace apod::cli {
namespace {

constexpr const char* export_footer = R"(Examples:
  bench export r.json --to bmf --out bencher.json
  bench export runs/ --to go > new.txt             then: benchstat old.txt new.txt

Exit codes: 0 good; 1 usage or I/O error; 4 no case has a time.)";

struct ExportRequest {
  std::vector<std::string> paths;
  std::string filter;
  std::string out;
  exports::ExportFormat format = exports::ExportFormat::google;
};

std::size_t write(const ExportRequest& request, const Side& side) {
  std::size_t exported = 0;
  if (request.out.empty()) {
    exported = exports::export_side(std::cout, side, request.format);
    std::cout.flush();
    if (!std::cout.good()) throw std::runtime_error("standard output could not be written");
    return exported;
  }
  os::write_atomically(request.out, [&](std::ostream& out) {
    exported = exports::export_side(out, side, request.format);
  });
  return exported;
}

int run(const ExportRequest& request) {
  if (!request.out.empty()) keep_inputs({{"--out", request.out}}, request.paths);
  const auto side = results::read_side(request.paths, request.filter);
  for (const auto& note : side.notes) std::cerr << "bench export: " << note << '\n';
  const auto exported = write(request, side);
  if (exported < side.cases.size()) {
    std::cerr << "bench export: " << exported << " of " << side.cases.size()
              << " cases have a time; the others failed\n";
  }
  return exported > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
}

}  // namespace

int export_command(const std::vector<std::string>& arguments) {
  ExportRequest request;
  CLI::App app("Writes results in the formats of other programs.", "bench export");
  app.footer(export_footer);
  app.get_formatter()->column_width(34);
  app.add_option("results", request.paths, "Result files, or folders of them")
      ->type_name("PATH")
      ->required();
  add_choice<exports::ExportFormat>(
      app, "--to", request.format,
      {{"google", exports::ExportFormat::google},
       {"bmf", exports::ExportFormat::bmf},
       {"smaller_is_better", exports::ExportFormat::smaller_is_better},
       {"go", exports::ExportFormat::go}},
      "The format")
      ->required();
  app.add_option("--filter", request.filter, "Keep the cases whose name matches")
      ->type_name("REGEX");
  app.add_option("-o,--out", request.out, "File to write instead of standard output")
      ->type_name("FILE");
  try {
    parse_arguments(app, arguments);
    return run(request);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << "bench export: " << error.what() << "\nbench export --help shows the flags.\n";
  } catch (const std::exception& error) {
    std::cerr << "bench export: " << error.what() << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
