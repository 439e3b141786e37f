#include "benchmarks/look/findings.hpp"

#include <algorithm>

#include "benchmarks/look/finding_rules.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {

std::vector<Finding> findings(const Evidence& evidence) {
  Findings found;
  for (const auto rules : {transfer_rules, stream_rules, grid_rules, arithmetic_rules,
                           counter_rules, ceiling_rules, host_rules}) {
    rules(evidence, found);
  }
  const double span = span_s(evidence);
  for (auto& finding : found) {
    // These two are not what the case asked for, whatever they cost.
    if (finding.id == "aliased-streams" || finding.id == "fp64-in-fp32") continue;
    const bool is_small = finding.gain * span < threshold::least_gain.value * busy_s(evidence);
    if (finding.gain > 0 && is_small) finding.severity = Severity::note;
  }
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.gain > b.gain;
  });
  return found;
}

}  // namespace apod::look
