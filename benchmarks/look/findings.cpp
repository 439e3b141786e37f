#include "benchmarks/look/findings.hpp"

#include <algorithm>

#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {

std::vector<Finding> findings(const Evidence& evidence) {
  View view(evidence);
  for (const auto rules : {stream_rules, step_rules, host_rules}) rules(view);
  if (view.on_gpu()) {
    for (const auto rules : {grid_rules, arithmetic_rules, kernel_rules, counter_rules})
      rules(view);
  }
  ceiling_rules(view);
  for (auto& finding : view.found) {
    // These two are not what the case asked for, whatever they cost.
    if (finding.id == "aliased-streams" || finding.id == "fp64-in-fp32") continue;
    const double weighed_by = view.steps != nullptr ? view.span_s : view.busy_s;
    const bool is_small = finding.gain * view.span_s < threshold::least_gain.value * weighed_by;
    if (finding.gain > 0 && is_small) finding.severity = Severity::note;
  }
  std::ranges::stable_sort(view.found, [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.gain > b.gain;
  });
  return std::move(view.found);
}

std::vector<std::vector<Finding>> case_findings(const Result& result,
                                                const std::vector<CaseSummary>& summaries) {
  // Of the measurements of a case: the first, and the one with the traced pass where there is one.
  std::vector<const Measurement*> first(summaries.size());
  std::vector<const Measurement*> traced(summaries.size());
  for (const auto& measurement : result.measurements) {
    if (measurement.case_index >= summaries.size()) continue;
    auto& known = first[measurement.case_index];
    if (known == nullptr) known = &measurement;
    if (!measurement.profile.empty()) traced[measurement.case_index] = &measurement;
  }
  std::vector<std::vector<Finding>> all(summaries.size());
  const Profile untraced;
  const DeviceFacts unknown_device;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const CaseSummary& summary = summaries[i];
    if (summary.status != CaseStatus::measured || first[i] == nullptr) continue;
    const Case& info = *summary.info;
    const auto& experiment = result.plan.experiment_of(info);
    const CaseEvidence asked{.params = info.params,
                             .backend = info.backend,
                             .end_to_end = experiment.scope == Scope::end_to_end,
                             .cold = experiment.measure.cache != CacheMode::hot,
                             .traffic = first[i]->traffic,
                             .time_s = summary.time().value};
    // The environment's device is the GPU when one took part; a host case beside it is not on it.
    const bool on_device = info.backend == result.environment.device.backend;
    all[i] = findings({.profile = traced[i] == nullptr ? untraced : traced[i]->profile,
                       .facts = summary.values(),
                       .device = on_device ? result.environment.device : unknown_device,
                       .ceilings = on_device && result.ceilings ? &*result.ceilings : nullptr,
                       .asked = &asked});
  }
  return all;
}

}  // namespace apod::look
