#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/listing.hpp"
#include "benchmarks/cli/measuring.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/run_on_each.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::cli {
namespace {

/// What is wrong with flags that contradict each other, a line each.
std::vector<std::string> contradictions(const Options& options) {
  std::vector<std::string> lines;
  if (options.profile_runs && !options.profile)
    lines.push_back(without("--profile-runs", "--profile"));
  using Flag = std::pair<bool, const char*>;
  const Flag profile{options.profile, "--profile"};
  const Flag resume{options.resume, "--resume"};
  const Flag in_process{options.in_process, "--in-process"};
  const Flag explain{options.explain, options.counters ? "--counters" : "--explain"};
  const Flag trace{!options.trace_out.empty(), "--trace-out"};
  const Flag gpus{!options.gpus.empty(), "--device with several GPUs"};
  const Flag check{options.check.has_value(), "--check"};
  const Flag seed{options.seed.has_value(), "--seed"};
  const Flag processes{options.processes.value_or(1) > 1, "--processes"};
  const Flag timeout{options.timeout_s.has_value(), "--timeout"};
  const Flag out{!options.out.empty(), "--out"};
  const std::pair<Flag, Flag> pairs[] = {
      {profile, resume},     {profile, explain}, {profile, trace},
      {profile, gpus},       {resume, seed},     {in_process, processes},
      {in_process, timeout}, {check, profile},   {check, resume},
      {check, in_process},   {check, explain},   {check, trace},
      {check, gpus},         {check, out}};
  for (const auto& [one, other] : pairs) {
    if (one.first && other.first) lines.push_back(not_both(one.second, other.second));
  }
  return lines;
}

enum class Trial : std::uint8_t { none, good, bad, left };

/// Compiles the kernels of the plan, and says what came of it.
Trial try_kernels(const Plan& plan, const Registry& registry, int device) {
  std::set<std::string> kernels;
  std::set<std::string> failed;
  std::size_t unfit = 0;  // compiled, but not to be launched with this block
  std::size_t stopped = 0;
  const auto [outcomes, left, why_not] = run::compile_kernels(plan, registry, device, stop_asked);
  if (!why_not.empty()) say("no kernel was compiled: " + why_not);
  std::set<std::string> said;
  for (const auto& outcome : outcomes) {
    kernels.insert(outcome.code);
    if (outcome.failed.empty()) {
      for (const auto& line : outcome.lines) {
        if (said.insert(line).second) std::cout << text::printable(line) << '\n';
      }
      continue;
    }
    stopped += outcome.met_limit ? 1 : 0;
    unfit += !outcome.met_limit && outcome.compiled ? 1 : 0;
    if (!outcome.met_limit && !outcome.compiled) failed.insert(outcome.code);
    if (!said.insert(outcome.failed).second) continue;
    const auto& experiment =
        plan.experiment_of(*std::ranges::find(plan.cases, outcome.case_id, &Case::id));
    const auto args = experiment.kernel_places.find("args");
    const bool about_args = args != experiment.kernel_places.end() &&
                            outcome.failed.find("'args'") != std::string::npos;
    say_problem(to_string(Diagnostic{plan.config_path, about_args ? args->second : experiment.place,
                                     outcome.case_id + ":\n" + outcome.failed, ""}));
  }
  if (left > 0) {
    say(
        fmt::format("{} of {} kernels were not compiled, because compiling all kernels would take "
                    "more than {} s of CPU time (to compile without this limit: --trust)",
                    stopped + left, outcomes.size() + left, run::most_bounded_s));
  }
  if (!failed.empty())
    fail(fmt::format("{} of {} kernels could not be built", failed.size(), kernels.size()));
  if (unfit > 0) {
    fail(fmt::format("{} of {} combinations of a kernel and a block size can't be launched", unfit,
                     outcomes.size()));
  }
  if (!failed.empty() || unfit > 0) return Trial::bad;
  if (stopped + left > 0) return Trial::left;
  return outcomes.empty() || !why_not.empty() ? Trial::none : Trial::good;
}

/// Runs each case once under compute-sanitizer.
int check_memory(const Plan& plan, const Options& options) {
  const auto sanitizer = run::find_sanitizer();
  if (sanitizer.empty()) {
    return fail(
        "--check: compute-sanitizer is not on the PATH and not next to nvcc: install it (package "
        "cuda-sanitizer of the CUDA Toolkit), or set CUDA_HOME to the toolkit's folder");
  }
  std::size_t failed = 0;
  std::size_t clean = 0;
  run::check_cases(
      plan, *options.check, sanitizer, options.device.value_or(0),
      [&](const Case& c, const run::CheckedCase& is) {
        failed += is.failed.empty() ? 0 : 1;
        clean += is.clean ? 1 : 0;
        std::cout << text::printable(c.id + ": " +
                                     (is.clean             ? "clean"
                                      : !is.failed.empty() ? is.failed
                                                           : "not run: " + is.skipped))
                  << std::endl;
      },
      stop_asked);
  if (stop_asked()) return fail("interrupted", ExitCode::interrupted);
  if (failed > 0)
    return fail(fmt::format("{} of {} failed", failed, text::counted(failed + clean, "case")));
  return clean > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
}

/// A run, from its command line to its exit code. Everything that is wrong is found before anything
/// is measured, and said together.
class Run {
 public:
  Run(const Options& asked, const Registry& registry) : options_(asked), registry_(registry) {
    choose_gpus(options_, registry);
    choice_ = choose_shard(options_.shard);
    choose_device(options_, choice_, registry);
    machine_ = look_at_machine(options_, registry);
    plan_ = make_plan(options_, registry, machine_, problems_);
    is_planned_ = problems_.empty();
    if (plan_ && !options_.printed_as.empty()) plan_->config_path = options_.printed_as;
    if (!plan_) return;
    for (auto& experiment : plan_->experiments)
      if (experiment.kernel) experiment.kernel->spec.bounded |= options_.bounded;
    files_.part = take_part(*plan_, shard(), registry);
  }

