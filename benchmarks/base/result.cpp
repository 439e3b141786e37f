#include "benchmarks/base/result.hpp"

#include <algorithm>

#include "benchmarks/base/clock_states.hpp"
#include "benchmarks/base/estimator.hpp"

namespace apod {

namespace {

/// Puts into words what no quantile tells any more: at which clocks a case was sampled.
void note_clocks(std::vector<Measurement>& measurements) {
  std::map<std::size_t, std::vector<const Measurement*>> cases;
  std::map<std::size_t, Measurement*> first;
  for (auto& measurement : measurements) {
    if (!measurement.failed.empty() || !measurement.is_timed()) continue;
    cases[measurement.case_index].push_back(&measurement);
    first.try_emplace(measurement.case_index, &measurement);
  }
  for (const auto& [index, processes] : cases) {
    if (const auto states = clock_states(processes)) first[index]->notes.push_back(states->text());
  }
}

}  // namespace

std::vector<Measurement> parts_of(const Measurement& measurement) {
  if (measurement.found.empty()) return {measurement};
  std::vector<Measurement> parts;
  auto shared = measurement;
  shared.found.clear();
  for (const auto& one : measurement.found) {
    auto& part = parts.emplace_back(shared);
    part.case_id = measurement.case_id + "/" + one.name;
    part.failed = one.failed;
    part.samples_s = one.samples_s;
    part.kernel_code = one.kernel_code;
    part.profile = one.profile;
    for (const auto& [name, value] : one.facts) part.facts[name] = value;
  }
  return parts;
}

Result thinned(Result result) {
  note_clocks(result.measurements);
  for (auto& measurement : result.measurements) {
    if (measurement.is_timed()) measurement.quantiles = quantiles_of(measurement);
    const auto visited = phases_visited(measurement);
    if (visited > 0) measurement.facts["phases_visited"] = static_cast<double>(visited);
    measurement.samples_s.clear();
    measurement.device_samples_s.clear();
    measurement.throttled.clear();
    measurement.launch_phases.clear();
    measurement.clock.sample_mhz.clear();
    measurement.phases.clear();
    measurement.profile = {};
  }
  return result;
}

bool is_thin(const Result& result) {
  return std::ranges::any_of(result.measurements,
                             [](const auto& one) { return one.quantiles.has_value(); });
}

}  // namespace apod
