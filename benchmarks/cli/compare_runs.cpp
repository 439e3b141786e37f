#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/cli/command_arm.hpp"
#include "benchmarks/cli/compare_options.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/judge/blocks.hpp"
#include "benchmarks/run/side_by_side.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

std::vector<run::Arm> arms_of(const CompareRequest& request, const std::string& folder) {
  if (request.of_commands()) {
    const auto reads = reads_of({request.base_words, request.new_words}, request.reads);
    const auto here = fs::current_path().string();
    const auto seconds =
        seconds_in_budget({request.base_words, request.new_words}, reads, request.budget_s,
                          request.filter, request.blocks.value_or(judge::confirmation_blocks));
    return {arm_of_command(request.base_words, reads, here, folder + "/base.yaml", seconds),
            arm_of_command(request.new_words, reads, here, folder + "/new.yaml", seconds)};
  }
  const auto new_bin = request.new_bin.empty() ? own_program() : request.new_bin;
  if (request.by.empty())
    return {{request.base_bin, request.base_bin, {}, ""}, {new_bin, new_bin, {}, ""}};
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

}  // namespace

void check_programs(const CompareRequest& request) {
  if (request.of_commands()) {
    check_command(request.base_words);
    return check_command(request.new_words);
  }
  for (const auto& file : {request.base_bin, request.new_bin}) {
    if (file.empty()) continue;
    check_program(file, "build it first, or name the bench program in another build folder");
  }
  const auto config = find_config(request.config);
  try {
    const os::InputFile readable(config);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("--config: " + config + ": " + error.what());
  }
}

Comparison compare_runs(const CompareRequest& request, const std::vector<std::string>& suspects) {
  run::SideBySideOptions options;
  options.suspects = suspects;
  options.changed = request.changed;
  const os::TemporaryFolder folder;
  options.arms = arms_of(request, folder.path());
  options.by = request.by;
  // A bare name must mean the same file to both programs.
  if (!request.of_commands()) options.arguments = {"--config", find_config(request.config)};
  options.arguments.insert(options.arguments.end(), request.slot_arguments.begin(),
                           request.slot_arguments.end());
  if (!request.filter.empty())
    options.arguments.insert(options.arguments.end(), {"--filter", request.filter.expression()});
  options.blocks = request.blocks;
  options.budget_s = request.budget_s;
  options.seed = request.seed ? *request.seed : std::random_device{}();
  options.compare = request.compare;
  auto progress = progress_on_stderr(request.quiet, 0, 0);
  run::SideBySideListener listener;
  listener.cancelled = [&] { return stop_after_tick(progress); };
  listener.message = [&](const std::string& text) { progress.message(text); };
  listener.slots = [&](std::size_t slots) { progress.expect(slots, Progress::any_number); };
  listener.begun = [&](const auto& stage, const auto& arm) { progress.running(arm, stage); };
  listener.finished = [&](const auto& stage, const auto& arm) { progress.finished(stage, arm); };
  watch_signals();
  try {
    return run::compare_side_by_side(options, listener);
  } catch (const run::Refusal& refusal) {
    if (request.by.empty()) throw;
    throw std::runtime_error(refusal.label + " can't run this experiment; nothing was measured" +
                             told_of_by(refusal.told));
  }
}

}  // namespace apod::cli
