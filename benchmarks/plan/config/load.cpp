#include "benchmarks/plan/config/load.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <set>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/tuning_input.hpp"
#include "benchmarks/plan/config/axis_values.hpp"
#include "benchmarks/plan/config/conditions.hpp"
#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/measure.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {
namespace {

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
  return value != nullptr && std::ranges::find(axis.values, *value) == axis.values.end();
}

/// Keeps the rows of a zip in which an axis has these values, if it has each of them and they are
/// fewer than its rows.
bool narrow(AxisGroup& group, const Axis& old, const Axis& wanted) {
  const auto is_wanted = [&](const AxisValue& value) {
    return std::ranges::find(wanted.values, value) != wanted.values.end();
  };
  const bool has_all = std::ranges::all_of(wanted.values, [&](const auto& one) {
    return std::ranges::find(old.values, one) != old.values.end();
  });
  if (!has_all || wanted.values.size() >= group.size()) return false;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < group.size(); ++row) {
    if (is_wanted(old.values[row])) rows.push_back(row);
  }
  for (auto& axis : group.axes) {
    Axis kept{axis.name, {}, {}};
    for (const auto row : rows) {
      kept.values.push_back(axis.values[row]);
      kept.places.push_back(row < axis.places.size() ? axis.places[row]
                                                     : decltype(kept.places)::value_type{});
    }
    axis = std::move(kept);
  }
  return true;
}

/// Replaces the axis of the same name, or adds the axis. Of a zip it may choose rows.
void replace_axis(Experiment& experiment, Axis axis, const std::string& text, Problems& problems) {
  experiment.axes_were_set = true;
  for (auto& rule : experiment.expectations) rule.narrowed_by = Narrowing::set;
  if (experiment.answer) experiment.answer->narrowed_by = Narrowing::set;
  for (auto& exclusion : experiment.exclude) exclusion.narrowed_by = Narrowing::set;
  std::erase_if(experiment.include,
                [&](const Params& point) { return has_other_value(point, axis); });
  if (has_other_value(experiment.baseline, axis)) experiment.baseline = {};
  for (auto& group : experiment.groups) {
    for (auto& old : group.axes) {
      if (old.name != axis.name) continue;
      if (group.axes.size() > 1 && narrow(group, old, axis)) return;
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
  return std::ranges::find(names, name) != names.end();
}

/// The suggestion for an unknown name; `names` may contain duplicates.
std::string suggestion_among(const std::string& name, std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return suggestion(name, names);
}

void apply_axis(const std::string& text, const std::string& name,
                const std::vector<std::string>& words, const Registry& registry, bool all_read,
                ExperimentConfig& config, Problems& problems) {
  const auto is_baseline = [&](const Experiment& experiment) {
    return std::ranges::any_of(config.experiments, [&](const Experiment& other) {
      return other.baseline_of == experiment.name;
    });
  };
  std::size_t taken = 0;    // experiments that have the axis and know the values
  std::size_t refused = 0;  // experiments that have the axis but not the values
  std::vector<std::string> names = measure_keys();
  std::vector<std::string> elsewhere;
  for (auto& experiment : config.experiments) {
    const auto axes = allowed_axes(registry, experiment);
    for (const auto& spec : axes.specs) names.push_back(spec.name);
    for (const auto& spec : axes.end_to_end_only) elsewhere.push_back(spec.name);
    const auto* spec = find_axis(axes.specs, name);
    if (spec == nullptr) continue;
    Problems unknown("");
    auto axis = parse_values(*spec, words, text, experiment.workload, unknown);
    if (!axis && is_baseline(experiment)) continue;  // it keeps its own values
    for (const auto& one : unknown.sorted()) problems.add({}, one.message, one.hint);
    ++(axis ? taken : refused);
    if (axis) replace_axis(experiment, std::move(*axis), text, problems);
  }
  if (taken > 0 && refused > 0) {
    problems.add({}, text + ": only some experiments of the file accept this value",
                 "to keep only these experiments, add --having " + text);
  }
  if (taken + refused > 0 || !all_read) return;
  if (contains(elsewhere, name)) {
    problems.add({}, text + ": no experiment has the axis '" + name + "'",
                 "add 'scope: end_to_end' to an experiment: this axis exists only in that scope");
  } else {
    problems.add({}, text + ": this is neither an axis of an experiment nor a key of measure",
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
                   "add --set processes=auto, or use --set processes=" + word + " instead");
    }
  }
}

/// Applies --having: of "axis=value[,value...]", keeps the experiments that have the axis and know
/// every one of its values, so that --set can give it any of them, and those that have their
/// baselines. If none does, a problem says why, unless an experiment that could not be read may be
/// the one (`all_read` false).
void keep_having(const std::string& text, const Registry& registry, bool all_read,
                 ExperimentConfig& config, Problems& problems) {
  const auto equals = std::min(text.find('='), text.size());
  const auto name = text.substr(0, equals);
  const auto words = text::split(text.substr(std::min(equals + 1, text.size())), ',');
  std::set<std::string> kept;
  std::set<std::string> baselines;
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
      kept.insert(experiment.name);
      baselines.insert(experiment.baseline_of);
    }
  }
  std::erase_if(config.experiments, [&](const Experiment& experiment) {
    return !kept.contains(experiment.name) && !baselines.contains(experiment.name);
  });
  if (!config.experiments.empty() || !all_read) return;
  for (const auto& reason : reasons.sorted()) problems.add({}, reason.message, reason.hint);
  if (!reasons.empty()) return;
  if (contains(measure_keys(), name)) {
    problems.add({}, text + ": '" + name + "' is a key of measure, not an axis",
                 "make a run for each value, and compare the results: --set " + name + "=...");
  } else {
    problems.add({}, text + ": no experiment has the axis '" + name + "'",
                 suggestion_among(name, std::move(names)));
  }
}

