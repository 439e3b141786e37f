#pragma once

/// \file
/// A Result on its way out, for people and for spreadsheets. A file is shown exactly as its run was
/// at its end.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

struct FailsToo;

/// A table of cases for each experiment, then what failed, what was skipped, the expectations and
/// the notes. `columns`: axes and facts, by name or by the title of their column, that the tables
/// of cases have besides the axes that distinguish the cases; none: what fits the cases. A note
/// names those that no case has recorded. Throws std::invalid_argument, with a hint, for an unknown
/// column.
Document run_document(const Result& result, const std::vector<std::string>& columns = {});

/// That without its head and its last line.
Document run_sections(const Result& result, const std::vector<CaseSummary>& summaries,
                      const std::vector<std::string>& columns, Audience audience);

/// "3 met, 1 missed, 2 undecided": of the rules that `expect` holds.
std::string expectations_text(const Result& result);

/// "24 measured, 1 failed, 3 skipped in 12.3 s".
std::string outcome_line(const std::vector<CaseSummary>& summaries, const Result& result);

/// A row per case: its identity, its axes, its numbers and every fact that any case has, each in
/// its unit. `columns`: only these instead of all numbers, named as above.
Table case_rows(const Result& result, const std::vector<std::string>& columns = {});

/// The built-in timers: total, average, maximum, minimum and count of each phase of each case.
Document timers_document(const Result& result);

/// JUnit XML: a test per case. A failed case is an error. What else fails the run is a failure: a
/// missed expectation, and what `fails` names. Other cases that were skipped or not run are
/// skipped. A run that was interrupted, or measured nothing, has an error of its own.
void write_run_junit(std::ostream& out, const Result& result, const FailsToo& fails);

/// The answers of the cases to the question of their study, each with a number and its uncertainty:
/// what failed, missed expectations, what `answer` asks for, then a sentence for each other
/// experiment: the best case against its baseline, how near the best comes to a ceiling, or the
/// fastest. An experiment that has only baselines of others is in their sentences. If there is no
/// answer, the reason. Never empty.
std::vector<std::string> headlines(const Result& result, const std::vector<CaseSummary>& summaries);

/// Annotations of GitHub Actions for the errors and failures of that.
void write_annotations(std::ostream& out, const Result& result, const FailsToo& fails);

/// False for another program's result, which says nothing about its backend.
inline bool is_measured_on_host(const Environment& environment) {
  return environment.producer.empty() && environment.device.backend == BackendKind::host;
}

/// "NVIDIA H200, driver 580.95.05, CUDA 13.0, apod-bench 0.1.0 (commit 1a2b3c)".
std::string device_line(const Environment& environment);

/// Cases that share a text: a reason, a note.
struct Group {
  std::string text;
  std::size_t count = 0;
  std::string first;    ///< id of the first case; empty for a note on the whole run
  bool differ = false;  ///< other cases have other numbers; the text has the first's
};

/// The notes of the machine and of the cases, with those that follow from the numbers.
std::vector<Group> notes_of(const Result& result, const std::vector<CaseSummary>& summaries);

}  // namespace apod::show
