
#include <algorithm>
#include <limits>
#include <set>

#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/measure.hpp"

namespace apod::config {
namespace {

using file::Argument;

constexpr std::size_t most_args = 64;
constexpr std::size_t most_sides = 8;

}  // namespace

SourcePlace first_byte(const YAML::Node& node) {
  auto place = place_of(node);
  if (node.Tag() == "!") ++place.column;
  return place;
}

std::string KernelParts::text_of(const YAML::Node& node, const std::string& what,
                                 const std::string& key) {
  made.kernel_places[key] = first_byte(node);
  return read_word(node, place_of(node), what, problems).value_or("");
}

std::string KernelParts::expression_of(const YAML::Node& node, const std::string& what,
                                       const std::string& key) {
  auto text = text_of(node, what, key);
  if (!text.empty()) expressions.emplace_back(text, made.kernel_places[key]);
  return text;
}

void KernelParts::check_expressions() {
  std::set<std::string> known{"i"};
  std::string axes;
  for (const auto& axis : spec.axes) {
    known.insert(axis.name);
    axes += (axes.empty() ? "; the axes are " : ", ") + axis.name;
  }
  for (const auto& arg : spec.args) known.insert(arg.name);
  for (const auto& launch : spec.launches) {
    for (const auto& loop : launch.loops) known.insert(loop.name);
  }
  for (const auto& loop : spec.reference.launch.loops) known.insert(loop.name);
  for (const auto& [text, place] : expressions) {
    const auto at = [&, first = place](std::size_t offset) {
      return SourcePlace{first.line, first.column + static_cast<int>(offset)};
    };
    try {
      const Expression expression(text);
      for (std::size_t i = 0; i < expression.names().size(); ++i) {
        const auto& name = expression.names()[i];
        if (known.contains(name)) continue;
        problems.add(
            at(expression.place_of_name(i)),
            in_quotes(name) + " is not an axis" + (axes.empty() ? "; there are no axes" : axes));
      }
    } catch (const ExpressionError& error) {
      problems.add(at(error.at()), error.what());
    }
  }
}

/// Up to `most` expressions.
std::vector<std::string> KernelParts::texts_of(const Field& field, const std::string& key,
                                               std::size_t most) {
  std::vector<std::string> texts;
  for (const auto& item : items_of(field.value))
    texts.push_back(expression_of(item, field.key, key + "/" + std::to_string(texts.size())));
  if (texts.empty() || texts.size() > most) {
    problems.add(place_of(field), "'" + field.key + "' has " + std::to_string(texts.size()) +
                                      " values, but must have 1 to " + std::to_string(most));
  }
  return texts;
}

Fields all_axes(const Fields& axes, const Field* zip) {
  auto all = axes;
  if (zip == nullptr || !zip->value.IsSequence()) return all;
  for (const auto& item : zip->value) {
    Problems unsaid("");  // they are said where the cases are read
    const auto fields = read_fields(item, place_of(item), "", unsaid).value_or(Fields{});
    all.insert(all.end(), fields.begin(), fields.end());
  }
  return all;
}

void KernelParts::read_axes(const Fields& axes, const Field* zip) {
  for (const auto& field : all_axes(axes, zip)) add_axis(field);
}

void KernelParts::read_flags(const Field& field) {
  constexpr std::size_t most = 64;
  for (const auto& item : items_of(field.value)) {
    const auto word = read_word(item, place_of(item), "flags", problems);
    if (!word) continue;
    const auto why = file::refused_flag(*word);
    if (!why.empty()) problems.add(place_of(item), in_quotes(*word) + " " + why);
    spec.flags.push_back(*word);
  }
  if (spec.flags.size() > most)
    problems.add(field.place, "'flags' has more than " + std::to_string(most) + " items");
}

void KernelParts::add_axis(const Field& field) {
  static const std::set<std::string> of_harness{"variant", "programs", "host_memory",
                                                "chunk_launch"};
  const auto values = items_of(field.value);
  for (const auto& value : values) {
    if (field.key == "variant" && value.IsScalar()) spec.variants.push_back(value.Scalar());
  }
  if (of_harness.count(field.key) > 0) return;
  static const std::set<std::string> of_streams{"streams", "threads", "stream_pool", "order"};
  if (of_streams.count(field.key) > 0) {
    if (!spec.split.empty()) return;
    problems.add(field.place,
                 "the file does not say how to divide the kernel's work over " + field.key,
                 "add split: AXIS, for example split: size");
    return;
  }
  const auto& taken = measure_keys();
  const bool is_key = std::ranges::find(taken, field.key) != taken.end();
  if (is_key || !file::is_identifier(field.key) || field.key == "i") {
    problems.add(field.place, in_quotes(field.key) + " can't be the name of a kernel's axis",
                 is_key ? "this word is a key of 'measure': choose another name"
                        : "use letters, digits and _; the name i is reserved");
    return;
  }
  const bool counts = std::ranges::all_of(values, [](const YAML::Node& value) {
    return value.IsMap() || (value.IsScalar() && parse_count(value.Scalar()).value);
  });
  AxisSpec axis{.name = field.key, .help = "axis of the kernel", .default_value = {}};
  axis.kind = counts ? AxisSpec::Kind::integer : AxisSpec::Kind::choice;
  axis.min = -std::numeric_limits<std::int64_t>::max();
  axis.max = std::numeric_limits<std::int64_t>::max();
  const auto same = [&](const auto& other) { return other.name == axis.name; };
  if (std::ranges::none_of(spec.axes, same)) {
    made.kernel_places["axes/" + axis.name] = field.place;
    spec.axes.push_back(std::move(axis));
  }
}

void KernelParts::read_args(const Field& field) {
  made.kernel_places["args"] = field.place;
  const auto items = read_list(field, problems).value_or(std::vector<YAML::Node>{});
  if (items.size() > most_args) {
    problems.add(field.place, "'args' has more than " + std::to_string(most_args) + " items");
    return;
  }
  for (const auto& item : items) {
    const auto fields = read_fields(item, place_of(item), "an argument", problems);
    if (fields) read_arg(*fields, place_of(item));
  }
}

struct KernelParts::ArgumentReader {
  KernelParts& parts;
  Argument& arg;

