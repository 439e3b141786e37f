#include "benchmarks/show/below_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {
namespace {

using ByAnchor = std::map<std::string, const CaseSummary*>;

/// What a share is a part of: "memory", and how much that is.
struct Whole {
  std::string name;
  double value = 0;  ///< in bytes or FLOPs per second, of launches in seconds
};

std::optional<Whole> ceiling_of(const CaseSummary& summary) {
  if (!summary.roofline || summary.roofline->nearest == Bound::unknown) return std::nullopt;
  return Whole{std::string(to_string(summary.roofline->nearest)), summary.roofline->ceiling};
}

std::optional<Whole> peak_of(const CaseSummary& summary) {
  if (summary.peak.bound == Bound::unknown) return std::nullopt;
  return Whole{std::string(to_string(summary.peak.bound)), summary.peak.rate};
}

std::string value_text(const std::string& name, double value) {
  if (name == to_string(Bound::launch)) return text::format_time(value, text::in_prose);
  const bool bytes = name == to_string(Bound::memory) || name == to_string(Bound::transfer);
  return text::format_rate(value, bytes ? "B/s" : "FLOP/s", text::in_prose);
}

/// "memory 4.21 TB/s, transfer 53.1 to 55.3 GB/s": of the cases in the table; empty where it has no
/// such column.
std::string wholes_text(const Table& table, const std::string& column, const ByAnchor& cases,
                        std::optional<Whole> (*whole_of)(const CaseSummary&)) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& one) { return one.id_or_name() == column; });
  const auto index = static_cast<std::size_t>(found - table.columns.begin());
  std::map<std::string, std::pair<double, double>> ranges;
  for (const auto& row : table.rows) {
    const auto one = cases.find(row.anchor);
    if (index >= row.cells.size() || row.cells[index].text.empty() || one == cases.end()) continue;
    const auto whole = whole_of(*one->second);
    if (!whole) continue;
    auto& [low, high] = ranges.try_emplace(whole->name, whole->value, whole->value).first->second;
    low = std::min(low, whole->value);
    high = std::max(high, whole->value);
  }
  std::string text;
  for (const auto& [name, range] : ranges) {
    const auto low = value_text(name, range.first);
    const auto high = value_text(name, range.second);
    text += (text.empty() ? "" : ", ") + name + " " + low + (low == high ? "" : " to " + high);
  }
  return text;
}

/// Puts what `lines_of` says of a table below it.
void say_below(Document& document,
               const std::function<std::vector<std::string>(const Table&)>& lines_of) {
  std::vector<Block> blocks;
  for (auto& block : document.blocks) {
    const auto* table = std::get_if<Table>(&block);
    const auto lines = table == nullptr ? std::vector<std::string>{} : lines_of(*table);
    blocks.push_back(std::move(block));
    for (const auto& line : lines) blocks.emplace_back(Paragraph{Span{line, Tone::dim}});
  }
  document.blocks = std::move(blocks);
}

bool has_sign(const Row& row) {
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [](const Cell& cell) { return cell.text.starts_with("~ "); });
}

}  // namespace

void explain_columns(Document& document, const Result& result,
                     const std::vector<CaseSummary>& summaries) {
  ByAnchor cases;
  for (const auto& summary : summaries) cases[anchor_of(*summary.info)] = &summary;
  bool said = false;  // where the ceilings were measured
  say_below(document, [&](const Table& table) {
    std::vector<std::string> lines;
    const auto peaks = wholes_text(table, "share_of_peak", cases, peak_of);
    if (!peaks.empty()) lines.push_back("of peak, which is theoretical: " + peaks);
    const auto ceilings = wholes_text(table, "share_of_ceiling", cases, ceiling_of);
    if (!ceilings.empty()) {
      const auto where = said ? "" : about(*result.ceilings);
      lines.push_back("of ceiling, which is measured: " + ceilings +
                      (where.empty() ? "" : " (" + where + ")"));
      said = true;
    }
    if (std::any_of(table.rows.begin(), table.rows.end(), has_sign)) {
      lines.emplace_back("~: undecided, as the interval of the change includes 0");
    }
    return lines;
  });
}

void explain_commands(Document& document) {
  bool said = false;
  say_below(document, [&](const Table& table) {
    const bool says = !said && std::any_of(table.rows.begin(), table.rows.end(),
                                           [](const Row& row) { return !row.command.empty(); });
    said = said || says;
    return says ? std::vector<std::string>{"The link of a case shows the command that repeats it."}
                : std::vector<std::string>{};
  });
}

}  // namespace apod::show
