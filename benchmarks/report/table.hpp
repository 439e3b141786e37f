#pragma once

/// \file
/// A table as plain text cells, and its two ways out: aligned for a console, or as Markdown.
/// Internal to report/.

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/report/report.hpp"

namespace apod::report {

/// What a text means, which a console may show as a colour.
enum class Tone : std::uint8_t { plain, good, bad, warning, dim, title };

/// `text` in the tone's colour, or as it is without colour.
std::string paint(const std::string& text, Tone tone, const ConsoleStyle& style);

struct Cell {
  std::string text;  ///< printable
  Tone tone = Tone::plain;
};

struct Column {
  std::string title;
  bool right = true;  ///< numbers are aligned to the right, words to the left
  /// Where the table is too wide, columns of the least weight go first. Those of `essential` stay.
  int weight = essential;
  static constexpr int essential = 100;
};

struct Table {
  std::vector<Column> columns;
  /// Each as long as `columns`, or one cell alone: a heading across the line.
  std::vector<std::vector<Cell>> rows;
};

/// Columns aligned under thin rules. To keep within the style's width, very long words are
/// shortened in the middle, then the least important columns left out (and named below the table),
/// then all words shortened.
void print(std::ostream& out, Table table, const ConsoleStyle& style);

/// Columns of a terminal that `table` takes when nothing of it is shortened or left out.
std::size_t width_of(const Table& table);

/// A GitHub-flavoured Markdown table.
void print_markdown(std::ostream& out, const Table& table);
/// One more row below it.
void print_markdown_row(std::ostream& out, const Table& table, const std::vector<Cell>& row);

/// `text` with the characters that mean something in a Markdown paragraph or table escaped.
std::string escape_markdown(const std::string& text);

}  // namespace apod::report
