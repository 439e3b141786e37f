#include "benchmarks/cli/command_arm.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/judge/blocks.hpp"
#include "benchmarks/plan/config/load.hpp"

namespace apod::cli {

namespace fs = std::filesystem;

void declare_read(Flags& flags, std::optional<Reads>& reads, const std::string& by_default) {
  flags.choice(
      "--read", reads,
      {{"process", Reads::process},
       {"google", Reads::google},
       {"nvbench", Reads::nvbench},
       {"nccl-tests", Reads::nccl_tests},
       {"nvbandwidth", Reads::nvbandwidth}},
      "process: the time of the whole process. google: the time of each benchmark, which runs for "
      "0.1 s (less if --budget is short) unless the command has --benchmark_min_time. The default "
      "is " +
          by_default);
}

std::vector<std::string> command_words(const std::string& line) {
  auto words = text::shell_words(line);
  if (!words) throw UsageError("'" + line + "' has an unclosed quote");
  if (words->empty() || words->front().empty()) throw UsageError("'" + line + "' names no program");
  for (const auto& word : *words) {
    for (const auto* sign : {"|", "||", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&"}) {
      if (word != sign) continue;
      throw UsageError("'" + line + "': bench runs it without a shell, so '" + word +
                       "' would be an argument (start a shell: \"sh -c '" + line + "'\")");
    }
  }
  return std::move(*words);
}

void check_program(const std::string& file, const std::string& hint) {
  std::error_code error;
  std::string problem;
  if (!fs::exists(file, error)) {
    problem = "there is no such file" + text::in_brackets(hint);
  } else if (fs::is_directory(file, error)) {
    problem = "is a folder (name the program in that folder)";
  } else if (::access(file.c_str(), X_OK) != 0) {
    problem = "is not executable (run chmod +x, or name another file)";
  }
  if (!problem.empty()) throw std::runtime_error(file + ": " + problem);
}

void check_command(const std::vector<std::string>& words) {
  const auto& program = words.front();
  if (program.find('/') != std::string::npos) return check_program(program, "");
  if (!os::find_program(program).empty()) return;
  const bool is_here = ::access(program.c_str(), X_OK) == 0;
  throw std::runtime_error(program + ": there is no such program on the PATH" +
                           (is_here ? " (write ./" + program + ")" : ""));
}

namespace {

/// Whether the file holds one of the words that Google Benchmark leaves in a program: the name of
/// its flag, or of its library.
bool is_of_google_benchmark(const std::string& file) {
  constexpr std::size_t piece = 1 << 20;
  constexpr std::size_t most_pieces = 512;
  constexpr std::array<std::string_view, 2> signs{"benchmark_list_tests", "libbenchmark.so"};
  std::optional<os::InputFile> in;
  try {
    in.emplace(file);
  } catch (const std::runtime_error&) {
    return false;
  }
  std::string text;
  std::string more(piece, '\0');
  for (std::size_t i = 0; *in && i < most_pieces; ++i) {
    in->read(more.data(), piece);
    // A word may lie across two pieces.
    text.erase(0, text.size() - std::min(text.size(), signs[0].size()));
    text.append(more, 0, static_cast<std::size_t>(in->gcount()));
    for (const auto sign : signs) {
      if (text.find(sign) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

Reads reads_of(const std::vector<std::vector<std::string>>& commands, std::optional<Reads> wished) {
  if (wished) return *wished;
  for (const auto& words : commands) {
    const auto& program = words.front();
    const bool is_path = program.find('/') != std::string::npos;
    if (!is_of_google_benchmark(is_path ? program : os::find_program(program)))
      return Reads::process;
  }
  say("the program uses Google Benchmark, so each benchmark is a case (to compare the time of the "
      "whole process instead: --read process)");
  return Reads::google;
}

namespace {

constexpr const char* min_time = "--benchmark_min_time=";
constexpr const char* case_prefix = "google/program/";

bool sets_time(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const auto& word) { return word.starts_with(min_time); });
}

/// What a program prints when it lists its benchmarks; nothing if it fails.
std::vector<std::string> listing(std::vector<std::string> words) {
  std::vector<std::string> lines;
  words.emplace_back("--benchmark_list_tests=true");
  const auto end =
      os::run_program(words, {.on_line = [&](std::string_view line) { lines.emplace_back(line); },
                              .cancelled = stop_asked,
                              .timeout = std::chrono::seconds(10)});
  return end.exit_code == 0 ? lines : std::vector<std::string>{};
}

/// The names of a program's benchmarks. What it also prints when no name matches is none: a script
/// that starts it may print lines of its own. If nothing else is left, the program has no filter.
std::vector<std::string> benchmark_names(std::vector<std::string> words) {
  const auto all = listing(words);
  auto names = all;
  words.emplace_back("--benchmark_filter=^$");
  for (const auto& line : listing(std::move(words))) {
    const auto same = std::ranges::find(names, line);
    if (same != names.end()) names.erase(same);
  }
  return names.empty() ? all : names;
}

}  // namespace

std::vector<std::string> shortened(std::vector<std::string> words, Reads reads, double seconds) {
  if (reads == Reads::google && !sets_time(words))
    words.push_back(fmt::format("{}{:.2g}", min_time, seconds));
  return words;
}

double seconds_in_budget(const std::vector<std::vector<std::string>>& commands, Reads reads,
                         std::optional<double> budget_s, const text::Pattern& filter, int blocks) {
  if (reads != Reads::google || !budget_s) return usual_seconds;
  constexpr double in_block = 2 * 2;      // each benchmark, on two sides
  constexpr double least_seconds = 1e-3;  // else the first iteration decides
  constexpr double trial_runs = 2;        // Google Benchmark takes about this multiple of the time
  double benchmarks = blocks;             // of all blocks together
  for (const auto& words : std::set(commands.begin(), commands.end())) {
    if (sets_time(words)) continue;
    const auto names = benchmark_names(words);
    const auto chosen = std::ranges::count_if(
        names, [&](const auto& name) { return filter.is_in(case_prefix + name); });
    // The first block runs all, and finds those of the filter.
    benchmarks = std::max(
        benchmarks, static_cast<double>(names.size()) + static_cast<double>((blocks - 1) * chosen));
  }
  return std::clamp(*budget_s / in_block / trial_runs / benchmarks, least_seconds, usual_seconds);
}

run::Arm arm_of_command(std::vector<std::string> words, Reads reads, const std::string& folder,
                        const std::string& file, double seconds) {
  words = shortened(std::move(words), reads, seconds);
  const std::string name(to_string(reads));
  const auto label = text::shell_line(words);
  for (auto& word : words) word = config::with_plain_braces(word);
  // Its cases have the same names, whatever the program is called.
  const config::CommandFile experiment{.name = name,
                                       .words = std::move(words),
                                       .folder = config::with_plain_braces(folder),
                                       .reads = reads,
                                       .axes = {{"variant", {"program"}}}};
  std::ofstream(file) << experiment.text();
  return {label, own_program(), {"--config", file, "--trust"}, ""};
}

}  // namespace apod::cli