  int run() {
    check_flags();
    if (options_.list_cases && problems_.empty()) return list_cases();
    name_files();
    if (is_planned_) find_journal();
    if (!problems_.empty()) return refuse(problems_);
    const auto code = code_of_file(*plan_);
    if (options_.dry_run) return dry_run();
    if (!code.empty() && !is_trusted(options_)) {
      print_plan(*plan_, registry_, console_style(options_.color));
      return refuse_code(options_.config, code);
    }
    if (options_.check) return check_memory(*plan_, options_);
    if (on_each()) return run_on_each(options_, files_);
    if (const auto code_of_done = end_of_measured()) return *code_of_done;
    return measure(std::move(*plan_), registry_, options_, files_);
  }

 private:
  const Shard& shard() const { return choice_.shard; }
  /// Each GPU gets a run of its own.
  bool on_each() const { return !options_.gpus.empty(); }
  void add(const std::string& problem) { problems_.push_back("bench: " + problem); }

  void check_flags() {
    const std::string flag = !on_each() ? "--shard" : options_.spread ? "--spread" : "--device";
    if (plan_ && files_.part.empty() && (on_each() || !shard().is_all()))
      add(flag + ": " + found_later);
    const auto on_a_gpu = [](const Case& c) {
      return c.backend == BackendKind::cuda && c.skip.empty();
    };
    if (on_each() && plan_ && code_of_file(*plan_).empty() &&
        std::ranges::none_of(plan_->cases, on_a_gpu))
      add("leave out " + flag + ": no case uses a GPU");
    for (const auto& line : contradictions(options_)) add(line);
  }

  int list_cases() const {
    for (const auto& c : plan_->cases) std::cout << text::printable(c.id) << '\n';
    return ExitCode::success;
  }

  /// The outputs, of a shard and of the whole.
  void name_files() {
    const Plan* known = plan_ ? &*plan_ : nullptr;
    const bool is_shard = !shard().is_all();
    files_.outputs = files_.wholes = output_paths(options_, known);
    files_.shard = shard();
    files_.gpu = options_.device && machine_.cuda ? machine_.device : "";
    files_.is_part = is_shard || options_.shard;  // said by hand, 1/1 is a shard like any other
    if (on_each() && !options_.spread && is_shard) {
      add("--shard needs one GPU: name it with --device, then merge the shards with bench merge "
          "--by device");
    }
    if ((on_each() || is_shard) && !files_.wholes.empty() &&
        !files_.wholes.front().ends_with(".json")) {
      add("--out: " + files_.wholes.front() +
          ": shards are merged into a .json file, so the first output must end in .json");
    }
    auto written = files_.outputs;
    if (!on_each() && is_shard && !written.empty()) {
      // The others are made of the merged result.
      files_.outputs = {shard_path(files_.wholes.front(), shard())};
      written.insert(written.begin(), files_.outputs.front());
      if (!options_.trace_out.empty()) options_.trace_out = shard_path(options_.trace_out, shard());
    }
    for (const auto& line : output_problems(written, options_, known)) add(line);
  }

  /// What a journal must fit is known only from the whole plan. A shard goes on where it stopped.
  void find_journal() {
    files_.identity = identity_of(*plan_, machine_, options_);
    if (options_.profile) return;
    files_.journal = journal_path(files_.outputs.front());
    if (on_each()) return;
    if (!shard().is_all() && files_.journal.empty())
      add("--out: " + files_.outputs.front() + ": the result of a shard must be a regular file");
    if (!options_.resume && !files_.is_part) return;
    const auto line = resume_problem(files_.outputs.front(), files_.journal, files_.identity);
    if (options_.resume && !files_.is_part && !line.empty()) add(line);
    options_.resume = line.empty();
  }

  int dry_run() const {
    const auto trial = try_kernels(*plan_, registry_, options_.device.value_or(0));
    if (trial == Trial::bad) return ExitCode::failure;
    const auto runs = print_plan(*plan_, registry_, console_style(options_.color));
    if (on_each()) say(on_each_text(options_));
    if (trial == Trial::left) return ExitCode::nothing_to_judge;
    return runs > 0 || trial == Trial::good ? ExitCode::success : ExitCode::nothing_to_judge;
  }

