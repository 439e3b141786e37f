#include "benchmarks/run/slot.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/run/side_by_side.hpp"

namespace apod::run {
namespace {

namespace fs = std::filesystem;

// Exit codes of `bench` with a result: success, a case failed, an expectation was missed.
constexpr bool wrote_a_result(int exit_code) {
  return exit_code == 0 || exit_code == 1 || exit_code == 3;
}

/// The program may be a script that starts another. That one must not outlive us either: it would
/// disturb the next comparison.
os::ProgramEnd run_guarded(const std::vector<std::string>& words,
                           const std::function<bool()>& cancelled,
                           const std::function<void(std::string_view)>& on_line = {}) {
  return os::run_program(words,
                         {.on_line = on_line, .cancelled = cancelled, .group = os::Group::guarded});
}

void refuse_unless_good(const os::ProgramEnd& end, const Arm& arm,
                        const std::vector<std::string>& words) {
  if (end.cancelled || end.exit_code == 0) return;
  throw Refusal(arm.label + " can't run this experiment (exit code " +
                    std::to_string(end.exit_code) + "); nothing was measured: " +
                    text::shell_line(words) + (end.errors.empty() ? "" : "\n" + end.errors),
                arm.label, end.errors);
}

}  // namespace

bool is_listed(const std::string& id, const std::vector<std::string>& listed) {
  return std::any_of(listed.begin(), listed.end(),
                     [&](const auto& known) { return id == known || id.starts_with(known + "/"); });
}

Slots::Slots(std::vector<std::string> arguments, std::function<bool()> cancelled)
    : arguments_(std::move(arguments)), cancelled_(std::move(cancelled)) {
  // What a launcher told this process is not for those that it starts.
  ::setenv("APOD_SHARD", "1/1", 1);
}

bool Slots::run(const std::string& program, const std::vector<std::string>& more, int processes,
                std::uint64_t seed, const std::string& file) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--processes", std::to_string(processes), "--seed",
                             std::to_string(seed), "--quiet", "--out", file});
  std::error_code ignored;
  fs::remove(file, ignored);
  const auto end = run_guarded(words, cancelled_);
  if (end.cancelled || cancelled_()) return false;
  if (!wrote_a_result(end.exit_code) || !fs::exists(file, ignored)) {
    throw std::runtime_error("bench wrote no result (exit code " + std::to_string(end.exit_code) +
                             "): " + text::shell_line(words) +
                             (end.errors.empty() ? "" : "\n" + end.errors));
  }
  return true;
}

std::optional<Side> Slots::measure(const Arm& arm, const std::vector<std::string>& ids,
                                   std::uint64_t seed, const std::vector<std::string>& more) {
  auto words = arm.arguments;
  words.insert(words.end(), more.begin(), more.end());
  if (!ids.empty()) {
    const auto list = folder_.path() + "/ids";
    std::ofstream lines(list);
    for (const auto& id : ids) lines << id << '\n';
    lines.flush();
    if (!lines) throw std::runtime_error(list + ": can't be written");
    words.insert(words.end(), {"--only", list});
  }
  const auto file = folder_.path() + "/slot.json";
  if (!run(arm.program, words, 1, seed, file)) return std::nullopt;
  return files::read_side({file});
}

std::vector<std::string> Slots::words_for(const Arm& arm,
                                          const std::vector<std::string>& more) const {
  std::vector<std::string> words{arm.program};
  for (const auto* some : {&arguments_, &arm.arguments, &more})
    words.insert(words.end(), some->begin(), some->end());
  return words;
}

std::vector<std::string> Slots::unless_set(const std::vector<std::string>& settings) const {
  std::vector<std::string> words;
  for (const auto& setting : settings) {
    const auto key = setting.substr(0, setting.find('=') + 1);
    const bool is_set = std::any_of(arguments_.begin(), arguments_.end(),
                                    [&](const auto& word) { return word.starts_with(key); });
    if (!is_set) words.insert(words.end(), {"--set", setting});
  }
  return words;
}

std::vector<std::string> Slots::short_and_traced() const {
  return unless_set({"trace=true", "warmup=0ms", "max_time=1ms", "min_samples=1", "clocks=unheld",
                     "energy=false"});
}

void Slots::check(const Arm& arm) {
  const auto words = words_for(arm, {"--dry-run", "--out", folder_.path() + "/slot.json"});
  refuse_unless_good(run_guarded(words, cancelled_), arm, words);
}

std::vector<std::string> Slots::cases_of(const Arm& arm) {
  const auto words = words_for(arm, {"--benchmark_list_tests"});
  std::vector<std::string> ids;
  const auto end =
      run_guarded(words, cancelled_, [&](std::string_view line) { ids.emplace_back(line); });
  refuse_unless_good(end, arm, words);
  return ids;
}

void Slots::add_session(const std::string& program, int processes, std::uint64_t seed) {
  const auto file = folder_.path() + "/session" + std::to_string(sessions_.size() + 1) + ".json";
  if (run(program, {}, processes, seed, file)) sessions_.push_back(file);
}

Side Slots::sessions() const {
  if (sessions_.empty()) return {};
  return files::read_side(sessions_, {}, files::Samples::spread);
}

}  // namespace apod::run
