#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/os/child.hpp"

namespace apod::os {

/// How another program ended.
struct ProgramEnd {
  int exit_code = 0;  ///< 128 + signal if a signal ended it, as in shells
  bool cancelled = false;
  bool timed_out = false;
  std::string errors;  ///< the end of what it wrote to standard error
  Usage usage;
};

/// What of a program's output comes in lines; its standard output is /dev/null where it does not.
enum class Lines : std::uint8_t { output, errors, both };

struct ProgramOptions {
  /// Takes each line.
  std::function<void(std::string_view)> on_line = {};
  std::function<bool()> cancelled = [] { return false; };
  std::optional<std::chrono::milliseconds> timeout = {};
  /// Between SIGTERM and its death. A run may have to end a worker, which gets some seconds too,
  /// and to write its result.
  std::chrono::seconds patience{20};
  Group group = Group::own;
  Lines lines = Lines::output;
  /// As of Launch.
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::string folder = {};
};

/// Runs a program without input to its end. If `cancelled` returns true it is asked to stop with
/// SIGTERM, and killed after `patience`; at its timeout it is killed at once. Its children end with
/// it. Throws what Child throws if it can't be started, and what `on_line` throws.
ProgramEnd run_program(const std::vector<std::string>& words, const ProgramOptions& options);

}  // namespace apod::os
