#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>

#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/config/measure.hpp"

namespace apod::config {

namespace {

constexpr std::size_t longest_text = 4096;
constexpr std::size_t most_words = 1000;
constexpr std::size_t most_figures = 100;
constexpr int most_exit_code = 255;

/// Facts that are computed of all processes, or say how they were measured: no output tells them.
constexpr std::array<std::string_view, 22> computed_facts{
    "time_low",    "time_high",        "precision",       "sample_spread",       "samples",
    "processes",   "processes_wanted", "share_of_peak",   "share_of_ceiling",    "speedup",
    "delta",       "throttled",        "throttled_share", "wall_time",           "user_time",
    "system_time", "peak_bytes",       "other_load",      "other_gpu_processes", "power_capped",
    "peer_runs",   "peer_time"};

class CommandReader {
 public:
  CommandReader(std::string folder, Problems& problems)
      : folder_(std::move(folder)), problems_(problems) {}

  CommandSpec read(const Fields& fields, const Fields& axes, const Field* zip, SourcePlace place) {
    command_.cwd = with_plain_braces(folder_);
    read_block(keys(), fields, "'workload'", *this, problems_);
    if (find(fields, "command") == nullptr) {
      problems_.add(place, "'workload' has no 'command'",
                    "write workload: {command: [./app, --n=1]}");
    }
    read_axes(axes, zip);
    check_names();
    return std::move(command_);
  }

  static const Block<CommandReader>& keys() {
    using R = CommandReader;
    static const Block<R> all{
        {{"command", "program and arguments; {size} is the value of an axis", Form::words},
         [](R& r, const Field& field) { r.command_.words = r.words_of(field); }},
        {{"env", "environment variables"}, [](R& r, const Field& field) { r.read_env(field); }},
        {{"cwd", "folder in which the command runs", Form::word},
         [](R& r, const Field& field) { r.read_cwd(field); }},
        {{"setup", "program to run before the command", Form::words},
         [](R& r, const Field& field) { r.command_.setup = r.words_of(field); }},
        {{"cleanup", "program to run after the command", Form::words},
         [](R& r, const Field& field) { r.command_.cleanup = r.words_of(field); }},
        {{"success", "conditions that a successful run meets"},
         [](R& r, const Field& field) { r.read_success(field); }},
        {{"output", "file that the command writes", Form::word},
         [](R& r, const Field& field) { r.command_.output = r.text_of(field); }},
        {{"read", "what to read from the output; default: nothing (bench measures the wall time)"},
         [](R& r, const Field& field) { r.read_reads(field); }},
    };
    return all;
  }

  static const Block<CommandReader>& keys_of_success() {
    using R = CommandReader;
    static const Block<R> all{
        {{"exit", "exit codes that mean success", Form::words},
         [](R& r, const Field& field) { r.read_exits(field); }},
        {{"match", "regular expression that the output must match", Form::word},
         [](R& r, const Field& field) {
           r.command_.match = read_word(field, r.problems_).value_or("");
           r.check_expression(r.command_.match, place_of(field), 0, 0);
         }},
    };
    return all;
  }

 private:
  /// A text with names in braces, which are checked once the axes are known.
  std::string text_of(const Field& field) {
    const auto word = read_word(field, problems_);
    if (word) note_names(*word, place_of(field));
    return word.value_or("");
  }

  void note_names(const std::string& text, SourcePlace place) {
    if (text.size() > longest_text) {
      problems_.add(place, "this text has " + std::to_string(text.size()) + " bytes",
                    "the limit is " + std::to_string(longest_text));
    }
    const auto names = names_in(text);
    if (!names) {
      problems_.add(place, in_quotes(text) + " has an unmatched brace",
                    "write {size} for the value of an axis, and {{ or }} for a brace itself");
      return;
    }
    for (const auto& name : *names) used_.emplace_back(name, place);
  }

  /// A program and its arguments.
  std::vector<std::string> words_of(const Field& field) {
    if (!field.value.IsSequence()) {
      problems_.add(place_of(field), "'" + field.key + "' must be a list of words",
                    "bench uses no shell: write [program, \"--size={size}\"]");
      return {};
    }
    std::vector<std::string> words;
    for (const auto& item : field.value) {
      const auto word = read_word(item, place_of(item), field.key, problems_);
      if (word) note_names(*word, place_of(item));
      words.push_back(word.value_or(""));
    }
    if (words.empty() || words.front().empty())
      problems_.add(place_of(field), "'" + field.key + "' names no program");
    if (words.size() > most_words) {
      problems_.add(place_of(field),
                    "'" + field.key + "' has more than " + std::to_string(most_words) + " words");
    }
    return words;
  }

