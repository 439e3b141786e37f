#include "benchmarks/plan/config/experiment_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "benchmarks/plan/config/conditions.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/measure.hpp"
#include "benchmarks/plan/points.hpp"

namespace apod::config {
namespace {

/// The fields of a field that is a map; none, and a problem, where it is not one.
Fields fields_of(const Field* field, Problems& problems) {
  if (field == nullptr) return {};
  auto fields = read_fields(field->value, place_of(*field), "'" + field->key + "'", problems);
  return fields ? std::move(*fields) : Fields{};
}

/// The most items in a list of rules.
constexpr std::size_t max_rules = 1000;

constexpr std::size_t longest_name = 64;

/// Calls `read(fields, place)` for each map of a list-valued field.
template <class Read>
void each_map(const Field* field, Problems& problems, Read read) {
  if (field == nullptr) return;
  const auto items = read_list(*field, problems);
  if (!items) return;
  if (items->size() > max_rules) {
    problems.add(field->place, "'" + field->key + "' has " + std::to_string(items->size()) +
                                   " items, but the limit is " + std::to_string(max_rules));
    return;
  }
  for (const auto& item : *items) {
    const auto place = place_of(item);
    const auto fields = read_fields(item, place, "an item of '" + field->key + "'", problems);
    if (!fields) continue;
    if (fields->empty()) {
      problems.add(place, "an item of '" + field->key + "' is empty", "remove the item");
    } else {
      read(*fields, place);
    }
  }
}

/// The experiment's blocks. Where the run is on the host, those of `host:` replace them: `axes` and
/// `measure` key by key, the others as a whole.
struct Blocks {
  Fields all;
  Fields axes;
  Fields measure;
  Fields host;  ///< none unless the host is asked for

  const Field* operator[](std::string_view key) const { return find(all, key); }
};

Blocks blocks_of(Fields& fields, const ReadContext& context, Problems& problems) {
  Blocks blocks;
  auto host = fields_of(find(fields, "host"), problems);
  check_keys(host, names_of(host_keys()), "'host'", problems);
  if (context.for_host) blocks.host = host;
  Keys keys = experiment_keys();
  if (find(fields, "kernel") != nullptr)
    keys.insert(keys.end(), kernel_keys().begin(), kernel_keys().end());
  check_keys(fields, names_of(keys), "the experiment", problems);
  blocks.all = layered(fields, blocks.host);
  const auto both = [&](const char* key, Fields base, auto layer) {
    base = layer(std::move(base), fields_of(find(fields, key), problems));
    return layer(std::move(base), fields_of(find(blocks.host, key), problems));
  };
  blocks.axes = both("axes", {}, layered);
  blocks.measure = both("measure", context.measure.value_or(Fields{}), layered_measure);
  return blocks;
}

/// The variants of an experiment that names none: those built for the backend; else those that
/// exist for it but were not built (their cases are skipped with the reason); else all.
Axis default_variants(const Registry& registry, const std::string& family, BackendKind backend) {
  Axis built{"variant", {}, {}};
  Axis declared = built;
  Axis all = built;
  for (const auto* entry : registry.variants(family)) {
    all.values.emplace_back(entry->name);
    if (entry->backend != backend) continue;
    declared.values.emplace_back(entry->name);
    if (entry->make) built.values.emplace_back(entry->name);
  }
  Axis& chosen = !built.values.empty() ? built : !declared.values.empty() ? declared : all;
  chosen.places.resize(chosen.values.size());
  return chosen;
}

/// The one of a workload that the file brings; no value for others.
Axis own_variant(const Experiment& experiment) {
  Axis axis{"variant", {}, {}};
  if (experiment.command) axis.values.emplace_back(name_of_program(*experiment.command));
  if (experiment.kernel) axis.values.emplace_back(experiment.kernel->spec.usual_variant());
  axis.places.resize(axis.values.size());
  return axis;
}

class GroupReader {
 public:
  GroupReader(const AllowedAxes& axes, Problems& problems) : axes_(axes), problems_(problems) {}

  void read_axes(const Fields& fields) {
    for (const auto& field : fields) {
      if (auto axis = read(field, false)) groups.push_back({{std::move(*axis)}});
    }
  }

