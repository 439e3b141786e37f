#include "benchmarks/plan/exclusions.hpp"

namespace apod::plan {
namespace {

std::vector<const Match*> matches_of(const Experiment& experiment) {
  std::vector<const Match*> matches;
  for (const auto& exclusion : experiment.exclude) matches.push_back(&exclusion.match);
  return matches;
}

}  // namespace

ExclusionCheck::ExclusionCheck(const Experiment& experiment, const Params& params)
    : experiment_(experiment), table_(matches_of(experiment), params) {}

void ExclusionCheck::report_on(const std::string& file, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < experiment_.exclude.size(); ++i) {
    const auto& exclusion = experiment_.exclude[i];
    if (table_.met().has(i) || exclusion.narrowed_by != Narrowing::none) continue;
    const auto reason = table_.why_not(i);
    diagnostics.push_back({file, exclusion.place,
                           "an item of 'exclude' leaves out no case: " + reason.message,
                           reason.hint});
  }
}

}  // namespace apod::plan
