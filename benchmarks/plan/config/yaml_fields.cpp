#include "benchmarks/plan/config/yaml_fields.hpp"

#include <algorithm>
#include <set>

namespace apod::config {
namespace {

constexpr std::size_t max_alias_depth = 1000;

std::string kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      return "a map";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Scalar:
      return in_quotes(node.Scalar());
    default:
      return "nothing";
  }
}

/// `above` are the values that contain the node.
void count_into(const YAML::Node& node, std::size_t limit, std::vector<YAML::Node>& above,
                ValueCount& total) {
  const bool endless = std::any_of(above.begin(), above.end(),
                                   [&](const YAML::Node& holder) { return holder.is(node); });
  if (endless) total.endless = place_of(node);
  const bool cut = node.IsScalar() && node.Scalar().find('\0') != std::string::npos;
  if (cut && total.cut.line == 0) total.cut = place_of(node);
  // A plain word has the tag "?", a quoted one "!".
  if (node.Tag().size() > 1 && total.tag.empty()) {
    total.tagged = place_of(node);
    total.tag = node.Tag();
    if (node.IsScalar() && !node.Scalar().empty()) total.tag += " " + node.Scalar();
  }
  // Aliases of aliases turn a flat text into a deep tree.
  if (endless || above.size() > max_alias_depth) total.count = limit;
  ++total.count;
  above.push_back(node);
  for (auto item = node.begin(); item != node.end() && total.count <= limit; ++item) {
    if (node.IsSequence()) {
      count_into(*item, limit, above, total);
    } else {
      count_into(item->first, limit, above, total);
      if (total.count <= limit) count_into(item->second, limit, above, total);
    }
  }
  above.pop_back();
}

}  // namespace

SourcePlace place_of(const YAML::Node& node) {
  const auto mark = node.Mark();
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

SourcePlace place_of(const Field& field) {
  return field.value.IsNull() ? field.place : place_of(field.value);
}

std::optional<Fields> read_fields(const YAML::Node& node, SourcePlace place,
                                  const std::string& what, Problems& problems) {
  if (!node.IsMap()) {
    problems.add(place, what + " must be a map of 'key: value', not " + kind_of(node));
    return std::nullopt;
  }
  Fields fields;
  std::set<std::string> seen;
  for (const auto& item : node) {
    const auto key_place = place_of(item.first);
    if (!item.first.IsScalar()) {
      problems.add(key_place, "a key of " + what + " must be a word, not " + kind_of(item.first));
      continue;
    }
    const std::string& key = item.first.Scalar();
    if (key == "<<") {
      problems.add(key_place, "merge keys are not supported",
                   "name the values with an alias each: 'measure: *fast'");
    } else if (!seen.insert(key).second) {
      problems.add(key_place, "key " + in_quotes(key) + " is given twice in " + what,
                   "keep one of them");
    } else {
      fields.push_back({key, key_place, item.second});
    }
  }
  return fields;
}

void check_keys(const Fields& fields, const std::vector<std::string>& known,
                const std::string& what, Problems& problems) {
  for (const auto& field : fields) {
    bool found = false;
    for (const auto& key : known) found = found || key == field.key;
    if (found) continue;
    problems.add(field.place, "unknown key " + in_quotes(field.key) + " in " + what,
                 suggestion(field.key, known));
  }
}

const Field* find(const Fields& fields, std::string_view key) {
  for (const auto& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

Fields layered(Fields base, const Fields& over) {
  for (const auto& field : over) {
    bool replaced = false;
    for (auto& old : base) {
      if (old.key != field.key) continue;
      old.place = field.place;
      old.value.reset(field.value);  // an assignment would change the node it refers to
      replaced = true;
    }
    if (!replaced) base.push_back(field);
  }
  return base;
}

std::optional<std::vector<YAML::Node>> read_list(const Field& field, Problems& problems) {
  if (!field.value.IsSequence()) {
    problems.add(place_of(field), "'" + field.key + "' must be a list, not " + kind_of(field.value),
                 "start each item with '- '");
    return std::nullopt;
  }
  std::vector<YAML::Node> items;
  for (const auto& item : field.value) items.push_back(item);
  return items;
}

std::vector<YAML::Node> items_of(const YAML::Node& value) {
  if (!value.IsSequence()) return {value};
  std::vector<YAML::Node> items;
  for (const auto& item : value) items.push_back(item);
  return items;
}

std::optional<std::string> read_word(const YAML::Node& node, SourcePlace place,
                                     const std::string& what, Problems& problems) {
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull()) {
    problems.add(place, "'" + what + "' has no value", "write one, or leave the key out");
  } else {
    problems.add(place, "'" + what + "' must be one value, not " + kind_of(node));
  }
  return std::nullopt;
}

std::optional<std::string> read_word(const Field& field, Problems& problems) {
  return read_word(field.value, place_of(field), field.key, problems);
}

ValueCount count_values(const YAML::Node& node, std::size_t limit) {
  ValueCount total;
  std::vector<YAML::Node> above;
  count_into(node, limit, above, total);
  return total;
}

}  // namespace apod::config
