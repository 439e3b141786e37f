#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <random>

#include "benchmarks/cli/ceilings.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/progress.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/run/session.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

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
    lines.push_back("--resume goes on in the order of the run that it resumes: leave out --seed");
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
struct Files {
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
  if (journal.empty()) return "--resume: the first output is no ordinary file and has no journal";
  std::error_code error;
  if (!std::filesystem::exists(journal, error) && std::filesystem::exists(result, error)) {
    return "--resume: there is no journal to resume, and " + result +
           " is there: its run is finished (without --resume it is measured anew)";
  }
  try {
    const auto other = run::difference(run::read_journal(journal).identity, identity);
    return other.empty() ? "" : journal + ": can't be resumed: " + other;
  } catch (const std::exception& bad) {
    return bad.what();
  }
}

/// Keeps what is written beside the journal from other runs, which would lose theirs to it.
std::vector<os::Claim> claim_others(const Options& options, const Files& files) {
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
                                         const Files& files, run::SessionOptions& session) {
  const auto& path = files.journal;
  if (path.empty()) return std::nullopt;
  if (options.resume) {
    run::JournalContent left;
    run::Journal journal(path, files.identity, left);
    run::drop_strangers(left, plan);
    std::cerr << "bench: " << kept_line(left) << '\n';
    session.resumed = std::move(left.entries);
    session.order_seed = left.order_seed;
    return journal;
  }
  std::string kept;
  run::Journal journal(path, files.identity, session.order_seed, kept);
  if (!kept.empty()) {
    std::cerr << "bench: an earlier run was not finished; its journal is kept as " << kept
              << " (to go on with it once this run is over: "
              << text::shell_line({"mv", kept, path}) << ", then --resume)\n";
  }
  return journal;
}

std::string outcome_line(const Measurement& measurement) {
  if (!measurement.failed.empty()) {
    return "failed in " + measurement.stage + ": " + measurement.failed;
  }
  if (measurement.samples_s.empty()) {
    return measurement.stage == "counters" ? "counted" : "traced";
  }
  double sum = 0;
  for (const double sample : measurement.samples_s) sum += sample;
  return fmt::format("{} ({} samples)",
                     text::format_time(sum / static_cast<double>(measurement.samples_s.size())),
                     measurement.samples_s.size());
}

/// Runs the session with its progress on standard error.
Result run_with_progress(Plan plan, const Registry& registry, const Options& options,
                         const run::SessionOptions& session) {
  const double estimate_s = plan::estimate_seconds(plan, registry);
  auto steps = run::count_steps(plan, session);
  steps -= std::min(steps, session.resumed.size());
  std::optional<Progress> progress;
  if (!options.quiet) {
    progress.emplace(std::cerr, ::isatty(STDERR_FILENO) != 0, terminal_width(STDERR_FILENO), steps,
                     estimate_s);
  }
  run::SessionListener listener;
  listener.cancelled = stop_asked;
  listener.message = [&](const std::string& text) {
    progress ? progress->message(text) : void(std::cerr << "bench: " << text << '\n');
  };
  if (progress) {
    listener.stage = [&](const Case& c, const std::string& stage) {
      progress->running(c.id, stage);
    };
    listener.finished = [&](const Case& c, const Measurement& measurement) {
      // Lines of a log may be left out when they come fast; a failure must not be.
      if (!measurement.failed.empty()) progress->message(c.id + ": " + outcome_line(measurement));
      progress->finished(c.id, measurement.failed.empty() ? outcome_line(measurement) : "failed");
    };
  }
  auto result = run::run_session(std::move(plan), registry, session, listener);
  if (progress) progress->close();
  return result;
}

