#include "benchmarks/plan/config/yaml_fields.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/yaml_slips.hpp"

namespace apod::config {
namespace {

/// The last character before the place that is not blank or in a line of comment.
SourcePlace before(SourcePlace place, std::string_view text) {
  std::size_t begin = 0;
  for (int line = 1; line < place.line; ++line) begin = text.find('\n', begin) + 1;
  const auto end = std::min(text.size(), begin + static_cast<std::size_t>(place.column - 1));
  auto at = text.substr(0, end).find_last_not_of(" \t\r\n");
  for (auto start = text.rfind('\n', at) + 1; text[text.find_first_not_of(" \t", start)] == '#';
       start = text.rfind('\n', at) + 1) {
    at = text.substr(0, start).find_last_not_of(" \t\r\n");
  }
  const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
  return {static_cast<int>(line), static_cast<int>(at - text.rfind('\n', at))};
}

}  // namespace

void Problems::add(SourcePlace place, std::string message, std::string hint) {
  if (place.is_behind && !text_.empty()) place = before(place, text_);
  int more = 0;
  for (const auto& [at, characters] : added_) {
    if (at.line == place.line && at.column < place.column) more += characters;
  }
  place.column -= more;
  all_.push_back({file_, place, std::move(message), std::move(hint)});
}

Diagnostics Problems::sorted() const {
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.place.line, d.place.column, d.message);
  };
  Diagnostics result = all_;
  std::ranges::stable_sort(result, [&](const auto& a, const auto& b) { return key(a) < key(b); });
  result.erase(std::unique(result.begin(), result.end(),
                           [&](const auto& a, const auto& b) { return key(a) == key(b); }),
               result.end());
  return result;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  // What C++ calls them, which no slip of the hand makes of the names here.
  static const std::vector<std::pair<std::string, std::string>> in_cpp{
      {"float", "f32"}, {"double", "f64"},   {"half", "f16"},     {"__half", "f16"},
      {"int", "i32"},   {"unsigned", "u32"}, {"float", "fp32"},   {"double", "fp64"},
      {"half", "fp16"}, {"char", "i8"},      {"long long", "i64"}};
  std::string list;
  for (const auto& candidate : candidates) {
    if (std::ranges::find(in_cpp, std::pair(word, candidate)) != in_cpp.end())
      return text::did_you_mean(candidate);
    list += (list.empty() ? "" : ", ") + candidate;
  }
  const auto* use = candidates.empty() ? "" : candidates.size() == 1 ? "use " : "use one of ";
  return text::did_you_mean(text::closest(word, candidates), use + list);
}

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

SourcePlace place_of_mark(const YAML::Mark& mark) {
  return mark.is_null() ? SourcePlace{} : SourcePlace{mark.line + 1, mark.column + 1};
}

/// `above` are the values that contain the node.
void count_into(const YAML::Node& node, std::size_t limit, std::vector<YAML::Node>& above,
                ValueCount& total) {
  const bool endless =
      std::ranges::any_of(above, [&](const YAML::Node& holder) { return holder.is(node); });
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
  const auto place = place_of_mark(node.Mark());
  return {place.line, place.column, node.IsNull()};
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
    auto key_place = place_of(item.first);
    key_place.is_behind = false;  // a colon without a key is where it is
    if (!item.first.IsScalar()) {
      problems.add(key_place, "a key of " + what + " must be a word, not " + kind_of(item.first));
      continue;
    }
    const std::string& key = item.first.Scalar();
    if (key == "<<") {
      problems.add(key_place, "the merge key << is not supported",
                   "use an alias as the whole value of a key: 'measure: *fast'");
    } else if (!seen.insert(key).second) {
      problems.add(key_place, "key " + in_quotes(key) + " is given twice in " + what,
                   "keep one of them");
    } else {
      fields.push_back({key, key_place, item.second});
    }
  }
  return fields;
}

void check_keys(Fields& fields, const std::vector<std::string>& known, const std::string& what,
                Problems& problems) {
  for (auto& field : fields) {
    if (std::ranges::find(known, field.key) != known.end()) continue;
    const auto home = home_of(field.key, what);
    problems.add(field.place, "unknown key " + in_quotes(field.key) + " in " + what,
                 home.empty() ? suggestion(field.key, known) : home);
    const auto meant = home.empty() ? text::closest(field.key, known) : "";
    if (!meant.empty() && find(fields, meant) == nullptr) field.key = meant;
  }
}

