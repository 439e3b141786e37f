#include "benchmarks/plan/gpu_measures.hpp"

#include <set>

namespace apod::plan {

void check_gpu_measures(const ExperimentConfig& config, const Plan& plan,
                        Diagnostics& diagnostics) {
  std::set<std::size_t> said;
  for (const auto& c : plan.cases) {
    const auto& measure = plan.experiment_of(c).measure;
    const bool steady = measure.clocks == ClockMode::steady;
    if (c.backend != BackendKind::host || !c.skip.empty() || !(steady || measure.energy)) continue;
    if (plan.experiment_of(c).command) continue;  // its result says that it has neither
    if (!said.insert(c.experiment).second) continue;
    const auto& experiment = config.experiments[c.experiment];
    const std::string key = steady ? "clocks: steady" : "energy: true";
    diagnostics.push_back({config.path, experiment.measure_place,
                           key + " needs a GPU, and " + c.id + " runs on the host",
                           "write host: {measure: {" +
                               std::string(steady ? "clocks: burst" : "energy: false") +
                               "}}, or leave out the variants of the host"});
  }
}

std::string unchecked_metrics(const ExperimentConfig& config, const Registry& registry) {
  for (const auto& experiment : config.experiments) {
    if (experiment.measure.metrics.empty()) continue;
    const auto* backend = registry.backend(BackendKind::cuda);
    const bool can_ask = backend != nullptr && backend->check_metric;
    const auto why = can_ask ? backend->check_metric(experiment.measure.metrics.front()).unchecked
                             : std::string("this build has no CUDA backend");
    if (!why.empty()) return "the metrics that counters names were not checked: " + why;
  }
  return "";
}

}  // namespace apod::plan
