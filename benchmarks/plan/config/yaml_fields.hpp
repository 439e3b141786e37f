#pragma once

/// \file
/// YAML maps as lists of fields with places: the little of yaml-cpp that the readers need. Nodes
/// are only iterated over, never indexed, so nothing here throws.

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/plan/config/problems.hpp"

namespace apod::config {

using text::in_quotes;
using text::parse_count;
using text::Parsed;

struct Field {
  std::string key;
  SourcePlace place;  ///< of the key
  YAML::Node value;
};
using Fields = std::vector<Field>;

SourcePlace place_of(const YAML::Node& node);
/// Of the value, or of the key if there is no value.
SourcePlace place_of(const Field& field);

/// The fields of a map. Nothing, and a problem that names `what`, when `node` is not a map. Keys
/// that are not words, repeated keys and merge keys are problems too, and are left out.
std::optional<Fields> read_fields(const YAML::Node& node, SourcePlace place,
                                  const std::string& what, Problems& problems);

/// Adds a problem for every key that is not among `known`.
void check_keys(const Fields& fields, const std::vector<std::string>& known,
                const std::string& what, Problems& problems);

const Field* find(const Fields& fields, std::string_view key);

/// `base`, with the fields of `over` added or replacing those of the same key.
Fields layered(Fields base, const Fields& over);

/// The items of a list; nothing, and a problem, when the value is not a list.
std::optional<std::vector<YAML::Node>> read_list(const Field& field, Problems& problems);

/// The items of a list, or the value itself.
std::vector<YAML::Node> items_of(const YAML::Node& value);

/// The text of a scalar; nothing (and a problem that names `what`) for a list, a map or no value.
std::optional<std::string> read_word(const YAML::Node& node, SourcePlace place,
                                     const std::string& what, Problems& problems);
std::optional<std::string> read_word(const Field& field, Problems& problems);

/// The value of an enumeration; the hint for an unknown word names the known ones.
template <NamedEnum E>
Parsed<E> parse_choice(const std::string& word) {
  if (const auto value = parse<E>(word)) return Parsed<E>::good(*value);
  const std::vector<std::string> names(EnumNames<E>::names.begin(), EnumNames<E>::names.end());
  return Parsed<E>::bad("unknown value " + in_quotes(word), suggestion(word, names));
}

/// The value of `parsed`, or nothing and its problem as "what: message".
template <class T>
std::optional<T> accept(const Parsed<T>& parsed, SourcePlace place, const std::string& what,
                        Problems& problems) {
  if (!parsed.value) problems.add(place, what + ": " + parsed.message, parsed.hint);
  return parsed.value;
}

struct ValueCount {
  std::size_t count = 0;
  SourcePlace endless;  ///< the value that holds an alias to itself, if any
  SourcePlace cut;      ///< the first word with a NUL byte, where the system would cut it, if any
  SourcePlace tagged;   ///< the first value with a tag, such as `!= pinned`, if any
  std::string tag;      ///< that value, with its tag
};
/// Counts the values in the tree, each alias as often as it is used, and stops above `limit`.
/// Through aliases a short text can describe an endless tree; that is always above the limit.
ValueCount count_values(const YAML::Node& node, std::size_t limit);

}  // namespace apod::config