const Field* find(const Fields& fields, std::string_view key) {
  const auto found = std::ranges::find(fields, key, &Field::key);
  return found == fields.end() ? nullptr : &*found;
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
  return items_of(field.value);
}

std::vector<YAML::Node> items_of(const YAML::Node& value) {
  if (!value.IsSequence()) return {value};
  return std::vector<YAML::Node>(value.begin(), value.end());
}

std::optional<std::string> read_word(const YAML::Node& node, SourcePlace place,
                                     const std::string& what, Problems& problems) {
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull()) {
    problems.add(place, "'" + what + "' has no value", "write a value, or leave the key out");
  } else if (node.IsMap() && node.Style() == YAML::EmitterStyle::Flow && node.size() == 1 &&
             node.begin()->first.IsScalar() && node.begin()->second.IsNull()) {
    const auto word = '{' + node.begin()->first.Scalar() + '}';
    problems.add(place, "'" + word + "' begins with a bracket",
                 "quote it: " + quoted_for_yaml(word));
    return word;
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

namespace {

SourcePlace place_at(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at);
  const auto column = at - before.rfind('\n');  // npos is -1
  return {static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(column)};
}

/// More than any experiment needs (7 levels), and far less than overflows a stack.
constexpr int max_depth = 100;

/// Position of the first byte that does not belong in a text file, or npos.
std::size_t find_binary(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
    const auto length = control ? 0 : text::sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

/// An upper bound of the levels that the start of a line opens: each needs a column of
/// indentation or a "- ".
std::size_t leading_levels(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size()) {
    const bool marker =
        (line[i] == '-' || line[i] == '?') && i + 1 < line.size() && line[i + 1] == ' ';
    if (line[i] != ' ' && !marker) break;
    ++i;
  }
  return i;
}

/// Counts brackets everywhere, even in quotes and comments: a text that opens a hundred more than
/// it closes is not an experiment file anyway.
bool check_brackets(std::string_view text, Problems& problems) {
  int depth = 0;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (line_start && leading_levels(text.substr(i, 4 * max_depth)) > 2 * max_depth)
      depth = max_depth;
    line_start = c == '\n';
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth >= max_depth) {
      problems.add(place_at(text, i),
                   "this value is nested more than " + std::to_string(max_depth) + " levels deep",
                   "name an experiment file");
      return false;
    }
  }
  return true;
}

bool check_tabs(std::string_view text, Problems& problems) {
  bool good = true;
  int line = 1;
  for (std::size_t start = 0; start < text.size(); ++line) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto content = text.substr(start, end - start);
    const auto first = content.find_first_not_of(" \t\r");
    const auto tab = content.find('\t');
    if (first != std::string_view::npos && tab < first && content[first] != '#') {
      problems.add({line, static_cast<int>(tab) + 1}, "the indentation contains a tab",
                   "use spaces");
      good = false;
    }
    start = end + 1;
  }
  return good;
}

/// Where the first quote opens that is not closed on its line; nothing where each is. For a text
/// that is not valid YAML: such a quote ends at the next one, and what is wrong seems to be there.
std::optional<SourcePlace> unclosed_quote(std::string_view text) {
  int number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto line = text.substr(start, end - start);
    char before = ':';  // the last character that is no space: a value may begin after this one
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (c == '#' && (i == 0 || line[i - 1] == ' ')) break;
      const bool quotes = (c == '"' || c == '\'') &&
                          std::string_view(":,[{-?").find(before) != std::string_view::npos;
      const auto next = quotes ? end_of_quoted(line, i) : i + 1;
      if (next == std::string_view::npos) return SourcePlace{number, static_cast<int>(i) + 1};
      if (c != ' ') before = c;
      i = next;
    }
    start = end + 1;
  }
  return std::nullopt;
}

/// Whether the text in quotes that begins there has no end, or goes on over a line that begins with
/// a key: then its quote was forgotten, and the key would be lost in it.
bool is_open_quote(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return false;
  const auto end = end_of_quoted(text, at);
  if (end == std::string_view::npos) return true;
  for (auto line = text.find('\n', at); line < end; line = text.find('\n', line + 1)) {
    const auto word = text.find_first_not_of(" -", line + 1);
    const auto behind = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", word);
    const auto mark = text.substr(std::min(behind, end), 2);
    if (behind > word && (mark == ": " || mark == ":\n")) return true;
  }
  return false;
}

