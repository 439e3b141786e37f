#pragma once

/// \file
/// YAML maps as lists of fields with places: the little of yaml-cpp that the readers need. Nodes
/// are only iterated over, never indexed, so nothing here throws.

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"

namespace apod::config {

/// Collects the mistakes in one file (or flag). The same problem at the same place is kept once: an
/// alias, or a block that is read for both backends, would repeat it.
class Problems {
 public:
  explicit Problems(std::string file, std::string_view its_text = {})
      : file_(std::move(file)), text_(its_text) {}

  void add(SourcePlace place, std::string message, std::string hint = {});
  /// So many characters were added to the text there: what lies behind them on the line is reported
  /// where it was before.
  void shift(SourcePlace place, int characters) { added_.emplace_back(place, characters); }
  bool empty() const { return all_.empty(); }
  std::size_t count() const { return all_.size(); }
  /// In the order of their places, without repetitions.
  Diagnostics sorted() const;

 private:
  std::string file_;
  std::string_view text_;
  Diagnostics all_;
  std::vector<std::pair<SourcePlace, int>> added_;
};

/// The result of `read()`, or nothing if it added a problem. So a value is read completely or not
/// at all, and no second problem follows from the first.
template <class Read>
auto whole(const Problems& problems, Read read) -> std::optional<decltype(read())> {
  const auto before = problems.count();
  std::optional value = read();
  if (problems.count() > before) value.reset();
  return value;
}

/// "did you mean 'streams'?" if a candidate is close, else "one of a, b, c".
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates);

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

/// Adds a problem for every key that is not among `known`. A misspelt one is then read as the key
/// that it is close to, unless that is there too, so that one reading finds all other mistakes.
void check_keys(Fields& fields, const std::vector<std::string>& known, const std::string& what,
                Problems& problems);

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

/// The largest file that is read. An experiment written by hand has a few KiB, and the parser may
/// need five hundred times the size of the text.
constexpr std::size_t max_file_bytes = std::size_t{256} << 10;
/// In one document, aliases counted as often as they are used.
constexpr std::size_t max_values = 200'000;

/// Checks a text before the YAML parser sees it, because the parser's recursion and memory grow
/// with the input: size, UTF-8 without control characters, bounded nesting and brackets, no tab as
/// indentation. Adds problems to `problems`; true if the text may be parsed.
bool check_text(const std::string& text, Problems& problems);

/// The one YAML document of `text`, which check_text has passed. Nothing, with a problem added, if
/// the text is not valid YAML, holds no document, or continues after the first one. A value that
/// begins with one of YAML's own signs, such as `> 1`, is a problem too, and is read as if it were
/// quoted, so that the rest of the file can be checked.
std::optional<YAML::Node> one_document(std::string text, Problems& problems);

}  // namespace apod::config
