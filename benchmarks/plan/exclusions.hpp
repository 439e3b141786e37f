#pragma once

#include <string>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/model/experiment.hpp"

namespace apod::plan {

/// What `exclude` leaves out, and which of its items leave out nothing: a slip in one would measure
/// what was not to be measured.
class ExclusionCheck {
 public:
  explicit ExclusionCheck(const Experiment& experiment);

  /// Whether one of the items leaves the case out. Asked for each point of the axes.
  bool leave_out(const Params& params);

  /// After the last point: a diagnostic for each item that met none, unless it may be idle, with
  /// the values that there are. `defaults` are those of axes that the experiment does not name.
  void report_on(const std::string& file, const Params& defaults, Diagnostics& diagnostics) const;

 private:
  struct Item {
    bool met = false;              ///< by a case
    std::vector<bool> conditions;  ///< which of them a case met
  };
  const Experiment& experiment_;
  std::vector<Item> items_;
};

}  // namespace apod::plan
