#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/junit.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::show {
namespace {

/// "r.yaml:12: time < 1 ms: time is 2 ms".
std::string text_of(const Result& result, const ExpectationOutcome& outcome) {
  const std::string place =
      outcome.place.line > 0 ? fmt::format("{}:{}: ", result.plan.config_path, outcome.place.line)
                             : "";
  return place + outcome.rule + ": " + outcome.observed;
}

/// A case is an error where it failed, a failure where it missed a rule.
JUnitTest test_of(const CaseSummary& summary, std::vector<std::string> missed, bool skips_fail) {
  JUnitTest test;
  test.name = summary.info->id;
  test.type = std::string(to_string(summary.status));
  test.message = summary.reason;
  test.lines = std::move(missed);
  if (summary.status == CaseStatus::failed) {
    test.outcome = JUnitOutcome::error;
  } else if (!test.lines.empty()) {
    test.outcome = JUnitOutcome::failure;
    test.type = "expectation";
    test.message = test.lines.front();
  } else if (summary.status == CaseStatus::measured) {
    test.message = "measured: " + text::format_time(summary.time().value);
  } else {
    const bool fails = skips_fail && summary.status == CaseStatus::skipped;
    test.outcome = fails ? JUnitOutcome::failure : JUnitOutcome::skipped;
    if (test.message.empty()) test.message = "not run";
  }
  if (summary.status == CaseStatus::measured) test.time_s = summary.time().value;
  for (const auto& note : summary.notes) test.lines.push_back("! " + note);
  return test;
}

std::vector<JUnitTest> tests_of(const Result& result, const std::vector<CaseSummary>& summaries,
                                const FailsToo& fails) {
  std::vector<JUnitTest> tests;
  const bool any = std::ranges::any_of(
      summaries, [](const CaseSummary& summary) { return summary.status == CaseStatus::measured; });
  // A suite of nothing but skipped tests would pass.
  if (result.interrupted) {
    tests.push_back(
        {"everything was run", 0, JUnitOutcome::error, "incomplete", "the run was interrupted"});
  } else if (!any) {
    tests.push_back({"something was measured", 0, JUnitOutcome::error, "nothing_measured",
                     "no case was measured"});
  }
  std::map<std::size_t, std::vector<std::string>> failing;  // by the index of their case
  std::map<std::size_t, std::vector<std::string>> undecided;
  for (const auto& rule : result.expectations) {
    if (rule.state == RuleState::met) continue;
    const auto* word = rule.state == RuleState::undecided ? "undecided: " : "";
    auto& rules = fails.are_failed_by(rule) ? failing : undecided;
    rules[rule.case_index].push_back(word + text_of(result, rule));
  }
  for (const auto& summary : summaries) {
    const auto index = summary.info->index;
    tests.push_back(test_of(summary, std::move(failing[index]), fails.skipped));
    auto& lines = tests.back().lines;
    lines.insert(lines.end(), undecided[index].begin(), undecided[index].end());
  }
  return tests;
}

JUnitSuite suite_of(const Result& result, const FailsToo& fails) {
  const auto summaries = summarize(result);
  JUnitSuite suite{"bench", result.plan.name, {}, tests_of(result, summaries, fails)};
  suite.properties = {{"device", device_line(result.environment)},
                      {"config", result.plan.config_path},
                      {"date", result.environment.date}};
  for (const auto& note : notes_of(result, summaries))
    suite.properties.emplace_back("note", note.text);
  return suite;
}

}  // namespace

void write_run_junit(std::ostream& out, const Result& result, const FailsToo& fails) {
  write_junit(out, suite_of(result, fails));
}

void write_annotations(std::ostream& out, const Result& result, const FailsToo& fails) {
  auto suite = suite_of(result, fails);
  // What failed comes before what missed a rule.
  std::ranges::stable_partition(
      suite.tests, [](const auto& test) { return test.outcome == JUnitOutcome::error; });
  write_annotations(out, suite, outcome_line(summarize(result), result));
}

}  // namespace apod::show
