#pragma once

/// \file
/// The progress of long measurements: one bar for every command.

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::cli {

/// Progress for a person who waits. On a terminal one line, rewritten, with a bar and the time
/// left; in a log one plain line for each finished case (at most one per second if cases are
/// short). A quiet one shows nothing.
class Progress {
 public:
  Progress(std::ostream& out, bool terminal, int width, std::size_t total, double estimated_s,
           bool quiet = false);
  ~Progress();
  /// Sets the number of steps that are planned, and the most that they may become.
  void expect(std::size_t total, std::size_t most);
  /// What all of these cases share is left out where a line is too short.
  void tell_apart(const std::vector<std::string>& case_ids);
  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
  /// A case began a stage ("setup", "sample").
  void running(const std::string& case_id, const std::string& stage);
  /// One of `total` steps is done; `line` is its one-line outcome ("12.3 us +-0.4 %").
  void finished(const std::string& case_id, const std::string& line);
  /// Redraws the bar once in a while, so that the time left goes by while a step takes long.
  void tick();
  /// Prints a line above the bar.
  void message(const std::string& text);
  /// Removes the bar.
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& what, const std::string& case_id);
  double seconds_left() const;
  bool may_grow() const { return most_ > total_; }
  /// "3/20"; "3 of at most 60" or "3 so far" while more steps may come.
  std::string count() const;
  std::string without_shared(const std::string& case_id) const;

  std::ostream& out_;
  bool terminal_;
  bool quiet_;
  bool open_;  ///< there may be a bar
  int width_;
  std::size_t total_;
  std::size_t most_ = 0;
  std::size_t done_ = 0;
  double estimated_s_;
  std::set<std::string> shared_;  ///< parts of all ids, between their slashes
  std::string shown_;             ///< next to the bar
  std::string shown_case_;        ///< behind it
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_step_ = start_;
  Clock::time_point last_line_{};
};

/// Progress on standard error, of `steps` that take `estimated_s` in all (0: unknown).
Progress progress_on_stderr(bool quiet, std::size_t steps, double estimated_s);

/// stop_asked(), after a tick of the progress.
bool stop_after_tick(Progress& progress);

/// Runs the session with its progress on standard error. Ends in good order when a signal asks for
/// it; see watch_signals().
Result run_with_progress(Plan plan, const Registry& registry, const run::SessionOptions& session,
                         bool quiet);

}  // namespace apod::cli
