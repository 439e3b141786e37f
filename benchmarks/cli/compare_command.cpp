#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/cli/calibrations.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/compare_options.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/compare/compare.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/os/in_parallel.hpp"
#include "benchmarks/report/comparison.hpp"
#include "benchmarks/results/read_side.hpp"
#include "benchmarks/run/side_by_side.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr int log_width = 200;
// GitHub's limit for the summary of one step.
constexpr std::uintmax_t summary_limit = 1 << 20;

bool same_bytes(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const auto size = fs::file_size(a, error);
  if (error || size != fs::file_size(b, error) || error) return false;
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(first), {},
                    std::istreambuf_iterator<char>(second), {});
}

/// Throws std::runtime_error where a file, or a copy of it, is on both sides: its processes would
/// be held against themselves, and differ in nothing.
void refuse_shared_files(const CompareRequest& request) {
  std::error_code error;
  const auto base = results::result_files(request.base);
  const auto new_side = results::result_files(request.new_side);
  for (const auto& a : base) {
    for (const auto& b : new_side) {
      const bool same = fs::equivalent(a, b, error);
      if (!same && !same_bytes(a, b)) continue;
      throw std::runtime_error(
          (a == b ? a
                  : a + " and " + b + (same ? " are one file, which" : " are copies, so one run")) +
          " is on both sides: it can't differ from itself (how far two runs "
          "of one build lie apart: bench calibrate)");
    }
  }
}

Comparison compare_files(const CompareRequest& request) {
  refuse_shared_files(request);
  const auto [base, new_side] =
      os::in_parallel([&] { return results::read_side(request.base, request.filter); },
                      [&] { return results::read_side(request.new_side, request.filter); });
  auto options = request.compare;
  std::vector<std::string> notes;
  apply_calibrations(base, request.calibration, options, notes);
  auto comparison = compare::compare_sides(base, new_side, options);
  comparison.notes.insert(comparison.notes.end(), notes.begin(), notes.end());
  return comparison;
}

/// Throws std::runtime_error where `file`, if it is a path, is no program. A bare name is searched
/// as a shell would.
void check_program(const std::string& flag, const std::string& file) {
  std::error_code error;
  if (file.find('/') == std::string::npos) return;
  std::string problem;
  if (!fs::exists(file, error)) {
    problem = "there is no such file (build it, or name the bench program of another build folder)";
  } else if (fs::is_directory(file, error)) {
    problem = "is a folder (name the bench program in it)";
  } else if (::access(file.c_str(), X_OK) != 0) {
    problem = "is not executable (chmod +x, or name another file)";
  }
  if (!problem.empty()) throw std::runtime_error(flag + " " + file + ": " + problem);
}

std::vector<run::Arm> arms_of(const CompareRequest& request) {
  check_program("--base-bin", request.base_bin);
  check_program("--new-bin", request.new_bin);
  const auto new_bin = request.new_bin.empty() ? own_program() : request.new_bin;
  if (request.by.empty()) {
    return {{request.base_bin, request.base_bin, {}, ""}, {new_bin, new_bin, {}, ""}};
  }
  // Every arm is of the same experiments: those in which all the values mean something.
  std::string ladder = request.by + "=";
  for (const auto& value : request.values) {
    if (&value != &request.values.front()) ladder += ',';
    ladder += value;
  }
  std::vector<run::Arm> arms;
  for (const auto& value : request.values) {
    const auto setting = request.by + "=" + value;
    arms.push_back({setting, new_bin, {"--having", ladder, "--set", setting}, value});
  }
  return arms;
}

/// What a program that was told a value of --by as --having and as --set says of it, in the words
/// of who asked; most mistakes it finds in both.
std::string told_of_by(const std::string& errors) {
  std::string told;
  for (const std::string_view flag : {"--having: ", "--set: "}) {
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(flag)) told += "\n--by: " + line.substr(flag.size());
    }
    if (!told.empty()) return told;
  }
  return "\n" + errors;
}

Comparison compare_runs(const CompareRequest& request) {
  run::SideBySideOptions options;
  options.arms = arms_of(request);
  options.by = request.by;
  // A bare name must mean the same file to both programs.
  options.arguments = {"--config", find_config(request.config)};
  options.arguments.insert(options.arguments.end(), request.slot_arguments.begin(),
                           request.slot_arguments.end());
  if (!request.filter.empty()) {
    options.arguments.insert(options.arguments.end(), {"--filter", request.filter});
  }
  if (request.blocks) options.confirmation = *request.blocks;
  options.budget_s = request.budget_s;
  options.seed = request.seed ? *request.seed : std::random_device{}();
  options.compare = request.compare;
  run::SideBySideListener listener;
  listener.cancelled = stop_asked;
  if (!request.quiet) {
    listener.message = [](const std::string& text) {
      std::cerr << "bench compare: " << text << '\n';
    };
    // A person looks on as slots go by; a log is read later, and long enough.
    (::isatty(STDERR_FILENO) != 0 ? listener.slot : listener.block) = listener.message;
  }
  watch_signals();
  try {
    return run::compare_side_by_side(options, listener);
  } catch (const run::Refusal& refusal) {
    if (request.by.empty()) throw;
    throw std::runtime_error(refusal.label + " can't run this experiment; nothing was measured" +
                             told_of_by(refusal.told));
  }
}

