#include "benchmarks/plan/exclusions.hpp"

#include "benchmarks/model/condition.hpp"
#include "benchmarks/plan/values_text.hpp"

namespace apod::plan {
namespace {

std::vector<AxisValue> values_of(const Experiment& experiment, const std::string& name,
                                 const Params& defaults) {
  for (const auto& group : experiment.groups) {
    for (const auto& axis : group.axes) {
      if (axis.name == name) return axis.values;
    }
  }
  const auto* fixed = defaults.find(name);
  return fixed == nullptr ? std::vector<AxisValue>{} : std::vector{*fixed};
}

}  // namespace

ExclusionCheck::ExclusionCheck(const Experiment& experiment) : experiment_(experiment) {
  for (const auto& exclusion : experiment.exclude) {
    items_.push_back({false, std::vector<bool>(exclusion.match.size(), false)});
  }
}

bool ExclusionCheck::leave_out(const Params& params) {
  bool left_out = false;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    auto& item = items_[i];
    if (left_out && item.met) continue;
    const auto& match = experiment_.exclude[i].match;
    const bool met = matches(match, params);
    left_out = left_out || met;
    item.met = item.met || met;
    for (std::size_t c = 0; c < match.size() && !item.met; ++c) {
      item.conditions[c] = item.conditions[c] || matches({match[c]}, params);
    }
  }
  return left_out;
}

void ExclusionCheck::report_on(const std::string& file, const Params& defaults,
                               Diagnostics& diagnostics) const {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto& exclusion = experiment_.exclude[i];
    if (items_[i].met || exclusion.may_be_idle) continue;
    std::string reason = "none meets all of it at once";
    std::string hint = "--dry-run shows the cases when nothing is wrong";
    for (std::size_t c = 0; c < exclusion.match.size(); ++c) {
      if (items_[i].conditions[c]) continue;
      const auto& [axis, condition] = exclusion.match[c];
      reason = "none has " + to_string(axis, condition);
      hint = values_text(axis, values_of(experiment_, axis, defaults));
      break;
    }
    diagnostics.push_back(
        {file, exclusion.place, "an item of 'exclude' leaves out no case: " + reason, hint});
  }
}

}  // namespace apod::plan
