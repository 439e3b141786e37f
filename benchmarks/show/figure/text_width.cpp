#include "benchmarks/show/figure/text_width.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "benchmarks/base/text/plain.hpp"

namespace apod::figure {
namespace {

/// Advance widths of U+0020 to U+007E in Liberation Sans, in thousandths of the font's size, as
/// tests/scripts/text_widths.py prints them.
constexpr auto widths = std::to_array<std::uint16_t>({
    // clang-format off
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
    // clang-format on
});
constexpr double wide = 1000;  ///< as Chinese characters are

}  // namespace

double text_width(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t index = c - std::size_t{0x20};
    width += c >= 0x20 && index < widths.size() ? widths[index] : wide;
    const std::size_t length = text::sequence_length(text);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return width * size / 1000;
}

std::string fitted(const std::string& text, double width, double size) {
  std::string shown = text;
  for (std::size_t columns = text::display_width(text);
       columns > 4 && text_width(shown, size) > width;) {
    const double over = text_width(shown, size) / width;
    const auto fewer = static_cast<std::size_t>(static_cast<double>(columns) / over);
    columns = std::max<std::size_t>(4, std::min(columns - 1, fewer));
    shown = text::shorten(text, columns);
  }
  return shown;
}

namespace {

bool is_within_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Where the name differs from each of the others. Two names have those before their own in common,
/// so that they differ wherever these are shown.
std::set<std::size_t> forks_of(const std::string& name, const std::set<std::string>& others) {
  std::set<std::size_t> forks;
  for (const auto& other : others) {
    if (other == name) continue;
    const auto [here, there] = std::mismatch(name.begin(), name.end(), other.begin(), other.end());
    auto fork = static_cast<std::size_t>(here - name.begin());
    while (fork > 0 && fork < name.size() && is_within_character(name[fork])) --fork;
    forks.insert(fork);
  }
  return forks;
}

/// The first `head` bytes and, from each fork on, `most` bytes of the name; "..." for the rest.
std::string with_forks(const std::string& name, std::size_t head,
                       const std::set<std::size_t>& forks, std::size_t most) {
  constexpr std::size_t short_word = 4;
  const auto whole_characters = [&](std::size_t end) {
    while (end < name.size() && is_within_character(name[end])) ++end;
    return std::min(end, name.size());
  };
  std::size_t end = text::number_around(name, whole_characters(head)).first;
  std::string text = name.substr(0, end);
  const auto add = [&](std::size_t from, std::size_t to) {
    if (to <= end) return;
    from = from > end + 3 ? from : end;  // the mark would be as long as what it is for
    text += (from > end ? "..." : "") + name.substr(from, to - from);
    end = to;
  };
  for (const auto fork : forks) {
    if (fork >= name.size()) break;
    std::size_t word = text::number_around(name, fork).first;
    const std::size_t number = word;
    while (word > 0 && std::isalnum(static_cast<unsigned char>(name[word - 1])) != 0) --word;
    add(number - word <= short_word ? word : number,
        text::number_around(name, whole_characters(fork + most)).second);
  }
  if (name.size() > end + 3) return text + "...";
  return text + name.substr(end);
}

/// With as much behind each fork as fits, but one character there at least.
std::string fitted_by_forks(const std::string& name, const std::set<std::size_t>& forks,
                            double width, double size) {
  constexpr std::size_t longest = 100;
  constexpr std::size_t wanted = 4;  ///< rather than the beginning
  for (auto head = static_cast<std::size_t>(width / size / 2);; head /= 2) {
    const std::size_t least = head > 0 ? wanted : 1;
    for (auto most = longest; most >= least; --most) {
      auto text = with_forks(name, head, forks, most);
      if (text_width(text, size) <= width || (head == 0 && most == 1)) return text;
    }
  }
}

}  // namespace

std::vector<std::string> fitted_apart(const std::vector<std::string>& names, double width,
                                      double size) {
  std::map<std::string, std::string> texts;
  for (const auto& name : names) texts[name] = fitted(name, width, size);
  std::set<std::string> alike;  // as others, when cut
  for (bool more = true; std::exchange(more, false);) {
    std::map<std::string, std::vector<std::string>> names_by_text;
    for (const auto& [name, text] : texts) names_by_text[text].push_back(name);
    for (const auto& [text, same] : names_by_text) {
      for (const auto& name : same) more |= same.size() > 1 && alike.insert(name).second;
    }
    for (const auto& name : alike)
      texts[name] = fitted_by_forks(name, forks_of(name, alike), width, size);
  }
  std::vector<std::string> fitting;
  for (const auto& name : names) fitting.push_back(texts.at(name));
  return fitting;
}

}  // namespace apod::figure