/// Every file that the comparison reads or runs.
std::vector<std::string> inputs_of(const CompareRequest& request) {
  auto inputs = request.base;
  inputs.insert(inputs.end(), request.new_side.begin(), request.new_side.end());
  for (const auto& file : {request.base_bin, request.new_bin, request.calibration,
                           request.config.empty() ? "" : find_config(request.config)}) {
    if (!file.empty()) inputs.push_back(file);
  }
  return inputs;
}

/// False where a report could not be written, which is said; the others are.
bool write_reports(const std::vector<std::string>& paths, const Comparison& comparison) {
  bool good = true;
  for (const auto& path : paths) {
    try {
      os::write_atomically(path, [&](std::ostream& out) {
        report::write_comparison(out, comparison, report::comparison_format_of(path));
      });
    } catch (const std::exception& error) {
      good = false;
      std::cerr << "bench compare: " << error.what() << '\n';
    }
  }
  return good;
}

/// In GitHub Actions the verdict goes where a maintainer looks first.
void write_for_github(const Comparison& comparison, report::ComparisonFormat format) {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  if (actions != nullptr && std::string(actions) == "true") {
    // GitHub reads both streams; JSON and XML on standard output must stay what they are.
    const bool text = format == report::ComparisonFormat::text;
    report::write_annotations(text ? std::cout : std::cerr, comparison);
  }
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary == nullptr || *summary == '\0') return;
  std::ostringstream text;
  report::write_comparison(text, comparison, report::ComparisonFormat::markdown);
  std::error_code error;
  const auto there = fs::exists(summary, error) ? fs::file_size(summary, error) : 0;
  std::ofstream file(summary, std::ios::app);
  if (there + text.str().size() >= summary_limit) {
    file << report::verdict_line(comparison) << "\n\n(the whole report has no room here)\n";
  } else {
    file << text.str();
  }
  file.flush();
  if (!file) std::cerr << "bench compare: " << summary << ": the summary could not be written\n";
}

int exit_code_of(const CompareRequest& request, const Comparison& comparison) {
  if (comparison.interrupted) return ExitCode::interrupted;
  if (comparison.count(Verdict::regression) > 0) return ExitCode::regression;
  if (!comparison.failure.empty()) return ExitCode::nothing_to_judge;
  const auto unjudged = comparison.count(Verdict::missing) + comparison.count(Verdict::invalid);
  const auto judged = comparison.cases.size() - unjudged - comparison.count(Verdict::added);
  if (unjudged > 0 || judged == 0) return ExitCode::nothing_to_judge;
  if (request.fail_on_inconclusive && comparison.count(Verdict::inconclusive) > 0) {
    return ExitCode::inconclusive;
  }
  return ExitCode::success;
}

}  // namespace

int compare_command(const CompareRequest& request) {
  try {
    std::vector<Output> outputs;
    for (const auto& path : request.out) outputs.push_back({"--out", path});
    keep_inputs(outputs, inputs_of(request));
    for (const auto& path : request.out) {
      report::comparison_format_of(path);  // found now, not after minutes of measuring
      os::check_writable(path, 1 << 16);
    }
    const auto comparison = request.side_by_side() ? compare_runs(request) : compare_files(request);
    // The verdict first: a full disk must not cost what took minutes to find.
    // A log has no edge: case names stay whole there.
    const int width = ::isatty(STDOUT_FILENO) != 0 ? terminal_width(STDOUT_FILENO) : log_width;
    const report::ConsoleStyle style{wants_color(request.color), width};
    report::write_comparison(std::cout, comparison, request.format, style);
    write_for_github(comparison, request.format);
    const bool printed = std::cout.flush().good();
    if (!printed) std::cerr << "bench compare: standard output could not be written\n";
    const bool written = write_reports(request.out, comparison);
    if (!printed || !written) return ExitCode::failure;
    return exit_code_of(request, comparison);
  } catch (const std::exception& error) {
    std::cerr << "bench compare: " << error.what() << '\n';
    return ExitCode::failure;
  }
}

}  // namespace apod::cli
