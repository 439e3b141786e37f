#pragma once

/// \file
/// Other programs that are asked for text.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace apod::os {

struct ToolEnd {
  int exit_code = 0;       ///< 128 + signal where a signal ended it, as shells count
  bool timed_out = false;  ///< it was killed
  std::string error;       ///< the last line of its standard error
};

/// Runs `arguments` (the program first) without input, and hands on each line that it writes. What
/// it starts in turn ends with it. Throws std::runtime_error where it can't be started, and what
/// `on_line` throws.
ToolEnd run_tool(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout,
                 const std::function<void(std::string_view)>& on_line);

/// Where the toolkit's program called `name` is: on the PATH, else in the bin/ of $CUDA_HOME,
/// $CUDA_PATH or /usr/local/cuda. Empty: nowhere.
std::string find_toolkit_program(const std::string& name);

}  // namespace apod::os
