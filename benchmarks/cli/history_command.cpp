#include <algorithm>
#include <iostream>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/judge/history_segments.hpp"

namespace apod::cli {
namespace {

/// Names that are listed where a pattern matches none of them.
constexpr std::size_t most_names = 20;

/// What the files hold of the cases that were asked for.
struct Reading {
  std::vector<Side> runs;
  std::set<std::string> names;  ///< of every case in any file, asked for or not
  std::size_t kept = 0;         ///< cases of `runs`
  std::vector<std::string> left_out;
};

struct OneFile {
  std::vector<Side> runs;
  std::set<std::string> names;
  std::string wrong;  ///< why it can't be used
};

OneFile read_one(const std::string& file, const text::Pattern& pattern,
                 const files::Metric& metric) {
  OneFile one;
  try {
    one.runs = files::read_runs(file, metric);
    for (Side& run : one.runs) {
      for (const auto& c : run.cases) one.names.insert(c.name);
      files::naming(file, [&] {
        return std::erase_if(run.cases, [&](const auto& c) { return !pattern.is_in(c.name); });
      });
    }
  } catch (const files::BadResult& error) {
    one = {};
    one.wrong = error.what();
  }
  return one;
}

/// Reads every file, so that all of those that were named and can't be used are said at once;
/// absent, and they are said on standard error, where there is one. Of what was found in folders
/// the rest is read.
std::optional<Reading> read_runs(const std::vector<std::string>& paths,
                                 const text::Pattern& pattern, const files::Metric& metric) {
  Reading reading;
  auto [files, left_out] = files::result_files(paths);
  std::size_t bad = 0;
  std::vector<OneFile> read(files.size());
  const auto read_all = [&](std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) read[i] = read_one(files[i].path, pattern, metric);
  };
  os::in_halves(files.size(), read_all, 100);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!read[i].wrong.empty()) {
      if (files[i].found) {
        left_out.add_unread(files[i].path, read[i].wrong);
        continue;
      }
      say(read[i].wrong);
      ++bad;
    }
    reading.names.merge(read[i].names);
    for (auto& run : read[i].runs) {
      reading.kept += run.cases.size();
      reading.runs.push_back(std::move(run));
    }
  }
  reading.left_out = left_out.notes();
  if (bad == 0 && !reading.runs.empty()) return reading;
  for (const auto& note : reading.left_out) say(note);
  say(bad > 0
          ? std::to_string(bad) + " of " + text::counted(files.size(), "file") + " can't be used"
          : "no result is left to show");
  return std::nullopt;
}

void explain_no_match(const text::Pattern& pattern, const std::set<std::string>& names) {
  const auto near = text::closest_part(pattern, {names.begin(), names.end()});
  auto message = "--filter: '" + pattern.expression() + "' matches none of " +
                 text::counted(names.size(), "case") + text::in_brackets(text::did_you_mean(near)) +
                 ":";
  for (const auto& name : names | std::views::take(most_names))
    message += "\n" + text::printable(name);
  if (names.size() > most_names)
    message += "\nand " + std::to_string(names.size() - most_names) + " more";
  say(message);
}

class HistoryCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench history results/                        every result in a folder and its subfolders
  bench history results/ --filter 'reduction.*streams:4'
  bench history old.json new/ --out trend.csv   the same numbers, for a plot

Exit codes: 0 good; 1 usage or I/O error, a named file that is not a result, a folder without
            results, or no case matches; 4 no case has a time.)"};
  }
  void declare(Flags& flags) override {
    flags.words("paths", "PATH", "Result files, or folders of them; each file is one run", paths_);
    flags.filter(pattern_);
    flags.metric(metric_);
    flags.outputs(out_, show::extensions_of(formats));
    declare_format(flags, format_, formats);
    flags.color(color_);
  }
  void settle() override {
    if (paths_.empty()) refuse_nothing("show", "result files, or folders of them");
  }
  Files files() const override {
    return {files::result_files(paths_).paths(), report_outputs(out_, formats)};
  }
  int run() override {
    auto reading = read_runs(paths_, pattern_, metric_);
    if (!reading) return ExitCode::failure;
    if (reading->kept == 0) {
      explain_no_match(pattern_, reading->names);
      return ExitCode::failure;
    }
    const bool is_rate = std::ranges::any_of(reading->runs, &Side::is_rate);
    const bool is_counter = std::ranges::any_of(reading->runs, &Side::is_counter);
    auto history = judge::history_of(std::move(reading->runs));
    for (auto& c : history.cases) {
      c.is_rate = is_rate;
      c.is_counter = is_counter;
    }
    history.notes.insert(history.notes.begin(), reading->left_out.begin(), reading->left_out.end());
    const auto report = show::report_of(history);
    const bool written = write_reports(out_, report);
    show::write(std::cout, report, format_, console_style(color_));
    if (!written) return ExitCode::failure;
    const bool any = std::ranges::any_of(history.cases,
                                         [](const CaseHistory& c) { return !c.segments.empty(); });
    return any ? ExitCode::success : ExitCode::nothing_to_judge;
  }

  static constexpr auto formats = show::Formats::all_but_junit;
  std::vector<std::string> paths_;
  text::Pattern pattern_;
  files::Metric metric_;
  std::vector<std::string> out_;
  show::Format format_ = show::Format::console;
  ColorChoice color_ = ColorChoice::automatic;
};

}  // namespace

std::unique_ptr<Command> make_history() {
  return std::make_unique<HistoryCommand>();
}

}  // namespace apod::cli
