#include "benchmarks/cli/measuring.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>

#include "benchmarks/base/found_cases.hpp"
#include "benchmarks/base/os/turns.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/ceiling_files.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/session_progress.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/run/session.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::cli {
namespace {

/// What a resumed run need not measure again (a search not what failed either), and what damage
/// makes it.
std::string kept_line(const run::JournalContent& left, bool is_search) {
  const auto kept = std::ranges::count_if(left.entries, [&](const auto& entry) {
    return is_search || entry.measurement.failed.empty();
  });
  auto line = fmt::format("kept {} from the interrupted run",
                          text::counted(static_cast<std::size_t>(kept), "measurement"));
  if (left.lost > 0) {
    line += fmt::format("; the journal has {}: bench measures these cases again",
                        text::counted(static_cast<std::size_t>(left.lost), "damaged line"));
  }
  return line;
}

/// What the disk holds once the journal took what it could: `safe` where that is everything.
std::string kept_in(run::Journal& journal, const std::string& safe, const RunFiles& files) {
  journal.retry();
  if (journal.unwritten() == 0) return safe;
  if (journal.written() == 0) return journal.problem() + "; no measurement of this run was saved.";
  return fmt::format("{}; the journal has {} of {} measurements, and {} measures the others again.",
                     journal.problem(), journal.written(), journal.written() + journal.unwritten(),
                     files.again());
}

/// Whether the file outlives the program: a file next to a temporary experiment does not.
bool stays(const std::string& path, const Options& options) {
  namespace fs = std::filesystem;
  return options.printed_as.empty() ||
         fs::path(path).parent_path() != fs::path(options.config).parent_path();
}

/// What to do next with the files, for a person who may not know.
void suggest_page(const std::vector<std::string>& paths, const Options& options) {
  const auto format = [](const std::string& path) { return show::format_of(path); };
  const bool has_page = std::ranges::find(paths, show::Format::html, format) != paths.end();
  if (::isatty(STDOUT_FILENO) == 0 || has_page) return;
  const auto json = std::ranges::find(paths, show::Format::json, format);
  if (json == paths.end() || !stays(*json, options)) return;
  std::cout << "For a page with figures: "
            << text::shell_line({"bench", "report", *json, "--out", "page.html"}) << '\n';
}

/// Writes, prints, and lets the journal go once the result is safe.
int finish(const Options& options, const RunFiles& files, const Result& result,
           std::optional<run::Journal>& journal) {
  const auto& paths = files.outputs;
  if (result.interrupted && result.measurements.empty()) {
    if (journal) journal->discard();
    return fail("interrupted before the first measurement was finished; nothing was written",
                ExitCode::interrupted);
  }
  // Files first: whatever becomes of the terminal, they are safe.
  const bool written = write_results(paths, options, result);
  // Quiet shards share a terminal, and what they measured has a table once it is merged.
  const bool is_shard = !files.shard.is_all();
  const bool is_console = options.format == show::Format::console;
  if (!(is_shard && is_console && options.quiet)) print_result(std::cout, options, result);
  if (auto* out = annotations_stream(is_console))
    show::write_annotations(*out, result, options.fail_on);
  std::ostream& closing = is_console ? std::cout : std::cerr;
  if (journal && written && !result.interrupted) {
    journal->discard();
  } else if (journal && stays(files.journal, options)) {
    const auto safe =
        result.interrupted
            ? std::string("Interrupted: finished measurements are kept; continue with ") +
                  files.again() + "."
            : "The measurements are kept in " + files.journal + "; " + files.again() +
                  " writes the result.";
    closing << kept_in(*journal, safe, files) << '\n';
  } else if (result.interrupted && written && !journal) {
    closing << "Interrupted: finished measurements are kept.\n";
  }
  if (!written) return ExitCode::failure;
  bool any_stays = false;
  for (const auto& path : paths) {
    if (!stays(path, options)) continue;
    any_stays = true;
    closing << "Wrote " << text::printable(path) << '\n';
  }
  if (!any_stays && !options.quiet) {
    closing << "No file was written: to keep the result, add --out "
            << text::printable(result.plan.name) << ".json\n";
  }
  if (!options.trace_out.empty()) {
    closing << (anything_traced(result)
                    ? "Wrote " + text::printable(options.trace_out)
                    : "No case was traced: " + text::printable(options.trace_out) +
                          " was not written")
            << '\n';
  }
  closing.flush();
  const auto merging =
      is_shard && !result.interrupted ? merge_shards(options, files) : Merging::waits;
  if (is_console && !options.quiet && (!is_shard || merging == Merging::done))
    suggest_page(files.wholes, options);
  return merging == Merging::failed ? ExitCode::failure : run_exit_code(result, options.fail_on);
}

/// Takes turns with the other parts of the study on this machine.
std::unique_ptr<os::Turns> open_turns(const RunFiles& files) {
  if (!files.is_part) return nullptr;
  try {
    return std::make_unique<os::Turns>(files.part.plan);
  } catch (const std::exception& error) {
    say(std::string("cases that need exclusive use of the machine may run at the same time as "
                    "another study: ") +
        error.what());
    return nullptr;
  }
}

}  // namespace

