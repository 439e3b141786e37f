#include "benchmarks/cli/session_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <ostream>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/plan/estimate.hpp"

namespace apod::cli {

namespace {

constexpr std::string_view clear_line = "\r\x1b[2K";
constexpr std::size_t bar_width = 20;
/// Redrawing more often than the eye follows would only disturb what is measured.
constexpr auto redraw_interval = std::chrono::milliseconds(100);
constexpr auto tick_interval = std::chrono::seconds(1);
constexpr auto log_interval = std::chrono::seconds(1);

std::string bar(std::size_t done, std::size_t total, std::size_t width) {
  const std::size_t filled = total == 0 ? width : width * std::min(done, total) / total;
  return text::repeat("━", filled) + text::repeat("─", width - filled);
}

}  // namespace

Progress::Progress(std::ostream& out, bool terminal, int width, std::size_t total,
                   double estimated_s, bool quiet)
    : out_(out),
      terminal_(terminal),
      quiet_(quiet),
      open_(!quiet),
      width_(std::max(width, 20)),
      total_(total),
      estimated_s_(estimated_s) {}

Progress::~Progress() {
  close();
}

void Progress::expect(std::size_t total, std::size_t most) {
  total_ = std::max(total, done_);
  most_ = most;
}

void Progress::tell_apart(const std::vector<std::string>& case_ids) {
  for (std::size_t i = 0; i < case_ids.size(); ++i) {
    const auto parts = text::split(case_ids[i], '/');
    const std::set<std::string> own(parts.begin(), parts.end());
    if (i == 0) shared_ = own;
    std::erase_if(shared_, [&](const auto& part) { return !own.contains(part); });
  }
  if (case_ids.size() < 2) shared_.clear();
}

std::string Progress::without_shared(const std::string& case_id) const {
  std::vector<std::string> kept;
  for (auto& part : text::split(case_id, '/')) {
    if (!shared_.contains(part)) kept.push_back(std::move(part));
  }
  return kept.empty() ? case_id : text::joined(kept, "/");
}

void Progress::tick() {
  const auto now = Clock::now();
  if (!terminal_ || !open_ || shown_.empty() || now - last_line_ < tick_interval) return;
  last_line_ = now;
  draw(shown_, shown_case_);
}

void Progress::running(const std::string& case_id, const std::string& stage) {
  if (!terminal_ || !open_) return;
  const auto now = Clock::now();
  if (now - last_line_ < redraw_interval) return;
  last_line_ = now;
  draw(stage, case_id);
}

void Progress::finished(const std::string& case_id, const std::string& line) {
  if (done_ < total_) ++done_;
  if (!open_) return;
  const auto now = Clock::now();
  last_step_ = now;
  if (terminal_) {
    last_line_ = now;
    draw(line, case_id);
    return;
  }
  if (now - last_line_ < log_interval && done_ < total_) return;
  last_line_ = now;
  out_ << fmt::format("[{}] {}: {}\n", count(), text::printable(case_id), text::printable(line));
  out_.flush();
}

void Progress::message(const std::string& text) {
  if (quiet_) return;
  if (terminal_ && open_) out_ << clear_line;
  out_ << text::printable(text) << '\n';
  out_.flush();
}

void Progress::close() {
  if (!open_) return;
  open_ = false;
  if (!terminal_) return;
  out_ << clear_line;
  out_.flush();
}

/// The estimate counts as much as three finished steps. At the start nothing else is known; after a
/// few steps the pace tells more. Negative if the time is not known yet.
double Progress::seconds_left() const {
  if (done_ >= total_) return 0;
  const auto seconds = [](auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const double prior_steps = estimated_s_ > 0 ? 3 : 0;
  const double steps = static_cast<double>(done_) + prior_steps;
  if (steps == 0) return -1;
  const double prior_s = prior_steps * estimated_s_ / static_cast<double>(total_);
  const double pace = (seconds(start_, last_step_) + prior_s) / steps;
  const double left = pace * static_cast<double>(total_ - done_);
  return std::max(left - seconds(last_step_, Clock::now()), left - pace);
}

std::string Progress::count() const {
  if (most_ == any_number) return fmt::format("{} so far", done_);
  const auto end = std::to_string(may_grow() ? most_ : total_);
  return fmt::format("{:>{}}{}{}", done_, terminal_ ? 0 : end.size(),
                     may_grow() ? " of at most " : "/", end);
}

void Progress::draw(const std::string& what, const std::string& case_id) {
  shown_ = what;
  shown_case_ = case_id;
  const double left_s = seconds_left();
  const bool is_known = left_s > 0 || (left_s == 0 && !may_grow());
  const auto left_text = text::format_duration(left_s) + (may_grow() ? " or more" : "") + " left  ";
  const auto line =
      fmt::format(" {}  {}{}  ", count(), is_known ? left_text : "", text::printable(what));
  // One column less than the terminal has: a full line would wrap and could not be cleared. The bar
  // gives way first, then the case.
  const auto room = static_cast<std::size_t>(width_ - 1);
  const auto used = text::display_width(line);
  const auto left = room > used ? room - used : 0;
  auto id = text::printable(case_id);
  if (text::display_width(id) > left) id = text::printable(without_shared(case_id));
  const auto columns = text::display_width(id);
  const auto of_bar = left > columns ? std::min(left - columns, bar_width) : 0;
  out_ << clear_line
       << text::shorten(bar(done_, total_, of_bar) + line + text::shorten(id, left - of_bar), room);
  out_.flush();
}

namespace {

/// How many more processes the cases may take until their intervals are narrow.
std::size_t further_steps(const Plan& plan, const run::SessionOptions& session) {
  if (session.in_process || session.profile_runs > 0) return 0;
  std::size_t steps = 0;
  for (const auto& c : plan.cases) {
    const auto& measure = plan.experiment_of(c).measure;
    if (c.skip.empty())
      steps += static_cast<std::size_t>(std::max(0, measure.max_processes - measure.processes));
  }
  return steps;
}

std::string outcome_line(const Measurement& measurement) {
  if (!measurement.failed.empty())
    return "failed in " + measurement.stage + ": " + measurement.failed;
  if (!measurement.found.empty())
    return "the output has " + text::counted(measurement.found.size(), "case");
  if (measurement.samples_s.empty()) {
    return measurement.stage == "counters" ? "counted"
           : measurement.stage == "energy" ? "energy measured"
                                           : "traced";
  }
  const auto process = summarize_process(measurement);
  return fmt::format("{} ({})", text::format_time(process.median_s),
                     text::counted(process.samples, "sample"));
}

}  // namespace

Progress progress_on_stderr(bool quiet, std::size_t steps, double estimated_s) {
  return {std::cerr,
          ::isatty(STDERR_FILENO) != 0,
          terminal_width(STDERR_FILENO).value_or(80),
          steps,
          estimated_s,
          quiet};
}

bool stop_after_tick(Progress& progress) {
  progress.tick();
  return stop_asked();
}

Result run_with_progress(Plan plan, const Registry& registry, const run::SessionOptions& session,
                         bool quiet) {
  auto steps = run::count_steps(plan, session);
  steps -= std::min(steps, session.resumed.size());
  const auto most = steps + further_steps(plan, session);
  auto progress = progress_on_stderr(quiet, steps, plan::estimate_run(plan, registry).least_s);
  progress.expect(steps, most);
  std::vector<std::string> ids;
  for (const auto& c : plan.cases) ids.push_back(c.id);
  progress.tell_apart(ids);
  run::SessionListener listener;
  listener.cancelled = stop_asked;
  listener.message = [&](const std::string& text) { quiet ? say(text) : progress.message(text); };
  listener.planned = [&](std::size_t more) { progress.expect(steps += more, most); };
  listener.stage = [&](const Case& c, const std::string& stage) { progress.running(c.id, stage); };
  listener.finished = [&](const Case& c, const Measurement& measurement) {
    // Lines of a log may be left out when they come fast; a failure must not be.
    if (!measurement.failed.empty()) progress.message(c.id + ": " + outcome_line(measurement));
    progress.finished(c.id, measurement.failed.empty() ? outcome_line(measurement) : "failed");
  };
  auto result = run::run_session(std::move(plan), registry, session, listener);
  progress.close();
  return result;
}

}  // namespace apod::cli
