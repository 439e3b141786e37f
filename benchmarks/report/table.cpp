#include "benchmarks/report/table.hpp"

#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 2;
/// A word longer than this is shortened before any column is left out for it ...
constexpr std::size_t long_word = 32;
/// ... and no word is made shorter than this.
constexpr std::size_t shortest_word = 6;

bool is_heading(const std::vector<Cell>& row) {
  return row.size() == 1;
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = text::display_width(table.columns[i].title);
    for (const auto& row : table.rows) {
      if (!is_heading(row)) width = std::max(width, text::display_width(row[i].text));
    }
    widths.push_back(width);
  }
  return widths;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  const std::size_t gaps = widths.empty() ? 0 : (widths.size() - 1) * gap;
  return std::accumulate(widths.begin(), widths.end(), indent + gaps);
}

/// Takes columns of the terminal from the widest column of words until the table fits, or until no
/// word is longer than `limit`.
void narrow_words(const Table& table, std::vector<std::size_t>& widths, std::size_t width,
                  std::size_t limit) {
  while (total(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool candidate = !table.columns[i].right && widths[i] > limit;
      if (candidate && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
}

/// Leaves out the least important columns until the rest fits or only essential ones are left.
/// Returns the titles of what it left out.
std::vector<std::string> drop_columns(Table& table, std::vector<std::size_t>& widths,
                                      std::size_t width) {
  std::vector<std::string> dropped;
  while (total(widths) > width && table.columns.size() > 2) {
    const auto least =
        std::min_element(table.columns.begin(), table.columns.end(),
                         [](const Column& a, const Column& b) { return a.weight < b.weight; });
    if (least == table.columns.end() || least->weight >= Column::essential) break;
    dropped.push_back(least->title);
    const auto at = least - table.columns.begin();
    table.columns.erase(least);
    for (auto& row : table.rows) {
      if (!is_heading(row)) row.erase(row.begin() + at);
    }
    widths.erase(widths.begin() + at);
  }
  return dropped;
}

std::string aligned(const std::string& text, const Column& column, std::size_t width) {
  const std::string fitting = text::shorten(text, width);
  return column.right ? text::pad_left(fitting, width) : text::pad_right(fitting, width);
}

}  // namespace

std::string paint(const std::string& text, Tone tone, const ConsoleStyle& style) {
  if (!style.color) return text;
  switch (tone) {
    case Tone::plain:
      return text;
    case Tone::good:
      return fmt::format(fmt::fg(fmt::terminal_color::green), "{}", text);
    case Tone::bad:
      return fmt::format(fmt::fg(fmt::terminal_color::red), "{}", text);
    case Tone::warning:
      return fmt::format(fmt::fg(fmt::terminal_color::yellow), "{}", text);
    case Tone::dim:
      return fmt::format(fmt::emphasis::faint, "{}", text);
    case Tone::title:
      return fmt::format(fmt::emphasis::bold, "{}", text);
  }
  return text;
}

void print(std::ostream& out, Table table, const ConsoleStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 1));
  std::vector<std::size_t> widths = widths_of(table);
  narrow_words(table, widths, width, long_word);
  const std::vector<std::string> dropped = drop_columns(table, widths, width);
  narrow_words(table, widths, width, shortest_word);

  const auto line = [&](const auto& text_of, const auto& tone_of) {
    // Blanks at the end of a line would only make a log longer.
    std::string text;
    std::string blanks = text::repeat(" ", indent);
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = aligned(text_of(i), table.columns[i], widths[i]);
      const std::size_t first = cell.find_first_not_of(' ');
      if (first != std::string::npos) {
        const std::size_t end = cell.find_last_not_of(' ') + 1;
        text += blanks + cell.substr(0, first);
        text += paint(cell.substr(first, end - first), tone_of(i), style);
        blanks = cell.substr(end);
      } else {
        blanks += cell;
      }
      blanks += text::repeat(" ", gap);
    }
    out << text << '\n';
  };
  const auto rule = [&] {
    line([&](std::size_t i) { return text::repeat("─", widths[i]); },
         [](std::size_t) { return Tone::dim; });
  };

  line([&](std::size_t i) { return table.columns[i].title; },
       [](std::size_t) { return Tone::title; });
  rule();
  const std::size_t room = width - std::min(width, indent);
  for (const auto& row : table.rows) {
    if (is_heading(row)) {
      out << text::repeat(" ", indent)
          << paint(text::shorten(row[0].text, room), row[0].tone, style) << '\n';
      continue;
    }
    line([&](std::size_t i) { return row[i].text; }, [&](std::size_t i) { return row[i].tone; });
  }
  rule();
  if (!dropped.empty()) {
    const std::string note =
        fmt::format("not shown for want of width: {}", fmt::join(dropped, ", "));
    for (const auto& part : text::wrap(note, room)) {
      out << text::repeat(" ", indent) << paint(part, Tone::dim, style) << '\n';
    }
  }
}

std::size_t width_of(const Table& table) {
  return total(widths_of(table));
}

void print_markdown_row(std::ostream& out, const Table& table, const std::vector<Cell>& row) {
  out << '|';
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out << ' ' << (i < row.size() ? escape_markdown(row[i].text) : "") << " |";
  }
  out << '\n';
}

void print_markdown(std::ostream& out, const Table& table) {
  std::vector<Cell> titles;
  for (const Column& column : table.columns) titles.push_back({column.title});
  print_markdown_row(out, table, titles);
  out << '|';
  for (const Column& column : table.columns) out << (column.right ? " ---: |" : " :--- |");
  out << '\n';
  for (const auto& row : table.rows) print_markdown_row(out, table, row);
}

std::string escape_markdown(const std::string& text) {
  static constexpr std::string_view special = "\\|`*<>[]~&";
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace apod::report