std::optional<run::Journal> open_journal(const Options& options, const std::string& path,
                                         const run::RunIdentity& identity, const Plan* plan,
                                         const char* again, run::SessionOptions& session) {
  if (path.empty()) return std::nullopt;
  if (options.resume) {
    run::JournalContent left;
    run::Journal journal(path, identity, session.order_seed, left);
    if (plan != nullptr) run::drop_strangers(left, *plan);
    say(kept_line(left, plan == nullptr));
    session.resumed = std::move(left.entries);
    return journal;
  }
  std::string kept;
  run::Journal journal(path, identity, session.order_seed, kept);
  if (!kept.empty()) {
    say("an earlier run was interrupted; its journal is now " + kept +
        " (to continue the earlier run after this one: " + text::shell_line({"mv", kept, path}) +
        ", then " + again + ")");
  }
  return journal;
}

run::RunIdentity identity_of(const Plan& plan, const Machine& machine, const Options& options) {
  return {run::fingerprint(plan), run::build_commit, machine.device,
          text::shell_line(options.command_line)};
}

std::string resume_problem(const std::string& result, const std::string& journal,
                           const run::RunIdentity& identity) {
  if (journal.empty()) return no_journal;
  std::error_code error;
  if (!std::filesystem::exists(journal, error) && std::filesystem::exists(result, error)) {
    return "--resume: there is no journal to resume, and " + result +
           " exists: that run is finished (to measure again, leave out --resume)";
  }
  try {
    run::read_journal_of(journal, identity);
    return "";
  } catch (const std::exception& bad) {
    return bad.what();
  }
}

int run_exit_code(const Result& result, const show::FailsToo& fail_on) {
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
  if (measured == 0 || (skipped && fail_on.skipped)) return ExitCode::nothing_to_judge;
  for (const auto& outcome : result.expectations) {
    if (fail_on.are_failed_by(outcome)) return ExitCode::regression;
  }
  return ExitCode::success;
}

int measure(Plan plan, const Registry& registry, const Options& options, const RunFiles& files) {
  run::SessionOptions session;
  session.order_seed = options.seed ? *options.seed : std::random_device{}();
  session.device = options.device.value_or(0);
  session.visible_device = files.gpu;
  session.inspect_library = inspect_library();
  session.profile_runs = options.profile ? options.profile_runs.value_or(3) : 0;
  session.in_process = runs_in_process(options);
  session.keep_traces = !options.trace_out.empty();
  session.complete = [&](Result& result) { place_found_cases(result, options.filter); };
  session.find_ceilings = [](const DeviceFacts& device) {
    std::vector<std::string> notes;
    auto found = find_ceilings(device, notes);
    for (const auto& note : notes) say(note);
    return found ? std::optional(std::move(found->ceilings)) : std::nullopt;
  };
  std::optional<run::Journal> journal;
  // Before there is a journal: from the first of its bytes on, a signal ends the run in good order.
  watch_signals();
  try {
    // Before the journal: a run that is refused must not put an older one aside.
    auto others = files.outputs;
    if (!options.trace_out.empty()) others.push_back(options.trace_out);
    const auto claims = claim_outputs(others, files.journal);
    const auto turns = open_turns(files);
    session.turns = turns.get();
    const auto* again = files.is_part ? "run its command again" : "run it with --resume";
    journal = open_journal(options, files.journal, files.identity, &plan, again, session);
    session.journal = journal ? &*journal : nullptr;
    session.result_is_writable = [&] { return some_are_writable(files.outputs, options); };
    auto result = run_with_progress(std::move(plan), registry, session, options.quiet);
    result.command_line = options.command_line;
    result.part = files.part;
    for (const auto& [key, value] : options.context) result.environment.variables[key] = value;
    return finish(options, files, result, journal);
  } catch (const std::exception& error) {
    const auto safe = std::string("finished measurements are kept: continue with ") + files.again();
    const bool is_kept = journal && stays(files.journal, options);
    return fail(error.what() + (is_kept ? "; " + kept_in(*journal, safe, files) : std::string()));
  }
}

}  // namespace apod::cli
