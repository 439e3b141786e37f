#include "benchmarks/plan/checks.hpp"

#include <filesystem>
#include <set>
#include <stdexcept>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/plan/places.hpp"

namespace apod::plan {
namespace {

/// Why the file's array is too small for the size; nothing when it is large enough. An integer is a
/// number of values, a shape is that of an image.
std::optional<std::string> misfit(Shape held, const AxisSpec& spec, const Params& params) {
  if (spec.kind == AxisSpec::Kind::shape) return too_small(held, params.shape(spec.name));
  return too_small(held, params.integer(spec.name));
}

void check_experiment(const Experiment& experiment, const std::string& file,
                      const std::vector<const Case*>& cases, const Family& family,
                      Diagnostics& diagnostics) {
  const auto axes = family.axes();
  const auto* spec = find_axis(axes, size_axis);
  if (spec == nullptr) return;
  Shape held;
  try {
    held = array_shape(experiment.data.file);
  } catch (const std::runtime_error& error) {
    diagnostics.push_back({file, experiment.data_place, std::string("data: ") + error.what(), ""});
    return;
  }
  const auto name = std::filesystem::path(experiment.data.file).filename().string();
  std::set<AxisValue> seen;
  for (const auto* c : cases) {
    const auto& size = *c->params.find(size_axis);
    if (!seen.insert(size).second) continue;
    if (const auto reason = misfit(held, *spec, c->params)) {
      diagnostics.push_back({file,
                             place_of_value(experiment, size_axis, size, experiment.data_place),
                             name + " is too small for size " + to_string(size) + ": it " + *reason,
                             "use a smaller size or a larger file"});
    }
  }
}

}  // namespace

void check_data(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                Diagnostics& diagnostics) {
  std::vector<std::vector<const Case*>> cases(plan.experiments.size());
  for (const auto& c : plan.cases) {
    if (c.skip.empty()) cases[c.experiment].push_back(&c);
  }
  for (std::size_t e = 0; e < cases.size(); ++e) {
    const auto& experiment = config.experiments[e];
    const auto* family = registry.family(experiment.workload);
    if (cases[e].empty() || family == nullptr) continue;
    if (experiment.data.kind != DataSpec::Kind::file) continue;
    check_experiment(experiment, config.path, cases[e], *family, diagnostics);
  }
}

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
