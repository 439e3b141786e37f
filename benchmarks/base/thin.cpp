#include "benchmarks/base/thin.hpp"

#include <algorithm>
#include <map>
#include <vector>

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
  std::map<std::size_t, std::string> notes;
  for (const auto& [index, processes] : cases) {
    if (const auto states = clock_states(processes)) notes[index] = states->text();
  }
  for (const auto& [index, note] : notes) first[index]->notes.push_back(note);
}

}  // namespace

Result thinned(Result result) {
  note_clocks(result.measurements);
  for (auto& measurement : result.measurements) {
    if (measurement.is_timed()) measurement.quantiles = quantiles_of(measurement);
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
  return std::any_of(result.measurements.begin(), result.measurements.end(),
                     [](const Measurement& measurement) { return measurement.quantiles; });
}

}  // namespace apod
