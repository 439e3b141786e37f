#pragma once

#include <stdexcept>

namespace apod::cli {

/// What the shell sees. Documented in docs/exit-codes.md.
enum ExitCode : int {
  success = 0,
  failure = 1,             ///< usage, I/O or internal error, or a case failed
  regression = 3,          ///< a missed expectation, or a case got slower
  nothing_to_judge = 4,    ///< nothing was measured or could be compared, or a case is suspect
  inconclusive = 5,        ///< only with --fail-on inconclusive
  command_unusable = 126,  ///< of inspect: the program can't be started, as shells say
  command_missing = 127,   ///< of inspect: there is no such program
  interrupted = 130,       ///< Ctrl-C: 128 + SIGINT, as shells do
};

/// A command line that can't be followed. The message names the flag and says what to write.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a UsageError says of an empty word or value: it is not a wish to go without.
inline constexpr const char* empty_value = "'' names nothing (is a variable of the shell not set?)";

}  // namespace apod::cli