  void read_env(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'env'", problems_);
    for (const auto& variable : fields.value_or(Fields{})) {
      if (variable.key.empty() || variable.key.find('=') != std::string::npos) {
        problems_.add(variable.place,
                      in_quotes(variable.key) + " is not a valid name of an environment variable");
      }
      command_.env[variable.key] = text_of(variable);
    }
  }

  void read_cwd(const Field& field) {
    const auto text = text_of(field);
    const bool own = text.starts_with("{" + std::string(scratch_name) + "}");
    const auto path = std::filesystem::path(with_plain_braces(folder_)) / text;
    command_.cwd = own ? text : path.lexically_normal().string();
  }

  void read_success(const Field& field) {
    const auto fields = read_fields(field.value, place_of(field), "'success'", problems_);
    if (fields) read_block(keys_of_success(), *fields, "'success'", *this, problems_);
  }

  void read_exits(const Field& field) {
    command_.exit.clear();
    const auto items = items_of(field.value);
    for (const auto& item : items) read_exit(item);
    if (items.empty()) problems_.add(field.place, "'exit' is an empty list", "write exit: 0");
  }

  void read_exit(const YAML::Node& item) {
    const auto word = read_word(item, place_of(item), "exit", problems_);
    const auto code =
        word ? accept(parse_count(*word), place_of(item), "exit", problems_) : std::nullopt;
    if (!code) return;
    if (*code < 0 || *code > most_exit_code) {
      problems_.add(place_of(item), "exit: " + in_quotes(*word) + " is not an exit code",
                    "write a number from 0 to 255");
    } else {
      command_.exit.push_back(static_cast<int>(*code));
    }
  }

  /// With so many groups: what it finds.
  void check_expression(const std::string& expression, SourcePlace place, std::size_t least,
                        std::size_t most) {
    try {
      const text::Pattern pattern(expression);
      if (pattern.empty()) throw std::invalid_argument("the expression is empty");
      const auto groups = pattern.groups();
      if (least > 0 && (groups < least || groups > most)) {
        problems_.add(
            place,
            in_quotes(expression) + " has " + std::to_string(groups) + " groups in round brackets",
            "put one group around the number, as in 'time: ([0-9.]+) ms'; a second group may hold "
            "the unit; start other groups with (?:");
      }
    } catch (const std::invalid_argument& error) {
      problems_.add(place, error.what());
    }
  }

  void read_reads(const Field& field) {
    const std::string ways =
        "write google, nvbench, nccl-tests, nvbandwidth, {regex: {time: {match: ..., unit: ms}}} "
        "or {json: {time: {path: ..., unit: s}}}";
    if (field.value.IsScalar()) {
      const auto reads =
          accept(parse_choice<Reads>(field.value.Scalar()), place_of(field), "read", problems_);
      command_.reads = reads.value_or(Reads::process);
      if (command_.reads == Reads::regex || command_.reads == Reads::json)
        problems_.add(place_of(field), "read: " + field.value.Scalar() + " needs a number", ways);
      return;
    }
    auto fields = read_fields(field.value, place_of(field), "'read'", problems_);
    if (!fields) return;
    check_keys(*fields, {"regex", "json"}, "'read'", problems_);
    if (fields->size() != 1) {
      problems_.add(place_of(field), "'read' must have exactly one key: regex or json", ways);
      return;
    }
    const auto& way = fields->front();
    command_.reads = way.key == "json" ? Reads::json : Reads::regex;
    const auto figures = read_fields(way.value, place_of(way), "'" + way.key + "'", problems_);
    if (!figures) return;
    if (command_.reads == Reads::json && find(*figures, "cases") != nullptr) read_cases(*figures);
    if (figures->empty() || figures->size() > most_figures) {
      problems_.add(place_of(way), "'" + way.key + "' must name 1 to " +
                                       std::to_string(most_figures) + " numbers");
    }
    for (const auto& figure : *figures) {
      const bool is_place = figure.key == "cases" || figure.key == "name";
      if (!is_place || command_.cases.empty()) read_figure(figure);
    }
  }

  /// Where the cases are, and their names.
  void read_cases(const Fields& fields) {
    command_.cases = read_word(*find(fields, "cases"), problems_).value_or("*");
    const auto* name = find(fields, "name");
    if (name != nullptr) {
      command_.case_name = read_word(*name, problems_).value_or("");
    } else {
      problems_.add(place_of(*find(fields, "cases")), "'cases' needs 'name'",
                    "add name: the path from a case to its name");
    }
    if (find(fields, "time") == nullptr) {
      problems_.add(place_of(*find(fields, "cases")), "'cases' needs 'time'",
                    "add time: the path from a case to its time in seconds");
    }
  }