  /// Of a part that has no case, or is measured already.
  std::optional<int> end_of_measured() const {
    const bool is_shard = !shard().is_all();
    if (!choice_.source.empty() && is_shard) {
      say("measuring only shard " + files_.part.shard + ", chosen by " + choice_.source +
          " (to measure everything here: --shard 1/1)");
    }
    if (is_shard && plan_->cases.empty()) {
      say(fmt::format("shard {} has no case: this study can only be divided into {} shards",
                      files_.part.shard, files_.part.shards));
      return ExitCode::success;
    }
    if (!files_.is_part) return std::nullopt;
    const auto there = measured_part(files_.outputs.front(), files_.part, files_.gpu);
    if (!there) return std::nullopt;
    say(files_.outputs.front() + (is_shard ? ": shard " + files_.part.shard : "") +
        " is already measured (to measure again, remove the file)");
    const bool failed = is_shard && merge_shards(options_, files_) == Merging::failed;
    return failed ? ExitCode::failure : run_exit_code(*there, options_.fail_on);
  }

  Options options_;
  const Registry& registry_;
  ShardChoice choice_;
  Machine machine_;
  std::vector<std::string> problems_;  ///< a line each
  std::optional<Plan> plan_;           ///< absent where nothing could be planned
  bool is_planned_ = false;            ///< without a problem
  RunFiles files_;
};

}  // namespace

int run_experiments(const Options& asked, const Registry& registry) {
  return Run(asked, registry).run();
}

namespace {

constexpr const char* run_examples = R"(Examples:
  bench --config streams.yaml                      a shipped experiment, by its bare name
  bench --config my.yaml --dry-run                 shows its cases, memory and time, and runs nothing
  bench --config my.yaml --set streams=1,8 --filter pinned
  bench --config my.yaml --out r.json --out r.html two result files; the extension decides the format
  bench --config my.yaml --explain                 ... and where the time of each case goes
  nsys profile bench --config my.yaml              every case under its own NVTX range

Exit codes: 0 good; 1 usage or I/O error, or a case failed; 3 an expectation is not met;
            4 nothing was measured; 130 interrupted (the result file is still valid).)";

constexpr const char* first_screen = R"(Is this GPU code faster, why, and did my change break it?

  bench study.yaml                     runs the experiments of a file
  bench kernel.cu                      times a kernel of a file
  bench result.json                    shows a result again
  bench time './app {n}' --set n=1,2   times any program
  bench ./old ./new                    compares two programs, measured in turn
  bench compare old.json new.json      compares two results
  bench inspect -- ./app               says why a program is slow on the GPU

Flags of a run:
  --dry-run             shows the plan, its memory and its time, and runs nothing
  --list                the shipped experiments and workloads
  --set KEY=VALUE       replaces an axis or a measure key: streams=1,8 or precision=1%
  --filter REGEX        keeps the cases whose id matches
  --explain             traces each case, and says where its time goes
  --out FILE            result file: .json, .txt, .csv, .md, .html, .xml; repeat the flag for several
  --device N            index of the GPU; with 0,1 or all, each GPU measures every case
  --processes N         number of fresh processes for each case
  --resume              continues an interrupted run
  --trust               runs the commands and kernels that the file names

Commands (bench NAME --help):
)";

/// `bench` itself: plans, runs, reports and writes.
class RunCommand : public Command {
 public:
  /// Other commands have flags of their own, so they are listed rather than declared.
  HelpText help() const override {
    std::string footer = "Subcommands (bench NAME --help):\n";
    std::string screen = first_screen;
    std::string group;
    for (const auto& command : commands()) {
      footer += fmt::format("  {:<12}{}\n", command.name, command.help);
      screen += group == command.group
                    ? " "
                    : fmt::format("{}  {:<15}", group.empty() ? "" : "\n", command.group);
      group = command.group;
      screen += command.name;
    }
    screen +=
        "\n\nbench --help-all shows every flag, what each command does, and the exit codes.\n";
    return {footer + "\n" + run_examples, {}, screen};
  }
  void declare(Flags& flags) override {
    const std::string commit = run::build_commit;
    flags.version(std::string("bench ") + run::build_version +
                  (commit.empty() ? "" : " (" + commit + ")"));
    declare_run(flags, options_);
  }
  void prepare(std::vector<std::string>& arguments) override {
    options_.command_line = command_line;
    take_google_flags(arguments, options_);
  }
  void settle() override {
    options_.explain = options_.explain || options_.counters;
    if (options_.list && options_.format != show::Format::console)
      refuse_both("--list", "--format");
    if (!options_.config.empty() || options_.list) return;
    throw UsageError(
        "nothing to run: name an experiment (.yaml), a kernel (.cu) or two programs\nbench "
        "smoke.yaml   a first run, under ten seconds\nbench --list       shows the shipped "
        "experiments and workloads");
  }
  int run() override {
    const auto& registry = Registry::instance();
    warn_of_strays(registry);
    if (options_.list) return list(registry, *options_.list, console_style(options_.color));
    return run_experiments(options_, registry);
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Command> make_run() {
  return std::make_unique<RunCommand>();
}

}  // namespace apod::cli