  void read_zip(const Fields& fields, SourcePlace place) {
    auto group = whole(problems_, [&] {
      AxisGroup read_group;
      for (const auto& field : fields) {
        if (auto axis = read(field, true)) read_group.axes.push_back(std::move(*axis));
      }
      return read_group;
    });
    if (!group) {
      for (const auto& field : fields) partly_read.insert(field.key);
      return;
    }
    std::string lengths;
    bool equal = true;
    for (const auto& axis : group->axes) {
      lengths +=
          (lengths.empty() ? "" : ", ") + axis.name + " has " + std::to_string(axis.values.size());
      equal = equal && axis.values.size() == group->size();
    }
    if (!equal) {
      for (const auto& axis : group->axes) partly_read.insert(axis.name);
      problems_.add(place, "zipped axes must have the same number of values: " + lengths);
      return;
    }
    std::set<std::vector<AxisValue>> rows;
    for (std::size_t i = 0; i < group->size(); ++i) {
      std::vector<AxisValue> row;
      for (const auto& axis : group->axes) row.push_back(axis.values[i]);
      if (rows.insert(std::move(row)).second) continue;
      problems_.add(
          group->axes.front().places[i],
          "zipped axes: value " + std::to_string(i + 1) + " of each axis repeats an earlier case",
          "remove it");
    }
    groups.push_back(std::move(*group));
  }

  std::vector<AxisGroup> groups;
  std::set<std::string> partly_read{};  ///< names of axes

 private:
  std::optional<Axis> read(const Field& field, bool zipped) {
    const auto* spec = known_axis(axes_, field.key, field.place, problems_);
    if (spec == nullptr) {
      std::vector<std::string> names;
      for (const auto& known : axes_.specs) names.push_back(known.name);
      partly_read.insert(text::closest(field.key, names));
      // Its values may be wrong too.
      const auto* elsewhere = find_axis(axes_.end_to_end_only, field.key);
      if (elsewhere != nullptr) read_axis(*elsewhere, field, zipped, problems_);
      return std::nullopt;
    }
    if (std::ranges::find(seen_, field.key) != seen_.end()) {
      problems_.add(field.place, "axis '" + field.key + "' is given twice",
                    "name the axis only once, in 'axes' or in one item of 'zip'");
      return std::nullopt;
    }
    seen_.push_back(field.key);
    const auto before = problems_.count();
    auto axis = read_axis(*spec, field, zipped, problems_);
    if (problems_.count() > before) partly_read.insert(field.key);
    return axis;
  }

