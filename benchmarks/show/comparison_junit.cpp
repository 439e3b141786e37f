#include <cmath>
#include <ostream>

#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/junit.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {
namespace {

/// A failure is what fails the comparison.
JUnitOutcome outcome_of(const Comparison& comparison, const CaseComparison& c, FailOn fails) {
  const auto failure_if = [](bool fails_so) {
    return fails_so ? JUnitOutcome::failure : JUnitOutcome::skipped;
  };
  switch (c.verdict) {
    case Verdict::regression:
      return JUnitOutcome::failure;
    case Verdict::missing:
      return failure_if(!comparison.of_recordings);
    case Verdict::invalid:
      return JUnitOutcome::error;
    case Verdict::suspect:
      return failure_if(c.change.value > 0 && fails != FailOn::regression);
    case Verdict::inconclusive:
      return failure_if(fails == FailOn::inconclusive);
    case Verdict::added:
      return JUnitOutcome::skipped;
    default:
      return JUnitOutcome::passed;
  }
}

/// What keeps an inconclusive case from a verdict.
std::vector<std::string> lacks(const CaseComparison& c) {
  const bool known = c.detectable && std::isfinite(*c.detectable);
  std::vector<std::string> lines{
      "smallest detectable change: " +
      (known ? text::format_percent(*c.detectable) : "unknown: too few processes")};
  if (c.units_needed) {
    lines.push_back("to detect the threshold: " + std::to_string(*c.units_needed) + " " +
                    units(c.replicate));
  }
  return lines;
}

JUnitTest test_of(const Comparison& comparison, const CaseComparison& c, FailOn fails) {
  JUnitTest test{c.name,
                 c.is_counter ? 0 : c.new_s,
                 outcome_of(comparison, c, fails),
                 std::string(to_string(c.verdict)),
                 "",
                 remarks(c)};
  if (c.verdict == Verdict::inconclusive) {
    for (auto& line : lacks(c)) test.lines.push_back(std::move(line));
  }
  test.message = test.type;
  if (is_judged(c)) test.message += ": " + times_of(c);
  if (!c.reason.empty()) test.message += ": " + c.reason;
  return test;
}

JUnitSuite suite_of(const Comparison& comparison, FailOn fails) {
  const std::string verdict = verdict_line(comparison);
  JUnitSuite suite{"bench compare", comparison.base + " -> " + comparison.new_side, {}, {}};
  suite.properties.emplace_back("verdict", verdict);
  for (const auto& line : comparison.environment)
    suite.properties.emplace_back("environment", line);
  for (const auto& line : notes(comparison)) suite.properties.emplace_back("note", line);
  // A suite without a failure would pass; one that compared nothing, or not all, must not.
  if (ended_early(comparison) || !comparison.unlike.empty()) {
    suite.tests.push_back(
        {"everything was compared", 0, JUnitOutcome::error, "incomplete", verdict});
    suite.tests.back().lines = comparison.unlike;
    if (!comparison.failure.empty()) suite.tests.back().lines = {comparison.failure};
  } else if (count_compared(comparison) == 0) {
    suite.tests.push_back(
        {"something was compared", 0, JUnitOutcome::error, "nothing_compared", verdict});
  }
  if (comparison.mostly_open() && fails != FailOn::regression) {
    suite.tests.push_back(
        {"most cases were decided", 0, JUnitOutcome::error, "mostly_open", verdict});
  }
  if (const auto& common = comparison.common; common && is_change(common->verdict)) {
    const CaseComparison all{.verdict = common->verdict, .change = common->change};
    suite.tests.push_back({"all cases together", 0, outcome_of(comparison, all, fails),
                           std::string(to_string(common->verdict)), verdict,
                           common_lines(comparison)});
  }
  for (const auto* c : in_report_order(comparison))
    suite.tests.push_back(test_of(comparison, *c, fails));
  return suite;
}

}  // namespace

void write_comparison_junit(std::ostream& out, const Comparison& comparison, FailOn fails) {
  write_junit(out, suite_of(comparison, fails));
}

void write_annotations(std::ostream& out, const Comparison& comparison, FailOn fails) {
  write_annotations(out, suite_of(comparison, fails), verdict_line(comparison));
}

}  // namespace apod::show
