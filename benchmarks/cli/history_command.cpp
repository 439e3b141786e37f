#include "benchmarks/cli/history_command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "benchmarks/cli/arguments.hpp"
#include "benchmarks/cli/choice.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/compare/history_segments.hpp"
#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/report/history.hpp"
#include "benchmarks/results/read_side.hpp"
#include "benchmarks/text/closest.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::cli {
namespace {

constexpr const char* history_prefix = "bench history: ";
/// Names that are listed where a pattern matches none of them.
constexpr std::size_t most_names = 20;

constexpr const char* history_footer = R"(Examples:
  bench history results/                        every result in a folder
  bench history results/ --case 'reduction.*streams:4'
  bench history old.json new/ --out trend.csv   the same for a plot

Exit codes: 0 good; 1 usage or I/O error, a file that is no result, or no case matches; 4 no case has a time.)";

struct HistoryRequest {
  std::vector<std::string> paths;
  std::string pattern;
  std::vector<std::string> out;
  report::HistoryFormat format = report::HistoryFormat::text;
  ColorChoice color = ColorChoice::automatic;
};

void declare(CLI::App& app, HistoryRequest& request) {
  app.add_option("paths", request.paths, "Result files, or folders of them: a file is a run")
      ->type_name("PATH");
  app.add_option("--case", request.pattern, "Keep the cases whose name matches")
      ->type_name("REGEX");
  app.add_option("-o,--out", request.out, "Report file; repeat it for several. .csv .txt")
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  add_choice<report::HistoryFormat>(
      app, "--format", request.format,
      {{"text", report::HistoryFormat::text}, {"csv", report::HistoryFormat::csv}},
      "What standard output gets");
  add_choice<ColorChoice>(app, "--color", request.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "Colour in the table");
}

/// What the files hold of the cases that were asked for.
struct Reading {
  std::vector<Side> runs;
  std::set<std::string> names;  ///< of every case in any file, asked for or not
  std::size_t kept = 0;         ///< cases of `runs`
};

std::regex expression_of(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error&) {
    throw std::runtime_error("--case: '" + pattern +
                             "' is not a regular expression (characters such as ( [ { * + ? \\ "
                             "stand for themselves after a \\)");
  }
}

/// Reads every file, so that all of those that can't be used are named at once; absent, and they
/// are named on standard error, where there is one.
std::optional<Reading> read_runs(const std::vector<std::string>& files, const std::regex& pattern) {
  Reading reading;
  std::size_t bad = 0;
  for (const auto& file : files) {
    try {
      Side run = results::read_side({file});
      for (const auto& c : run.cases) reading.names.insert(c.name);
      std::erase_if(run.cases, [&](const SideCase& c) { return !regex_search(c.name, pattern); });
      reading.kept += run.cases.size();
      reading.runs.push_back(std::move(run));
    } catch (const results::BadResult& error) {
      std::cerr << history_prefix << error.what() << '\n';
      ++bad;
    }
  }
  if (bad == 0) return reading;
  std::cerr << history_prefix << bad << " of " << files.size()
            << (files.size() == 1 ? " file" : " files") << " can't be used\n";
  return std::nullopt;
}

/// A name, or the part of one between slashes, that looks most like the pattern.
std::string closest_part(const std::string& pattern, const std::set<std::string>& names) {
  std::set<std::string> parts = names;
  for (const auto& name : names) {
    for (std::size_t start = 0; start <= name.size();) {
      const auto end = std::min(name.find('/', start), name.size());
      parts.insert(name.substr(start, end - start));
      start = end + 1;
    }
  }
  return text::closest(pattern, {parts.begin(), parts.end()});
}

void explain_no_match(const std::string& pattern, const std::set<std::string>& names) {
  std::cerr << history_prefix << "--case: '" << pattern << "' matches none of " << names.size()
            << (names.size() == 1 ? " case" : " cases");
  const auto near = closest_part(pattern, names);
  if (!near.empty()) std::cerr << " (did you mean '" << text::printable(near) << "'?)";
  std::cerr << ":\n";
  std::size_t shown = 0;
  for (const auto& name : names) {
    if (shown++ == most_names) break;
    std::cerr << "  " << text::printable(name) << '\n';
  }
  if (names.size() > most_names) std::cerr << "  and " << names.size() - most_names << " more\n";
}

/// Throws std::runtime_error for a report that could not be written, or that would replace what is
/// read.
void check_outputs(const HistoryRequest& request, const std::vector<std::string>& files) {
  for (const auto& path : request.out) {
    report::history_format_of(path);
    os::check_writable(path, 1 << 16);
    for (const auto& file : files) {
      std::error_code error;
      if (std::filesystem::equivalent(path, file, error)) {
        throw std::runtime_error("--out: " + path + " is one of the results that are read");
      }
    }
  }
}

int show(const HistoryRequest& request) {
  const auto pattern = expression_of(request.pattern);
  const auto files = results::result_files(request.paths);
  check_outputs(request, files);
  auto reading = read_runs(files, pattern);
  if (!reading) return ExitCode::failure;
  if (reading->kept == 0) {
    explain_no_match(request.pattern, reading->names);
    return ExitCode::failure;
  }
  const auto history = compare::history_of(std::move(reading->runs));
  for (const auto& path : request.out) {
    os::write_atomically(path, [&](std::ostream& out) {
      report::write_history(out, history, report::history_format_of(path));
    });
  }
  const report::ConsoleStyle style{wants_color(request.color), terminal_width(STDOUT_FILENO)};
  report::write_history(std::cout, history, request.format, style);
  if (!std::cout.flush()) throw std::runtime_error("standard output could not be written");
  const bool any = std::any_of(history.cases.begin(), history.cases.end(),
                               [](const CaseHistory& c) { return !c.segments.empty(); });
  return any ? ExitCode::success : ExitCode::nothing_to_judge;
}

}  // namespace

int history_command(const std::vector<std::string>& arguments) {
  HistoryRequest request;
  CLI::App app("Shows how cases moved over many runs, and where their level changed.",
               "bench history");
  app.footer(history_footer);
  app.get_formatter()->column_width(34);
  declare(app, request);
  try {
    parse_arguments(app, arguments);
    if (request.paths.empty()) {
      throw CLI::ValidationError("nothing to show: name result files, or folders of them");
    }
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::cerr << history_prefix << error.what() << "\nbench history --help shows the flags.\n";
    return ExitCode::failure;
  }
  try {
    return show(request);
  } catch (const std::regex_error&) {
    std::cerr << history_prefix << "--case: '" << request.pattern << "' takes too long to match\n";
  } catch (const std::exception& error) {
    std::cerr << history_prefix << error.what() << '\n';
  }
  return ExitCode::failure;
}

}  // namespace apod::cli
