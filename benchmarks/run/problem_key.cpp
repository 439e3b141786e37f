#include "benchmarks/run/problem_key.hpp"

#include <unordered_map>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/files/record/codec.hpp"

namespace apod::run {

Params own_params(const Family& family, const Experiment& experiment, const Case& c) {
  Params own;
  const auto& kernel = experiment.kernel;
  const auto* named = kernel ? &kernel->family().problem_axes() : nullptr;
  for (const auto& axis : family.axes()) {
    const auto* value = c.params.find(axis.name);
    if (value != nullptr && (named == nullptr || named->contains(axis.name)))
      own.set(axis.name, *value);
  }
  if (kernel && kernel->spec.reference.kind == file::ReferenceSpec::Kind::itself)
    own.set("variant", c.variant);
  return own;
}

std::string problem_key(const Family& family, const Experiment& experiment, const Case& c) {
  record::WorkItem item;
  item.info.params = own_params(family, experiment, c);
  item.experiment.workload = experiment.workload;
  item.experiment.data = experiment.data;
  item.experiment.kernel = experiment.kernel;
  return record::encode(item);
}

std::vector<std::size_t> first_of_problem(const Plan& plan, const Registry& registry) {
  std::unordered_map<std::string, std::size_t> first;
  std::vector<std::size_t> of_case;
  of_case.reserve(plan.cases.size());
  for (const auto& c : plan.cases) {
    const auto& experiment = plan.experiment_of(c);
    const auto* family = family_of(registry, experiment);
    of_case.push_back(
        family == nullptr
            ? c.index
            : first.emplace(problem_key(*family, experiment, c), c.index).first->second);
  }
  return of_case;
}

}  // namespace apod::run
