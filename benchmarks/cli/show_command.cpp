#include "benchmarks/cli/show_command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/plan/filter.hpp"
#include "benchmarks/report/report.hpp"
#include "benchmarks/results/bad_result.hpp"
#include "benchmarks/results/file_kind.hpp"
#include "benchmarks/results/read_result.hpp"

namespace apod::cli {
namespace {

constexpr const char* show_prefix = "bench show: ";
constexpr const char* show_footer = R"(Examples:
  bench show r.json                                what its run printed
  bench show r.json --filter pinned --out r.md     some of its cases, for a page
  ssh lab cat r.json | bench show -                from standard input

Exit codes: 0 shown; 1 usage or I/O error.)";

struct ShowRequest {
  std::vector<std::string> files;
  std::string filter;
  Options output;  ///< what a run would have been asked to print
};

void declare(CLI::App& app, ShowRequest& request) {
  Options& output = request.output;
  app.add_option("files", request.files, "Result files; - is standard input")
      ->type_name("FILE")
      ->required();
  app.add_option("--filter", request.filter,
                 "Keep the cases whose id matches (and their baselines)")
      ->type_name("REGEX");
  app.add_flag("--explain", output.explain,
               "Also tell what the time of each traced case goes into");
  app.add_flag("--timers", output.timers,
               "Also print total, average, maximum, minimum and count of every phase");
  app.add_option("-o,--out", output.out,
                 "File to write instead of printing; repeat it for several. .json .csv .md or .txt")
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  add_choice<report::Format>(app, "--format", output.format,
                             {{"console", report::Format::console},
                              {"json", report::Format::json},
                              {"csv", report::Format::csv},
                              {"markdown", report::Format::markdown}},
                             "What standard output gets");
  add_choice<ColorChoice>(app, "--color", output.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "Colour in the table");
}

/// Standard input as a file that can be read twice; it has no name and goes with this.
class SavedInput {
 public:
  SavedInput() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw std::runtime_error("standard input: there is no room to keep it");
    std::vector<char> block(1 << 16);
    std::size_t all = 0;
    while (std::cin.read(block.data(), static_cast<std::streamsize>(block.size())),
           std::cin.gcount() > 0) {
      const auto bytes = static_cast<std::size_t>(std::cin.gcount());
      all += bytes;
      if (all > results::largest_file || std::fwrite(block.data(), 1, bytes, file_.get()) < bytes) {
        throw std::runtime_error("standard input: there is no room to keep it");
      }
    }
    std::fflush(file_.get());
  }
  std::string path() const { return "/dev/fd/" + std::to_string(::fileno(file_.get())); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Throws std::runtime_error where the filter is none or matches nothing.
void apply_filter(Result& result, const std::string& filter) {
  if (filter.empty()) return;
  Diagnostics diagnostics;
  const auto expression = plan::read_filter(filter, diagnostics);
  if (!expression) throw std::runtime_error(to_string(diagnostics.front()));
  if (!plan::apply_filter(result, *expression)) {
    throw std::runtime_error(to_string(plan::no_match(result.plan, filter)));
  }
}

void show_file(const ShowRequest& request, const std::string& file) {
  const auto kind = results::recognise(file).kind;
  if (kind != results::FileKind::apod) throw std::runtime_error("no result of this program");
  auto result = results::read_result(file);
  apply_filter(result, request.filter);
  const Options& output = request.output;
  if (!write_results(output.out, output, result)) throw std::runtime_error("was not written");
  for (const auto& path : output.out) std::cout << "Wrote " << path << '\n';
  if (output.out.empty() && !print_result(output, result)) {
    throw std::runtime_error("standard output could not be written");
  }
}

int show(const ShowRequest& request) {
  const auto& out = request.output.out;
  if (request.files.size() > 1 && !out.empty()) {
    throw std::runtime_error("--out: takes one result; name one FILE");
  }
  std::vector<Output> outputs;
  for (const auto& path : out) {
    report::format_of(path);
    os::check_writable(path, 1 << 16);
    outputs.push_back({"--out", path});
  }
  keep_inputs(outputs, request.files);
  bool good = true;
  for (const auto& file : request.files) {
    try {
      if (file == "-") {
        const SavedInput input;
        results::naming("standard input", [&] { show_file(request, input.path()); });
      } else {
        results::naming(file, [&] { show_file(request, file); });
      }
    } catch (const results::BadResult& error) {
      std::cout.flush();
      std::cerr << show_prefix << error.what() << '\n';
      good = false;
    }
  }
  return good ? ExitCode::success : ExitCode::failure;
}

}  // namespace

int show_command(const std::vector<std::string>& arguments) {
  ShowRequest request;
  CLI::App app("Prints saved results as their runs printed them.", "bench show");
  app.footer(show_footer);
  app.get_formatter()->column_width(34);
  declare(app, request);
  try {
    parse_arguments(app, arguments);
    return show(request);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << show_prefix << error.what() << "\nbench show --help shows the flags.\n";
  } catch (const std::exception& error) {
    std::cerr << show_prefix << error.what() << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
