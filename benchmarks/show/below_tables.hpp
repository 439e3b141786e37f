#pragma once

/// \file
/// What a page says below its tables about their marks and columns.

#include <vector>

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
  /// How the commands of its rows are found.
  void explain_commands(Document& document, const Table& table);

 private:
  bool told_where_ = false;  ///< the ceilings were measured
  bool told_commands_ = false;
};

}  // namespace apod::show
