#pragma once

/// \file
/// A Result on its way out, for people and for spreadsheets. What is shown of a run at its end is
/// shown of its file later.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/model/result.hpp"
#include "benchmarks/model/summary.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// What of a result is shown.
struct Shown {
  std::function<bool(const Case&)> keep = {};  ///< which cases; all where there is none
  /// Axes and facts by name: the columns of the tables of cases, behind the axes that tell the
  /// cases apart. Empty: what fits the cases.
  std::vector<std::string> columns = {};
};

/// A table of cases for each experiment, then what failed, what was skipped, the expectations and
/// the notes. Throws std::invalid_argument, with a hint, for a column that there is not.
Document run_document(const Result& result, const Shown& shown = {});

/// A row a case: what it is, its axes, its numbers and every fact that any case has, each in its
/// unit.
Table case_rows(const Result& result, const Shown& shown = {});

/// The built-in timers: total, average, maximum, minimum and count of each phase of each case.
Document timers_document(const Result& result);

/// Cases that share a text: a reason, a note.
struct Group {
  std::string text;
  std::size_t count = 0;
  std::string first;  ///< id of the first case; empty for a note on the whole run
};

/// The notes of the machine and of the cases, with those that the numbers themselves call for.
std::vector<Group> notes_of(const Result& result, const std::vector<CaseSummary>& summaries);

}  // namespace apod::report
