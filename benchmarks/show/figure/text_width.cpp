#include "benchmarks/show/figure/text_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

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

std::vector<std::string> fitted_apart(const std::vector<std::string>& names, double width,
                                      double size) {
  std::map<std::string, std::set<std::string>> names_by_text;
  for (const auto& name : names) names_by_text[fitted(name, width, size)].insert(name);
  std::vector<std::string> texts;
  for (const auto& name : names) {
    texts.push_back(fitted(name, width, size));
    const auto& alike = names_by_text[texts.back()];
    if (alike.size() < 2) continue;
    // Sorted, so the first and the last differ at the earliest place; back to a whole character.
    const auto& first = *alike.begin();
    const auto& last = *alike.rbegin();
    std::size_t begin = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
    const auto whole_characters = [&](std::size_t end) {
      while (end > 0 && end < name.size() && (name[end] & 0xC0) == 0x80) --end;
      return end;
    };
    begin = whole_characters(begin);
    // What names of other groups begin with stays too.
    const auto head = whole_characters(static_cast<std::size_t>(width / size / 2));
    const std::string apart =
        begin <= head + 3 ? name : name.substr(0, head) + "..." + name.substr(begin);
    std::string kept = apart;
    while (kept.size() > 4 && text_width(kept, size) > width) {
      kept.resize(kept.size() - 1);
      while (!kept.empty() && (kept.back() & 0xC0) == 0x80) kept.pop_back();
    }
    texts.back() = kept;
  }
  return texts;
}

}  // namespace apod::figure
