#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
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
#include "benchmarks/cli/print_plan.hpp"
#include "benchmarks/cli/run_on_each.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::cli {
namespace {

/// What is wrong with flags that contradict each other, a line each.
std::vector<std::string> contradictions(const Options& options) {
  std::vector<std::string> lines;
  if (options.profile && options.resume) lines.push_back("--profile makes no result to --resume");
  if (options.profile_runs && !options.profile) {
    lines.push_back("--profile-runs says how many runs --profile makes: add --profile");
  }
  for (const auto& [asked, flag] :
       {std::pair{options.explain, options.counters ? "--counters" : "--explain"},
        std::pair{!options.trace_out.empty(), "--trace-out"}}) {
    if (!options.profile || !asked) continue;
    lines.push_back(std::string("--profile leaves the tracing to a profiler: leave out ") + flag);
  }
  if (options.resume && options.seed) {
    lines.push_back("--resume continues in the order of the run that it resumes: leave out --seed");
  }
  if (options.in_process && options.processes.value_or(1) > 1) {
    lines.push_back("--in-process is one process: leave out --processes");
  }
  if (options.profile && !options.gpus.empty()) {
    lines.push_back("--profile makes no result to merge: name one GPU with --device");
  }
  if (options.in_process && options.timeout_s) {
    lines.push_back("--timeout ends a worker process, and --in-process has none");
  }
  return lines;
}

bool on_a_gpu(const Case& c) {
  return c.backend == BackendKind::cuda && c.skip.empty();
}

/// Compiles the kernels of the plan, and says what came of it. False where one does not compile.
bool try_kernels(const Plan& plan, const Registry& registry, int device) {
  std::string why_not;
  std::size_t failed = 0;
  const auto outcomes = run::compile_kernels(plan, registry, device, stop_asked, why_not);
  if (!why_not.empty()) say("no kernel was compiled: " + why_not);
  std::set<std::string> said;
  for (const auto& outcome : outcomes) {
    if (outcome.failed.empty()) {
      for (const auto& line : outcome.lines) {
        if (said.insert(line).second) std::cout << text::printable(line) << '\n';
      }
      continue;
    }
    ++failed;
    if (!said.insert(outcome.failed).second) continue;
    say(outcome.case_id + ":\n" + outcome.failed);
  }
  if (failed > 0) fail(fmt::format("{} of {} codes do not compile", failed, outcomes.size()));
  return failed == 0;
}

}  // namespace

