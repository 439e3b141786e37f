#include "benchmarks/plan/config/yaml_slips.hpp"

#include <algorithm>
#include <cctype>

#include "benchmarks/base/text/plain.hpp"

namespace apod::config {
namespace {

bool is_one_of(char c, std::string_view all) {
  return all.find(c) != std::string_view::npos;
}

/// Nothing where quotes are not enough.
std::optional<Slip> slip_of_word(std::size_t at, const std::string& word, const std::string& what) {
  if (word.empty() || word.find_first_of("#\n") != std::string::npos) return std::nullopt;
  const auto quoted = quoted_for_yaml(word);
  return Slip{at, text::in_quotes(word) + what, "quote it: " + quoted, word, quoted};
}

/// A value that begins with a sign of YAML's own, such as > 1 or *4, on the line where the parser
/// stumbled, at that place or before it.
std::optional<Slip> bare_sign(const std::string& text, std::size_t place, bool of_reference) {
  if (text.empty()) return std::nullopt;
  const auto begins_value = [&](std::size_t i) {
    const auto before = i == 0 ? std::string::npos : text.find_last_not_of(' ', i - 1);
    return before != std::string::npos && is_one_of(text[before], ":,[{-\n");
  };
  auto at = std::min(place, text.size() - 1);
  while (!is_one_of(text[at], of_reference ? "*&" : ">|@%`") || !begins_value(at)) {
    if (at == 0 || text[at - 1] == '\n') return std::nullopt;
    --at;
  }
  const bool is_word = of_reference && text.compare(at + 1, 1, " ") != 0;
  const auto end = std::min(text.find_first_of(is_word ? " ,]}\r\n" : ",]}\n", at), text.size());
  const auto word = text.substr(at, text.find_last_not_of(" \r", end - 1) + 1 - at);
  if (word[0] == '*' && word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[1])) != 0) {
    return Slip{at, "there is no anchor &" + word.substr(1) + " above this " + word,
                "define the anchor, or quote the word"};
  }
  return slip_of_word(at, word, " starts with a character that YAML reserves");
}

/// Walks through the values of a text up to a place, and keeps the first slip.
class Values {
 public:
  /// `of_brackets`: the parser missed one.
  Values(const std::string& text, std::size_t end, bool of_brackets)
      : text_(text), end_(std::min(end, text.size())), of_brackets_(of_brackets) {}

