#pragma once

#include <string>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/match_table.hpp"

namespace apod::plan {

/// What `exclude` leaves out, and which of its items leave out nothing: a slip in one would measure
/// what was not to be measured.
class ExclusionCheck {
 public:
  /// `params` are those of any case.
  ExclusionCheck(const Experiment& experiment, const Params& params);

  /// Whether one of the items leaves the case out. Asked for each point of the axes.
  bool leave_out(const Params& params) { return !table_.of(params).empty(); }

  /// After the last point: a diagnostic for each item that met none, unless it may be idle, with
  /// the values that there are.
  void report_on(const std::string& file, Diagnostics& diagnostics);

 private:
  const Experiment& experiment_;
  MatchTable table_;
};

}  // namespace apod::plan
