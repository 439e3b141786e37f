#pragma once

/// \file
/// What a page says below its tables about their marks and columns.

#include <string>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// The remarks below the tables of one page, some of them only once.
class Legend {
 public:
  /// What "~" means, and the ceilings and peaks that the shares are of. Row i is of case i.
  void explain_columns(Document& document, const Table& table, const Cases& cases,
                       const Result& result);
  /// What a share above 100 % means, and a rate of operations that are not done.
  void explain_values(Document& document, const Table& table, const Cases& cases);
  /// How the commands of its rows are found.
  void explain_commands(Document& document, const Table& table);

 private:
  bool told_where_ = false;  ///< the ceilings were measured
  bool told_commands_ = false;
};

/// Where the cases of a table (row i is of case i) are held against several ceilings or peaks, or
/// against one of another unit than their rate, and no column says which: each share names its own.
void name_wholes(Table& table, const Cases& cases);

/// The time of all cases of each variant together, each as often as the experiment's weight says:
/// "weighed by launches: cub 1.234 ms, mine 1.1 ms (-10.9 %)". Without text if there is no weight.
/// A variant that lacks a measured case is left out, and named.
Paragraph weighted_times(const Experiment& experiment, const Result& result, const Cases& cases);

/// The command that measures `c` and its baseline again. Empty if unknown.
std::string again(const Result& result, const Case& c);
/// The command that judges the case alone; empty if the comparison does not know its own command.
std::string again(const Comparison& comparison, const CaseComparison& c);

}  // namespace apod::show