  void read_figure(const Field& field) {
    const bool is_json = command_.reads == Reads::json;
    const char* where = is_json ? "path" : "match";
    if (is_json && field.value.IsScalar()) {
      Figure figure{.name = field.key, .where = field.value.Scalar()};
      if (figure.name == "time") figure.unit = "s";
      check_unit(figure, place_of(field), field.place);
      return command_.figures.push_back(std::move(figure));
    }
    auto fields = read_fields(field.value, place_of(field), "'" + field.key + "'", problems_);
    if (!fields) return;
    check_keys(*fields, {where, "unit"}, "'" + field.key + "'", problems_);
    Figure figure{.name = field.key, .where = {}};
    const auto* place = find(*fields, where);
    if (place == nullptr) {
      problems_.add(place_of(field), "'" + field.key + "' has no '" + where + "'",
                    command_.reads == Reads::json ? "write path: results/0/time"
                                                  : "write match: \"took ([0-9.]+) ms\"");
      return;
    }
    figure.where = read_word(*place, problems_).value_or("");
    if (command_.reads == Reads::regex) check_expression(figure.where, place_of(*place), 1, 2);
    const auto* unit = find(*fields, "unit");
    if (unit != nullptr) figure.unit = read_word(*unit, problems_).value_or("");
    check_unit(figure, unit == nullptr ? field.place : place_of(*unit), field.place);
    command_.figures.push_back(std::move(figure));
  }

  /// The unit must be one of what the fact is measured in.
  void check_unit(const Figure& figure, SourcePlace place, SourcePlace of_name) {
    const auto& name = figure.name;
    const auto unit = text::unit_called(figure.unit);
    const auto* fact = find_fact(name);
    const bool computed = std::ranges::find(computed_facts, name) != computed_facts.end();
    const bool plain = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (computed) {
      problems_.add(of_name, "'" + name + "' is a fact that bench computes, so 'read' can't set it",
                    "choose another name");
    } else if (!plain || name.empty() || name == "where" || name == "findings") {
      problems_.add(of_name, in_quotes(name) + " can't be the name of a fact",
                    "use lowercase letters, digits and _");
    } else if (!unit) {
      problems_.add(place, name + ": unknown unit " + in_quotes(figure.unit),
                    "use a unit such as ns, ms, s, B, GB, GB/s, GFLOP/s, MHz, J, W or %; leave it "
                    "out for a count");
    } else if (fact != nullptr && !fits(*fact, unit->unit)) {
      const auto written = figure.unit.empty() ? "no unit" : "the unit " + in_quotes(figure.unit);
      problems_.add(place,
                    name + ": the number has " + written + ", which does not fit '" + name + "'",
                    text::parse_quantity("1 x", fact->unit).hint);
    }
  }

  static bool fits(const FactInfo& fact, Unit unit) {
    const bool is_share = fact.unit == Unit::share || fact.unit == Unit::ratio;
    if (unit == Unit::count) return !text::demands_unit(fact.unit);
    return unit == fact.unit || (is_share && unit == Unit::ratio);
  }

  void read_axes(const Fields& axes, const Field* zip) {
    auto& specs = command_.axes;
    specs.push_back({.name = "variant",
                     .kind = AxisSpec::Kind::choice,
                     .help = "the program",
                     .default_value = name_of_program(command_)});
    for (const auto& field : all_axes(axes, zip)) add_axis(field);
    if (!command_.finds_cases()) return;
    specs.push_back({.name = std::string(found_axis),
                     .kind = AxisSpec::Kind::choice,
                     .help = "name of the case, as found in the output",
                     .default_value = std::string(not_yet_found)});
  }