/// Applies --set: "axis=value[,value...]" or "measure-key=value". A set axis replaces that axis in
/// every experiment that may have it. Whatever the narrowed axis no longer allows is removed: cases
/// of `include`, and a baseline that none of the values could be. If no
/// experiment has the axis, that is a problem only with `all_read`.
void apply_overrides(std::vector<std::string> overrides, const Registry& registry, bool all_read,
                     ExperimentConfig& config, Problems& problems) {
  // Those of measure in the order of its keys, as in a file: some depend on others.
  const auto order = [](const std::string& text) {
    const auto& keys = measure_keys();
    return std::ranges::find(keys, text.substr(0, text.find('='))) - keys.begin();
  };
  std::ranges::stable_sort(overrides,
                           [&](const auto& a, const auto& b) { return order(a) < order(b); });
  for (const auto& text : overrides) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      problems.add({}, in_quotes(text) + " is not KEY=VALUE", "write --set streams=1,8");
      continue;
    }
    const auto key = text.substr(0, equals);
    const auto value = text.substr(equals + 1);
    if (contains(measure_keys(), key)) {
      apply_measure(text, key, value, config, problems);
    } else {
      apply_axis(text, key, text::split(value, ','), registry, all_read, config, problems);
    }
  }
  if (overrides.empty() || !problems.empty() || !all_read) return;
  for (const auto& experiment : config.experiments)
    check_measure(experiment.measure, experiment.command.has_value(), {}, problems);
}

/// A range is a few words for many values.
constexpr std::size_t max_axis_values = 1'000'000;

struct FlagProblems {
  Problems having{"--having"};
  Problems set{"--set"};
};

/// Whether the document stays small once its aliases are expanded, and its words are whole.
bool check_values(const YAML::Node& document, Problems& problems) {
  const auto size = count_values(document, max_values);
  if (size.cut.line > 0) {
    problems.add(size.cut, "this word contains a NUL byte",
                 "remove the \\0: the word would end at this byte");
    return false;
  }
  // The parser takes "!= a" for the word "a" with a tag: the opposite of what is meant.
  if (!size.tag.empty()) {
    problems.add(size.tagged, in_quotes(size.tag) + " starts with a character that YAML reserves",
                 "quote it: \"" + size.tag + "\"");
  }
  if (size.count <= max_values) return true;
  if (size.endless.line > 0) {
    problems.add(size.endless, "this alias refers to itself", "use another value");
  } else {
    problems.add({}, "the file has more than " + std::to_string(max_values) +
                         " values, counting each use of an alias");
  }
  return false;
}

void check_schema(const Fields& fields, Problems& problems) {
  const auto* field = find(fields, "schema");
  if (field == nullptr) {
    problems.add({1, 1}, "'schema' is missing", "add 'schema: 1'");
    return;
  }
  const auto word = read_word(*field, problems);
  if (word && *word != "1") {
    problems.add(place_of(*field), "unknown schema " + in_quotes(*word), "write 'schema: 1'");
  }
}

/// Reads one item of `experiments:` for both backends, because a file must be right on every
/// machine. Returns the reading for `context.backend`.
Experiment read_item(const YAML::Node& item, ReadContext context, Problems& problems) {
  const auto place = place_of(item);
  const auto before = problems.count();
  const auto fields = read_fields(item, place, "an experiment", problems);
  if (!fields) return {};
  context.as_written = context.as_written && problems.count() == before;
  if (find(*fields, "host") != nullptr) {
    auto other = context;
    other.for_host = !context.for_host;
    read_experiment(*fields, place, other, problems);
  }
  return read_experiment(*fields, place, context, problems);
}