  const AllowedAxes& axes_;
  Problems& problems_;
  std::vector<std::string> seen_;
};

/// Variants are parts of ids, so a file has one name there.
void check_files_of_variants(const Axis& variants, Problems& problems) {
  for (std::size_t i = 0; i < variants.places.size(); ++i) {
    const auto* word = std::get_if<std::string>(&variants.values[i]);
    if (word == nullptr || !file::names_file(*word)) continue;
    const std::filesystem::path named(*word);
    const auto plain = named.lexically_normal().string();
    if (!named.is_absolute() && plain == *word) continue;
    problems.add(variants.places[i],
                 "variant " + in_quotes(*word) +
                     " would become part of case ids, and a case id can't contain this path",
                 named.is_absolute() ? "write a path relative to the experiment file's folder"
                                     : "write " + plain);
  }
}

/// Axes that advance together can't be set apart: a point names all of a group or none.
void check_whole_groups(const Experiment& experiment, const Params& point, SourcePlace place,
                        Problems& problems) {
  for (const auto& group : experiment.groups) {
    const auto named =
        std::ranges::count_if(group.axes, [&](const Axis& axis) { return point.has(axis.name); });
    if (named == 0 || named == static_cast<std::ptrdiff_t>(group.axes.size())) continue;
    for (const auto& axis : group.axes) {
      if (point.has(axis.name)) continue;
      problems.add(place, "an item of 'include' leaves out '" + axis.name + "'",
                   "name this axis too: it is zipped with another axis of the item");
    }
  }
}

/// Why conditions under `key` may meet no case here although they do in the file's other reading: a
/// `host:` block that does not hold them, or variants that belong to the other backend.
Narrowing narrowing_of(const Match& conditions, const char* key, const Blocks& blocks,
                       bool any_variant) {
  constexpr std::array narrow{"scope", "axes", "zip", "exclude", "include", "baseline"};
  const bool by_host =
      find(blocks.host, key) == nullptr &&
      std::ranges::any_of(narrow, [&](auto name) { return find(blocks.host, name) != nullptr; });
  if (by_host) return Narrowing::host_block;
  const bool by_backend = any_variant && std::ranges::any_of(conditions, [](const auto& entry) {
                            return entry.first == "variant";
                          });
  return by_backend ? Narrowing::variants : Narrowing::none;
}

/// Returns the names of axes with values that could not be read.
std::set<std::string> read_cases(const Blocks& blocks, const AllowedAxes& axes,
                                 const ReadContext& context, Experiment& experiment,
                                 Problems& problems) {
  GroupReader reader(axes, problems);
  reader.read_axes(blocks.axes);
  each_map(blocks["zip"], problems,
           [&](const Fields& fields, SourcePlace place) { reader.read_zip(fields, place); });
  auto partly_read = std::move(reader.partly_read);
  experiment.groups = std::move(reader.groups);
  const auto* named = plan::axis_called(experiment, "variant");
  const bool any_variant = named == nullptr;
  if (experiment.kernel && named != nullptr) check_files_of_variants(*named, problems);
  if (any_variant) {
    auto variants = own_variant(experiment);
    if (variants.values.empty())
      variants = default_variants(context.registry, experiment.workload, context.backend);
    experiment.groups.insert(experiment.groups.begin(), AxisGroup{{std::move(variants)}});
  }
  each_map(blocks["exclude"], problems, [&](const Fields& fields, SourcePlace place) {
    auto match = read_match(axes, fields, problems);
    const auto narrowed_by = narrowing_of(match, "exclude", blocks, any_variant);
    experiment.exclude.push_back({std::move(match), place, narrowed_by});
  });
  each_map(blocks["include"], problems, [&](const Fields& fields, SourcePlace place) {
    const auto before = problems.count();
    experiment.include.push_back(read_point(axes, fields, problems));
    check_whole_groups(experiment, experiment.include.back(), place, problems);
    if (problems.count() == before) return;
    for (const auto& field : fields) partly_read.insert(field.key);
  });
  if (const auto* field = blocks["exclude"]) experiment.exclude_place = field->place;
  if (any_variant) partly_read.insert("variant");
  return partly_read;
}

/// Reads what answers the study's question.
void read_answer(const Blocks& blocks, const AllowedAxes& axes, bool any_variant,
                 Experiment& experiment, Problems& problems) {
  const auto* field = blocks["answer"];
  if (field == nullptr) return;
  Answer answer{.match = {}, .place = field->place};
  if (!field->value.IsScalar() || field->value.Scalar() != "all") {
    if (!field->value.IsMap() || field->value.size() == 0) {
      problems.add(place_of(*field), "'answer' does not name cases",
                   "write answer: all, or the axis values of the cases that answer the question: "
                   "{variant: new}");
      return;
    }
    answer.match = read_match(axes, fields_of(field, problems), problems);
  }
  answer.narrowed_by = narrowing_of(answer.match, "answer", blocks, any_variant);
  experiment.answer = std::move(answer);
}

/// Reads the baseline and the expectations, which refer to the cases.
void read_rules(const Blocks& blocks, const AllowedAxes& axes, bool any_variant,
                Experiment& experiment, Problems& problems) {
  const auto baseline = whole(problems, [&] {
    auto point = fields_of(blocks["baseline"], problems);
    const auto* other = find(point, baseline_experiment);
    if (other != nullptr && find_axis(axes.specs, baseline_experiment) == nullptr) {
      experiment.baseline_of = read_word(*other, problems).value_or("");
      std::erase_if(point, [](const Field& field) { return field.key == baseline_experiment; });
    }
    return read_point(axes, point, problems);
  });
  experiment.baseline = baseline.value_or(Params{});
  if (const auto* field = blocks["baseline"]) experiment.baseline_place = field->place;
  read_answer(blocks, axes, any_variant, experiment, problems);
  if (experiment.answer && baseline && !experiment.has_baseline()) {
    if (experiment.answer->narrowed_by == Narrowing::none) {
      problems.add(experiment.answer->place,
                   "'answer' needs a 'baseline': the answer is a change against the baseline",
                   "name the case to compare with: baseline: {axis: value}");
    }
    experiment.answer.reset();
  }
  each_map(blocks["expect"], problems, [&](const Fields& fields, SourcePlace place) {
    read_expectations(axes, fields, place, !baseline || experiment.has_baseline(), experiment,
                      problems);
  });
  for (auto& rule : experiment.expectations) {
    rule.narrowed_by = narrowing_of(rule.where, "expect", blocks, any_variant);
    const bool of_found = std::ranges::any_of(
        rule.where, [](const auto& entry) { return entry.first == found_axis; });
    if (of_found && experiment.command) rule.narrowed_by = Narrowing::found_later;
  }
}

/// Adds a problem if the baseline names values that no case can have. Whether the cases with its
/// values are left out is known once they are planned.
void check_baseline_values(const AllowedAxes& axes, const std::set<std::string>& partly_read,
                           const Experiment& experiment, Problems& problems) {
  if (!experiment.baseline_of.empty()) return;
  std::string missing;
  for (const auto& [name, value] : experiment.baseline.entries()) {
    if (partly_read.contains(name)) continue;
    const auto* swept = plan::axis_called(experiment, name);
    const auto* spec = find_axis(axes.specs, name);
    const bool is_there = (swept != nullptr ? std::ranges::count(swept->values, value) > 0
                                            : spec != nullptr && spec->default_value == value) ||
                          std::ranges::any_of(experiment.include, [&](const Params& point) {
                            const auto* own = point.find(name);
                            return own != nullptr && *own == value;
                          });
    if (!is_there) missing += (missing.empty() ? "" : " or ") + name + ": " + to_string(value);
  }
  if (missing.empty()) return;
  const auto& called = experiment.name.empty() ? experiment.workload : experiment.name;
  problems.add(experiment.baseline_place,
               "the baseline of experiment '" + called +
                   "' matches none of its cases: no case has " + missing,
               "use only values that the axes have");
}

/// Adds a problem if the kernel's expressions can't be used as they are.
void check_kernel(const Experiment& experiment, SourcePlace place, Problems& problems) {
  try {
    experiment.kernel->family();
  } catch (const file::SpecError& error) {
    auto at = experiment.kernel_places.count(error.key()) > 0
                  ? experiment.kernel_places.at(error.key())
                  : place;
    at.column += static_cast<int>(error.at());
    problems.add(at, error.what());
  }
}

/// Leaves of half a kernel what the rest of the experiment needs: its files and its axes.
void keep_axes(Experiment& experiment) {
  if (!experiment.kernel) return;
  const auto whole = std::move(experiment.kernel->spec);
  experiment.kernel.reset();
  // Captured or split, it has further axes, which are those of the whole.
  if (whole.captured || !whole.split.empty() || whole.launches.empty()) return;
  auto& bare = experiment.kernel.emplace().spec;
  bare.axes = whole.axes;
  for (const auto& launch : whole.launches)
    bare.launches.push_back({.file = launch.file, .kernel = launch.kernel});
}

void check_reference(const Experiment& experiment, const std::vector<std::string>& workloads,
                     Problems& problems) {
  if (!experiment.kernel) return;
  const auto& reference = experiment.kernel->spec.reference;
  if (reference.kind != file::ReferenceSpec::Kind::workload) return;
  const auto name = reference.workload.substr(0, reference.workload.find('/'));
  if (std::ranges::find(workloads, name) != workloads.end()) return;
  problems.add(experiment.kernel_places.at("reference/workload"),
               "unknown workload " + in_quotes(reference.workload), suggestion(name, workloads));
}

/// The name of a workload, and the command where it is one; nothing where neither can be read.
void read_workload(const Fields& fields, const Blocks& blocks, const ReadContext& context,
                   Experiment& experiment, Problems& problems) {
  const auto& registry = context.registry;
  std::vector<std::string> names;
  for (const auto* family : registry.families()) names.emplace_back(family->name());
  const auto* field = find(fields, "workload");
  if (const auto* kernel = find(fields, "kernel")) {
    if (field != nullptr) {
      problems.add(field->place,
                   "an experiment can't have both 'workload' and 'kernel': leave out one of them");
    }
    const auto before = problems.count();
    read_kernel(blocks.all, blocks.axes, blocks["zip"], context.folder, context.outside, experiment,
                problems);
    check_reference(experiment, names, problems);
    if (problems.count() == before) check_kernel(experiment, place_of(*kernel), problems);
    if (problems.count() > before) keep_axes(experiment);
    if (experiment.kernel) experiment.workload = file::workload_name;
    return;
  }
  if (field == nullptr) {
    problems.add(experiment.place, "the experiment has no 'workload'", suggestion("", names));
    return;
  }
  if (field->value.IsMap()) {
    experiment.workload = command_workload;
    experiment.command = read_command(*field, blocks.axes, blocks["zip"], context.folder, problems);
    for (const auto* key : {"scope", "data"}) {
      const auto* other = blocks[key];
      if (other == nullptr) continue;
      problems.add(
          other->place, std::string("a command can't have '") + key + "'",
          "leave out this key: bench measures a command as a whole process, from start to end");
    }
    return;
  }
  const auto word = read_word(*field, problems);
  if (!word) return;
  if (registry.family(*word) != nullptr) {
    experiment.workload = *word;
    return;
  }
  // A misspelt one is read as the one that it is close to, as keys are.
  const bool is_command = *word == command_workload;
  if (!is_command) experiment.workload = text::closest(*word, names);
  problems.add(
      place_of(*field), "unknown workload " + in_quotes(*word),
      (is_command ? "write workload: {command: [./app, --n=1]}" : suggestion(*word, names)) +
          (experiment.workload.empty() ? "; the other keys of this experiment were not checked"
                                       : ""));
}

}  // namespace

Experiment read_experiment(Fields fields, SourcePlace place, const ReadContext& context,
                           Problems& problems) {
  Experiment experiment;
  experiment.place = place;
  read_cases_file(fields, context, experiment.weight, problems);
  const auto blocks = blocks_of(fields, context, problems);
  const auto before = problems.count();
  read_workload(fields, blocks, context, experiment, problems);
  if (problems.count() == before) experiment.name = experiment.workload;
  if (const auto* field = find(fields, "name")) {
    const auto word = read_word(*field, problems);
    if (word) check_name(*word, place_of(*field), problems);
    if (word) experiment.name = word->substr(0, longest_name);
  }
  if (const auto* field = blocks["scope"]) {
    const auto word = read_word(*field, problems);
    const auto scope = word
                           ? accept(parse_choice<Scope>(*word), place_of(*field), "scope", problems)
                           : std::nullopt;
    // Where the scope can't be read, assume the one with more axes, so as not to reject them too.
    experiment.scope = scope.value_or(Scope::end_to_end);
    const auto why = scope == Scope::end_to_end && experiment.kernel
                         ? file::why_not_end_to_end(experiment.kernel->spec)
                         : std::string();
    if (!why.empty()) {
      problems.add(place_of(*field),
                   "scope end_to_end measures from host memory to host memory, but " + why,
                   "leave out 'scope'");
    }
  }
  if (!experiment.workload.empty()) {
    const auto axes = allowed_axes(context.registry, experiment);
    const auto partly_read = read_cases(blocks, axes, context, experiment, problems);
    if (const auto* field = find(fields, "where")) {
      read_where(*field, names_of(axes.specs), experiment, problems);
    }
    const bool any_variant = find(blocks.axes, "variant") == nullptr;
    read_rules(blocks, axes, any_variant, experiment, problems);
    if (context.as_written) check_baseline_values(axes, partly_read, experiment, problems);
  }
  experiment.data = context.data;
  experiment.data_place = context.data_place;
  if (const auto* field = blocks["data"]) {
    experiment.data = read_data(*field, context.folder, problems).value_or(DataSpec{});
    experiment.data_place = place_of(*field);
  }
  const auto measure = read_measure(blocks.measure, context.registry, problems);
  experiment.measure = measure.value_or(MeasureSpec{});
  // The file's own `measure` was checked where it was read.
  const auto* own = blocks["measure"];
  experiment.measure_place = own == nullptr ? context.measure_place : own->place;
  const bool checked = measure && context.measure && own != nullptr;
  if (checked) check_measure(*measure, experiment.command.has_value(), own->place, problems);
  return experiment;
}

void check_name(const std::string& name, SourcePlace place, Problems& problems) {
  const bool good = !name.empty() && name[0] != '.' && name.size() <= longest_name &&
                    std::ranges::all_of(name, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
                    });
  if (good) return;
  const bool is_derived = place.line == 0;
  problems.add(
      place, "the name " + in_quotes(name) + " can't be used in case ids and file names",
      std::string("use at most 64 letters, digits, '_', '-' and '.'; do not start with '.'") +
          (is_derived ? "; or add name: NAME to the file" : ""));
}

}  // namespace apod::config
