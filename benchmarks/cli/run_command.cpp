#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <random>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/report/progress.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::cli {
namespace {

/// What is wrong with flags that contradict each other; empty when none do.
std::string contradiction(const Options& options) {
  if (options.profile && options.resume) return "--profile makes no result to --resume";
  if (options.resume && options.seed) {
    return "--resume goes on in the order of the run that it resumes: leave out --seed";
  }
  if (options.in_process && options.processes.value_or(1) > 1) {
    return "--in-process is one process: leave out --processes";
  }
  if (options.in_process && options.timeout_s) {
    return "--timeout ends a worker process, and --in-process has none";
  }
  return "";
}

run::RunIdentity identity_of(const Plan& plan, const Machine& machine, const Options& options) {
  run::RunIdentity identity{run::fingerprint(plan), run::build_commit, machine.device, ""};
  for (const auto& word : options.command_line) {
    identity.command += (identity.command.empty() ? "" : " ") + word;
  }
  return identity;
}

/// Why --resume would not go on, or empty. Reads; changes nothing.
std::string resume_problem(const std::string& journal, const run::RunIdentity& identity) {
  if (journal.empty()) return "--resume: the first output is no ordinary file and has no journal";
  try {
    const auto other = run::difference(run::read_journal(journal).identity, identity);
    return other.empty() ? "" : journal + ": can't be resumed: " + other;
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Opens the journal, with what an earlier run left in it when it is resumed.
std::optional<run::Journal> open_journal(const Options& options, const std::string& path,
                                         const run::RunIdentity& identity,
                                         run::SessionOptions& session) {
  if (options.profile || path.empty()) return std::nullopt;
  if (options.resume) {
    run::JournalContent left;
    run::Journal journal(path, identity, left);
    session.resumed = std::move(left.entries);
    session.order_seed = left.order_seed;
    return journal;
  }
  std::string kept;
  run::Journal journal(path, identity, session.order_seed, kept);
  if (!kept.empty()) {
    std::cerr << "bench: an earlier run was not finished; its journal is kept as " << kept
              << " (to go on with it: mv " << kept << ' ' << path << ", then --resume)\n";
  }
  return journal;
}

std::string outcome_line(const Measurement& measurement) {
  if (!measurement.failed.empty()) {
    return "failed in " + measurement.stage + ": " + measurement.failed;
  }
  if (measurement.samples_s.empty()) return "traced";
  double sum = 0;
  for (const double sample : measurement.samples_s) sum += sample;
  return fmt::format("{} ({} samples)",
                     report::format_time(sum / static_cast<double>(measurement.samples_s.size())),
                     measurement.samples_s.size());
}

/// Runs the session with its progress on standard error.
Result run_with_progress(Plan plan, const Registry& registry, const Options& options,
                         const run::SessionOptions& session) {
  const double estimate_s = plan::estimate_seconds(plan, registry);
  auto steps = run::count_steps(plan, session);
  steps -= std::min(steps, session.resumed.size());
  std::optional<report::Progress> progress;
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
  const bool written = write_results(paths, result);
  const bool printed = print_result(options, result);
  std::ostream& closing = options.format == report::Format::console ? std::cout : std::cerr;
  if (result.interrupted) {
    closing << "Interrupted: what was finished is kept; go on with --resume.\n";
  } else if (journal && written) {
    journal->discard();
  } else if (journal) {
    closing << "The measurements are safe in " << journal_path << "; --resume writes them.\n";
  }
  if (!printed) return fail("standard output could not be written");
  if (!written) return ExitCode::failure;
  for (const auto& path : paths) closing << "Wrote " << path << '\n';
  closing.flush();
  return exit_code_of(result);
}

}  // namespace

int run_command(const Options& options, const Registry& registry) {
  if (const auto problem = contradiction(options); !problem.empty()) return fail(problem);
  const auto machine = look_at_machine(options, registry);
  if (options.backend == BackendChoice::cuda && !machine.cuda) {
    return fail("--backend cuda: " + machine.cuda_missing);
  }
  if (options.device > 0 && !machine.cuda) return fail(machine.cuda_missing);
  auto plan = make_plan(options, registry, machine);
  if (!plan) return ExitCode::failure;
  if (options.list_cases) {
    for (const auto& c : plan->cases) fmt::print("{}\n", c.id);
    return ExitCode::success;
  }

  const auto paths = output_paths(options, *plan);
  const auto journal_file = journal_path(paths);
  const auto identity = identity_of(*plan, machine, options);
  auto problems = output_problems(paths, options, *plan);
  if (options.resume) {
    const auto problem = resume_problem(journal_file, identity);
    if (!problem.empty()) problems.push_back(problem);
  }
  for (const auto& problem : problems) std::cerr << "bench: " << problem << '\n';
  if (!problems.empty()) return refuse(problems.size());
  if (options.dry_run) {
    print_plan(*plan, registry);
    return ExitCode::success;
  }

  run::SessionOptions session;
  session.order_seed = options.seed ? *options.seed : std::random_device{}();
  session.device = options.device;
  session.profile_runs = options.profile ? options.profile_runs : 0;
  session.in_process = runs_in_process(options);
  std::optional<run::Journal> journal;
  try {
    journal = open_journal(options, journal_file, identity, session);
    session.journal = journal ? &*journal : nullptr;
    watch_signals();
    auto result = run_with_progress(std::move(*plan), registry, options, session);
    result.command_line = options.command_line;
    for (const auto& [key, value] : options.context) result.environment.variables[key] = value;
    return finish(options, paths, result, journal_file, journal);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace apod::cli
