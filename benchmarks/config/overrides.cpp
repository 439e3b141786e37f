#include "benchmarks/config/overrides.hpp"

#include <algorithm>
#include <set>

#include "benchmarks/config/axis_values.hpp"
#include "benchmarks/config/measure.hpp"

namespace apod::config {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

/// The values of the axis, or nothing and problems. `text` is the whole override, for messages.
std::optional<Axis> parse_values(const AxisSpec& spec, const std::vector<std::string>& words,
                                 const std::string& text, const std::string& workload,
                                 Problems& problems) {
  Axis axis;
  axis.name = spec.name;
  for (const auto& word : words) {
    const auto value = parse_axis_value(spec, word);
    if (!value.value) {
      problems.add({}, text + ": for " + workload + ", " + value.message, value.hint);
    } else {
      axis.values.push_back(*value.value);
      axis.places.emplace_back();
    }
  }
  if (axis.values.size() != words.size()) return std::nullopt;
  return axis;
}

/// The first value that is listed twice, if any.
std::optional<AxisValue> repeated(const Axis& axis) {
  std::set<AxisValue> seen;
  for (const auto& value : axis.values) {
    if (!seen.insert(value).second) return value;
  }
  return std::nullopt;
}

bool has_other_value(const Params& point, const Axis& axis) {
  const auto* value = point.find(axis.name);
  return value != nullptr &&
         std::find(axis.values.begin(), axis.values.end(), *value) == axis.values.end();
}

/// Puts the axis in the place of the one of its name, or adds it.
void replace_axis(Experiment& experiment, Axis axis, const std::string& text, Problems& problems) {
  experiment.axes_were_set = true;
  for (auto& rule : experiment.expectations) rule.narrowed_by = "--set";
  for (auto& exclusion : experiment.exclude) exclusion.may_be_idle = true;
  std::erase_if(experiment.include,
                [&](const Params& point) { return has_other_value(point, axis); });
  if (has_other_value(experiment.baseline, axis)) experiment.baseline = {};
  for (auto& group : experiment.groups) {
    for (auto& old : group.axes) {
      if (old.name != axis.name) continue;
      if (group.axes.size() > 1 && axis.values.size() != group.size()) {
        problems.add({}, text + ": '" + axis.name + "' is zipped in experiment '" +
                             experiment.name + "', so it needs " + std::to_string(group.size()) +
                             " values");
      } else if (const auto twice = repeated(axis); twice && group.axes.size() == 1) {
        problems.add({}, text + ": " + to_string(*twice) + " is listed twice");
      } else {
        old = std::move(axis);
      }
      return;
    }
  }
  if (const auto twice = repeated(axis)) {
    problems.add({}, text + ": " + to_string(*twice) + " is listed twice");
    return;
  }
  experiment.groups.push_back({{std::move(axis)}});
}

void apply_axis(const std::string& text, const std::string& name,
                const std::vector<std::string>& words, const Registry& registry,
                ExperimentConfig& config, Problems& problems) {
  bool taken = false;    // by an experiment that has the axis
  bool refused = false;  // by another
  bool only_end_to_end = false;
  std::vector<std::string> names = measure_keys();
  bool all_known = config.experiments_known;
  for (auto& experiment : config.experiments) {
    const auto* family = registry.family(experiment.workload);
    all_known = all_known && family != nullptr;
    if (family == nullptr) continue;
    const auto axes = allowed_axes(registry, *family, experiment.scope);
    for (const auto& spec : axes.specs) names.push_back(spec.name);
    const auto& elsewhere = axes.end_to_end_only;
    only_end_to_end |= std::find(elsewhere.begin(), elsewhere.end(), name) != elsewhere.end();
    const auto* spec = find_axis(axes.specs, name);
    if (spec == nullptr) continue;
    const Watch watch(problems);
    auto axis = parse_values(*spec, words, text, experiment.workload, problems);
    (axis ? taken : refused) = true;
    if (axis) replace_axis(experiment, std::move(*axis), text, problems);
    experiment.cases_known = experiment.cases_known && watch.clean();
  }
  if (taken && refused) {
    problems.add({}, text + ": other experiments of the file take it",
                 "--having " + text + " keeps those alone");
  }
  // With a workload unknown, it is unknown too which axes could be set.
  if (taken || refused || !all_known) return;
  for (auto& experiment : config.experiments) experiment.cases_known = false;
  if (only_end_to_end) {
    problems.add({}, text + ": no experiment has the axis '" + name + "'",
                 "it exists only in scope end_to_end");
    return;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  problems.add({}, text + ": neither an axis of an experiment nor a key of measure",
               suggestion(name, names));
}

/// Why no experiment has the axis `name`, of those in `names`.
void add_unknown_axis(const std::string& text, const std::string& name,
                      const std::vector<std::string>& names, Problems& problems) {
  const auto& keys = measure_keys();
  if (std::find(keys.begin(), keys.end(), name) != keys.end()) {
    problems.add({}, text + ": '" + name + "' is a key of measure and no axis",
                 "compare the results of two runs, each with its own --set " + name + "=...");
  } else {
    problems.add({}, text + ": no experiment has the axis '" + name + "'", suggestion(name, names));
  }
}

}  // namespace

void keep_having(const std::string& text, const Registry& registry, ExperimentConfig& config,
                 Problems& problems) {
  const auto equals = std::min(text.find('='), text.size());
  const auto name = text.substr(0, equals);
  const auto words = split(text.substr(std::min(equals + 1, text.size())), ',');
  std::vector<Experiment> kept;
  std::vector<std::string> names;
  Problems reasons("");  // of those that have the axis, but not the values
  for (const auto& experiment : config.experiments) {
    const auto* family = registry.family(experiment.workload);
    if (family == nullptr) return;  // a problem of the file, which is said
    const auto axes = allowed_axes(registry, *family, experiment.scope);
    for (const auto& spec : axes.specs) names.push_back(spec.name);
    const auto* spec = find_axis(axes.specs, name);
    if (spec == nullptr) continue;
    const auto axis = parse_values(*spec, words, text, experiment.workload, reasons);
    if (const auto twice = axis ? repeated(*axis) : std::nullopt) {
      reasons.add({}, text + ": " + to_string(*twice) + " is listed twice");
    } else if (axis) {
      kept.push_back(experiment);
    }
  }
  if (!kept.empty()) {
    config.experiments = std::move(kept);
    return;
  }
  for (auto& experiment : config.experiments) experiment.cases_known = false;
  for (const auto& reason : reasons.sorted()) problems.add({}, reason.message, reason.hint);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (reasons.empty() && !names.empty()) add_unknown_axis(text, name, names, problems);
}

void apply_overrides(const std::vector<std::string>& overrides, const Registry& registry,
                     ExperimentConfig& config, Problems& problems) {
  for (const auto& text : overrides) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      problems.add({}, in_quotes(text) + " sets nothing", "write --set streams=1,8");
      for (auto& experiment : config.experiments) experiment.cases_known = false;
      continue;
    }
    const auto key = text.substr(0, equals);
    const auto value = text.substr(equals + 1);
    const auto& keys = measure_keys();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      apply_axis(text, key, split(value, ','), registry, config, problems);
      continue;
    }
    for (auto& experiment : config.experiments) {
      const auto result = set_measure(experiment.measure, key, value);
      if (!result.value) problems.add({}, text + ": " + result.message, result.hint);
      experiment.measure_known = experiment.measure_known && result.value;
    }
  }
  if (overrides.empty() || !problems.empty()) return;
  for (const auto& experiment : config.experiments) {
    if (experiment.measure_known) check_measure(experiment.measure, {}, problems);
  }
}

}  // namespace apod::config
