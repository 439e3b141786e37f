#include "benchmarks/base/measurement.hpp"

#include <algorithm>

namespace apod {

void add_phase(std::vector<PhaseTime>& phases, const PhaseTime& phase) {
  const auto known = std::find_if(phases.begin(), phases.end(),
                                  [&](const PhaseTime& other) { return other.name == phase.name; });
  if (known == phases.end()) {
    phases.push_back(phase);
    return;
  }
  known->count += phase.count;
  known->total_s += phase.total_s;
  known->min_s = std::min(known->min_s, phase.min_s);
  known->max_s = std::max(known->max_s, phase.max_s);
}

}  // namespace apod