  std::string key(const char* name) const { return "args/" + arg.name + "/" + name; }

  static const Block<ArgumentReader>& keys() {
    using R = ArgumentReader;
    static const Block<R> all{
        {{"name", "name of the kernel's parameter", Form::word},
         [](R& r, const Field& field) {
           r.arg.name = read_word(field, r.parts.problems).value_or("");
           r.parts.check_arg_name(r.arg.name, place_of(field));
         }},
        {{"type", "type of a value", Form::word, words_of<ElementType>()},
         [](R& r, const Field& field) { r.read_choice(field, r.arg.type); }},
        {{"shape", "shape of an array", Form::expression},
         [](R& r, const Field& field) {
           r.arg.shape = r.parts.texts_of(field, r.key("shape"), most_sides);
         }},
        {{"value", "value of a scalar", Form::expression},
         [](R& r, const Field& field) {
           r.arg.value = r.parts.expression_of(field.value, "value", r.key("value"));
         }},
        {{"role", "role of an array", Form::word, words_of<file::Role>()},
         [](R& r, const Field& field) {
           r.read_choice(field, r.arg.role);
           if (!r.arg.value.empty())
             r.parts.problems.add(field.place, "only an array can have a role", "leave out 'role'");
         }},
        {{"data", "values of an input array"},
         [](R& r, const Field& field) { r.parts.read_content(field, r.key("data"), r.arg); }},
        {{"variable", "__constant__ or __device__ variable that replaces the parameter",
          Form::word},
         [](R& r, const Field& field) {
           r.arg.variable = read_word(field, r.parts.problems).value_or("");
           r.check_input(field, "a variable");
         }},
        {{"texture",
          "how the kernel reads the array through a texture",
          Form::words,
          {"nearest", "linear", "normalized", "wrap"}},
         [](R& r, const Field& field) { r.read_texture(field); }},
    };
    return all;
  }

