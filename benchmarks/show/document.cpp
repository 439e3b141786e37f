#include "benchmarks/show/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "benchmarks/base/text/markup.hpp"

namespace apod::show {

namespace {

constexpr std::array<const char*, 8> heights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
const double least_range = std::log(1.1);
/// So that equal values have one height.
constexpr double rounding = 1e-6;

/// The range of ln of the values, at least 10 % wide.
struct Range {
  double bottom = 0;
  double width = least_range;

  double share(double value) const { return (std::log(value) - bottom) / width; }
};

Range range_of(std::span<const Bar> bars) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Bar& bar : bars) {
    if (bar.failed || bar.aside) continue;
    low = std::min(low, std::log(bar.value));
    high = std::max(high, std::log(bar.value));
  }
  const double width = std::max(high - low, least_range);
  return {(low + high - width) / 2, width};
}

}  // namespace

void Table::keep_first(std::size_t most) {
  if (rows.size() <= most) return;
  caption += fmt::format("{}({} of {})", caption.empty() ? "" : " ", most, rows.size());
  rows.resize(most);
}

List list_of(const std::vector<std::string>& lines) {
  List list;
  for (const auto& line : lines) list.items.push_back({line});
  return list;
}

void Entries::add(const std::string& name, const std::string& text) {
  if (!text.empty()) items.push_back({name, text});
}

std::string chart(std::span<const Bar> bars) {
  const Range range = range_of(bars);
  std::string text;
  for (const Bar& bar : bars) {
    if (bar.failed) {
      text += "x";
      continue;
    }
    const double step = std::clamp(std::floor(range.share(bar.value) * heights.size() + rounding),
                                   0.0, heights.size() - 1.0);
    text += heights.at(static_cast<std::size_t>(step));
  }
  return text;
}

std::string spark(std::span<const Bar> bars, const std::string& text) {
  constexpr double width = 150;
  constexpr double height = 20;
  constexpr double edge = 3;
  const Range range = range_of(bars);
  const double step = (width - 2 * edge) / std::max(1.0, static_cast<double>(bars.size()) - 1);
  std::string line;
  std::string levels;
  std::string dot;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double x = edge + step * static_cast<double>(i);
    if (bars[i].begins) levels += fmt::format("M{:.1f} 0V{}", x - step / 2, height);
    if (bars[i].failed) continue;
    const double share = std::clamp(range.share(bars[i].value), 0.0, 1.0);
    const double y = height - edge - share * (height - 2 * edge);
    if (!bars[i].aside) line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, y);
    dot = fmt::format("<circle class=\"point s0\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>", x, y);
  }
  return fmt::format(
      "<svg class=\"spark\" role=\"img\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">"
      "<title>{2}</title><path class=\"guide dashed\" d=\"{3}\"/><path class=\"line s0\" "
      "d=\"{4}\"/>{5}</svg>",
      width, height, text::as_markup(text), levels, line, dot);
}

namespace {

bool is_empty(const Block& block) {
  if (const auto* list = std::get_if<List>(&block)) return list->items.empty();
  if (const auto* entries = std::get_if<Entries>(&block)) return entries->items.empty();
  if (const auto* table = std::get_if<Table>(&block)) return table->rows.empty();
  if (const auto* figure = std::get_if<figure::Figure>(&block)) return figure->empty();
  if (const auto* code = std::get_if<Code>(&block)) return code->text.empty();
  return false;
}

}  // namespace

void Document::add(Block block) {
  if (!is_empty(block)) blocks.push_back(std::move(block));
}

void Document::add(Heading heading, Block block) {
  if (is_empty(block)) return;
  blocks.push_back(std::move(heading));
  blocks.push_back(std::move(block));
}

void Document::append(Document other, int deeper) {
  for (auto& block : other.blocks) {
    if (auto* heading = std::get_if<Heading>(&block)) heading->level += deeper;
  }
  blocks.insert(blocks.end(), std::make_move_iterator(other.blocks.begin()),
                std::make_move_iterator(other.blocks.end()));
}

}  // namespace apod::show
