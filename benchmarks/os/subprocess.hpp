#pragma once

#include <functional>
#include <string>
#include <vector>

namespace apod::os {

/// How another program ended.
struct ProgramEnd {
  int exit_code = 0;  ///< 128 + signal where a signal ended it, as shells count
  bool cancelled = false;
  std::string errors;  ///< the last of what it said on standard error
};

/// Runs `arguments` (the program first, found as a shell finds it) to its end, without its standard
/// input and output. When `cancelled` says so it is asked to stop with SIGTERM, and killed where it
/// does not within some seconds. It has a process group of its own: a Ctrl-C at the terminal
/// reaches the caller alone, who decides. When the caller's thread dies, by SIGKILL too, the
/// program is killed. Throws std::runtime_error where it can't be started.
ProgramEnd run_program(const std::vector<std::string>& arguments,
                       const std::function<bool()>& cancelled);

}  // namespace apod::os
