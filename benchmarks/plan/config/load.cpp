#include "benchmarks/plan/config/load.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>

#include "benchmarks/base/text/closest.hpp"
#include "benchmarks/plan/config/data.hpp"
#include "benchmarks/plan/config/expectations.hpp"
#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/measure.hpp"
#include "benchmarks/plan/config/one_document.hpp"
#include "benchmarks/plan/config/overrides.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {
namespace {

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
    problems.add(size.cut, "this word holds a NUL byte",
                 "it would be cut off there: remove the \\0");
    return false;
  }
  // The parser takes "!= a" for the word "a" with a tag: the opposite of what is meant.
  if (!size.tag.empty()) {
    problems.add(size.tagged, in_quotes(size.tag) + " begins with a sign of YAML's own",
                 "quote it: \"" + size.tag + "\"");
  }
  if (size.count <= max_values) return true;
  if (size.endless.line > 0) {
    problems.add(size.endless, "holds an alias to itself", "name what the alias should stand for");
  } else {
    problems.add({}, "holds more than " + std::to_string(max_values) +
                         " values, aliases counted as often as they are used");
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
    problems.add(place_of(*field), "unknown schema " + in_quotes(*word),
                 "this program reads schema 1");
  }
}

/// Reads one item of `experiments:` for both backends, because a file must be right on every
/// machine. Returns the reading for `context.backend`.
Experiment read_item(const YAML::Node& item, const ReadContext& context, Problems& problems) {
  const auto place = place_of(item);
  const auto fields = read_fields(item, place, "an experiment", problems);
  if (!fields) return {};
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
                     "the experiment at line " + std::to_string(first->second) + " is called '" +
                         read.name + "' too",
                     "give each a 'name:' of its own");
      }
      for (const auto& group : read.groups) values += group.axes.size() * group.size();
      return read;
    });
    if (values > max_axis_values) {
      problems.add(place_of(item),
                   "the axes hold more than " + std::to_string(max_axis_values) + " values in all");
      return {};
    }
    if (experiment) experiments.push_back(std::move(*experiment));
  }
  return experiments;
}

/// Whether the file has commands alone, which know no warm-up and no time for samples.
bool has_commands_only(const Fields& fields) {
  const auto* list = find(fields, "experiments");
  if (list == nullptr || !list->value.IsSequence()) return false;
  Problems unsaid("");
  return std::all_of(list->value.begin(), list->value.end(), [&](const YAML::Node& item) {
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
  const auto fields = read_fields(document, {1, 1}, "an experiment file", problems);
  if (!fields) return std::nullopt;
  if (find(*fields, "experiments") == nullptr && find(*fields, "benchmarks") != nullptr) {
    problems.add({1, 1}, "it seems to be a result, not an experiment file", "bench show prints it");
    return std::nullopt;
  }
  ExperimentConfig config;
  check_keys(*fields, names_of(file_keys()), "the file", problems);
  check_schema(*fields, problems);
  const std::filesystem::path file(path);
  config.name = file.stem().string();
  if (const auto* field = find(*fields, "name")) {
    if (const auto word = read_word(*field, problems)) {
      check_name(*word, place_of(*field), problems);
      config.name = *word;
    }
  }
  if (const auto* field = find(*fields, "description")) {
    config.description = read_word(*field, problems).value_or("");
  }
  const auto context =
      context_of(*fields, file.parent_path().string(), registry, options, problems);
  config.experiments = read_experiments(*fields, context, problems);
  if (!options.having.empty()) {
    keep_having(options.having, registry, problems.empty(), config, of_flags.having);
  }
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
  return near.empty() ? "" : "did you mean '" + files.at(near) + "'?";
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
  problems.add({}, message, may_be_shipped ? "bench --list shows the shipped ones" : similar);
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
    problems.add({}, "is a directory", "name a .yaml file in it");
    return std::nullopt;
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // One byte beyond the limit tells a file at the limit from a larger one, or from a device that
  // never ends.
  std::string text(max_file_bytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) {
    problems.add({}, std::string("can't be read: ") + std::strerror(errno != 0 ? errno : EIO));
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

LoadOutcome load_text(const std::string& text, const std::string& path, const Registry& registry,
                      const LoadOptions& options) {
  Problems problems(path);
  FlagProblems of_flags;
  std::optional<ExperimentConfig> config;
  try {
    const auto document = check_text(text, problems) ? one_document(text, problems) : std::nullopt;
    if (document && check_values(*document, problems)) {
      config = read_document(*document, path, registry, options, problems, of_flags);
    }
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
      return load_text(*text, path, registry, options);
    }
  } catch (const std::exception& error) {
    problems.add({}, std::string("can't be read: ") + error.what());
  }
  return outcome_of({}, problems, {});
}

}  // namespace apod::config
