#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>

#include "benchmarks/cli/ceiling_files.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/listing.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/print_plan.hpp"
#include "benchmarks/cli/running.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/usage_error.hpp"
#include "benchmarks/os/claim.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "benchmarks/run/session.hpp"
#include "benchmarks/text/plain.hpp"

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
  if (options.in_process && options.timeout_s) {
    lines.push_back("--timeout ends a worker process, and --in-process has none");
  }
  return lines;
}

/// What a run reads and writes, known to be good before it begins.
struct RunFiles {
  std::vector<std::string> outputs;
  std::string journal;  ///< empty where there is none
  run::RunIdentity identity;
};

run::RunIdentity identity_of(const Plan& plan, const Machine& machine, const Options& options) {
  return {run::fingerprint(plan), run::build_commit, machine.device,
          text::shell_line(options.command_line)};
}

/// Why --resume would not go on, or empty. Reads; changes nothing.
std::string resume_problem(const std::string& result, const std::string& journal,
                           const run::RunIdentity& identity) {
  if (journal.empty()) return "--resume: the first output is not a regular file and has no journal";
  std::error_code error;
  if (!std::filesystem::exists(journal, error) && std::filesystem::exists(result, error)) {
    return "--resume: there is no journal to resume, and " + result +
           " exists: its run is finished (without --resume it is measured again)";
  }
  try {
    run::read_journal_of(journal, identity);
    return "";
  } catch (const std::exception& bad) {
    return bad.what();
  }
}

/// Keeps what is written beside the journal from other runs, which would lose theirs to it.
std::vector<os::Claim> claim_others(const Options& options, const RunFiles& files) {
  auto outputs = files.outputs;
  if (!options.trace_out.empty()) outputs.push_back(options.trace_out);
  std::vector<os::Claim> claims;
  for (const auto& output : outputs) {
    const auto path = journal_path(output);
    if (!path.empty() && path != files.journal) claims.emplace_back(path);
  }
  return claims;
}

/// What a resumed run need not measure again, and what damage makes it.
std::string kept_line(const run::JournalContent& left) {
  const auto kept = std::count_if(left.entries.begin(), left.entries.end(), [](const auto& entry) {
    return entry.measurement.failed.empty();
  });
  auto line = fmt::format("kept {} measurement{} of the run that was interrupted", kept,
                          kept == 1 ? "" : "s");
  if (left.lost > 0) {
    line += fmt::format("; its journal is damaged: what {} of its lines held is measured again",
                        left.lost);
  }
  return line;
}

/// Opens the journal, with what an earlier run left in it when it is resumed.
std::optional<run::Journal> open_journal(const Options& options, const Plan& plan,
                                         const RunFiles& files, run::SessionOptions& session) {
  const auto& path = files.journal;
  if (path.empty()) return std::nullopt;
  if (options.resume) {
    run::JournalContent left;
    run::Journal journal(path, files.identity, session.order_seed, left);
    run::drop_strangers(left, plan);
    say(kept_line(left));
    session.resumed = std::move(left.entries);
    return journal;
  }
  std::string kept;
  run::Journal journal(path, files.identity, session.order_seed, kept);
  if (!kept.empty()) {
    say("an earlier run was not finished; its journal is kept as " + kept +
        " (to continue it once this run is over: " + text::shell_line({"mv", kept, path}) +
        ", then --resume)");
  }
  return journal;
}

int exit_code_of(const Result& result, bool fail_on_skipped) {
  std::size_t measured = 0;
  bool skipped = false;
  bool failed = false;
  for (const auto& summary : summarize(result)) {
    measured += summary.status == CaseStatus::measured ? 1 : 0;
    failed = failed || summary.status == CaseStatus::failed;
    skipped = skipped || summary.status == CaseStatus::skipped;
  }
  if (result.interrupted) return ExitCode::interrupted;
  if (failed) return ExitCode::failure;
  if (measured == 0 || (skipped && fail_on_skipped)) return ExitCode::nothing_to_judge;
  for (const auto& outcome : result.expectations) {
    if (!outcome.met) return ExitCode::regression;
  }
  return ExitCode::success;
}

/// What the disk holds once the journal took what it could: `safe` where that is everything.
std::string kept_in(run::Journal& journal, const std::string& safe) {
  journal.retry();
  if (journal.unwritten() == 0) return safe;
  if (journal.written() == 0) return journal.problem() + "; nothing of this run is safe.";
  return fmt::format("{}; it holds {} of {} measurements, and --resume measures the others again.",
                     journal.problem(), journal.written(), journal.written() + journal.unwritten());
}

