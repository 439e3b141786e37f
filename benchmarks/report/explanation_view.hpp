#pragma once

/// \file
/// What an explanation shows, before the console or Markdown gives it a form. Internal to report/.

#include <string>
#include <vector>

#include "benchmarks/model/finding.hpp"
#include "benchmarks/report/explanation.hpp"
#include "benchmarks/report/table.hpp"

namespace apod::report {

/// A table under a title of its own: "kernels (5 of 12)".
struct TitledTable {
  std::string title;
  Table table;
};

/// All texts but those of the findings are printable.
struct ExplanationView {
  std::string id;
  std::string time;      ///< "29.74 ms ±0.15 %"
  std::string timeline;  ///< in one line; empty without a trace
  std::vector<TitledTable> tables;
  std::vector<Finding> findings;
};

/// In the order of the plan.
std::vector<ExplanationView> explain(const Result& result);

}  // namespace apod::report
