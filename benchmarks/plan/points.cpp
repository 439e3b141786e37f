#include "benchmarks/plan/points.hpp"

#include <algorithm>
#include <limits>

#include "benchmarks/base/axes.hpp"

namespace apod::plan {

Count saturating_product(Count a, Count b) {
  return b != 0 && a > std::numeric_limits<Count>::max() / b ? std::numeric_limits<Count>::max()
                                                             : a * b;
}

namespace {

bool names(const AxisGroup& group, const Params& point) {
  return std::ranges::any_of(group.axes, [&](const Axis& axis) { return point.has(axis.name); });
}

}  // namespace

Params usual_values(const Registry& registry, const Experiment& experiment) {
  Params values;
  for (const auto& spec : axes_of(registry, experiment)) values.set(spec.name, spec.default_value);
  return values;
}

Params over(Params base, const Params& values) {
  for (const auto& [name, value] : values.entries()) base.set(name, value);
  return base;
}

Count saturating_sum(Count a, Count b) {
  return a > std::numeric_limits<Count>::max() - b ? std::numeric_limits<Count>::max() : a + b;
}

std::vector<const AxisGroup*> open_groups(const Experiment& experiment, const Params& point) {
  std::vector<const AxisGroup*> open;
  for (const auto& group : experiment.groups) {
    if (!names(group, point)) open.push_back(&group);
  }
  return open;
}

Count product_of(const std::vector<const AxisGroup*>& groups) {
  Count count = 1;
  for (const auto* group : groups) count = saturating_product(count, group->size());
  return count;
}

Count count_cases(const Experiment& experiment) {
  Count count = product_of(open_groups(experiment, {}));
  for (const auto& point : experiment.include)
    count = saturating_sum(count, product_of(open_groups(experiment, point)));
  return count;
}

}  // namespace apod::plan