/// Returns the experiments that had no problem.
std::vector<Experiment> read_experiments(const Fields& fields, const ReadContext& context,
                                         Problems& problems) {
  const auto* list = find(fields, "experiments");
  if (list == nullptr) {
    problems.add({1, 1}, "'experiments' is missing", "add 'experiments:' with one item or more");
    return {};
  }
  const auto items = read_list(*list, problems).value_or(std::vector<YAML::Node>{});
  if (items.empty() && list->value.IsSequence()) {
    problems.add(list->place, "'experiments' is an empty list",
                 "add '- workload: NAME'; bench --list shows the names");
  }
  std::vector<Experiment> experiments;
  std::map<std::string, int> line_of_name;
  std::size_t values = 0;
  for (const auto& item : items) {
    auto experiment = whole(problems, [&] {
      auto read = read_item(item, context, problems);
      const auto [first, added] = line_of_name.emplace(read.name, read.place.line);
      if (!added && !read.name.empty()) {
        problems.add(read.place,
                     "the experiment at line " + std::to_string(first->second) +
                         " also has the name '" + read.name + "'",
                     "give each experiment a different 'name:'");
      }
      for (const auto& group : read.groups) values += group.axes.size() * group.size();
      return read;
    });
    if (values > max_axis_values) {
      problems.add(place_of(item), "the axes have more than " + std::to_string(max_axis_values) +
                                       " values in total");
      return {};
    }
    if (experiment) experiments.push_back(std::move(*experiment));
  }
  return experiments;
}

/// Each experiment that a baseline names is in the file.
void check_baselines(const std::vector<Experiment>& experiments, Problems& problems) {
  std::vector<std::string> names;
  for (const auto& one : experiments) names.push_back(one.name);
  for (const auto& one : experiments) {
    if (one.baseline_of.empty() || contains(names, one.baseline_of)) continue;
    problems.add(one.baseline_place,
                 "the file has no experiment " + in_quotes(one.baseline_of) + " to compare with",
                 suggestion(one.baseline_of, names));
  }
}

/// Whether the file has commands alone, which know no warm-up and no time for samples.
bool has_commands_only(const Fields& fields) {
  const auto* list = find(fields, "experiments");
  if (list == nullptr || !list->value.IsSequence()) return false;
  Problems unsaid("");
  return std::ranges::all_of(list->value, [&](const YAML::Node& item) {
    const auto of_item = read_fields(item, {}, "", unsaid);
    const auto* workload = of_item ? find(*of_item, "workload") : nullptr;
    return workload != nullptr && workload->value.IsMap();
  });
}

/// What all experiments share, read once.
ReadContext context_of(const Fields& fields, const std::string& folder, const Registry& registry,
                       const LoadOptions& options, Problems& problems) {
  ReadContext context{registry, options.backend, folder};
  context.for_host = options.backend == BackendKind::host;
  context.outside = options.trusted;
  context.as_written = options.overrides.empty();
  context.measure = Fields{};
  if (const auto* field = find(fields, "measure")) {
    context.measure_place = field->place;
    context.measure = whole(problems, [&] {
      const auto measure = read_fields(field->value, place_of(*field), "'measure'", problems);
      const auto spec = read_measure(measure.value_or(Fields{}), registry, problems);
      if (spec) check_measure(*spec, has_commands_only(fields), field->place, problems);
      return measure.value_or(Fields{});
    });
  }
  if (const auto* field = find(fields, "data")) {
    context.data = read_data(*field, folder, problems).value_or(DataSpec{});
    context.data_place = place_of(*field);
  }
  return context;
}

/// The first round: reports everything that is wrong with the text, and keeps what is right.
std::optional<ExperimentConfig> read_document(const YAML::Node& document, const std::string& path,
                                              const Registry& registry, const LoadOptions& options,
                                              Problems& problems, FlagProblems& of_flags) {
  auto fields = read_fields(document, {1, 1}, "an experiment file", problems);
  if (!fields) return std::nullopt;
  if (find(*fields, "experiments") == nullptr && find(*fields, "benchmarks") != nullptr) {
    problems.add({1, 1}, "this seems to be a result, not an experiment file",
                 "to print the result: bench show FILE");
    return std::nullopt;
  }
  if (find(*fields, "experiments") == nullptr && find(*fields, "schema") == nullptr) {
    problems.add({1, 1},
                 "this is not an experiment file: it has neither 'schema' nor 'experiments'",
                 "bench --list shows examples; docs/experiment-files.md explains the keys");
    return std::nullopt;
  }
  ExperimentConfig config;
  check_keys(*fields, names_of(file_keys()), "the file", problems);
  check_schema(*fields, problems);
  const std::filesystem::path file(path);
  const auto* named = find(*fields, "name");
  const auto word = named != nullptr ? read_word(*named, problems) : file.stem().string();
  if (word) {
    check_name(*word, named != nullptr ? place_of(*named) : SourcePlace{}, problems);
    config.name = *word;
  }
  if (const auto* field = find(*fields, "description"))
    config.description = read_word(*field, problems).value_or("");
  const auto context = context_of(*fields, options.folder.value_or(file.parent_path().string()),
                                  registry, options, problems);
  config.experiments = read_experiments(*fields, context, problems);
  if (problems.empty()) check_baselines(config.experiments, problems);
  if (!options.having.empty())
    keep_having(options.having, registry, problems.empty(), config, of_flags.having);
  const bool all_read = problems.empty() && of_flags.having.empty();
  apply_overrides(options.overrides, registry, all_read, config, of_flags.set);
  // With a wrong flag it is unknown which cases were wanted, so none is planned.
  if (!of_flags.having.empty() || !of_flags.set.empty()) config.experiments.clear();
  if (context.measure) {
    for (const auto& experiment : config.experiments) check_traced_facts(experiment, problems);
  }
  return config;
}