/// Keeps where each document starts, and ends the parsing at the second one, or at an open quote.
///
/// What follows a document starts another one, even where it is a comma or a bracket that no
/// document can start with. yaml-cpp before 0.8.1 (its issue 1040) then makes one empty document
/// after the other without reading on. So no document after the first is ever read.
class DocumentStarts : public YAML::EventHandler {
 public:
  struct Ended {
    YAML::Mark mark;
    bool by_quote = false;  ///< not by a second document
  };

  explicit DocumentStarts(const std::string& text) : text_(text) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++count_ > 1) throw Ended{mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto at =
        std::min(text_.find_first_of(" ,]}\n", static_cast<std::size_t>(mark.pos)), text_.size());
    const bool is_written = text_.compare(at, 2, " ~") == 0 || text_.compare(at, 2, " n") == 0;
    if (anchor != 0 && !is_written) throw YAML::ParserException(mark, "this anchor has no value");
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    if (is_open_quote(text_, static_cast<std::size_t>(mark.pos))) throw Ended{mark, true};
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  const std::string& text_;
  int count_ = 0;
};

void add_open_quote(SourcePlace place, Problems& problems) {
  problems.add(place, "not valid YAML: the quote that opens here is not closed on the same line",
               "close the quote after the value");
}

/// Reports an unclosed quote above the place where the parser stumbled, since that is the cause.
/// False where there is none.
bool add_quote(const YAML::Mark& mark, const std::string& text, Problems& problems) {
  const auto quote = unclosed_quote(text);
  if (!quote || (!mark.is_null() && quote->line > mark.line + 1)) return false;
  add_open_quote(*quote, problems);
  return true;
}

void add_second(const YAML::Mark& mark, const std::string& text, Problems& problems) {
  if (text.compare(static_cast<std::size_t>(mark.pos), 3, "---") == 0) {
    problems.add(place_of_mark(mark), "a second document begins here",
                 "remove '---': an experiment file is one YAML document");
  } else if (!add_quote(mark, text, problems)) {
    problems.add(place_of_mark(mark), "not valid YAML: text follows the end of the document",
                 "look for an extra comma, bracket or quote here and above");
  }
}

/// Nothing, with a problem added, where there is no document or more than one.
std::optional<YAML::Node> read_document(const std::string& text, Problems& problems) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts(text);
  try {
    if (!parser.HandleNextDocument(starts)) {
      problems.add({}, "is empty", "start with 'schema: 1' and 'experiments:'");
      return std::nullopt;
    }
    parser.HandleNextDocument(starts);
  } catch (const DocumentStarts::Ended& end) {
    end.by_quote ? add_open_quote(place_of_mark(end.mark), problems)
                 : add_second(end.mark, text, problems);
    return std::nullopt;
  }
  return YAML::Load(text);
}

}  // namespace

bool check_text(const std::string& text, Problems& problems) {
  if (text.size() > max_file_bytes) {
    problems.add({}, "is larger than " + std::to_string(max_file_bytes >> 10) + " KiB",
                 "name an experiment file");
    return false;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    problems.add({}, "is empty", "start with 'schema: 1' and 'experiments:'");
    return false;
  }
  if (const auto at = find_binary(text); at != std::string::npos) {
    problems.add(place_at(text, at), "is not a UTF-8 text file", "name an experiment file");
    return false;
  }
  return check_brackets(text, problems) && check_tabs(text, problems);
}

std::optional<YAML::Node> one_document(std::string text, Problems& problems) {
  // Each pass quotes one word, so that the mistakes behind it are found too.
  constexpr int most_passes = 20;
  for (int pass = 1;; ++pass) {
    try {
      return read_document(text, problems);
    } catch (const YAML::Exception& error) {
      if (add_quote(error.mark, text, problems)) return std::nullopt;
      const auto slip =
          error.mark.is_null()
              ? std::nullopt
              : slip_before(text, static_cast<std::size_t>(error.mark.pos), error.msg);
      if (!slip) {
        problems.add(place_of_mark(error.mark), "not valid YAML: " + error.msg,
                     "check the indentation, quotes and brackets here and above");
        return std::nullopt;
      }
      const auto place = place_at(text, slip->at);
      problems.add(place, slip->problem, slip->hint);
      problems.shift(place, static_cast<int>(slip->quoted.size() - slip->word.size()));
      if (slip->word.empty() || pass == most_passes) return std::nullopt;
      text.replace(slip->at, slip->word.size(), slip->quoted);
    }
  }
}

}  // namespace apod::config