int run_experiments(const Options& asked, const Registry& registry) {
  auto options = asked;
  choose_gpus(options, registry);
  const auto choice = choose_shard(options.shard);
  const auto& shard = choice.shard;
  choose_device(options, choice, registry);
  const auto machine = look_at_machine(options, registry);
  std::vector<std::string> problems;
  auto plan = make_plan(options, registry, machine, problems);
  const bool planned = problems.empty();
  StudyPart part;
  if (plan) part = take_part(*plan, shard, registry);
  const auto add = [&](const std::string& line) { problems.push_back("bench: " + line); };
  const bool on_each = !options.gpus.empty();  // a run of its own
  const std::string flag_of_parts = !on_each ? "--shard" : options.spread ? "--spread" : "--device";
  if (plan && part.empty() && (on_each || !shard.is_all())) {
    add(flag_of_parts + ": " + found_later);
  }
  const bool gpu_is_used = plan && (!code_of_file(*plan).empty() ||
                                    std::any_of(plan->cases.begin(), plan->cases.end(), on_a_gpu));
  if (on_each && plan && !gpu_is_used)
    add(flag_of_parts + ": no case of this experiment uses a GPU");
  for (const auto& line : contradictions(options)) add(line);
  if (options.list_cases && problems.empty()) {
    for (const auto& c : plan->cases) std::cout << text::printable(c.id) << '\n';
    return ExitCode::success;
  }
  const Plan* known = plan ? &*plan : nullptr;
  // Said by hand, 1/1 is a shard like any other.
  const bool is_part = !shard.is_all() || options.shard;
  RunFiles files{.outputs = output_paths(options, known),
                 .shard = shard,
                 .gpu = options.device && machine.cuda ? machine.device : "",
                 .is_part = is_part,
                 .part = std::move(part)};
  files.wholes = files.outputs;
  if (on_each && !options.spread && !shard.is_all()) {
    add("--shard: every GPU would measure it: let one do so at a time, then bench merge --by "
        "device");
  }
  if ((on_each || !shard.is_all()) && !files.wholes.empty() &&
      !files.wholes.front().ends_with(".json")) {
    add("--out: " + files.wholes.front() +
        ": shards are merged as .json, so the first output must be one");
  }
  auto written = files.outputs;
  if (!on_each && !shard.is_all() && !written.empty()) {
    // The others are made of the merged result.
    files.outputs = {shard_path(files.wholes.front(), shard)};
    written.insert(written.begin(), files.outputs.front());
    if (!options.trace_out.empty()) options.trace_out = shard_path(options.trace_out, shard);
  }
  for (const auto& line : output_problems(written, options, known)) add(line);
  if (planned) {
    if (!options.profile) files.journal = journal_path(files.outputs.front());
    files.identity = identity_of(*plan, machine, options);
    if (!shard.is_all() && !on_each && !options.profile && files.journal.empty()) {
      add("--out: " + files.outputs.front() + ": the result of a shard must be a regular file");
    }
  }
  // What a journal must fit is known only from the whole plan. A shard goes on where it stopped.
  if (planned && !options.profile && !on_each && (options.resume || is_part)) {
    const auto line = resume_problem(files.outputs.front(), files.journal, files.identity);
    if (options.resume && !is_part && !line.empty()) add(line);
    options.resume = line.empty();
  }
  if (!problems.empty()) return refuse(problems);
  const auto code = code_of_file(*plan);
  const bool refused = !code.empty() && !is_trusted(options);
  if (options.dry_run || refused) {
    const auto runs = print_plan(*plan, registry, console_style(options.color));
    if (!options.dry_run) return refuse_code(options.config, code);
    if (on_each) say(on_each_text(options));
    if (!try_kernels(*plan, registry, options.device.value_or(0))) return ExitCode::failure;
    return runs > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
  }
  if (on_each) return run_on_each(options, files);
  if (!choice.source.empty() && !shard.is_all()) {
    say("shard " + files.part.shard + ", by " + choice.source +
        " (--shard 1/1 measures everything here)");
  }
  if (!shard.is_all() && plan->cases.empty()) {
    say(fmt::format("shard {} has no case: there are only {} that can be measured apart",
                    files.part.shard, files.part.shards));
    return ExitCode::success;
  }
  if (is_part) {
    if (const auto there = measured_part(files.outputs.front(), files.part, files.gpu)) {
      say(files.outputs.front() + (shard.is_all() ? "" : ": shard " + files.part.shard) +
          " is measured (remove the file to measure it again)");
      const bool failed = !shard.is_all() && merge_shards(options, files) == Merging::failed;
      return failed ? ExitCode::failure : run_exit_code(*there, options.fail_on_skipped);
    }
  }
  return measure(std::move(*plan), registry, options, files);
}

namespace {

constexpr const char* run_examples = R"(Examples:
  bench --config streams.yaml                      a shipped experiment, by its bare name
  bench --config my.yaml --dry-run                 its cases, memory and time, without running
  bench --config my.yaml --set streams=1,8 --filter pinned
  bench --config my.yaml --out r.json --out r.html results; the extension decides the format
  bench --config my.yaml --explain                 ... and why each case takes its time
  nsys profile bench --config my.yaml              every case under its own NVTX range

Exit codes: 0 good; 1 usage or I/O error, or a case failed; 3 an expectation was missed;
            4 nothing was measured; 130 interrupted (the result file is still valid).)";

/// `bench` itself: plans, runs, reports and writes.
class RunCommand : public Command {
 public:
  std::string purpose() const override {
    return "Sweeps GPU experiments written in YAML: verifies, annotates, times and explains.";
  }
  /// Other commands have flags of their own, so they are listed rather than declared.
  std::string footer() const override {
    std::string text = "Subcommands (bench NAME --help):\n";
    for (const auto& command : commands()) {
      text += fmt::format("  {:<12}{}\n", command.name, command.help);
    }
    return text + "\n" + run_examples;
  }
  void declare(Flags& flags) override {
    const std::string commit = run::build_commit;
    flags.version(std::string("bench ") + run::build_version +
                  (commit.empty() ? "" : " (" + commit + ")"));
    declare_run(flags, options_);
  }
  void prepare(const std::vector<std::string>& line, std::vector<std::string>& arguments) override {
    options_.command_line = line;
    take_google_flags(arguments, options_);
  }
  void settle() override {
    options_.explain = options_.explain || options_.counters;
    if (!options_.config.empty() || options_.list) return;
    throw UsageError(
        "nothing to run: --config FILE is missing\n"
        "bench --config smoke.yaml   a first run, under ten seconds\n"
        "bench --list                what there is");
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
