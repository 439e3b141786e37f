#include "benchmarks/cli/session_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/plan/estimate.hpp"

namespace apod::cli {
namespace {

std::string outcome_line(const Measurement& measurement) {
  if (!measurement.failed.empty()) {
    return "failed in " + measurement.stage + ": " + measurement.failed;
  }
  if (!measurement.found.empty()) {
    return fmt::format("{} cases in its output", measurement.found.size());
  }
  if (measurement.samples_s.empty()) {
    return measurement.stage == "counters" ? "counted"
           : measurement.stage == "energy" ? "energy measured"
                                           : "traced";
  }
  const auto process = summarize_process(measurement);
  return fmt::format("{} ({} samples)", text::format_time(process.median_s), process.samples);
}

}  // namespace

std::optional<Progress> progress_on_stderr(bool quiet, std::size_t steps, double estimated_s) {
  std::optional<Progress> progress;
  if (!quiet) {
    progress.emplace(std::cerr, ::isatty(STDERR_FILENO) != 0, terminal_width(STDERR_FILENO), steps,
                     estimated_s);
  }
  return progress;
}

Result run_with_progress(Plan plan, const Registry& registry, const run::SessionOptions& session,
                         bool quiet) {
  auto steps = run::count_steps(plan, session);
  steps -= std::min(steps, session.resumed.size());
  auto progress = progress_on_stderr(quiet, steps, plan::estimate_run(plan, registry).least_s);
  run::SessionListener listener;
  listener.cancelled = stop_asked;
  listener.message = [&](const std::string& text) {
    progress ? progress->message(text) : say(text);
  };
  if (progress) {
    listener.planned = [&](std::size_t more) { progress->expect(steps += more); };
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

}  // namespace apod::cli
