#include "benchmarks/plan/config/overrides.hpp"

#include <algorithm>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/plan/config/axis_values.hpp"
#include "benchmarks/plan/config/measure.hpp"

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

/// Replaces the axis of the same name, or adds the axis.
void replace_axis(Experiment& experiment, Axis axis, const std::string& text, Problems& problems) {
  experiment.axes_were_set = true;
  for (auto& rule : experiment.expectations) rule.narrowed_by = Narrowing::set;
  for (auto& exclusion : experiment.exclude) exclusion.narrowed_by = Narrowing::set;
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

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The suggestion for an unknown name; `names` may contain duplicates.
std::string suggestion_among(const std::string& name, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return suggestion(name, names);
}

void apply_axis(const std::string& text, const std::string& name,
                const std::vector<std::string>& words, const Registry& registry, bool all_read,
                ExperimentConfig& config, Problems& problems) {
  std::size_t taken = 0;    // experiments that have the axis and know the values
  std::size_t refused = 0;  // experiments that have the axis but not the values
  std::vector<std::string> names = measure_keys();
  std::vector<std::string> elsewhere;
  for (auto& experiment : config.experiments) {
    const auto axes = allowed_axes(registry, experiment);
    for (const auto& spec : axes.specs) names.push_back(spec.name);
    elsewhere.insert(elsewhere.end(), axes.end_to_end_only.begin(), axes.end_to_end_only.end());
    const auto* spec = find_axis(axes.specs, name);
    if (spec == nullptr) continue;
    auto axis = parse_values(*spec, words, text, experiment.workload, problems);
    ++(axis ? taken : refused);
    if (axis) replace_axis(experiment, std::move(*axis), text, problems);
  }
  if (taken > 0 && refused > 0) {
    problems.add({}, text + ": other experiments of the file take it",
                 "--having " + text + " keeps those alone");
  }
  if (taken + refused > 0 || !all_read) return;
  if (contains(elsewhere, name)) {
    problems.add({}, text + ": no experiment has the axis '" + name + "'",
                 "it exists only in scope end_to_end");
  } else {
    problems.add({}, text + ": neither an axis of an experiment nor a key of measure",
                 suggestion_among(name, std::move(names)));
  }
}

void apply_measure(const std::string& text, const std::string& key, const std::string& word,
                   ExperimentConfig& config, Problems& problems) {
  MeasureSpec any;
  const auto result = set_measure(any, key, word);
  if (!result.value) problems.add({}, text + ": " + result.message, result.hint);
  for (auto& experiment : config.experiments) {
    const int before = experiment.measure.max_processes;
    const bool fixed = experiment.measure.processes == before;
    set_measure(experiment.measure, key, word);
    if (key == "max_processes" && fixed && experiment.measure.max_processes != before) {
      problems.add({},
                   text + ": experiment '" + experiment.name + "' has exactly " +
                       text::counted(static_cast<std::size_t>(before), "process", "processes"),
                   "add --set processes=auto, or say --set processes=" + word + " alone");
    }
  }
}

}  // namespace

void keep_having(const std::string& text, const Registry& registry, bool all_read,
                 ExperimentConfig& config, Problems& problems) {
  const auto equals = std::min(text.find('='), text.size());
  const auto name = text.substr(0, equals);
  const auto words = split(text.substr(std::min(equals + 1, text.size())), ',');
  std::vector<Experiment> kept;
  std::vector<std::string> names;
  Problems reasons("");  // of those that have the axis, but not the values
  for (auto& experiment : config.experiments) {
    const auto axes = allowed_axes(registry, experiment);
    for (const auto& spec : axes.specs) names.push_back(spec.name);
    const auto* spec = find_axis(axes.specs, name);
    if (spec == nullptr) continue;
    const auto axis = parse_values(*spec, words, text, experiment.workload, reasons);
    if (const auto twice = axis ? repeated(*axis) : std::nullopt) {
      reasons.add({}, text + ": " + to_string(*twice) + " is listed twice");
    } else if (axis) {
      kept.push_back(std::move(experiment));
    }
  }
  config.experiments = std::move(kept);
  if (!config.experiments.empty() || !all_read) return;
  for (const auto& reason : reasons.sorted()) problems.add({}, reason.message, reason.hint);
  if (!reasons.empty()) return;
  if (contains(measure_keys(), name)) {
    problems.add({}, text + ": '" + name + "' is a key of measure and no axis",
                 "compare the results of two runs, each with its own --set " + name + "=...");
  } else {
    problems.add({}, text + ": no experiment has the axis '" + name + "'",
                 suggestion_among(name, std::move(names)));
  }
}

void apply_overrides(std::vector<std::string> overrides, const Registry& registry, bool all_read,
                     ExperimentConfig& config, Problems& problems) {
  // Those of measure in the order of its keys, as in a file: some depend on others.
  const auto order = [](const std::string& text) {
    const auto& keys = measure_keys();
    return std::find(keys.begin(), keys.end(), text.substr(0, text.find('='))) - keys.begin();
  };
  std::stable_sort(overrides.begin(), overrides.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  for (const auto& text : overrides) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      problems.add({}, in_quotes(text) + " sets nothing", "write --set streams=1,8");
      continue;
    }
    const auto key = text.substr(0, equals);
    const auto value = text.substr(equals + 1);
    if (contains(measure_keys(), key)) {
      apply_measure(text, key, value, config, problems);
    } else {
      apply_axis(text, key, split(value, ','), registry, all_read, config, problems);
    }
  }
  if (overrides.empty() || !problems.empty() || !all_read) return;
  for (const auto& experiment : config.experiments) {
    check_measure(experiment.measure, experiment.command.has_value(), {}, problems);
  }
}

}  // namespace apod::config
