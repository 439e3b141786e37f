#pragma once

/// \file
/// What the console and the Markdown report show of a Result, before either gives it a form.
/// Internal to report/.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/summary.hpp"
#include "benchmarks/report/table.hpp"

namespace apod::report {

/// An axis value as an experiment file would say it: 100000000 is "1e8", 1048576 is "2^20".
std::string format_axis(const AxisValue& value);

/// The value that `c` has on the axis `name`, "variant" included.
std::optional<AxisValue> axis_of(const Case& c, const std::string& name);

/// One experiment of the result, ready to be shown.
struct ExperimentView {
  std::string title;   ///< its name
  std::string method;  ///< workload, scope, processes, cache ...
  std::string common;  ///< axes that all of its cases share: "size 1e8, accumulator fp32"
  Table table;         ///< one row for each measured or failed case; empty when there is none
};
/// False where a filter left none.
bool has_cases(const Result& result, std::size_t experiment);
ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries);

/// Cases that share a text: a reason, a note.
struct Group {
  std::string text;
  std::size_t count = 0;
  std::string first;  ///< id of the first case; empty for a note on the whole run
};

/// What is said below the tables. All texts are printable.
struct Digest {
  std::size_t measured = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t not_run = 0;
  struct Failure {
    std::string reason;
    std::vector<std::string> ids;  ///< every case that failed for it
  };
  std::vector<Failure> failures;
  std::vector<Group> skips;
  std::vector<Group> notes;
  std::size_t expectations_met = 0;
  struct Miss {
    std::string where;  ///< "streams.yaml:14"
    std::string rule;
    std::string observed;
    std::string id;  ///< empty where the rule selects no case
  };
  std::vector<Miss> missed;
};
Digest digest(const Result& result, const std::vector<CaseSummary>& summaries);

/// "24 measured, 1 failed, 3 skipped in 12.3 s".
std::string last_line(const Digest& digest, const Result& result);

/// "NVIDIA H200, driver 580.95.05, CUDA 13.0, apod-bench 0.1.0 (commit 1a2b3c)".
std::string device_line(const Environment& environment);

}  // namespace apod::report
