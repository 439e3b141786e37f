#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/command_arm.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/run/bisect_commits.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr double usual_threshold = 0.02;
/// Where this repository's builds have the program, and how they are made.
constexpr const char* usual_program = "build/benchmarks/bench";
constexpr const char* usual_source = "benchmarks/main.cpp";
const std::vector<std::vector<std::string>> usual_build{
    {"cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release"},
    {"cmake", "--build", "build", "--target", "bench", "--parallel"}};

/// Throws run::CannotBuild where a build has left no such file.
void expect_program(const std::string& folder, const std::string& file, const std::string& hint) {
  std::error_code error;
  if (fs::exists(fs::path(folder) / file, error)) return;
  throw run::CannotBuild("there is no " + file + " in the commit's folder" + hint);
}

class BisectCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(bench builds commits in worktrees of a scratch repository in $TMPDIR or /tmp, at most four at a time. It does
not change your checkout, index or branches.

Examples:
  bench bisect --good v1.2 --config x.yaml             for this repository: builds each commit's bench
  bench bisect --good v1.2 --bad main --build 'make -j8' --cmd './program --size 100'
  bench bisect --good HEAD~20 --build 'cmake -S . -B b' --build 'cmake --build b' \
               --cmd b/benchmarks --read google --case google/program/BM_sort/1024
  bench bisect --good HEAD~20 --cmd 'python3 step.py'  nothing to build

Exit codes: 0 found; 1 usage or I/O error, or the good or the bad commit does not build or run; 4 nothing was
            found: the two commits do not differ by the threshold, or no single commit is the cause; 130 interrupted.)",
        {"--good", "--bad", "--build", "--config", "--cmd", "--read", "--case", "--threshold",
         "--trust", "--out"}};
  }
  void declare(Flags& flags) override;
  void settle() override;
  Files files() const override {
    Files files{{}, report_outputs(out_)};
    if (!config_.empty()) files.inputs.push_back(find_config(config_));
    return files;
  }
  int run() override;

 private:
  Bisection search(const run::GitRepository& repository, std::vector<Commit> commits) const;
  std::string again(const Bisection& bisection, const CommitStep& step) const;

  std::string good_;
  std::string bad_ = "HEAD";
  std::vector<std::vector<std::string>> build_;
  run::BuildOptions build_options_;
  std::string config_;
  std::string program_;
  std::string cmd_;
  std::vector<std::string> cmd_words_;
  std::optional<Reads> reads_;
  std::string case_;
  std::vector<std::string> slot_arguments_;
  double threshold_ = usual_threshold;
  bool changed_ = false;
  std::optional<int> blocks_;
  std::optional<std::uint64_t> seed_;
  std::vector<std::string> out_;
  show::Format format_ = show::Format::console;
  ColorChoice color_ = ColorChoice::automatic;
  bool quiet_ = false;
};

void BisectCommand::declare(Flags& all) {
  auto commits = all.group("Commits");
  commits.text("--good", "REV", good_, "A commit, tag or branch that is fast enough");
  commits.text("--bad", "REV", bad_, "A later commit that is too slow (default HEAD)");
  commits.values(
      "--build", "COMMAND",
      "Command that builds a commit, in the commit's folder: a program and its arguments, without "
      "a shell; repeat the flag for several commands (default for this repository: cmake)",
      [this](const std::string& text) { build_.push_back(command_words(text)); });
  commits.seconds("--build-limit", build_options_.limit_s,
                  "Time limit of one build command (default 1h)");
  auto measured = all.group("What is measured");
  measured.file("-c,--config", config_, "Experiment file that each commit's bench runs");
  measured.text("--bin", "PATH", program_,
                std::string("Path of a commit's bench in the commit's folder (default ") +
                    usual_program + ")");
  measured.text("--cmd", "COMMAND", cmd_,
                "Command to measure (instead of --config); it starts in the commit's folder");
  declare_read(measured, reads_, "process");
  measured.text(
      "--case", "ID", case_,
      "The case to bisect (default: the only case, or the case that differs most clearly)");
  measured.for_runs(slot_arguments_);
  auto search = all.group("Search");
  search.share("--threshold", threshold_, "Smallest change to look for (default 2%)");
  search.flag("--changed", changed_,
              "Skip a commit whose machine code equals that of another commit (needs --config)");
  search.blocks(blocks_);
  search.random_seed(seed_);
  auto output = all.group("Output");
  output.outputs(out_, show::extensions_of(show::Formats::all));
  declare_format(output, format_);
  output.color(color_);
  output.quiet(quiet_);
}

