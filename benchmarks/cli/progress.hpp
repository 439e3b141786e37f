#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace apod::cli {

/// What is going on, for a person who waits. On a terminal one line, rewritten, with a bar and the
/// time left; in a log one plain line for each finished case (at most one a second when cases are
/// short).
class Progress {
 public:
  Progress(std::ostream& out, bool terminal, int width, std::size_t total, double estimated_s);
  ~Progress();
  /// A case began a stage ("setup", "sample").
  void running(const std::string& case_id, const std::string& stage);
  /// One of `total` steps is done; `line` is its one-line outcome ("12.3 us +-0.4 %").
  void finished(const std::string& case_id, const std::string& line);
  /// Prints a line above the bar.
  void message(const std::string& text);
  /// Removes the bar.
  void close();

 private:
  void draw(const std::string& what);
  std::ostream& out_;
  bool terminal_;
  bool open_ = true;
  int width_;
  std::size_t total_;
  std::size_t done_ = 0;
  double estimated_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_line_{};
};

}  // namespace apod::cli
