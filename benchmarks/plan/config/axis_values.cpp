#include "benchmarks/plan/config/axis_values.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/plan/config/keys.hpp"

namespace apod::config {
namespace {

Parsed<AxisValue> bad(std::string message, std::string hint = {}) {
  return Parsed<AxisValue>::bad(std::move(message), std::move(hint));
}

std::optional<std::string> out_of_limits(const AxisSpec& spec, std::int64_t value) {
  if (value < spec.min) return "use at least " + std::to_string(spec.min);
  if (value > spec.max) return "use at most " + std::to_string(spec.max);
  return std::nullopt;
}

Parsed<AxisValue> parse_integer(const AxisSpec& spec, const std::string& word) {
  const auto count = parse_count(word);
  if (!count.value) return bad(count.message, count.hint);
  if (const auto limit = out_of_limits(spec, *count.value))
    return bad(in_quotes(word) + " is out of range", *limit);
  return Parsed<AxisValue>::good(*count.value);
}

Parsed<AxisValue> parse_shape_value(const AxisSpec& spec, const std::string& word) {
  // Each side is a count, so 2^13 and 2^13x2^12 are shapes too.
  const auto cross = word.find('x');
  const auto rows = parse_count(word.substr(0, cross));
  const auto cols = cross == std::string::npos ? rows : parse_count(word.substr(cross + 1));
  if (!rows.value || !cols.value)
    return bad(in_quotes(word) + " is not a shape", "write it as 200x300, or 200 for a square");
  for (const auto side : {*rows.value, *cols.value}) {
    if (const auto limit = out_of_limits(spec, side))
      return bad(in_quotes(word) + " is out of range", *limit + " for a dimension");
  }
  if (*rows.value > std::numeric_limits<std::int64_t>::max() / *cols.value)
    return bad(in_quotes(word) + " is too large", "rows times columns must be less than 2^63");
  return Parsed<AxisValue>::good(to_string(Shape{*rows.value, *cols.value}));
}

struct Step {
  bool multiplies = false;
  std::int64_t amount = 0;
};

std::optional<Step> read_step(const Field& field, const std::string& what, Problems& problems) {
  const auto word = read_word(field, problems);
  if (!word) return std::nullopt;
  Step step;
  step.multiplies = word->starts_with('*');
  const auto amount = step.multiplies || word->starts_with('+') ? parse_count(word->substr(1))
                                                                : Parsed<std::int64_t>{};
  if (!amount.value || *amount.value < (step.multiplies ? 2 : 1)) {
    problems.add(place_of(field), what + ": " + in_quotes(*word) + " is not an increasing step",
                 "write \"*4\" to multiply or \"+100\" to add");
    return std::nullopt;
  }
  step.amount = *amount.value;
  return step;
}

std::optional<std::int64_t> read_limit(const AxisSpec& spec, const Field& field,
                                       Problems& problems) {
  const auto word = read_word(field, problems);
  if (!word) return std::nullopt;
  const auto value = accept(parse_integer(spec, *word), place_of(field), spec.name, problems);
  return value ? std::optional(std::get<std::int64_t>(*value)) : std::nullopt;
}

std::vector<AxisValue> read_range(const AxisSpec& spec, const Field& field, Problems& problems) {
  const std::string what = "the range of '" + spec.name + "'";
  if (spec.kind != AxisSpec::Kind::integer) {
    problems.add(place_of(field), what + ": only whole numbers have ranges",
                 "list the values: [a, b]");
    return {};
  }
  auto fields = read_fields(field.value, place_of(field), what, problems);
  if (!fields) return {};
  check_keys(*fields, names_of(range_keys()), what, problems);
  bool complete = true;
  for (const auto& key : range_keys()) {
    if (find(*fields, key.name) != nullptr) continue;
    problems.add(place_of(field), what + " has no '" + key.name + "'",
                 "write {from: 2^10, to: 2^28, step: \"*4\"}");
    complete = false;
  }
  if (!complete) return {};
  const auto from = read_limit(spec, *find(*fields, "from"), problems);
  const auto to = read_limit(spec, *find(*fields, "to"), problems);
  const auto step = read_step(*find(*fields, "step"), what, problems);
  if (!from || !to || !step) return {};
  if (*from > *to) {
    problems.add(place_of(field), what + " is empty: 'from' is larger than 'to'");
    return {};
  }
  if (step->multiplies && *from == 0) {
    problems.add(place_of(field), what + " starts at 0, and multiplication keeps the value at 0",
                 "use a step that adds, such as \"+1\"");
    return {};
  }
  std::vector<AxisValue> values;
  for (std::int64_t value = *from;;) {
    values.emplace_back(value);
    if (values.size() > most_cases) {
      problems.add(place_of(field),
                   what + " has more than " + std::to_string(most_cases) + " values",
                   "use a larger step");
      return {};
    }
    const bool last = step->multiplies ? value > *to / step->amount : value > *to - step->amount;
    if (last) return values;
    value = step->multiplies ? value * step->amount : value + step->amount;
  }
}

}  // namespace

Parsed<AxisValue> parse_axis_value(const AxisSpec& spec, const std::string& word) {
  if (spec.kind == AxisSpec::Kind::integer) return parse_integer(spec, word);
  if (spec.kind == AxisSpec::Kind::shape) return parse_shape_value(spec, word);
  if (spec.choices.empty()) return Parsed<AxisValue>::good(word);  // any, as of a command
  if (std::ranges::find(spec.choices, word) == spec.choices.end())
    return bad("unknown value " + in_quotes(word), suggestion(word, spec.choices));
  return Parsed<AxisValue>::good(word);
}

Axis read_axis(const AxisSpec& spec, const Field& field, bool zipped, Problems& problems) {
  Axis axis;
  axis.name = spec.name;
  if (field.value.IsMap()) {
    axis.values = read_range(spec, field, problems);
    axis.places.assign(axis.values.size(), place_of(field));
    return axis;
  }
  const auto items = items_of(field.value);
  if (items.empty()) {
    problems.add(
        place_of(field), "'" + spec.name + "' is an empty list",
        "give the axis a value, or leave it out: its default is " + to_string(spec.default_value));
  }
  std::set<AxisValue> seen;
  for (const auto& item : items) {
    const auto place = item.IsNull() && items.size() == 1 ? place_of(field) : place_of(item);
    const auto word = read_word(item, place, spec.name, problems);
    if (!word) continue;
    const auto value = accept(parse_axis_value(spec, *word), place, spec.name, problems);
    if (!value) continue;
    if (!seen.insert(*value).second && !zipped) {
      problems.add(place, spec.name + ": " + to_string(*value) + " is listed twice",
                   "keep one of them");
      continue;
    }
    axis.values.push_back(*value);
    axis.places.push_back(place);
  }
  return axis;
}

AllowedAxes allowed_axes(const Registry& registry, const Experiment& experiment) {
  AllowedAxes axes{axes_of(registry, experiment), {}};
  if (experiment.command) return axes;
  auto wide = experiment;
  wide.scope = Scope::end_to_end;
  for (const auto& spec : axes_of(registry, wide)) {
    if (find_axis(axes.specs, spec.name) == nullptr) axes.end_to_end_only.push_back(spec);
  }
  const auto variants = registry.variants(experiment.workload);
  axes.lacks_variants =
      std::ranges::any_of(variants, [](const auto* variant) { return !variant->make; });
  return axes;
}

const AxisSpec* known_axis(const AllowedAxes& axes, const std::string& name, SourcePlace place,
                           Problems& problems) {
  if (const auto* spec = find_axis(axes.specs, name)) return spec;
  if (find_axis(axes.end_to_end_only, name) != nullptr) {
    problems.add(place, "axis '" + name + "' exists only in scope end_to_end",
                 "add 'scope: end_to_end' to the experiment, or remove the axis");
    return nullptr;
  }
  if (name == "processes") {
    problems.add(place, "unknown axis " + in_quotes(name),
                 "use 'programs' for processes that run at the same time, or 'processes' in "
                 "'measure' for new processes that each measure a case");
    return nullptr;
  }
  auto hint = suggestion(name, names_of(axes.specs));
  if (axes.lacks_variants && !hint.starts_with("did you"))
    hint += "; the axis may belong to a variant that this build lacks";
  problems.add(place, "unknown axis " + in_quotes(name), hint);
  return nullptr;
}

Params read_point(const AllowedAxes& axes, const Fields& fields, Problems& problems) {
  Params point;
  for (const auto& field : fields) {
    const auto* spec = known_axis(axes, field.key, field.place, problems);
    if (spec == nullptr) continue;
    const auto word = read_word(field, problems);
    if (!word) continue;
    const auto value =
        accept(parse_axis_value(*spec, *word), place_of(field), spec->name, problems);
    if (value) point.set(spec->name, *value);
  }
  return point;
}

}  // namespace apod::config
