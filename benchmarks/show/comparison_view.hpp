#pragma once

/// \file
/// What every report shows of a Comparison, before a format gives it a form. Internal to show/.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"

namespace apod::show {

enum class FailOn : std::uint8_t;

/// True if there are two times to compare, whatever the outcome.
bool is_judged(const CaseComparison& c);
std::size_t count_judged(const Comparison& comparison);
/// Judged, or known to be identical without times.
bool is_compared(const CaseComparison& c);
std::size_t count_compared(const Comparison& comparison);

/// Whether a signal or a failure ended the comparison before its last block.
bool ended_early(const Comparison& comparison);
/// The cases that should have been compared and were not. A part of a recording that is gone is a
/// change of the program, which its step shows.
std::size_t count_lacking(const Comparison& comparison);
/// Whether something that should have been compared was not.
bool is_incomplete(const Comparison& comparison);

/// Verdicts that must not be overlooked: the case is slower, or was not compared.
bool is_problem(Verdict verdict);

/// The cases as reports list them: regression, missing, invalid, improvement, inconclusive, small,
/// new, unchanged, identical; within each the largest change first.
std::vector<const CaseComparison*> in_report_order(const Comparison& comparison);

/// The steps of a ladder have names that end in one: "case [streams 1 -> 4]".
struct StepName {
  std::string name;
  std::string axis;  ///< empty if it is not a step
  std::string step;
};
StepName step_of(const Comparison& comparison, const std::string& name);
/// The case's name, without the step if all cases have the same: the labels of the sides name it.
std::string name_of(const Comparison& comparison, const CaseComparison& c);

/// What leads to the row of a case.
std::string anchor_of(const Comparison& comparison, const CaseComparison& c);

/// The remarks on a case: the reason, the causes of a change, the warnings.
std::vector<std::string> remarks(const CaseComparison& c);

/// "6.6 %": what the change is compared with, and for blocks what they could have seen; empty if
/// that is not known.
std::string detectable_of(const CaseComparison& c);
/// What all cases share, and its causes; empty if that is only a part of the threshold.
std::vector<std::string> common_lines(const Comparison& comparison);
/// A time: "12.34 us"; the rate whose inverse it is; or "1234" of a counter.
std::string shown_value(bool is_counter, bool is_rate, double value);
/// Of a comparison or a history.
std::string shown_value(const auto& c, double value) {
  return shown_value(c.is_counter, c.is_rate, value);
}
/// "12.34 us -> 13.09 us, +6.1 % ±0.8"; empty without two times.
std::string times_of(const CaseComparison& c);

/// What more of would tell smaller changes apart: "processes a side".
const char* units(Replicate replicate);
/// Which changes the comparison could have seen, and what would settle the inconclusive cases.
std::vector<std::string> sensitivity(const Comparison& comparison);
/// The smallest that each judged case could have shown, where it is known. Of files: to the slower
/// side, or to the faster one.
std::vector<double> detectable_changes(const Comparison& comparison, bool slower);
/// How it was judged: threshold, alpha, the spread between sessions and where it comes from; then
/// the comparison's own notes.
std::vector<std::string> notes(const Comparison& comparison);

void write_comparison_json(std::ostream& out, const Comparison& comparison);
void write_comparison_junit(std::ostream& out, const Comparison& comparison, FailOn fails);

}  // namespace apod::show