  void add_axis(const Field& field) {
    own_.emplace_back(field.key, field.place);
    const auto& taken = measure_keys();
    const bool is_key = std::ranges::find(taken, field.key) != taken.end();
    const bool plain = std::ranges::all_of(field.key, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (is_key || !plain || field.key == found_axis || field.key == scratch_name) {
      problems_.add(field.place, in_quotes(field.key) + " can't be the name of a command's axis",
                    is_key ? "this word is a key of 'measure': choose another name"
                           : "use letters, digits and _; the names case and scratch are reserved");
      return;
    }
    // One value is what the program is called in ids.
    if (field.key == "variant") sweeps_variant_ = items_of(field.value).size() > 1;
    if (field.key == "variant") return;
    const auto values = items_of(field.value);
    const bool counts = std::ranges::all_of(values, [](const YAML::Node& value) {
      return value.IsMap() || (value.IsScalar() && parse_count(value.Scalar()).value);
    });
    AxisSpec spec{.name = field.key, .help = "axis of the command"};
    spec.kind = counts ? AxisSpec::Kind::integer : AxisSpec::Kind::choice;
    spec.min = -std::numeric_limits<std::int64_t>::max();
    spec.max = std::numeric_limits<std::int64_t>::max();
    const auto known = std::ranges::find_if(
        command_.axes, [&](const auto& other) { return other.name == spec.name; });
    if (known == command_.axes.end()) command_.axes.push_back(std::move(spec));
  }

  /// Every name in braces must be an axis, and every axis must be such a name somewhere: else its
  /// cases would be the same.
  void check_names() {
    std::vector<std::string> known{std::string(scratch_name)};
    for (const auto& [name, place] : own_) known.push_back(name);
    std::set<std::string> seen;
    for (const auto& [name, place] : used_) {
      seen.insert(name);
      if (std::ranges::find(known, name) != known.end()) continue;
      problems_.add(place, "{" + name + "} is not an axis of the experiment",
                    known.size() > 1 ? suggestion(name, known) : "add '" + name + "' to axes");
    }
    for (const auto& [name, place] : own_) {
      if (seen.contains(name) || (name == "variant" && !sweeps_variant_)) continue;
      problems_.add(place, "axis '" + name + "' does not occur in the command",
                    "write {" + name +
                        "} where the value goes: without it, all values give the same command");
    }
  }

  std::string folder_;
  Problems& problems_;
  CommandSpec command_;
  std::vector<std::pair<std::string, SourcePlace>> used_;  ///< names in braces
  std::vector<std::pair<std::string, SourcePlace>> own_;   ///< axes
  bool sweeps_variant_ = false;
};

}  // namespace

Keys command_keys() {
  return keys_of(CommandReader::keys());
}
Keys success_keys() {
  return keys_of(CommandReader::keys_of_success());
}

std::string name_of_program(const CommandSpec& command) {
  if (command.words.empty()) return std::string(command_workload);
  auto name = std::filesystem::path(command.words.front()).filename().string();
  return name.empty() || name.find('{') != std::string::npos ? std::string(command_workload) : name;
}

CommandSpec read_command(const Field& workload, const Fields& axes, const Field* zip,
                         const std::string& folder, Problems& problems) {
  const auto fields = read_fields(workload.value, place_of(workload), "'workload'", problems);
  return CommandReader(folder, problems)
      .read(fields.value_or(Fields{}), axes, zip, place_of(workload));
}

std::string with_plain_braces(const std::string& text) {
  std::string all;
  for (const char c : text) all.append(c == '{' || c == '}' ? 2 : 1, c);
  return all;
}

std::string CommandFile::text() const {
  YAML::Emitter out;
  const auto quoted = [&](const std::string& word) { out << YAML::DoubleQuoted << word; };
  out << YAML::BeginMap << "schema" << 1 << "name" << name << "experiments";
  out << YAML::BeginSeq << YAML::BeginMap << "name" << name << "workload" << YAML::BeginMap;
  out << "command" << YAML::Flow << YAML::BeginSeq;
  for (const auto& word : words) quoted(word);
  out << YAML::EndSeq;
  if (!folder.empty()) {
    out << "cwd";
    quoted(folder);
  }
  if (reads == Reads::regex) {
    out << "read" << YAML::BeginMap << "regex" << YAML::BeginMap;
    for (const auto& figure : figures) {
      out << figure.name << YAML::Flow << YAML::BeginMap << "match";
      quoted(figure.where);
      out << "unit" << figure.unit << YAML::EndMap;
    }
    out << YAML::EndMap << YAML::EndMap;
  } else if (reads != Reads::process) {
    out << "read" << std::string(to_string(reads));
  }
  out << YAML::EndMap;
  if (!axes.empty()) out << "axes" << YAML::Flow << YAML::BeginMap;
  for (const auto& [axis, values] : axes) {
    out << axis << YAML::BeginSeq;
    for (const auto& value : values) out << value;
    out << YAML::EndSeq;
  }
  if (!axes.empty()) out << YAML::EndMap;
  if (!measure.empty()) out << "measure" << YAML::Flow << YAML::BeginMap;
  for (const auto& [key, value] : measure) out << key << value;
  if (!measure.empty()) out << YAML::EndMap;
  out << YAML::EndMap << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace apod::config
