#include "benchmarks/plan/matches.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "benchmarks/base/condition.hpp"

namespace apod::plan {
namespace {

/// More values are left out of a message.
constexpr std::size_t most_values_shown = 8;

/// "streams is 1, 2 or 4".
std::string values_text(const std::string& axis, const std::set<AxisValue>& values) {
  std::string text = axis + " is ";
  std::size_t shown = 0;
  for (const auto& value : values) {
    if (shown == most_values_shown) return text + ", ...";
    const bool is_last = ++shown == std::min(values.size(), most_values_shown);
    text += (shown == 1 ? "" : is_last ? " or " : ", ") + to_string(value);
  }
  return text;
}

}  // namespace

Matches::Matches(std::vector<const Match*> matches)
    : matches_(std::move(matches)), holds_(matches_.size()), has_held_(matches_.size()) {
  for (const auto* match : matches_) {
    is_met_.emplace_back(match->size());
    for (const auto& [axis, condition] : *match) values_[axis];
  }
}

const std::vector<bool>& Matches::hold(const Params& params) {
  for (auto& [axis, values] : values_) {
    values.insert(*params.find(axis));
    if (values.size() > most_values_shown + 1) values.erase(std::prev(values.end()));
  }
  for (std::size_t m = 0; m < matches_.size(); ++m) {
    const auto& match = *matches_[m];
    bool all = true;
    for (std::size_t c = 0; c < match.size(); ++c) {
      if (!all && is_met_[m][c]) continue;
      const auto& [axis, condition] = match[c];
      const bool holds_here = holds(condition, *params.find(axis), params);
      if (holds_here) is_met_[m][c] = true;
      all = all && holds_here;
    }
    holds_[m] = all;
    if (all) has_held_[m] = true;
  }
  return holds_;
}

Matches::Reason Matches::why_not(std::size_t match) const {
  for (std::size_t c = 0; c < matches_[match]->size(); ++c) {
    if (is_met_[match][c]) continue;
    const auto& [axis, condition] = (*matches_[match])[c];
    return {"none has " + to_string(axis, condition), values_text(axis, values_.at(axis))};
  }
  return {"none meets all of it at once", "--dry-run shows the cases when nothing is wrong"};
}

}  // namespace apod::plan
