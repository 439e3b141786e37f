#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/calibration_files.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/compare_options.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/judge/compare.hpp"
#include "benchmarks/judge/confirm.hpp"
#include "benchmarks/judge/recordings.hpp"
#include "benchmarks/judge/side_text.hpp"
#include "benchmarks/judge/unpaired.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

// GitHub's limit for the summary of one step.
constexpr std::uintmax_t summary_limit = 1 << 20;

/// Those of a side's paths that are no folders: the other side's folders go without them, so that a
/// night can be compared with the folder it lies in.
std::vector<std::string> files_among(std::vector<std::string> paths) {
  std::erase_if(paths, [](const auto& path) {
    std::error_code error;
    return fs::is_directory(path, error);
  });
  return paths;
}

/// The error for a file that is on both sides, under the name of each, as `others` more are.
std::runtime_error on_both_sides(const std::string& a, const std::string& b, std::size_t others) {
  std::error_code error;
  const bool same = fs::equivalent(a, b, error);
  std::string text = a;
  if (a != b) {
    text +=
        " and " + b + (same ? " are the same file, which" : " are copies of the same run, which");
  }
  text += " is on both sides";
  if (others > 0) {
    text += std::string(", and so ") + (others == 1 ? "is " : "are ") +
            text::counted(others, "other file");
  }
  return std::runtime_error(
      text +
      ": name each file on one side only (to see runs over time: bench history; to "
      "see how much runs of one build differ: bench calibrate)");
}

/// Both sides may hold a copy of a file. Its processes can't be compared with themselves, so
/// neither side is read with it. Throws std::runtime_error if such a file was named, and did not
/// come from a folder, or if one side has no other file.
std::vector<std::string> shared_files(const CompareRequest& request) {
  const auto base = files::result_files(request.base, files_among(request.new_side)).files;
  const auto new_side = files::result_files(request.new_side, files_among(request.base)).files;
  files::KnownFiles known;
  std::set<std::string> named;
  for (const auto& file : base) {
    known.add(file.path);
    if (!file.found) named.insert(file.path);
  }
  std::vector<std::string> shared;
  std::string first;
  for (const auto& file : new_side) {
    const auto copy = known.find(file.path);
    if (copy.empty()) continue;
    if (!file.found || named.contains(copy)) throw on_both_sides(copy, file.path, 0);
    if (shared.empty()) first = file.path;
    shared.push_back(copy);
  }
  if (!shared.empty() && shared.size() >= std::min(base.size(), new_side.size()))
    throw on_both_sides(shared.front(), first, shared.size() - 1);
  return shared;
}

Comparison compare_files(const CompareRequest& request) {
  const auto shared = shared_files(request);
  const auto read = [&](const std::vector<std::string>& paths,
                        const std::vector<std::string>& others, files::Runs runs) {
    auto elsewhere = files_among(others);
    elsewhere.insert(elsewhere.end(), shared.begin(), shared.end());
    return files::read_side(paths, request.filter, files::Samples::skip, request.metric, elsewhere,
                            runs);
  };
  auto [before, after] =
      os::in_parallel([&] { return read(request.base, request.new_side, files::Runs::all); },
                      [&] { return read(request.new_side, request.base, files::Runs::last); });
  malloc_trim(0);  // the readers' memory goes back before the judge needs its own
  std::array<Side, 2> sides{std::move(before), std::move(after)};
  auto notes = judge::keep_comparable(sides);
  for (const auto& more :
       {judge::take_out_settled(sides[0], sides[1]), judge::renamed_cases(sides[0], sides[1])}) {
    notes.insert(notes.end(), more.begin(), more.end());
  }
  const auto& [base, new_side] = sides;
  if (base.is_counter != new_side.is_counter) {
    throw std::runtime_error("--metric: " + request.metric.name +
                             " is a time on one side, but a counter on the other");
  }
  auto options = request.compare;
  apply_calibrations(base, request.calibration, options, notes);
  auto comparison = judge::compare_sides(base, new_side, options);
  // What both sides say of the metric is said once.
  std::set<std::string> said;
  std::erase_if(comparison.notes, [&](const auto& note) { return !said.insert(note).second; });
  comparison.notes.insert(comparison.notes.end(), notes.begin(), notes.end());
  const auto findings = judge::finding_changes(base, new_side);
  comparison.notes.insert(comparison.notes.begin(), findings.begin(), findings.end());
  for (auto& c : comparison.cases) {
    c.is_counter = base.is_counter;
    c.is_rate = base.is_rate;
  }
  judge::tell_times(base, new_side, comparison);
  if (judge::has_repetitions(base) || judge::has_repetitions(new_side)) {
    comparison.one_process = true;
    const auto of_base = judge::replicates_text(base);
    const auto of_new = judge::replicates_text(new_side);
    comparison.notes.push_back(of_base == of_new
                                   ? "each side has " + of_base
                                   : "the base has " + of_base + ", the new side " + of_new);
  }
  return comparison;
}

/// The files first, then the builds where the files are not enough.
Comparison compare_and_confirm(const CompareRequest& request) {
  check_programs(request);
  auto files = compare_files(request);
  const auto suspects = judge::suspects_of(files);
  Comparison blocks;
  try {
    if (!suspects.empty()) blocks = compare_runs(request, suspects);
  } catch (const std::runtime_error& error) {
    blocks.failure = error.what();  // what the files said is worth its report
  }
  return judge::confirmed(std::move(files), suspects, blocks);
}

Comparison compare_all(const CompareRequest& request) {
  if (request.confirm) return compare_and_confirm(request);
  if (!request.side_by_side()) return compare_files(request);
  check_programs(request);
  return compare_runs(request);
}

