#include "benchmarks/plan/config/text_check.hpp"

#include <algorithm>
#include <string_view>

#include "benchmarks/base/text/plain.hpp"

namespace apod::config {
namespace {

/// More than any experiment needs (7 levels), and far less than overflows a stack.
constexpr int max_depth = 100;

SourcePlace place_at(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at);
  const auto line_start = before.rfind('\n');
  const auto column = line_start == std::string_view::npos ? at + 1 : at - line_start;
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(column)};
}

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
                   "nested more than " + std::to_string(max_depth) + " levels deep",
                   "is this an experiment file?");
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
      problems.add({line, static_cast<int>(tab) + 1}, "a tab in the indentation",
                   "YAML wants spaces");
      good = false;
    }
    start = end + 1;
  }
  return good;
}

/// Position after the quoted word that begins at `line[at]`, or npos where it does not end on the
/// line.
std::size_t end_of_quoted(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      // Two single quotes in a row stand for one.
      if (quote == '"' || i + 1 == line.size() || line[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

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

bool check_text(const std::string& text, Problems& problems) {
  if (text.size() > max_file_bytes) {
    problems.add({}, "is larger than " + std::to_string(max_file_bytes >> 10) + " KiB",
                 "is this an experiment file?");
    return false;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    problems.add({}, "is empty", "start with 'schema: 1' and 'experiments:'");
    return false;
  }
  if (const auto at = find_binary(text); at != std::string::npos) {
    problems.add(place_at(text, at), "is not a UTF-8 text file", "is this an experiment file?");
    return false;
  }
  return check_brackets(text, problems) && check_tabs(text, problems);
}

}  // namespace apod::config