  std::optional<Slip> slip() {
    for (std::size_t i = 0; i < end_ && !slip_;) i = line(i);
    return slip_;
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\n'; }
  std::size_t behind_blanks(std::size_t i) const {
    return std::min(text_.find_first_not_of(" \t\r", i), text_.size());
  }
  std::size_t next_line(std::size_t i) const {
    return std::min(text_.find('\n', i), text_.size() - 1) + 1;
  }
  /// Whether the line has no more than a comment from here on.
  bool ends(std::size_t i) const {
    return at(i) == '\n' || (at(i) == '#' && (i == 0 || is_one_of(at(i - 1), " \t\n,[{")));
  }
  /// Behind blanks, line ends and comments.
  std::size_t next_item(std::size_t i) {
    for (i = behind_blanks(i); i < text_.size() && ends(i); i = behind_blanks(next_line(i))) {
      const auto before = i == 0 ? std::string::npos : text_.find_last_not_of(" \t", i - 1);
      const bool begins_line = before == std::string::npos || text_[before] == '\n';
      if (at(i) == '#' && !begins_line) comment_ = ", and quote a word that begins with #";
    }
    return i;
  }
  /// Behind the plain text that begins there. In brackets, it ends before a comma or a bracket
  /// that closes them.
  std::size_t behind_text(std::size_t i, bool in_brackets) const {
    int depth = 0;
    for (; !ends(i); ++i) {
      if (!in_brackets) continue;
      if (depth == 0 && is_one_of(at(i), ",]}")) break;
      if (is_one_of(at(i), "[{")) ++depth;
      if (is_one_of(at(i), "]}")) --depth;
    }
    return i == 0 ? 0 : text_.find_last_not_of(" \t\r", i - 1) + 1;
  }
  bool ends_value(std::size_t i, bool in_brackets) const {
    return ends(i) || at(i) == ':' || (in_brackets && is_one_of(at(i), ",]}"));
  }

  std::size_t line(std::size_t begin) {
    auto i = behind_blanks(begin);
    while (at(i) == '-' && at(i + 1) == ' ') i = behind_blanks(i + 1);
    if (ends(i)) return next_line(i);
    column_ = i - begin;
    i = pair(i, false);
    if (slip_ || !is_one_of(at(i), "|>")) return next_line(i);
    // The lines of a block of text are indented by more than its key.
    for (i = next_line(i); i < text_.size(); i = next_line(i)) {
      const auto text = behind_blanks(i);
      if (at(text) != '\n' && text - i <= column_) break;
    }
    return i;
  }

  /// A value, or a key and its value.
  std::size_t pair(std::size_t i, bool in_brackets) {
    if (is_one_of(at(i), "\"'[{")) {
      i = behind_blanks(value(i, in_brackets));
      if (slip_ || at(i) != ':') return i;
      ++i;
    } else {
      const auto colon = text_.find(':', i);
      const auto end = behind_text(i, in_brackets);
      const bool is_item = in_brackets && open_.back() == ']';
      if (is_item && text_.substr(i, end - i).find(": ", colon + 1 - i) != std::string::npos)
        return quoted(i, end, " contains ': '");
      if (colon >= end || !is_one_of(at(colon + 1), " \r\n"))
        return in_brackets ? value(i, in_brackets) : end;
      i = colon + 1;
    }
    i = in_brackets ? next_item(i) : behind_blanks(i);
    const bool is_empty =
        ends(i) || (in_brackets ? is_one_of(at(i), ",]}") : is_one_of(at(i), "|>"));
    return is_empty ? i : value(i, in_brackets);
  }

  std::size_t value(std::size_t i, bool in_brackets) {
    if (is_one_of(at(i), "&!"))
      i = behind_blanks(std::min(text_.find_first_of(" \n", i), text_.size()));
    if (ends(i)) return i;
    if (is_one_of(at(i), "\"'")) {
      const auto end = end_of_quoted(text_, i);
      if (end == std::string::npos) return text_.size();
      const auto next = behind_blanks(end);
      if (!ends_value(next, in_brackets)) {
        slip_ = Slip{next, "not valid YAML: text follows the closing quote",
                     "quote the whole value; to write a quote in it, use \\\" within \"...\", or "
                     "'' within '...'"};
      }
      return end;
    }
    if (is_one_of(at(i), "[{")) {
      const auto end = brackets(i);
      const auto next = behind_blanks(end);
      if (slip_ || ends_value(next, in_brackets)) return end;
      if (is_one_of(at(next), "]}")) return stray(next);
      return quoted(i, behind_text(end, in_brackets), " begins with a bracket");
    }
    const auto end = behind_text(i, in_brackets);
    const auto text = std::string_view(text_).substr(i, end - i);
    if (in_brackets && text.find_first_of("[]{}") != text.npos)
      return quoted(i, end, " contains a bracket");
    if (text.find(": ") != text.npos) {
      quoted(i, end, " contains ': '");
      if (slip_ && in_brackets) slip_->hint += ", or put a comma before the next key";
    }
    return end;
  }

  std::size_t brackets(std::size_t begin) {
    open_ += at(begin) == '[' ? ']' : '}';
    for (auto i = next_item(begin + 1); i < end_; i = next_item(i)) {
      if (at(i) == open_.back()) {
        open_.pop_back();
        comment_.clear();
        return i + 1;
      }
      if (is_one_of(at(i), "]}")) {
        if (open_.find(at(i)) == std::string::npos) return stray(i);
        break;
      }
      const bool is_comma = at(i) == ',';
      i = is_comma ? i + 1 : pair(i, true);
      if (slip_) return i;
      const auto next = next_item(i);
      const auto end = behind_text(next, true);
      const bool is_pair = next < end && at(next) != ':' &&
                           text_.substr(next, end - next).find(": ") != std::string::npos;
      if (!is_comma && is_pair) {
        // A key that is indented as little as the line's own goes on behind the brackets.
        const auto line_start = text_.rfind('\n', next) + 1;
        if (begin < line_start && next - line_start <= column_) break;
        slip_ = Slip{next, "not valid YAML: a comma is missing here", "add the comma"};
        return next;
      }
    }
    if (of_brackets_) {
      slip_ = Slip{begin, "not valid YAML: the bracket that opens here is not closed",
                   "close the bracket after its last value" + comment_};
    }
    return text_.size();
  }

  std::size_t stray(std::size_t i) {
    slip_ = Slip{i, "not valid YAML: this closing bracket has no opening bracket", "remove it"};
    return i;
  }
  std::size_t quoted(std::size_t begin, std::size_t end, const std::string& what) {
    slip_ = slip_of_word(begin, text_.substr(begin, end - begin), what);
    return end;
  }

  const std::string& text_;
  std::size_t end_;
  bool of_brackets_;
  std::size_t column_ = 0;  // of the line's key
  std::string open_;        // what closes the brackets that are open
  std::optional<Slip> slip_;
  std::string comment_;  // the hint that one may hide the end
};

}  // namespace

std::string quoted_for_yaml(const std::string& word) {
  if (word.find_first_of("\"\\") == std::string::npos) return '"' + word + '"';
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + '\'';
}

std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      // Two single quotes in a row mean one quote.
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

std::optional<Slip> slip_before(const std::string& text, std::size_t place,
                                const std::string& message) {
  const auto says = [&](const char* word) { return message.find(word) != std::string::npos; };
  if (auto slip = bare_sign(text, place, says("anchor") || says("alias"))) return slip;
  return Values(text, place + 1, says(" flow ")).slip();
}

}  // namespace apod::config