/// Writes, prints, and lets the journal go once the result is safe.
int finish(const Options& options, const std::vector<std::string>& paths, const Result& result,
           const std::string& journal_path, std::optional<run::Journal>& journal) {
  if (result.interrupted && result.measurements.empty()) {
    if (journal) journal->discard();
    return fail("interrupted before anything was finished; nothing was written",
                ExitCode::interrupted);
  }
  // Files first: whatever becomes of the terminal, they are safe.
  const bool written = write_results(paths, options, result);
  print_result(std::cout, options, result);
  if (auto* out = annotations_stream(options.format == report::Format::console)) {
    report::write_annotations(*out, result);
  }
  std::ostream& closing = options.format == report::Format::console ? std::cout : std::cerr;
  if (journal && written && !result.interrupted) {
    journal->discard();
  } else if (journal) {
    const auto safe =
        result.interrupted
            ? "Interrupted: what was finished is kept; continue with --resume."
            : "The measurements are safe in " + journal_path + "; --resume writes them.";
    closing << kept_in(*journal, safe) << '\n';
  } else if (result.interrupted && written) {
    closing << "Interrupted: what was finished is kept.\n";
  }
  if (!written) return ExitCode::failure;
  for (const auto& path : paths) closing << "Wrote " << text::printable(path) << '\n';
  if (!options.trace_out.empty()) {
    closing << (anything_traced(result)
                    ? "Wrote " + text::printable(options.trace_out)
                    : "No case was traced: " + text::printable(options.trace_out) +
                          " was not written, and left as it was")
            << '\n';
  }
  return exit_code_of(result, options.fail_on_skipped);
}

/// The run itself, from an open journal to files on the disk.
int measure(Plan plan, const Registry& registry, const Options& options, const RunFiles& files) {
  run::SessionOptions session;
  session.order_seed = options.seed ? *options.seed : std::random_device{}();
  session.device = options.device;
  session.profile_runs = options.profile ? options.profile_runs.value_or(3) : 0;
  session.in_process = runs_in_process(options);
  session.keep_traces = !options.trace_out.empty();
  session.filter = options.filter;
  session.find_ceilings = [](const DeviceFacts& device) {
    std::vector<std::string> notes;
    auto ceilings = find_ceilings(device, notes);
    for (const auto& note : notes) say(note);
    return ceilings;
  };
  std::optional<run::Journal> journal;
  // Before there is a journal: from the first of its bytes on, a signal ends the run in good order.
  watch_signals();
  try {
    // Before the journal: a run that is refused must not put an older one aside.
    const auto claims = claim_others(options, files);
    journal = open_journal(options, plan, files, session);
    session.journal = journal ? &*journal : nullptr;
    session.result_is_writable = [&] { return some_are_writable(files.outputs); };
    auto result = run_with_progress(std::move(plan), registry, session, options.quiet);
    result.command_line = options.command_line;
    for (const auto& [key, value] : options.context) result.environment.variables[key] = value;
    return finish(options, files.outputs, result, files.journal, journal);
  } catch (const std::exception& error) {
    const std::string safe = "what was finished is kept: continue with --resume";
    return fail(error.what() + (journal ? "; " + kept_in(*journal, safe) : std::string()));
  }
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

int run_experiments(const Options& options, const Registry& registry) {
  const auto machine = look_at_machine(options, registry);
  std::vector<std::string> problems;
  auto plan = make_plan(options, registry, machine, problems);
  const bool planned = problems.empty();
  const auto add = [&](const std::string& line) { problems.push_back("bench: " + line); };
  for (const auto& line : contradictions(options)) add(line);
  if (options.list_cases && problems.empty()) {
    for (const auto& c : plan->cases) std::cout << text::printable(c.id) << '\n';
    return ExitCode::success;
  }
  const Plan* known = plan ? &*plan : nullptr;
  RunFiles files{output_paths(options, known), "", {}};
  for (const auto& line : output_problems(files.outputs, options, known)) add(line);
  if (planned) {
    if (!options.profile) files.journal = journal_path(files.outputs.front());
    files.identity = identity_of(*plan, machine, options);
  }
  // What a journal must fit is known only from the whole plan.
  if (planned && options.resume && !options.profile) {
    const auto line = resume_problem(files.outputs.front(), files.journal, files.identity);
    if (!line.empty()) add(line);
  }
  if (!problems.empty()) return refuse(problems);
  const auto code = code_of_file(*plan);
  const bool refused = !code.empty() && !is_trusted(options);
  if (options.dry_run || refused) {
    const auto runs = print_plan(*plan, registry, console_style(options.color));
    if (!options.dry_run) {
      return fail(options.config + " names " + code +
                      ", which run as you: read them, then add "
                      "--trust (or set APOD_TRUST=1)",
                  ExitCode::nothing_to_judge);
    }
    if (!try_kernels(*plan, registry, options.device)) return ExitCode::failure;
    return runs > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
  }
  return measure(std::move(*plan), registry, options, files);
}

namespace {

constexpr const char* run_examples = R"(Examples:
  bench --config streams.yaml                      a shipped experiment, by its bare name
  bench --config my.yaml --dry-run                 its cases, memory and time, without running
  bench --config my.yaml --set streams=1,8 --filter pinned
  bench --config my.yaml --out r.json --out r.md   results; the extension decides the format
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
