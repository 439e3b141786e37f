#include "benchmarks/plan/expect.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace apod::plan {
namespace {

Condition condition(Comparator comparator, std::vector<Operand> operands, std::string text) {
  return {comparator, std::move(operands), std::move(text)};
}

Condition equals_axis(const std::string& axis) {
  return condition(Comparator::eq, {axis}, "== " + axis);
}

Condition above(double number, const std::string& text) {
  return condition(Comparator::gt, {number}, text);
}

Expectation rule(std::string fact, Condition condition, Match where = {}) {
  return {std::move(where), std::move(fact), std::move(condition), {7, 9}};
}

/// One experiment whose cases sweep `streams` and `host_memory`.
class Expectations : public testing::Test {
 protected:
  Expectations() { result_.plan.experiments.resize(1); }

  CaseSummary& add_case(std::int64_t streams, const std::string& host_memory,
                        CaseStatus status = CaseStatus::measured, std::size_t experiment = 0) {
    Case c;
    c.index = result_.plan.cases.size();
    c.experiment = experiment;
    c.params.set("streams", streams);
    c.params.set("host_memory", host_memory);
    result_.plan.cases.push_back(c);
    CaseSummary summary;
    summary.status = status;
    summaries_.push_back(summary);
    return summaries_.back();
  }

  void expect(Expectation expectation, std::size_t experiment = 0) {
    result_.plan.experiments[experiment].expectations.push_back(std::move(expectation));
  }

  std::vector<ExpectationOutcome> check() {
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      summaries_[i].info = &result_.plan.cases[i];
    }
    return check_expectations(result_, summaries_);
  }

  Result result_;
  std::vector<CaseSummary> summaries_;
};

TEST_F(Expectations, NoRulesNoOutcomes) {
  add_case(1, "pinned");
  EXPECT_TRUE(check().empty());
  EXPECT_TRUE(check_expectations({}, {}).empty());
}

TEST_F(Expectations, HoldAFactAgainstAnAxisOfTheCase) {
  add_case(1, "pinned").facts["distinct_streams"] = {1};
  add_case(4, "pinned").facts["distinct_streams"] = {1};
  expect(rule("distinct_streams", equals_axis("streams")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].state, RuleState::met);
  EXPECT_EQ(outcomes[0].case_index, 0u);
  EXPECT_EQ(outcomes[1].state, RuleState::missed);
  EXPECT_EQ(outcomes[1].case_index, 1u);
  EXPECT_EQ(outcomes[1].rule, "distinct_streams == streams");
  EXPECT_EQ(outcomes[1].observed, "distinct_streams is 1, streams is 4");
  EXPECT_EQ(outcomes[1].place.line, 7);
  EXPECT_EQ(outcomes[1].place.column, 9);
}

TEST_F(Expectations, WhereSelects) {
  add_case(1, "pinned").facts["overlap"] = {0};
  add_case(4, "pageable").facts["overlap"] = {0};
  add_case(4, "pinned").facts["overlap"] = {0.123456789};
  expect(rule("overlap", above(0.1, "> 0.1"),
              {{"streams", above(1, "> 1")},
               {"host_memory", condition(Comparator::eq, {std::string("pinned")}, "pinned")}}));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].case_index, 2u);
  EXPECT_EQ(outcomes[0].state, RuleState::met);
  EXPECT_EQ(outcomes[0].rule, "overlap > 0.1");
  EXPECT_EQ(outcomes[0].observed, "overlap is 12.35 %");
}

TEST_F(Expectations, FindingsAreThereOrNot) {
  CaseSummary& aliased = add_case(4, "pinned");
  aliased.facts["span"] = {1};
  aliased.findings = {{.id = "aliased-streams", .severity = Severity::warning},
                      {.id = "memory-bound", .severity = Severity::note}};
  const auto is = [](const std::string& id) {
    return rule("findings", condition(Comparator::eq, {id}, id));
  };
  const auto is_not = [](const std::string& id) {
    return rule("findings", condition(Comparator::ne, {id}, "!= " + id));
  };
  for (const auto& expectation : {is("aliased-streams"), is("memory-bound"), is("idle-gaps"),
                                  is_not("aliased-streams"), is_not("idle-gaps"), is("none")}) {
    expect(expectation);
  }
  std::string met;
  for (const auto& outcome : check()) met += outcome.state == RuleState::met ? '+' : '-';
  EXPECT_EQ(met, "++--+-");
  EXPECT_EQ(check()[3].rule, "findings != aliased-streams");
  EXPECT_EQ(check()[3].observed, "findings are aliased-streams (warning), memory-bound (note)");

  summaries_[0].findings.erase(summaries_[0].findings.begin());
  EXPECT_EQ(check()[5].state, RuleState::met) << "a note is no warning";
  summaries_[0].facts.clear();
  EXPECT_EQ(check()[5].state, RuleState::undecided);
  EXPECT_EQ(check()[5].observed, "the case was not traced");
}

