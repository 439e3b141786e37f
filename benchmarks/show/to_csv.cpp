#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {
namespace {

/// Whether a spreadsheet would run it: it begins like a formula, and is not a number.
bool is_formula(const std::string& text) {
  // The wide ones too, as some programs take them for the same.
  for (const char* wide : {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
    if (text.starts_with(wide)) return true;
  }
  if (text.find_first_of("=+-@") != 0) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end != text.c_str() + text.size();
}

/// Quoted too where GitHub's runner would take the line for a command.
bool needs_quotes(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.find_first_of(",\"") != std::string::npos || text.compare(begin, 2, "::") == 0;
}

std::string field(const std::string& raw) {
  std::string text = text::printable(raw);
  if (is_formula(text)) text.insert(0, 1, '\'');
  if (!needs_quotes(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// Every digit of a whole number. Of others nine, which are more than any measurement has.
std::string digits_of(double number) {
  constexpr double largest_whole = 9007199254740992;  // 2^53
  const bool whole = number == std::floor(number) && std::abs(number) < largest_whole;
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{:.9g}", number);
}

}  // namespace

void render_csv(std::ostream& out, const Table& table) {
  const char* comma = "";
  for (const auto& column : table.columns) {
    out << comma << field(column.id_or_name());
    comma = ",";
  }
  out << '\n';
  for (const auto& row : table.rows) {
    if (row.cells.empty()) continue;
    comma = "";
    for (const auto& cell : row.cells) {
      out << comma << (std::isfinite(cell.number) ? digits_of(cell.number) : field(cell.text));
      comma = ",";
    }
    out << '\n';
  }
}

}  // namespace apod::show
