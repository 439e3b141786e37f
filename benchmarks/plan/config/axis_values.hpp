#pragma once

/// \file
/// Values of axes, checked against what the workload allows.

#include <string>
#include <vector>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {

/// The axes that an experiment may name.
struct AllowedAxes {
  std::vector<AxisSpec> specs;
  std::vector<AxisSpec> end_to_end_only;  ///< that its scope lacks; for the hint
  bool lacks_variants = false;            ///< that are not built, and whose own axes are not known
};
AllowedAxes allowed_axes(const Registry& registry, const Experiment& experiment);

/// One value of the axis: a count within its limits, one of its choices, a shape ("200" is the
/// square 200x200, as which it is kept).
Parsed<AxisValue> parse_axis_value(const AxisSpec& spec, const std::string& word);

/// All values of an axis: a scalar, a list, or {from, to, step: "*4"} (or "+100"). At least one; no
/// duplicates unless the axis is zipped, where the rows must differ. Problems are added; the good
/// values are returned all the same.
Axis read_axis(const AxisSpec& spec, const Field& field, bool zipped, Problems& problems);

/// {axis: value, ...} with one value each, for `include` and `baseline`.
Params read_point(const AllowedAxes& axes, const Fields& fields, Problems& problems);

/// The axis that a key names; null (and a problem with a hint) if there is none.
const AxisSpec* known_axis(const AllowedAxes& axes, const std::string& name, SourcePlace place,
                           Problems& problems);

}  // namespace apod::config