TEST_F(Expectations, AFactThatIsAbsentIsUndecidedAndSaysWhy) {
  add_case(4, "pinned").facts["processes"] = {2};
  expect(rule("overlap", above(0, "> 0")));
  expect(rule("transfer_bytes", above(0, "> 0")));
  expect(rule("dram_bytes", above(0, "> 0")));
  expect(rule("precision", above(0, "> 0")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 4u);
  EXPECT_EQ(outcomes[0].state, RuleState::undecided);
  EXPECT_EQ(outcomes[0].observed, "overlap was not traced (to trace, set measure.trace: true)");
  EXPECT_EQ(outcomes[1].state, RuleState::undecided);
  EXPECT_EQ(outcomes[1].observed, "transfer_bytes was not measured");
  EXPECT_EQ(outcomes[2].observed,
            "dram_bytes was not counted (to count, set measure.counters: true)");
  EXPECT_EQ(outcomes[3].state, RuleState::undecided);
  EXPECT_EQ(outcomes[3].observed, "precision needs 3 processes, but 2 measured the case");
}

TEST_F(Expectations, AFactThatWasAskedForInVainSaysWhatThePassSaid) {
  auto& measure = result_.plan.experiments[0].measure;
  measure.trace = measure.counters = true;
  add_case(4, "pinned").notes = {"nothing counted: no counters here", "no trace: it crashed"};
  expect(rule("overlap", above(0, "> 0")));
  expect(rule("dram_bytes", above(0, "> 0")));
  EXPECT_EQ(check()[0].observed, "overlap was not traced: it crashed");
  EXPECT_EQ(check()[1].observed, "dram_bytes was not counted: no counters here");
  summaries_[0].notes.clear();
  EXPECT_EQ(check()[0].observed, "overlap was not traced");
}

TEST_F(Expectations, WhatWasMeasuredHasItsUnit) {
  auto& facts = add_case(4, "pinned").facts;
  facts = {{"time", {0.00123456789}},  {"bandwidth", {3.3512345e12}}, {"flops", {1234567890}},
           {"sm_clock", {1979.87654}}, {"pinned_bytes", {1234567}},   {"kernels", {1234567}}};
  for (const auto& [fact, value] : facts) expect(rule(fact, above(1e99, "> 1e99")));
  std::string observed;
  for (const auto& outcome : check()) observed += outcome.observed + "\n";
  EXPECT_EQ(observed,
            "bandwidth is 3.351 TB/s\nflops is 1.235 GFLOP/s\nkernels is 1234567\n"
            "pinned_bytes is 1.234567 MB\nsm_clock is 1980 MHz\ntime is 1.235 ms\n");
}

TEST_F(Expectations, HoldTheEndsOfIntervals) {
  add_case(4, "pinned").facts["speedup"] = {2, 1.5, 2.5};
  summaries_[0].facts["processes"] = {2};
  result_.plan.cases[0].baseline = 0;
  expect(rule("speedup_low", above(1.4, "> 1.4")));
  expect(rule("time_high", above(0, "> 0")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].state, RuleState::met) << outcomes[0].observed;
  EXPECT_EQ(outcomes[1].observed, "time_high needs 3 processes, but 2 measured the case");
}

TEST_F(Expectations, OnlyMeasuredCasesCount) {
  add_case(1, "pinned", CaseStatus::failed).facts["time"] = {5};
  add_case(2, "pinned").facts["time"] = {1};
  add_case(4, "pinned", CaseStatus::skipped);
  expect(rule("time", condition(Comparator::lt, {2.0}, "< 2")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].case_index, 1u);
  EXPECT_EQ(outcomes[0].state, RuleState::met);
}

TEST_F(Expectations, ARuleWhoseCasesAllCameToNothingIsUndecided) {
  add_case(1, "pinned").facts["time"] = {1};
  for (const auto status : {CaseStatus::failed, CaseStatus::skipped, CaseStatus::not_run}) {
    add_case(4, "pinned", status);
  }
  expect(rule("time", above(0, "> 0"), {{"streams", above(1, "> 1")}}));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].state, RuleState::undecided);
  EXPECT_EQ(outcomes[0].case_index, 1u);
  EXPECT_EQ(outcomes[0].observed, "the rule selects no measured case");
}

TEST_F(Expectations, ARuleThatSelectsNoCaseIsSilent) {
  add_case(1, "pinned").facts["time"] = {1};
  expect(rule("time", above(5, "> 5"), {{"streams", above(1, "> 1")}}));
  expect(rule("time", above(5, "> 5"), {{"no_such_axis", above(1, "> 1")}}));
  EXPECT_TRUE(check().empty());
}

