#pragma once

/// \file
/// How a table gets into the width that there is.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/show/document.hpp"

namespace apod::show {

/// Blanks between the columns of a terminal's table, and before the first.
constexpr std::size_t table_gap = 2;

/// The table without the columns that have no value in any row; "-" for a missing number in the
/// others.
Table with_values(Table table);

struct TableFit {
  std::vector<std::size_t> columns;   ///< indices of the shown ones
  std::vector<std::size_t> widths;    ///< of each of these
  std::vector<std::string> left_out;  ///< names of the others
};

/// For a table of harmless text. Long words are wrapped or shortened first and titles wrapped, then
/// columns are dropped by their priority, then words are made as short as they may be. Wider than
/// `width` only if essential numbers need more, or if it keeps all columns.
TableFit fit(const Table& table, std::size_t width, bool keeps_all = false);

/// The lines of every cell of a column that is `width` wide; none for rows without cells. A key is
/// wrapped. If it is far too long its middle is cut, but only if it still differs from every other
/// key of its column.
std::vector<std::vector<std::string>> cell_lines(const Table& table, std::size_t column,
                                                 std::size_t width);

/// `text` in lines of at most `width` columns, broken at blanks, after a joint of a name such as
/// "/" or "_", or anywhere if there is neither. At least one line.
std::vector<std::string> wrap_name(std::string_view text, std::size_t width);

}  // namespace apod::show