/// Every file that the comparison reads or runs.
std::vector<std::string> inputs_of(const CompareRequest& request) {
  std::vector<std::string> inputs;
  for (const auto& side : {request.base, request.new_side}) {
    if (side.empty()) continue;
    const auto files = files::result_files(side).paths();
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  for (const auto& file : {request.base_bin, request.new_bin, request.calibration,
                           request.config.empty() ? "" : find_config(request.config)}) {
    if (!file.empty()) inputs.push_back(file);
  }
  return inputs;
}

/// In GitHub Actions the verdict goes where a maintainer looks first.
void write_for_github(const CompareRequest& request, const Comparison& comparison,
                      const show::Report& report) {
  if (auto* out = annotations_stream(request.format == show::Format::console))
    show::write_annotations(*out, comparison, request.fail_on);
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary == nullptr || *summary == '\0') return;
  std::ostringstream whole;
  show::write(whole, report, show::Format::markdown);
  std::error_code error;
  const auto there = fs::is_regular_file(summary, error) ? fs::file_size(summary, error) : 0;
  if (there + whole.str().size() >= summary_limit) {
    show::Document verdict;
    verdict.add(show::Paragraph{show::verdict_line(comparison)});
    verdict.add(show::Paragraph{"(the whole report is too large for this summary)"});
    whole.str("");
    show::render_markdown(whole, verdict);
  }
  try {
    os::append(os::Destination::named(summary), whole.str());
  } catch (const std::runtime_error& why) {
    say(std::string("the summary could not be written: ") + why.what());
  }
}

int exit_code_of(const CompareRequest& request, const Comparison& comparison) {
  if (comparison.interrupted) return ExitCode::interrupted;
  if (comparison.has_regression()) return ExitCode::regression;
  if (!comparison.failure.empty() || !comparison.unlike.empty()) return ExitCode::nothing_to_judge;
  const auto unjudged = comparison.count(Verdict::missing) + comparison.count(Verdict::invalid);
  const auto judged = comparison.cases.size() - unjudged - comparison.count(Verdict::added);
  if (show::count_lacking(comparison) > 0 || judged == 0) return ExitCode::nothing_to_judge;
  if (request.fail_on == FailOn::regression) return ExitCode::success;
  if (comparison.has_slower_suspect()) return ExitCode::nothing_to_judge;
  const auto undecided = comparison.count(Verdict::inconclusive);
  if (undecided > 0 && request.fail_on == FailOn::inconclusive) return ExitCode::inconclusive;
  return comparison.mostly_open() ? ExitCode::nothing_to_judge : ExitCode::success;
}

/// For `git bisect run`, which takes 1 to 124 for a bad commit, and stops at 128 and above.
int code_for_git(int code) {
  if (code == ExitCode::success || code == ExitCode::interrupted) return code;
  return code == ExitCode::regression ? ExitCode::git_bad : ExitCode::git_skip;
}

class CompareCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench compare base.json new.json                     two results (of bench, Google Benchmark, NVBench)
  bench compare --base old/ --new new/ --threshold 2%  folders: each file is a session
  bench compare --base-bin old/bench --new-bin new/bench --config x.yaml
                                                       two builds, measured alternately: finds the smallest changes
  bench compare --base-bin old/bench --config x.yaml --changed
                                                       only the cases whose code has changed
  bench compare base.json new.json --confirm --base-bin old/bench --config x.yaml
                                                       compares files, then measures again what may have changed
  bench compare --config x.yaml --by streams=1,2,4     each value against the one before it
  bench compare base.json new.json --out r.md --out junit.xml

Exit codes: 0 good; 1 usage or I/O error; 3 a regression; 4 not certain: a suspect, most cases
            inconclusive, or a case that could not be compared; 5 inconclusive, with --fail-on inconclusive;
            130 interrupted. With --exit-codes git: 0 good; 1 a regression; 125 all else; 130 interrupted.)",
        {"--base-bin", "--new-bin", "--config", "--by", "--confirm", "--budget", "--threshold",
         "--fail-on", "--filter", "--out"}};
  }
  void declare(Flags& flags) override { declare_compare(flags, request_); }
  void settle() override { settle_compare(request_); }
  Files files() const override { return {inputs_of(request_), report_outputs(request_.out)}; }
  /// A command line that is wrong is no bad commit either, so its words decide.
  int ends_with(int code) const override {
    const auto& words = command_line;
    const auto flag = std::ranges::find(words, "--exit-codes");
    const bool for_git = std::ranges::find(words, "--exit-codes=git") != words.end() ||
                         (flag != words.end() && flag + 1 != words.end() && *(flag + 1) == "git");
    return for_git ? code_for_git(code) : code;
  }
  int run() override {
    if (!request_.config.empty()) {
      const auto refused = refuse_untrusted(request_.config, request_.slot_arguments);
      if (refused) return *refused;
    }
    const bool measures = request_.side_by_side() || request_.confirm;
    const auto claims = measures ? claim_outputs(request_.out) : std::vector<os::Claim>{};
    auto comparison = compare_all(request_);
    comparison.command_line = command_line;
    // The verdict first: a full disk must not cost what took minutes to find.
    const auto report = show::report_of(comparison, request_.fail_on);
    show::write(std::cout, report, request_.format, console_style(request_.color));
    write_for_github(request_, comparison, report);
    std::cout.flush();
    const bool written = write_reports(request_.out, report);
    return written ? exit_code_of(request_, comparison) : ExitCode::failure;
  }

  CompareRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_compare() {
  return std::make_unique<CompareCommand>();
}

}  // namespace apod::cli
