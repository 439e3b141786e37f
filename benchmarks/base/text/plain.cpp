#include "benchmarks/base/text/plain.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace apod::text {

namespace {

constexpr std::string_view replacement = "\uFFFD";

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// C0, DEL and C1 controls (the latter are C2 80 to C2 9F).
bool is_control(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  return lead < 0x20 || lead == 0x7F ||
         (lead == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0);
}

/// Invisible marks that make a line look like another one: Unicode's
/// Default_Ignorable_Code_Point, its line breaks, the blank of Braille and the marks of
/// annotations. Joiners (U+200C, U+200D) and U+FE0F stay: scripts and emoji need them.
bool is_invisible(std::string_view sequence) {
  const auto is_between = [&](std::string_view first, std::string_view last) {
    return sequence.size() == first.size() && sequence >= first && sequence <= last;
  };
  return is_between("\u00AD", "\u00AD") || is_between("\u034F", "\u034F") ||
         is_between("\u061C", "\u061C") || is_between("\u115F", "\u1160") ||
         is_between("\u17B4", "\u17B5") || is_between("\u180B", "\u180F") ||
         is_between("\u200B", "\u200B") || is_between("\u200E", "\u200F") ||
         is_between("\u2028", "\u202E") || is_between("\u2060", "\u206F") ||
         is_between("\u2800", "\u2800") || is_between("\u3164", "\u3164") ||
         is_between("\uFE00", "\uFE0E") || is_between("\uFEFF", "\uFEFF") ||
         is_between("\uFFA0", "\uFFA0") || is_between("\uFFF0", "\uFFFB") ||
         is_between("\U0001BCA0", "\U0001BCA3") || is_between("\U0001D173", "\U0001D17A") ||
         is_between("\U000E0000", "\U000E0FFF");
}

}  // namespace

std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond_unicode = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    if (sequence == "[" && result.ends_with("##")) result += ' ';
    if (sequence == "\n" || sequence == "\r" || sequence == "\t") {
      result += ' ';
    } else if (length == 0 || is_control(sequence) ||
               (length > 1 && is_invisible(sequence))) {  // none of ASCII is invisible
      result += replacement;
    } else {
      result += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  auto text = std::to_string(count) + ' ';
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  // A character has four bytes at most. What follows need not be looked at.
  const auto shown = printable(text.substr(0, 4 * longest + 4));
  std::size_t end = 0;
  std::size_t characters = 0;
  while (end < shown.size() && (continues(shown[end]) || characters < longest)) {
    characters += continues(shown[end]) ? 0 : 1;
    ++end;
  }
  return "'" + shown.substr(0, end) + (end < shown.size() ? "...'" : "'");
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += continues(c) ? 0 : 1;
  return width;
}

namespace {

/// Where the number with its unit ends that begins at `begin`.
std::size_t end_of_number(std::string_view text, std::size_t begin) {
  constexpr std::size_t longest_unit = 3;
  const auto after = [&](int (*kind)(int), std::size_t at) {
    while (at < text.size() && kind(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at;
  };
  std::size_t end = after(std::isdigit, begin);
  for (std::size_t next = end; next < text.size();) {
    if (std::string_view(".,^eE").find(text[next++]) == text.npos) break;
    if (next < text.size() && (text[next] == '-' || text[next] == '+')) ++next;
    const std::size_t digits = after(std::isdigit, next);
    if (digits == next) break;
    end = next = digits;
  }
  const std::size_t unit = after(std::isalpha, end);
  return unit - end <= longest_unit && after(std::isdigit, unit) == unit ? unit : end;
}

}  // namespace

std::pair<std::size_t, std::size_t> number_around(std::string_view text, std::size_t at) {
  for (std::size_t begin = 0; begin < std::min(at, text.size()); ++begin) {
    if (std::isdigit(static_cast<unsigned char>(text[begin])) == 0) continue;
    const std::size_t end = end_of_number(text, begin);
    if (at < end) return {begin, end};
    begin = end - 1;
  }
  return {at, at};
}

std::string shorten(std::string_view text, std::size_t width) {
  std::vector<std::size_t> starts;  // of each code point
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues(text[i])) starts.push_back(i);
  }
  if (starts.size() <= width) return std::string(text);
  if (width <= 3) return std::string(text.substr(0, number_around(text, starts[width]).first));
  const std::size_t tail = (width - 3) / 2;
  const std::size_t head = width - 3 - tail;
  std::string result(text.substr(0, number_around(text, starts[head]).first));
  result += "...";
  if (tail > 0) result += text.substr(number_around(text, starts[starts.size() - tail]).second);
  return result;
}

