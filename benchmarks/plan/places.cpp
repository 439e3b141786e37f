#include "benchmarks/plan/places.hpp"

#include <algorithm>

namespace apod::plan {

SourcePlace place_of_value(const Experiment& experiment, const std::string& name,
                           const AxisValue& value, SourcePlace otherwise) {
  for (const auto& group : experiment.groups) {
    for (const auto& axis : group.axes) {
      if (axis.name != name) continue;
      const auto found = std::find(axis.values.begin(), axis.values.end(), value);
      const auto at = static_cast<std::size_t>(found - axis.values.begin());
      if (found != axis.values.end() && at < axis.places.size() && axis.places[at].line > 0) {
        return axis.places[at];
      }
    }
  }
  return otherwise;
}

}  // namespace apod::plan