int exit_code_of(const Result& result) {
  std::size_t measured = 0;
  bool failed = false;
  for (const auto& summary : summarize(result)) {
    measured += summary.status == CaseStatus::measured ? 1 : 0;
    failed = failed || summary.status == CaseStatus::failed;
  }
  if (result.interrupted) return ExitCode::interrupted;
  if (failed) return ExitCode::failure;
  if (measured == 0) return ExitCode::nothing_to_judge;
  for (const auto& outcome : result.expectations) {
    if (!outcome.met) return ExitCode::regression;
  }
  return ExitCode::success;
}

/// Writes, prints, and lets the journal go once the result is safe.
int finish(const Options& options, const std::vector<std::string>& paths, const Result& result,
           const std::string& journal_path, std::optional<run::Journal>& journal) {
  if (result.interrupted && result.measurements.empty()) {
    if (journal) journal->discard();
    std::cerr << "Interrupted before anything was finished; nothing was written.\n";
    return ExitCode::interrupted;
  }
  // Files first: whatever becomes of the terminal, they are safe.
  const bool written = write_results(paths, options, result);
  const bool printed = print_result(options, result);
  std::ostream& closing = options.format == report::Format::console ? std::cout : std::cerr;
  if (result.interrupted) {
    closing << "Interrupted: what was finished is kept"
            << (journal ? "; go on with --resume.\n" : ".\n");
  } else if (journal && written) {
    journal->discard();
  } else if (journal) {
    closing << "The measurements are safe in " << journal_path << "; --resume writes them.\n";
  }
  if (!printed) return fail("standard output could not be written");
  if (!written) return ExitCode::failure;
  for (const auto& path : paths) closing << "Wrote " << path << '\n';
  if (!options.trace_out.empty()) {
    closing << (anything_traced(result) ? "Wrote " + options.trace_out
                                        : "No case was traced: " + options.trace_out +
                                              " was not written, and left as it was")
            << '\n';
  }
  closing.flush();
  return exit_code_of(result);
}

/// The run itself, from an open journal to files on the disk.
int measure(Plan plan, const Registry& registry, const Options& options, const Files& files) {
  run::SessionOptions session;
  session.order_seed = options.seed ? *options.seed : std::random_device{}();
  session.device = options.device;
  session.profile_runs = options.profile ? options.profile_runs.value_or(3) : 0;
  session.in_process = runs_in_process(options);
  session.keep_traces = !options.trace_out.empty();
  session.find_ceilings = [](const DeviceFacts& device) {
    std::vector<std::string> notes;
    auto ceilings = find_ceilings(device, notes);
    for (const auto& note : notes) std::cerr << "bench: " << note << '\n';
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
    auto result = run_with_progress(std::move(plan), registry, options, session);
    result.command_line = options.command_line;
    for (const auto& [key, value] : options.context) result.environment.variables[key] = value;
    return finish(options, files.outputs, result, files.journal, journal);
  } catch (const std::exception& error) {
    return fail(error.what() +
                (journal ? "; what was finished is kept: go on with --resume" : std::string()));
  }
}

}  // namespace

int run_command(const Options& options, const Registry& registry) {
  const auto machine = look_at_machine(options, registry);
  if (options.device > 0 && !machine.cuda) {
    return fail(fmt::format("--device {}: {}", options.device, machine.cuda_missing));
  }
  if (options.backend == BackendChoice::cuda && !machine.cuda) {
    return fail("--backend cuda: " + machine.cuda_missing);
  }

  std::vector<std::string> problems;
  auto plan = make_plan(options, registry, machine, problems);
  const bool planned = problems.empty();
  const auto add = [&](const std::string& line) { problems.push_back("bench: " + line); };
  for (const auto& line : contradictions(options)) add(line);
  if (options.list_cases && problems.empty()) {
    for (const auto& c : plan->cases) fmt::print("{}\n", c.id);
    return ExitCode::success;
  }
  const Plan* known = plan ? &*plan : nullptr;
  Files files{output_paths(options, known), "", {}};
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
  if (options.dry_run) {
    return print_plan(*plan, registry) > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
  }
  return measure(std::move(*plan), registry, options, files);
}

}  // namespace apod::cli
