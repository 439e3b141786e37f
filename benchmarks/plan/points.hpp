#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

using Count = std::uint64_t;

/// Saturates at the largest count.
Count saturating_sum(Count a, Count b);
Count saturating_product(Count a, Count b);

/// The axes of all its groups.
inline auto all_axes(const Experiment& experiment) {
  return experiment.groups | std::views::transform(&AxisGroup::axes) | std::views::join;
}
/// The one called `name`; null where there is none.
inline const Axis* axis_called(const Experiment& experiment, std::string_view name) {
  for (const auto& axis : all_axes(experiment)) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

/// The usual value of each axis.
Params usual_values(const Registry& registry, const Experiment& experiment);
/// `values` in the place of those of `base`.
Params over(Params base, const Params& values);

/// The groups that `point` leaves open: their product stays when the point is added or compared.
std::vector<const AxisGroup*> open_groups(const Experiment& experiment, const Params& point);

/// How many points the groups span.
Count product_of(const std::vector<const AxisGroup*>& groups);

/// How many cases the experiment has, including those that `exclude` leaves out.
Count count_cases(const Experiment& experiment);

/// Calls visit(params) for each point of the product of `groups`, the first group slowest.
template <class Visit>
void each_point(const std::vector<const AxisGroup*>& groups, Params params, Visit visit) {
  if (product_of(groups) == 0) return;
  std::vector<std::size_t> at(groups.size(), 0);
  const auto set = [&](std::size_t g) {
    for (const auto& axis : groups[g]->axes) params.set(axis.name, axis.values[at[g]]);
  };
  for (std::size_t g = 0; g < groups.size(); ++g) set(g);
  while (true) {
    visit(params);
    std::size_t g = groups.size();
    while (g > 0 && at[g - 1] + 1 == groups[g - 1]->size()) {
      at[g - 1] = 0;
      set(g - 1);
      --g;
    }
    if (g == 0) return;
    ++at[g - 1];
    set(g - 1);
  }
}

}  // namespace apod::plan
