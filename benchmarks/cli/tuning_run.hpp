#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/cli/options.hpp"
#include "benchmarks/judge/search/strategy.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// The command line of a search as plain values.
struct TuneOptions {
  Options run;  ///< config, set, having, backend, device, timeout, seed, resume, dry_run, out ...
  std::vector<std::string> objectives{"time"};
  double budget_s = 600;
  std::optional<search::StrategyKind> strategy;
  std::optional<std::vector<std::string>> shapes;  ///< axes that are not tuned; nothing: a guess
  bool portable = false;
  std::vector<std::string> known;  ///< results of other searches of the space
};

/// What an output of a search is, by its extension; throws std::invalid_argument for others.
enum class TuneOutput : std::uint8_t { result, t4, yaml, header, report };
TuneOutput tune_output(const std::string& path);

/// Searches, reports and writes; returns the exit code.
int tune(const TuneOptions& options, const Registry& registry);

}  // namespace apod::cli
