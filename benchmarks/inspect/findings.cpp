#include "benchmarks/inspect/findings.hpp"

#include <algorithm>

#include "benchmarks/inspect/rules.hpp"

namespace apod::inspect {

std::vector<Finding> findings(const Evidence& evidence) {
  Findings found;
  for (const auto rules :
       {transfer_rules, stream_rules, grid_rules, arithmetic_rules, ceiling_rules, host_rules}) {
    rules(evidence, found);
  }
  std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.gain > b.gain;
  });
  return found;
}

}  // namespace apod::inspect