LoadOutcome outcome_of(std::optional<ExperimentConfig> config, const Problems& problems,
                       const FlagProblems& of_flags) {
  LoadOutcome outcome{std::move(config), problems.sorted()};
  for (const auto* more : {&of_flags.having, &of_flags.set}) {
    const auto sorted = more->sorted();
    outcome.diagnostics.insert(outcome.diagnostics.end(), sorted.begin(), sorted.end());
  }
  return outcome;
}

/// "did you mean 'streams.yaml'?" where one of the folders holds such a file.
std::string similar_file(const std::filesystem::path& path,
                         const std::vector<std::string>& folders) {
  std::map<std::string, std::string> files;  // by the name that tells them apart
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      const auto extension = it->path().extension();
      if (extension != ".yaml" && extension != ".yml") continue;
      names.push_back(it->path().stem().string());
      files.emplace(names.back(), it->path().filename().string());
    }
  }
  const auto near = text::closest(path.stem().string(), names);
  return text::did_you_mean(near.empty() ? "" : files.at(near));
}

/// "no such file", and where it was looked for.
void add_absent(const std::filesystem::path& path, const std::vector<std::string>& searched,
                Problems& problems) {
  std::string message = "no such file";
  std::vector<std::string> folders{path.has_parent_path() ? path.parent_path().string() : "."};
  if (!path.empty() && !path.has_parent_path() && !searched.empty()) {
    message += " here";
    for (const auto& folder : searched) {
      message += " or in " + folder;
      folders.push_back(folder);
    }
  }
  const auto similar = similar_file(path, folders);
  const bool may_be_shipped = similar.empty() && folders.size() > 1;
  problems.add({}, message, may_be_shipped ? "bench --list shows the shipped files" : similar);
}

/// The file's text, or nothing and the reason.
std::optional<std::string> read_text(const std::string& path,
                                     const std::vector<std::string>& searched, Problems& problems) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found || path.empty()) {
    add_absent(path, searched, problems);
    return std::nullopt;
  }
  if (std::filesystem::is_directory(status)) {
    problems.add({}, "is a directory", "name a .yaml file in that folder");
    return std::nullopt;
  }
  try {
    // One byte beyond the limit distinguishes a file at the limit from a larger one.
    os::InputFile file(path);
    std::string text(max_file_bytes + 1, '\0');
    errno = 0;
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) {
      throw std::runtime_error(std::string("can't be read: ") +
                               std::strerror(errno != 0 ? errno : EIO));
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
  } catch (const std::runtime_error& refusal) {
    problems.add({}, refusal.what());
    return std::nullopt;
  }
}

}  // namespace

LoadOutcome load_text(const std::string& text, const std::string& path, const Registry& registry,
                      const LoadOptions& options) {
  Problems problems(path, text);
  FlagProblems of_flags;
  std::optional<ExperimentConfig> config;
  try {
    const auto document = check_text(text, problems) ? one_document(text, problems) : std::nullopt;
    if (document && check_values(*document, problems))
      config = read_document(*document, path, registry, options, problems, of_flags);
    if (config) {
      config->path = path;
      config->text = text;
    }
  } catch (const std::exception& error) {
    problems.add({}, std::string("can't be read: ") + error.what());
  }
  return outcome_of(std::move(config), problems, of_flags);
}

LoadOutcome load_file(const std::string& path, const Registry& registry,
                      const LoadOptions& options) {
  Problems problems(path);
  try {
    if (const auto text = read_text(path, options.searched, problems)) {
      const bool is_foreign = files::is_tuning_input(*text);
      return load_text(is_foreign ? files::experiment_of_tuning_input(*text) : *text, path,
                       registry, options);
    }
  } catch (const std::exception& error) {
    problems.add({}, std::string("can't be read: ") + error.what());
  }
  return outcome_of({}, problems, {});
}

}  // namespace apod::config
