#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace apod::cli {

/// Progress for a person who waits. On a terminal one line, rewritten, with a bar and the time
/// left; in a log one plain line for each finished case (at most one per second if cases are
/// short).
class Progress {
 public:
  Progress(std::ostream& out, bool terminal, int width, std::size_t total, double estimated_s);
  ~Progress();
  /// Sets the total number of steps.
  void expect(std::size_t total);
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

  void draw(const std::string& what);
  double seconds_left() const;

  std::ostream& out_;
  bool terminal_;
  bool open_ = true;
  int width_;
  std::size_t total_;
  std::size_t done_ = 0;
  double estimated_s_;
  std::string shown_;  ///< beside the bar
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_step_ = start_;
  Clock::time_point last_line_{};
};

}  // namespace apod::cli
