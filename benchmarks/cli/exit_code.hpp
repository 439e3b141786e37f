#pragma once

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

}  // namespace apod::cli
