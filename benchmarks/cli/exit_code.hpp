#pragma once

namespace apod::cli {

/// What the shell sees. Documented in docs/exit-codes.md.
enum ExitCode : int {
  success = 0,
  failure = 1,           ///< usage, I/O or internal error, or a case failed
  regression = 3,        ///< a missed expectation
  nothing_to_judge = 4,  ///< nothing was measured
  interrupted = 130,     ///< Ctrl-C: 128 + SIGINT, as shells do
};

}  // namespace apod::cli