TEST_F(Expectations, ThatCompareAreAskedOfCasesWithABaselineOnly) {
  add_case(1, "pinned").facts["time"] = {2};
  auto& faster = add_case(4, "pinned");
  faster.facts["time"] = {1};
  faster.facts["speedup"] = {2};
  add_case(8, "pinned").facts["time"] = {1};  // its baseline was not measured
  result_.plan.cases[1].baseline = result_.plan.cases[2].baseline = 0;
  expect(rule("speedup", above(1.1, "> 1.1")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].case_index, 1u);
  EXPECT_EQ(outcomes[0].state, RuleState::met);
  EXPECT_EQ(outcomes[1].case_index, 2u);
  EXPECT_EQ(outcomes[1].state, RuleState::undecided);
  EXPECT_EQ(outcomes[1].observed, "speedup was not measured");
}

TEST_F(Expectations, NoCeilingHelpsACommand) {
  add_case(1, "pinned").facts["time"] = {2};
  expect(rule("share_of_ceiling", above(0.5, "> 50 %")));
  EXPECT_NE(check().at(0).observed.find("bench ceilings"), std::string::npos);
  result_.plan.experiments[0].command.emplace();
  EXPECT_EQ(check().at(0).observed,
            "share_of_ceiling is not known: bench does not know the bytes or operations of a "
            "command");
}

TEST_F(Expectations, AnIntervalThatReachesOverTheLimitIsUndecided) {
  auto& change = add_case(4, "pinned");
  result_.plan.cases[0].baseline = 0;
  change.facts = {{"speedup", {2, 1 / 1.004, 25}}, {"delta", {-0.5, -0.96, 0.004}},
                  {"time", {1, 0.9, 1.2}},         {"bandwidth", {1e9, 1e9 / 1.2, 1e9 / 0.9}},
                  {"energy", {2, 1, 3}},           {"kernels", {4}}};
  expect(rule("speedup", above(1.5, "> 1.5")));
  expect(rule("speedup", above(0.9, "> 0.9")));
  expect(rule("delta", condition(Comparator::lt, {0.01}, "< 1%")));
  expect(rule("time", condition(Comparator::le, {1.1}, "<= 1.1s")));
  expect(rule("time", condition(Comparator::le, {1.3}, "<= 1.3s")));
  expect(rule("time", condition(Comparator::lt, {0.8}, "< 0.8s")));
  expect(rule("bandwidth", above(0.9e9, "> 900 MB/s")));
  expect(rule("bandwidth", above(0.8e9, "> 800 MB/s")));
  expect(rule("energy", above(1.5, "> 1.5 J")));
  expect(rule("kernels", above(3, "> 3")));
  const auto outcomes = check();
  std::string states;
  for (const auto& outcome : outcomes) states += std::string(to_string(outcome.state)) + " ";
  EXPECT_EQ(states, "undecided met met undecided met missed undecided met undecided met ");
  EXPECT_EQ(outcomes.at(0).observed, "speedup is 2, between 0.996 and 25");
}

TEST_F(Expectations, BelongToTheirExperiment) {
  result_.plan.experiments.resize(2);
  add_case(1, "pinned", CaseStatus::measured, 0).facts["time"] = {1};
  add_case(1, "pinned", CaseStatus::measured, 1).facts["time"] = {3};
  expect(rule("time", above(2, "> 2")), 1);
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].case_index, 1u);
  EXPECT_EQ(outcomes[0].state, RuleState::met);
}

TEST_F(Expectations, RulesReadWellHoweverTheyWereWritten) {
  auto& facts = add_case(2, "pinned").facts;
  facts["kernels"] = {4};
  facts["pageable_bytes"] = {800'000'000};
  expect(rule("kernels", condition(Comparator::eq, {4.0}, "4")));
  expect(rule("kernels", condition(Comparator::is_one_of, {1.0, 2.0}, "[1, 2]")));
  expect(rule("kernels",
              condition(Comparator::is_one_of, {std::string("streams"), 4.0}, "[streams, 4]")));
  expect(rule("pageable_bytes", condition(Comparator::le, {0.0}, "<= 0")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 4u);
  EXPECT_EQ(outcomes[0].rule, "kernels == 4");
  EXPECT_EQ(outcomes[0].state, RuleState::met);
  EXPECT_EQ(outcomes[1].rule, "kernels in [1, 2]");
  EXPECT_EQ(outcomes[1].state, RuleState::missed);
  EXPECT_EQ(outcomes[2].state, RuleState::met);
  EXPECT_EQ(outcomes[2].observed, "kernels is 4, streams is 2");
  EXPECT_EQ(outcomes[3].state, RuleState::missed);
  EXPECT_EQ(outcomes[3].observed, "pageable_bytes is 800 MB");
}

TEST_F(Expectations, AWordAgainstANumberIsNotMet) {
  add_case(2, "pinned").facts["kernels"] = {4};
  expect(rule("kernels", equals_axis("host_memory")));
  const auto outcomes = check();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].state, RuleState::missed);
  EXPECT_EQ(outcomes[0].observed, "kernels is 4, host_memory is pinned");
}

}  // namespace
}  // namespace apod::plan
