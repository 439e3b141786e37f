#pragma once

#include <stdexcept>

namespace apod::cli {

/// The exit code of the process. Documented in docs/experiment-files.md.
enum ExitCode : int {
  success = 0,
  failure = 1,             ///< usage, I/O or internal error, or a case failed
  regression = 3,          ///< a missed expectation, or a case got slower
  nothing_to_judge = 4,    ///< nothing was measured or could be compared, or a case is suspect
  inconclusive = 5,        ///< only with --fail-on inconclusive
  git_bad = 1,             ///< of compare --exit-codes git: a regression
  git_skip = 125,          ///< likewise: nothing could be said of this commit
  command_unusable = 126,  ///< of inspect: the program can't be started, as in shells
  command_missing = 127,   ///< of inspect: there is no such program
  interrupted = 130,       ///< Ctrl-C: 128 + SIGINT, as shells do
};

/// A wrong command line. The message names the flag and says what to write.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text of a UsageError for an empty word or value, which does not mean the default.
inline constexpr const char* empty_value = "empty argument (check for an unset shell variable)";

}  // namespace apod::cli
