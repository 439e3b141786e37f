#include "benchmarks/show/table_fit.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

#include "benchmarks/base/text/plain.hpp"

namespace apod::show {
namespace {

using text::display_width;

/// Words are made this narrow before a column is left out for them ...
constexpr std::size_t long_word = 32;
/// ... and no narrower than this when nothing else helps. A key must not fall to pieces.
constexpr std::size_t shortest_word = 6;
constexpr std::size_t shortest_key = 12;
/// A key of more lines than this is shortened.
constexpr std::size_t most_lines = 4;

/// The widths that a column can have.
struct Widths {
  std::size_t natural = 0;  ///< nothing is wrapped
  std::size_t compact = 0;  ///< long words and the title are
  std::size_t least = 0;    ///< words are cut to what is still a word
};

std::size_t longest_word(const std::string& title) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < title.size();) {
    const auto end = std::min(title.find_first_of(" _", begin), title.size() - 1) + 1;
    const bool blank = title[end - 1] == ' ';
    longest = std::max(longest, end - begin - (blank ? 1 : 0));
    begin = end;
  }
  return longest;
}

Widths widths_of(const Table& table, std::size_t index) {
  const Column& column = table.columns[index];
  std::size_t cells = 1;
  for (const auto& row : table.rows) {
    if (!row.cells.empty()) cells = std::max(cells, display_width(row.cells[index].text));
  }
  const std::size_t title = longest_word(column.name);
  const bool cuttable = column.align == Align::left;
  const std::size_t shortest = column.key ? shortest_key : shortest_word;
  return {std::max(cells, display_width(column.name)),
          std::max(cuttable ? std::min(cells, long_word) : cells, title),
          std::max(cuttable ? std::min(cells, shortest) : cells, title)};
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), table_gap * widths.size());
}

/// Takes from the widest column, as long as it is wider than its floor, until the table fits.
void shrink(std::vector<std::size_t>& widths, const std::vector<std::size_t>& floors,
            std::size_t width) {
  while (total(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] <= floors[i]) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

/// How many rows the keys among `columns` tell apart.
std::size_t distinct_keys(const Table& table, const std::vector<std::size_t>& columns) {
  std::set<std::vector<std::string_view>> keys;
  for (const auto& row : table.rows) {
    if (row.cells.empty()) continue;
    std::vector<std::string_view> key;
    for (const auto column : columns) {
      if (table.columns[column].key) key.push_back(row.cells[column].text);
    }
    keys.insert(std::move(key));
  }
  return keys.size();
}

/// A column that most rows have no value in counts for half.
int importance(const Table& table, std::size_t column) {
  const int priority = table.columns[column].priority;
  const auto lacking = std::ranges::count_if(table.rows, [&](const Row& row) {
    if (row.cells.empty()) return true;
    const auto& text = row.cells[column].text;
    return text.empty() || text == text::no_value;
  });
  return priority < Column::essential && 2 * lacking > std::ssize(table.rows) ? priority / 2
                                                                              : priority;
}

/// The least important of `columns`, if there is one that may be left out; columns.end() otherwise.
std::vector<std::size_t>::iterator dispensable(const Table& table,
                                               std::vector<std::size_t>& columns) {
  auto order = columns;
  std::ranges::stable_sort(order, {}, [&](std::size_t one) { return importance(table, one); });
  for (const auto column : order) {
    if (table.columns[column].priority >= Column::essential) break;
    if (table.columns[column].key) {
      auto others = columns;
      others.erase(std::ranges::find(others, column));
      if (distinct_keys(table, others) < distinct_keys(table, columns)) continue;
    }
    return std::ranges::find(columns, column);
  }
  return columns.end();
}

}  // namespace

Table with_values(Table table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const bool empty = std::ranges::all_of(
        table.rows, [&](const Row& row) { return row.cells.empty() || row.cells[i].text.empty(); });
    if (empty) table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) {
      if (row.cells.empty()) continue;
      if (empty) {
        row.cells.erase(row.cells.begin() + at);
      } else if (row.cells[i].text.empty() && table.columns[i].align == Align::right) {
        row.cells[i] = {text::no_value, Tone::dim};
      }
    }
  }
  return table;
}

TableFit fit(const Table& table, std::size_t width, bool keeps_all) {
  std::vector<Widths> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i) all.push_back(widths_of(table, i));
  TableFit fit;
  fit.columns.resize(table.columns.size());
  std::iota(fit.columns.begin(), fit.columns.end(), std::size_t{0});
  const auto widths = [&](std::size_t Widths::*which) {
    std::vector<std::size_t> chosen;
    for (const auto column : fit.columns) chosen.push_back(all[column].*which);
    return chosen;
  };
  while (!keeps_all && total(widths(&Widths::compact)) > width) {
    const auto least = dispensable(table, fit.columns);
    if (least == fit.columns.end()) break;
    fit.left_out.push_back(table.columns[*least].name);
    fit.columns.erase(least);
  }
  fit.widths = widths(&Widths::natural);
  shrink(fit.widths, widths(&Widths::compact), width);
  if (!keeps_all) shrink(fit.widths, widths(&Widths::least), width);
  return fit;
}

std::vector<std::vector<std::string>> cell_lines(const Table& table, std::size_t index,
                                                 std::size_t width) {
  const Column& column = table.columns[index];
  std::vector<std::string> texts;
  texts.reserve(table.rows.size());
  for (const auto& row : table.rows)
    texts.push_back(row.cells.empty() ? "" : row.cells[index].text);
  const bool wraps = column.key && column.align == Align::left;
  if (wraps) texts = text::shorten_apart(texts, most_lines * width);
  // Names that would read alike when cut are wrapped in whole.
  std::map<std::string, std::set<std::string>> origins;
  if (!wraps && column.align == Align::left) {
    for (const auto& text : texts) origins[text::shorten(text, width)].insert(text);
  }
  std::vector<std::vector<std::string>> lines;
  lines.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto& cell = lines.emplace_back();
    if (table.rows[i].cells.empty()) continue;
    if (wraps) {
      cell = wrap_name(texts[i], width);
    } else {
      auto cut = text::shorten(texts[i], width);
      cell = origins[cut].size() > 1 ? wrap_name(texts[i], width)
                                     : std::vector<std::string>{std::move(cut)};
    }
  }
  return lines;
}

std::vector<std::string> wrap_name(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    // The first byte that has no room, and the last place before it to break at.
    std::size_t end = 0;
    for (std::size_t used = 0; used < width; ++used) end += text::sequence_length(text.substr(end));
    const std::size_t blank = text.substr(0, end + 1).find_last_of(' ');
    std::size_t joint = text.substr(0, end).find_last_of("/_,:;-");
    // The sign of a number stays with it: "root:-1".
    const bool is_sign = joint != std::string_view::npos && joint > 0 && text[joint] == '-' &&
                         std::isalnum(static_cast<unsigned char>(text[joint - 1])) == 0;
    if (is_sign) --joint;
    // A line that is nearly empty only makes the cell taller, unless it keeps a word whole.
    const std::string_view next = blank == std::string_view::npos ? "" : text.substr(blank + 1);
    const bool keeps = blank != std::string_view::npos && blank > 0 &&
                       display_width(next.substr(0, next.find(' '))) <= width;
    if (keeps || (blank != std::string_view::npos && 3 * blank > end)) {
      lines.emplace_back(text.substr(0, blank));
      text.remove_prefix(blank + 1);
      continue;
    }
    if (joint != std::string_view::npos && 3 * joint > end) end = joint + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace apod::show
