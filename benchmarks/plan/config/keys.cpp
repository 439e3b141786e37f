#include "benchmarks/plan/config/keys.hpp"

#include <algorithm>
#include <stdexcept>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/command.hpp"
#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/config/measure.hpp"
#include "kernels/data/data.hpp"

namespace apod::config {

const Keys& file_keys() {
  static const Keys keys{
      {"schema", "must be 1", Form::count},
      {"name", "name of the study; default: the file's name without .yaml", Form::word},
      {"description", "the study's question, in one line for the report", Form::word},
      {"measure", "defaults of 'measure' for all experiments"},
      {"data", "default of 'data' for all experiments"},
      {"experiments", "list of one or more experiments"},
  };
  return keys;
}

const Keys& host_keys() {
  static const Keys keys{
      {"scope",
       "kernel (default): time of the computation on the device; end_to_end: time from host memory "
       "to host memory, over N streams",
       Form::word, words_of<Scope>()},
      {"axes", "for each axis: a value, list or range; every combination of values is a case"},
      {"zip", "list of maps; the axes of a map step through their values together"},
      {"exclude",
       "list of maps of conditions; a case that meets all conditions of a map is left out"},
      {"include", "list of maps with one value per axis; each map adds a case"},
      {"baseline",
       "axis values of the case to compare with; add experiment: NAME if the case belongs to "
       "another experiment"},
      {"answer",
       "the cases whose change against the baseline answers the study's question; or all"},
      {"expect", "list of rules about facts and findings; exit code 3 if a rule is not met"},
      {"data", "inputs: ones, uniform, normal, {uniform: {seed: 7}} or {file: x.npy}"},
      {"measure", "how the experiment is measured; each key here overrides the file's default"},
  };
  return keys;
}

const Keys& experiment_keys() {
  static const Keys keys = [] {
    Keys all{
        {"name", "first part of the case ids; default: the workload's name", Form::word},
        {"workload", "a name from bench --list, or {command: [./app, --n=1]}"},
        {"where", "a case is left out if one of these expressions is false", Form::words},
        {"cases",
         "a .csv or .jsonl file with one case per row, or {file: shapes.csv, weight: launches}"},
        {"host", "on the host backend, these keys replace the experiment's own"},
    };
    all.insert(all.end(), host_keys().begin(), host_keys().end());
    return all;
  }();
  return keys;
}

const Keys& kernel_keys() {
  static const Keys keys{
      {"kernel", "a kernel in a file: {file: conv.cu, name: conv}; or a list of kernels"},
      {"grid", "number of blocks", Form::expression},
      {"block", "threads per block", Form::expression},
      {"shared", "bytes of dynamic shared memory", Form::expression},
      {"cluster", "blocks per cluster", Form::expression},
      {"cooperative", "cooperative launch: all blocks of the grid can synchronise", Form::flag},
      {"for", "one launch for each value: {k: \"2..n by *2\"}"},
      {"args", "list of the kernel's arguments"},
      {"reference", "how the right result is computed"},
      {"tolerance", "largest allowed difference from the reference"},
      {"traffic", "bytes and FLOPs of a launch, as expressions"},
      {"split", "axis along which the work can be divided over streams", Form::word},
  };
  return keys;
}

const Keys& range_keys() {
  static const Keys keys{{"from", "first value", Form::count},
                         {"to", "last value", Form::count},
                         {"step", "\"*4\" multiplies, \"+100\" adds", Form::word}};
  return keys;
}

std::string home_of(const std::string& key, std::string_view here) {
  const std::pair<std::string, std::vector<std::string>> blocks[]{
      {"the experiment", names_of(experiment_keys())},
      {"'workload'", names_of(command_keys())},
      {"'measure'", measure_keys()},
      {"'kernel'", names_of(launch_keys())},
      {"the top of the file", names_of(file_keys())}};
  for (const auto& [block, keys] : blocks) {
    if (block != here && std::ranges::find(keys, key) != keys.end()) return "move it to " + block;
  }
  return "";
}

namespace {

using record::Json;

// Editors read numbers as such where YAML has them, so a count is one or a word.
constexpr const char* count_word =
    "^[-+]?[0-9][0-9_.]*([eE][-+]?[0-9]+)?$|^[0-9_]+\\^[0-9_]+$|^[0-9_]+ ?[KMGT]i$";
constexpr const char* share_word = "^[-+]?[0-9.]+([eE][-+]?[0-9]+)? ?%$";
constexpr const char* seconds_word = "^[0-9.]+([eE][-+]?[0-9]+)? ?(ns|us|ms|s|min|h)$";
constexpr const char* shape_word = "^[0-9][0-9_.eE^KMGTi+]*(x[0-9][0-9_.eE^KMGTi+]*)?$";
constexpr const char* name_word = "^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$";

Json words(const std::vector<std::string>& all) {
  return all;
}

Json any_of(std::vector<Json> all) {
  return {{"anyOf", Json(std::move(all))}};
}

Json number_or(const char* pattern) {
  return any_of({{{"type", "number"}}, {{"type", "string"}, {"pattern", pattern}}});
}

Json scalar() {
  return {{"type", words({"string", "number", "boolean"})}};
}

Json list_of(Json item) {
  return {{"type", "array"}, {"items", std::move(item)}};
}

Json one_or_more(const Json& item) {
  return any_of({item, {{"type", "array"}, {"items", item}, {"minItems", 1}}});
}

Json ref(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}

Json choice(const std::vector<std::string>& words) {
  return {{"enum", words}};
}

/// What a key holds that is known by itself.
Json form_of(const Key& key) {
  if (!key.choices.empty()) return choice(key.choices);
  switch (key.form) {
    case Form::word:
      return scalar();
    case Form::words:
    case Form::expression:
      return any_of({scalar(), list_of(scalar())});
    case Form::count:
      return number_or(count_word);
    case Form::share:
      return {{"type", "string"}, {"pattern", share_word}};
    case Form::seconds:
      return any_of({{{"const", 0}}, {{"type", "string"}, {"pattern", seconds_word}}});
    case Form::flag:
      return {{"type", "boolean"}};
    case Form::block:
      break;
  }
  throw std::logic_error("the schema does not know what '" + key.name + "' holds");
}

Json object_of(Json properties) {
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

/// Of at least one.
Json some_of(Json properties) {
  auto made = object_of(std::move(properties));
  made["minProperties"] = 1;
  return made;
}

/// A map of these keys alone. `blocks`: what those hold that are known by their name.
Json map_of(const Keys& keys, Json blocks = Json::object()) {
  Json properties = Json::object();
  for (const auto& key : keys) {
    auto& property = properties[key.name];
    property = blocks.contains(key.name) ? blocks[key.name] : form_of(key);
    // Beside a reference draft 7 takes no other word.
    if (!property.contains("$ref")) property["description"] = key.help;
  }
  return object_of(properties);
}

Json value_of(const AxisSpec& spec) {
  switch (spec.kind) {
    case AxisSpec::Kind::integer:
      return number_or(count_word);
    case AxisSpec::Kind::shape:
      return number_or(shape_word);
    case AxisSpec::Kind::choice:
      break;
  }
  return spec.choices.empty() ? scalar() : choice(spec.choices);
}

/// The values of an axis: one, a list, or a range of counts.
Json values_of(const AxisSpec& spec) {
  Json values = one_or_more(value_of(spec));
  if (spec.kind == AxisSpec::Kind::integer) values["anyOf"].push_back(ref("range"));
  values["description"] = spec.help + "; default: " + to_string(spec.default_value);
  return values;
}

Json axes_map(const std::vector<AxisSpec>& axes) {
  Json properties = Json::object();
  for (const auto& spec : axes) properties[spec.name] = values_of(spec);
  return object_of(properties);
}

/// Rules: facts, findings, and the cases that they are for.
Json rules() {
  Json properties = Json::object();
  for (const auto& fact : known_facts()) {
    const std::string name(fact.name);
    properties[name] = {{"description", std::string(fact.help)}};
    if (!fact.has_interval) continue;
    properties[name + "_low"] = {{"description", "lower end of the 95 % interval of " + name}};
    properties[name + "_high"] = {{"description", "upper end of the 95 % interval of " + name}};
  }
  properties["where"] = {{"type", "object"}};
  std::vector<std::string> ids{"none"};
  for (const auto& finding : known_findings()) {
    for (const char* sign : {"", "== ", "!= "}) ids.push_back(sign + std::string(finding.id));
  }
  properties["findings"] = choice(ids);
  return list_of(some_of(properties));
}

/// What the axes of a workload make of the blocks that name them.
Json named_blocks(const std::vector<AxisSpec>& axes) {
  auto names = names_of(axes);
  const Json known = {{"propertyNames", choice(names)}};
  Json blocks = Json::object();
  blocks["axes"] = axes_map(axes);
  blocks["zip"] = list_of(blocks["axes"]);
  for (const char* key : {"exclude", "include"}) blocks[key] = {{"items", known}};
  blocks["answer"] = known;
  names.emplace_back(baseline_experiment);
  blocks["baseline"] = {{"propertyNames", choice(names)}};
  blocks["expect"] = {{"items", {{"properties", {{"where", known}}}}}};
  return {{"properties", blocks}};
}

Json data_forms() {
  const auto seed = object_of({{"seed", number_or(count_word)}});
  std::vector<std::string> kinds;
  Json nested = Json::object();
  for (const auto& kind : words_of<DataSpec::Kind>()) {
    if (kind == "file") continue;
    kinds.push_back(kind);
    nested[kind] = seed;
  }
  nested["kind"] = choice(kinds);
  nested["seed"] = number_or(count_word);
  nested["file"] = {{"type", "string"}, {"pattern", "\\.(npy|pgm)$"}};
  return any_of({choice(kinds), some_of(nested)});
}

Json figures_by(const char* place) {
  auto figure = object_of({{place, {{"type", "string"}}}, {"unit", {{"type", "string"}}}});
  figure["required"] = words({place});
  const bool is_path = place == std::string_view("path");
  return {{"type", "object"},
          {"additionalProperties", is_path ? any_of({{{"type", "string"}}, figure}) : figure},
          {"minProperties", 1}};
}

Json command_form() {
  std::vector<std::string> readers;
  for (const auto& name : words_of<Reads>()) {
    if (name != "regex" && name != "json") readers.push_back(name);
  }
  Json blocks = Json::object();
  blocks["env"] = {{"type", "object"}, {"additionalProperties", scalar()}};
  blocks["success"] = map_of(success_keys());
  auto place = some_of({{"regex", figures_by("match")}, {"json", figures_by("path")}});
  place["maxProperties"] = 1;
  blocks["read"] = any_of({choice(readers), place});
  Json form = map_of(command_keys(), blocks);
  form["required"] = words({"command"});
  return form;
}

/// Blocks of a kernel file's experiment.
Json kernel_blocks() {
  const Json named_words = {{"type", "object"}, {"additionalProperties", scalar()}};
  const Json launch = map_of(launch_keys(), {{"for", named_words}});
  Json argument =
      map_of(argument_keys(),
             {{"data", any_of({{{"const", "zeros"}},
                               ref("data"),
                               {{"type", "object"}, {"required", words({"expression"})}}})}});
  argument["required"] = words({"name", "type"});
  // Of a struct by value.
  Json structure = map_of({{"name", "name of the kernel's parameter", Form::word},
                           {"fields", "list of the struct's fields, in order"}},
                          {{"fields", list_of(argument)}});
  structure["required"] = words({"name", "fields"});
  Json blocks = Json::object();
  blocks["kernel"] =
      any_of({launch, map_of(captured_keys(), {{"args", named_words}}), list_of(launch)});
  blocks["args"] = list_of(any_of({argument, structure}));
  blocks["for"] = named_words;
  blocks["reference"] = {{"type", "object"}, {"minProperties", 1}};
  blocks["tolerance"] = map_of(tolerance_keys());
  blocks["traffic"] = map_of(traffic_keys());
  return blocks;
}

/// Adds what the axes of a family are, in each scope, and which experiments that is for.
void add_family(const Registry& registry, const Family& family, Json& definitions, Json& all) {
  const std::string name(family.name());
  const auto define = [&](Scope scope) {
    const std::string called = name + " " + std::string(to_string(scope));
    definitions[called] = named_blocks(axes_of(registry, family, scope));
    return ref(called);
  };
  const Json whole = define(Scope::end_to_end);
  const Json kernel = define(Scope::kernel);
  const Json is_family = {{"properties", {{"workload", {{"const", name}}}}},
                          {"required", words({"workload"})}};
  const Json is_whole = {{"properties", {{"scope", {{"const", "end_to_end"}}}}},
                         {"required", words({"scope"})}};
  // On the host another scope may have more axes.
  const Json host = {{"properties", {{"host", whole}}}};
  all.push_back({{"if", is_family},
                 {"then",
                  {{"if", is_whole},
                   {"then", whole},
                   {"else", kernel},
                   {"allOf", Json(std::vector<Json>{host})}}}});
}

Json experiment_form(const Registry& registry, Json& definitions) {
  std::vector<std::string> workloads;
  for (const auto* family : registry.families()) workloads.emplace_back(family->name());
  const Json named = {{"type", "object"}, {"minProperties", 1}};
  Json blocks = kernel_blocks();
  for (const char* key : {"axes", "baseline"}) blocks[key] = {{"type", "object"}};
  blocks["cases"] = any_of({{{"type", "string"}}, map_of(cases_keys())});
  for (const char* key : {"zip", "exclude", "include"}) blocks[key] = list_of(named);
  blocks["answer"] = any_of({{{"const", "all"}}, {{"type", "object"}, {"minProperties", 1}}});
  blocks["expect"] = list_of(named);
  blocks["name"] = {{"type", words({"string", "number"})}, {"pattern", name_word}};
  blocks["workload"] = any_of({choice(workloads), ref("command")});
  blocks["data"] = ref("data");
  blocks["measure"] = ref("measure");
  blocks["host"] = map_of(host_keys(), blocks);
  Keys keys = experiment_keys();
  keys.insert(keys.end(), kernel_keys().begin(), kernel_keys().end());
  Json form = map_of(keys, blocks);
  form["oneOf"] = Json(
      std::vector<Json>{{{"required", words({"workload"})}}, {{"required", words({"kernel"})}}});
  Json all = Json::array();
  for (const auto* family : registry.families()) add_family(registry, *family, definitions, all);
  // A command may tell of facts of its own.
  all.push_back(
      {{"if", {{"properties", {{"workload", {{"type", "string"}}}}}}},
       {"then",
        {{"properties",
          {{"expect", ref("rules")}, {"host", {{"properties", {{"expect", ref("rules")}}}}}}}}}});
  form["allOf"] = std::move(all);
  return form;
}

}  // namespace

std::string experiment_schema(const Registry& registry) {
  Keys measures = measure_table();
  Json counters = any_of({{{"type", "boolean"}}, list_of({{"type", "string"}})});
  Json blocks = Json::object();
  blocks["schema"] = {{"const", 1}};
  blocks["name"] = {{"type", words({"string", "number"})}, {"pattern", name_word}};
  blocks["measure"] = ref("measure");
  blocks["data"] = ref("data");
  blocks["experiments"] = {{"type", "array"}, {"items", ref("experiment")}, {"minItems", 1}};
  Json range = map_of(range_keys());
  range["required"] = names_of(range_keys());
  Json file = {{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", "experiment file of APOD Bench"}};
  file.update(map_of(file_keys(), blocks));
  file["required"] = words({"schema", "experiments"});
  Json definitions = {{"range", std::move(range)},
                      {"data", data_forms()},
                      {"measure", map_of(measures, {{"counters", std::move(counters)}})},
                      {"command", command_form()},
                      {"rules", rules()}};
  definitions["experiment"] = experiment_form(registry, definitions);
  file["definitions"] = std::move(definitions);
  return record::dump(file, 1) + "\n";
}

}  // namespace apod::config