void BisectCommand::settle() {
  if (good_.empty()) throw UsageError("--good REV is missing: name a commit that is fast enough");
  if (config_.empty() && cmd_.empty()) refuse_nothing("measure", "--config FILE or --cmd COMMAND");
  if (!config_.empty() && !cmd_.empty()) refuse_both("--config", "--cmd");
  if (!cmd_.empty()) cmd_words_ = command_words(cmd_);
  if (cmd_.empty() && reads_) refuse_without("--read", "--cmd");
  if (!cmd_.empty() && !program_.empty()) refuse_without("--bin", "--config");
  if (!cmd_.empty() && changed_) refuse_without("--changed", "--config");
  if (program_.empty()) program_ = usual_program;
}

/// The same search between the two commits alone.
std::string BisectCommand::again(const Bisection& bisection, const CommitStep& step) const {
  auto words = command_line;
  text::split_short_flags(words, short_switches);
  for (const char* flag : {"--good", "--bad", "--out", "-o"}) text::drop_flag(words, flag, true);
  words.insert(words.end(), {"--good", bisection.commits[step.before].commit.short_id(), "--bad",
                             bisection.commits[step.after].commit.short_id()});
  return text::shell_line(words);
}

Bisection BisectCommand::search(const run::GitRepository& repository,
                                std::vector<Commit> commits) const {
  run::BisectOptions options;
  options.build = build_options_;
  options.build.commands = build_;
  if (build_.empty() && cmd_.empty()) {
    if (!repository.has_file(commits.back(), usual_source)) {
      throw std::runtime_error(
          "--build COMMAND is missing: this is not bench's own repository, so name the command "
          "that builds a commit (and the built program with --bin)");
    }
    options.build.commands = usual_build;
  }
  options.commits = std::move(commits);
  const os::TemporaryFolder files;
  options.arm_of = [&](const Commit& commit, const std::string& folder) -> run::Arm {
    if (cmd_.empty()) {
      expect_program(folder, program_, " (to name another file: --bin)");
      return {"", folder + "/" + program_, {}, ""};
    }
    const auto& program = cmd_words_.front();
    if (program.find('/') != std::string::npos)
      expect_program(folder, program,
                     build_.empty() ? " (if a command builds it, add --build COMMAND)" : "");
    return arm_of_command(cmd_words_, reads_.value_or(Reads::process), folder,
                          files.path() + "/" + commit.id + ".yaml");
  };
  if (cmd_.empty()) options.arguments = {"--config", find_config(config_)};
  options.arguments.insert(options.arguments.end(), slot_arguments_.begin(), slot_arguments_.end());
  options.case_id = case_;
  options.changed = changed_;
  options.blocks = blocks_;
  options.seed = seed_ ? *seed_ : std::random_device{}();
  options.compare.threshold = threshold_;
  options.compare.threshold_given = true;

  auto progress = progress_on_stderr(quiet_, 0, 0);
  run::BisectListener listener;
  listener.slots.cancelled = [&] { return stop_after_tick(progress); };
  listener.slots.message = [&](const std::string& text) { progress.message(text); };
  listener.slots.begun = [&](const auto& stage, const auto& arm) { progress.running(arm, stage); };
  listener.decided = [&](const Bisection& so_far, std::size_t index) {
    const auto& c = so_far.commits[index];
    progress.message(c.commit.short_id() + " " + std::string(to_string(c.state)) + ": " +
                     show::standing_text(so_far, index) + " [" + c.commit.subject + "]");
  };
  return run::bisect_commits(repository, options, listener);
}

int BisectCommand::run() {
  const run::GitRepository repository(".");
  auto commits = repository.between(good_, bad_);
  if (!config_.empty()) {
    if (const auto refused = refuse_untrusted(config_, slot_arguments_)) return *refused;
  }
  if (!quiet_ && repository.is_dirty())
    say("bench measures only commits, not your uncommitted changes");
  const auto claims = claim_outputs(out_);
  watch_signals();
  auto bisection = search(repository, std::move(commits));
  for (const auto& step : bisection.steps) bisection.again.push_back(again(bisection, step));
  const auto report = show::report_of(bisection);
  show::write(std::cout, report, format_, console_style(color_));
  std::cout.flush();
  if (!write_reports(out_, report)) return ExitCode::failure;
  if (bisection.end == BisectionEnd::stopped) return ExitCode::interrupted;
  return bisection.end == BisectionEnd::found ? ExitCode::success : ExitCode::nothing_to_judge;
}

}  // namespace

std::unique_ptr<Command> make_bisect() {
  return std::make_unique<BisectCommand>();
}

}  // namespace apod::cli
