#pragma once

/// \file
/// The one list of the columns that tables of cases have: in a terminal, on a page, in CSV, and
/// along the y axis of a figure.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// What a cell depends on besides its case.
struct CellContext {
  bool is_baseline = false;  ///< another case is compared with it
  bool asked = false;        ///< the column was asked for by name
};

/// Whether the ends of a fact's interval follow it in CSV.
enum class Ends : std::uint8_t { none, shown };

struct CaseColumn {
  std::string fact;            ///< that it shows, and what --columns and --y call it
  std::string title = {};      ///< for people; empty: only on request
  std::string csv_title = {};  ///< empty: CSV has it at the end, like every further fact
  int priority = 0;            ///< see Column; requested columns are essential
  /// For people, and for CSV; null: the value of the fact.
  Cell (*shown)(const CaseSummary&, const std::string& fact, const CellContext&) = nullptr;
  Cell (*written)(const CaseSummary&) = nullptr;
  Ends ends = Ends::none;
  Align align = Align::right;
};

/// In the order in which tables have them.
const std::vector<CaseColumn>& case_columns();
/// The column of the fact; null if the list has none, as for most facts.
const CaseColumn* find_column(const std::string& fact);

/// A fact, or an end of its interval, with its unit as text and as a number. Empty if unknown.
Cell fact_cell(const CaseSummary& summary, const std::string& fact);

/// The title in CSV of an end of the interval, "_low" or "_high": time_low_s.
std::string csv_title_of(const CaseColumn& column, const std::string& end);

/// The fact that a title or a name of CSV stands for: "of peak" is share_of_peak. Other names stand
/// for themselves.
std::string fact_called(const std::string& name);

/// The axes and facts that `columns` names, by their names or by the titles of their columns.
/// Throws std::invalid_argument, with a hint, for any other name.
std::vector<std::string> named_columns(const Plan& plan, const std::vector<std::string>& columns);

bool contains(const std::vector<std::string>& names, const std::string& name);

/// One experiment of the result, ready to be shown.
struct ExperimentView {
  std::string method;  ///< workload, scope, processes, cache ...
  std::string common;  ///< axes that all of its cases share: "size 1e8, accumulator fp32"
  Cases cases;         ///< the measured and the failed ones
  Table table;         ///< a row for each of them
};
/// `columns`: what named_columns() found.
ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries,
                       const std::vector<std::string>& columns, Audience audience);

}  // namespace apod::show