 private:
  void check_input(const Field& field, const std::string& what) const {
    if (!arg.shape.empty() && arg.role == file::Role::in) return;
    parts.problems.add(field.place, what + " needs an array with role: in");
  }
  void read_texture(const Field& field) {
    check_input(field, "a texture");
    auto& texture = arg.texture.emplace();
    for (const auto& item : items_of(field.value)) {
      const auto word = read_word(item, place_of(item), "texture", parts.problems);
      if (!word) continue;
      texture.is_linear = texture.is_linear || word == "linear";
      texture.is_normalized = texture.is_normalized || word == "normalized";
      texture.wraps = texture.wraps || word == "wrap";
      if (word != "nearest" && word != "linear" && word != "normalized" && word != "wrap") {
        parts.problems.add(place_of(item), in_quotes(*word) + " is not a texture mode",
                           "use nearest, linear, normalized or wrap");
      }
    }
  }
  template <NamedEnum E>
  void read_choice(const Field& field, E& target) {
    const auto word = read_word(field, parts.problems);
    if (!word) return;
    target =
        accept(parse_choice<E>(*word), place_of(field), field.key, parts.problems).value_or(target);
  }
};

Keys argument_keys() {
  return keys_of(KernelParts::ArgumentReader::keys());
}

/// The fields of a structure are arguments of their own.
void KernelParts::read_structure(const Field& name, const Field& fields) {
  const auto word = read_word(name, problems).value_or("");
  check_arg_name(word, place_of(name));
  const auto before = spec.args.size();
  for (const auto& item : read_list(fields, problems).value_or(std::vector<YAML::Node>{})) {
    const auto inner = read_fields(item, place_of(item), "a field", problems);
    if (inner) read_arg(*inner, place_of(item));
  }
  for (auto i = before; i < spec.args.size(); ++i) spec.args[i].structure = word;
}

void KernelParts::read_arg(Fields fields, SourcePlace place) {
  const auto has = [&](const char* key) { return find(fields, key) != nullptr; };
  if (has("fields") && has("name")) {
    check_keys(fields, {"name", "fields"}, "a structure", problems);
    return read_structure(*find(fields, "name"), *find(fields, "fields"));
  }
  auto keys = ArgumentReader::keys();
  check_keys(fields, names_of(keys_of(keys)), "an argument", problems);
  if (!has("name") || !has("type")) {
    problems.add(place, std::string("an argument has no '") + (has("name") ? "type" : "name") + "'",
                 "write {name: x, type: f32, shape: [size]} or {name: n, type: i32, value: "
                 "size}");
    return;
  }
  Argument arg;
  ArgumentReader reader{*this, arg};
  const bool is_unclear = has("shape") == has("value");
  if (is_unclear) keys.resize(2);  // its name and type alone
  take_fields(keys, fields, reader);
  if (is_unclear) {
    problems.add(place,
                 "'" + arg.name + "' has " +
                     (has("shape") ? "both 'shape' and 'value'" : "neither 'shape' nor 'value'"),
                 "give an array a shape, or a scalar a value");
    return;
  }
  spec.args.push_back(std::move(arg));
}

void KernelParts::check_arg_name(const std::string& name, SourcePlace place) {
  const bool plain = file::is_identifier(name) && name.size() <= 64 && name != "i";
  if (!plain) {
    problems.add(place, in_quotes(name) + " can't be the name of an argument",
                 "use letters, digits and _; the name i is reserved");
  }
  for (const auto& arg : spec.args) {
    if (arg.name == name || arg.structure == name)
      problems.add(place, "two arguments have the name '" + name + "'", "rename one");
  }
}

void KernelParts::read_content(const Field& field, const std::string& key, Argument& arg) {
  if (!file::is_input(arg)) {
    problems.add(field.place, "'" + arg.name + "' is not an input, so it can't have 'data'");
    return;
  }
  if (field.value.IsScalar() && field.value.Scalar() == "zeros") {
    arg.formula = "0";
    return;
  }
  if (field.value.IsMap()) {
    Problems unsaid("");
    const auto fields = read_fields(field.value, place_of(field), "'data'", unsaid);
    const auto* formula = fields ? find(*fields, "expression") : nullptr;
    if (formula != nullptr && fields->size() == 1) {
      arg.formula = expression_of(formula->value, "expression", key);
      return;
    }
  }
  arg.has_data = true;
  arg.made = read_data(field, folder, problems).value_or(DataSpec{});
}

}  // namespace apod::config