std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width) {
  using Origins = std::map<std::string, std::set<std::string>>;
  Origins shortened;
  for (const auto& text : texts) shortened[shorten(text, width)].insert(text);
  // What is equal in a text and the one most like it goes, but for a beginning.
  const auto around_difference = [&](const std::string& text, const std::set<std::string>& alike) {
    std::size_t equal = 0;
    for (const auto& other : alike) {
      if (other == text) continue;
      const auto end = std::ranges::mismatch(text, other).in1;
      equal = std::max(equal, static_cast<std::size_t>(end - text.begin()));
    }
    const auto head = width / 3;
    const auto from = text.find_last_of("_,<: ", equal);
    if (from == text.npos || from <= head + 3 || continues(text[head])) return text;
    return text.substr(0, head) + "..." + shorten(text.substr(from), width - head - 3);
  };
  std::vector<std::string> result;
  Origins origins;
  for (const auto& text : texts) {
    auto shorter = shorten(text, width);
    const auto& alike = shortened[shorter];
    result.push_back(alike.size() > 1 ? around_difference(text, alike) : std::move(shorter));
    origins[result.back()].insert(text);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (origins[result[i]].size() > 1) result[i] = texts[i];
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char between) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(between, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> without_shared_parts(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> parts;
  for (const auto& name : names) {
    if (!name.empty()) parts.push_back(split(name, '/'));
  }
  if (parts.size() < 2) return names;
  // Where names differ in length, their ends may still be equal.
  const auto least = std::ranges::min(parts, {}, std::ranges::size).size();
  const bool alike =
      std::ranges::all_of(parts, [&](const auto& name) { return name.size() == least; });
  const auto shared = [&](std::size_t i, bool from_end) {
    const auto at = [&](const auto& name) { return name[from_end ? name.size() - 1 - i : i]; };
    return std::ranges::all_of(parts,
                               [&](const auto& name) { return at(name) == at(parts.front()); });
  };
  std::size_t first = 0;
  while (first + 1 < least && shared(first, false)) ++first;
  std::size_t last = 0;
  while (first + last + 1 < least && shared(last, true)) ++last;
  std::vector<std::string> shortened;
  std::size_t next = 0;
  for (const auto& name : names) {
    auto& text = shortened.emplace_back();
    if (name.empty()) continue;
    const auto& own = parts[next++];
    for (std::size_t i = first; i + last < own.size(); ++i) {
      if (alike && i > first && i + last + 1 < own.size() && shared(i, false)) continue;
      text += (text.empty() ? "" : "/") + own[i];
    }
  }
  return shortened;
}

bool is_before_unit(std::string_view text, std::size_t blank) {
  constexpr std::size_t longest_unit = 10;
  const auto is = [&](std::size_t at, int (*kind)(int)) {
    return kind(static_cast<unsigned char>(text[at])) != 0;
  };
  if (blank == 0 || blank + 1 >= text.size() || text[blank] != ' ') return false;
  if (!is(blank - 1, std::isdigit)) return false;
  // A word with a letter is a name: "sm90".
  for (std::size_t i = blank; i > 0 && text[i - 1] != ' '; --i) {
    if (is(i - 1, std::isalpha)) return false;
  }
  const auto end = std::min(text.find(' ', blank + 1), text.size());
  return (is(blank + 1, std::isalpha) || text[blank + 1] == '%') && end - blank - 1 <= longest_unit;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  auto end = text.find(' ');
  while (end < text.size() && is_before_unit(text, end)) end = text.find(' ', end + 1);
  const auto word = text.substr(0, end);
  text.remove_prefix(word.size());
  return word;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;  // columns of the last line
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
    const std::size_t columns = display_width(word);
    if (used > 0 && used + 1 + columns > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) lines.back() += ' ';
    lines.back() += word;
    used += columns + (used > 0 ? 1 : 0);
  }
  return lines;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return repeat(" ", width > used ? width - used : 0) + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + repeat(" ", width > used ? width - used : 0);
}

void split_short_flags(std::vector<std::string>& words, std::string_view switches) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = words[i];
    const bool shared =
        word.size() > 2 && word[0] == '-' && switches.find(word[1]) != std::string_view::npos;
    if (!shared) continue;
    words[i] = word.substr(0, 2);
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, "-" + word.substr(2));
  }
}

void drop_flag(std::vector<std::string>& words, const std::string& flag, bool has_value) {
  const bool is_short = !flag.starts_with("--");
  for (auto word = words.begin(); word != words.end();) {
    if (*word == flag) {
      word = words.erase(word);
      if (has_value && word != words.end()) word = words.erase(word);
    } else if (has_value && word->starts_with(is_short ? flag : flag + "=")) {
      word = words.erase(word);
    } else {
      ++word;
    }
  }
}

namespace {

/// $'a\011b': what printable() would change is written as the octal numbers of its bytes.
std::string in_octal_quotes(std::string_view word) {
  std::string quoted = "$'";
  while (!word.empty()) {
    const auto sequence = word.substr(0, std::max(sequence_length(word), std::size_t{1}));
    const bool hides = printable(sequence) != sequence;
    if (hides || (sequence == "[" && quoted.ends_with("##"))) {
      for (const char c : sequence) {
        const auto byte = static_cast<unsigned char>(c);
        quoted += '\\';
        for (const int shift : {6, 3, 0}) quoted += static_cast<char>('0' + ((byte >> shift) & 7));
      }
    } else {
      if (sequence == "'" || sequence == "\\") quoted += '\\';
      quoted += sequence;
    }
    word.remove_prefix(sequence.size());
  }
  return quoted + "'";
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%^";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    if (printable(word) != word) {
      line += in_octal_quotes(word);
      continue;
    }
    line += '\'';
    for (const char c : word) {
      // A quote within quotes: end them, a quote by itself, begin them again.
      c == '\'' ? line += "'\\''" : line += c;
    }
    line += '\'';
  }
  return line;
}

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && is_blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return words;
}

std::string repeat(std::string_view unit, std::size_t count) {
  std::string result;
  result.reserve(unit.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += unit;
  return result;
}

namespace {

/// Levenshtein distance with transpositions (optimal string alignment), in characters.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string closest(const std::string& word, const std::vector<std::string>& candidates) {
  // No name is as long; a distance over a pasted page of text would cost quadratic time.
  constexpr std::size_t longest_word = 64;
  if (word.empty() || word.size() > longest_word) return "";
  std::string best;
  // A third of the letters may be wrong: enough for a slip, too little for another word.
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > 2 * longest_word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& near, const std::string& otherwise) {
  return near.empty() ? otherwise : "did you mean '" + printable(near) + "'?";
}

std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (auto& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

std::string in_brackets(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace apod::text
