#pragma once

/// \file
/// Text from outside (ids, reasons, driver messages) made fit for a line of output.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apod::text {

/// Shown in a table for a missing value.
constexpr const char* no_value = "-";

/// Bytes of the well-formed UTF-8 sequence at the start of `text`, which must not be empty (Unicode
/// 15, table 3-7); 0 if there is none.
std::size_t sequence_length(std::string_view text);

/// `text` as valid UTF-8: invalid bytes become U+FFFD, line breaks and tabs one space, other
/// control characters (terminal escapes among them) and invisible marks U+FFFD. "##[", which
/// GitHub's runner takes for a command anywhere, gets a blank inside.
std::string printable(std::string_view text);

/// "1 case", "3 cases": with the plural `many` if that is not `one` and an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});

/// `text` in single quotes for a message: printable, and cut after 60 characters.
std::string in_quotes(std::string_view text);

/// Columns of a terminal that `text`, which must be valid UTF-8, takes: its code points. (Wide and
/// combining characters are counted as one.)
std::size_t display_width(std::string_view text);

/// Where the number with its unit ("268435456", "2^28", "1.5e-05", "64MiB") begins and ends that a
/// cut before byte `at` would part; `at` twice where none is.
std::pair<std::size_t, std::size_t> number_around(std::string_view text, std::size_t at);

/// `text`, which must be valid UTF-8, with its middle replaced by "..." if it is wider than `width`
/// columns. A number is shown whole or not at all.
std::string shorten(std::string_view text, std::size_t width);

/// Each shortened, but for those that would then be equal to another.
std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width);

/// Names of parts between slashes, without the parts that are equal in all of them; each keeps one:
/// {"a/n:1/x", "a/n:2/x"} -> {"n:1", "n:2"}. Empty names stay.
std::vector<std::string> without_shared_parts(const std::vector<std::string>& names);

/// Whether the blank at `blank` parts a number from the short word after it, its unit: "12 us",
/// "±0.96 %". No line ends there.
bool is_before_unit(std::string_view text, std::size_t blank);

/// Takes the next word off the begin of `text`, a number with its unit; "" at the end.
std::string_view take_word(std::string_view& text);

/// `text`, which must be valid UTF-8, in lines of at most `width` columns, broken at words. A
/// wider word has a line of its own. At least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// `text` filled with spaces to `width` columns.
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

/// `words` as a line that a POSIX shell splits into the same words. A word that can't be shown is
/// written as in $'a\011b', which bash and zsh know, so that printable() leaves the line as it is.
std::string shell_line(const std::vector<std::string>& words);

/// The words of `line`: split at blanks, except in quotes of either kind or after a \. No other
/// shell syntax. Nothing if a quote is left open.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

/// Splits short flags that share a word, "-qo" into "-q" and "-o". `switches`: those without a
/// value, "q".
void split_short_flags(std::vector<std::string>& words, std::string_view switches);

/// Takes a flag out of a command line, in whichever way it and its value are written: "--out FILE",
/// "--out=FILE", and of a short one "-oFILE".
void drop_flag(std::vector<std::string>& words, const std::string& flag, bool has_value);

/// The parts of `text` between each `between`: of an empty text one empty part.
std::vector<std::string> split(std::string_view text, char between);

/// With its letters of ASCII in lower case.
std::string lower(std::string_view text);

/// Whether one of the parts is in the text.
template <class Parts = std::initializer_list<std::string_view>>
bool holds_any(std::string_view text, const Parts& parts) {
  return std::ranges::any_of(parts, [&](auto part) { return text.find(part) != text.npos; });
}
/// Whether the text begins with one of the parts.
template <class Parts = std::initializer_list<std::string_view>>
bool begins_with_any(std::string_view text, const Parts& parts) {
  return std::ranges::any_of(parts, [&](auto part) { return text.starts_with(part); });
}

/// The texts of `all` in a line, with `between` between two of them. `text_of` gives the text of
/// one.
template <class Range, class TextOf = std::identity>
std::string joined(Range&& all, std::string_view between, const TextOf& text_of = {}) {
  std::string line;
  for (bool first = true; const auto& one : all) {
    if (!std::exchange(first, false)) line += between;
    line += std::invoke(text_of, one);
  }
  return line;
}

/// The first `most` of the texts, and how many more there are: "a, b and 3 more".
template <class Range>
std::string first_few(const Range& all, std::size_t most) {
  const auto few = joined(all | std::views::take(most), ", ");
  return all.size() <= most ? few : few + " and " + std::to_string(all.size() - most) + " more";
}

/// `unit` repeated `count` times: a rule, an indent.
std::string repeat(std::string_view unit, std::size_t count);

/// The candidate closest to `word` by edit distance, or "" if none is close enough.
std::string closest(const std::string& word, const std::vector<std::string>& candidates);

/// "did you mean 'streams'?" for a close word; `otherwise` if there is none.
std::string did_you_mean(const std::string& near, const std::string& otherwise = "");

/// The cells of a line of CSV, as RFC 4180 quotes them. One that is not closed ends with the line.
std::vector<std::string> csv_cells(std::string_view line);

/// " (TEXT)" after a message; nothing for an empty text.
std::string in_brackets(const std::string& text);

/// "NVIDIA H200" -> "nvidia-h200": safe in a file's name.
inline std::string slug(const std::string& text) {
  std::string name;
  for (const char c : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.') {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

}  // namespace apod::text
