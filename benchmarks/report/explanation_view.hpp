#pragma once

/// \file
/// What an explanation shows, before the console or Markdown gives it a form. Internal to report/.

#include <map>
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
  std::string time;                     ///< "29.74 ms ±0.15 %"
  std::map<std::string, double> facts;  ///< the timeline's among them; see timeline_lines()
  std::vector<TitledTable> tables;
  std::vector<Finding> findings;
  bool on_gpu = true;  ///< of a host's case few findings are judged
};

/// The profile of the case's traced pass; an empty one where there is none.
const Profile& traced_profile(const Result& result, std::size_t case_index);

/// What is to be known of all sections together, a line each: that nothing was traced, or some
/// cases were not; that no ceilings are known.
std::vector<std::string> remarks(const Result& result);

/// Said where a case has no finding.
std::string nothing_found(const ExplanationView& view);

/// In the order of the plan.
std::vector<ExplanationView> explain(const Result& result);

}  // namespace apod::report
