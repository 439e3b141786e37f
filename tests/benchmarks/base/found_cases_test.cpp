#include "benchmarks/base/found_cases.hpp"

#include <gtest/gtest.h>

#include "benchmarks/base/summary.hpp"

namespace apod {
namespace {

/// A plan of commands whose cases are found, and what their processes told of.
class FoundCases : public testing::Test {
 protected:
  FoundCases() {
    result_.plan.experiments.resize(1);
    result_.plan.experiments[0].command = CommandSpec{.words = {"app"}, .reads = Reads::google};
  }

  Case& add_case(const std::string& id, std::optional<std::size_t> baseline = {}) {
    Case c;
    c.index = result_.plan.cases.size();
    c.id = id;
    c.baseline = baseline;
    c.params.set(found_axis, std::string(not_yet_found));
    result_.plan.cases.push_back(c);
    return result_.plan.cases.back();
  }

  Measurement& tell(std::size_t index, int process, std::vector<FoundCase> found) {
    Measurement m;
    m.case_index = index;
    m.case_id = result_.plan.cases[index].id;
    m.process = process;
    m.verification.passed = true;
    m.facts["user_time"] = 1;
    m.found = std::move(found);
    result_.measurements.push_back(m);
    return result_.measurements.back();
  }

  std::vector<std::string> ids(const std::string& filter = "") {
    place_found_cases(result_, text::Pattern(filter));
    std::vector<std::string> all;
    for (const auto& c : result_.plan.cases) {
      EXPECT_EQ(c.index, all.size());
      all.push_back(c.id);
    }
    return all;
  }

  using Ids = std::vector<std::string>;
  Result result_;
};

TEST_F(FoundCases, TakeThePlaceOfTheOneThatStoodForThem) {
  add_case("e/a");
  tell(0, 0,
       {{.name = "x", .samples_s = {1, 2}, .facts = {{"flops", 7}}},
        {.name = "y/8", .samples_s = {3}}});
  tell(0, 1,
       {{.name = "x", .samples_s = {2}, .facts = {{"flops", 9}}},
        {.name = "y/8", .samples_s = {3}}});
  EXPECT_EQ(ids(), (Ids{"e/a/x", "e/a/y/8"}));
  EXPECT_EQ(result_.plan.experiments[0].swept, Ids{"case"});
  const auto summaries = summarize(result_);
  EXPECT_EQ(summaries[0].value("processes"), 2);
  EXPECT_EQ(summaries[0].value("samples"), 3);
  EXPECT_EQ(summaries[0].value("flops"), 8);
  EXPECT_EQ(summaries[1].value("user_time"), 1);
  EXPECT_EQ(summaries[1].facts.count("flops"), 0U);
  EXPECT_EQ(result_.plan.cases[1].params.text("case"), "y/8");
  for (const auto& m : result_.measurements) EXPECT_TRUE(m.found.empty());
}

TEST_F(FoundCases, EachIsComparedWithThatOfItsName) {
  add_case("e/base");
  add_case("e/new", 0);
  tell(0, 0, {{.name = "x", .samples_s = {1}}, {.name = "gone", .samples_s = {1}}});
  tell(1, 0, {{.name = "added", .samples_s = {1}}, {.name = "x", .samples_s = {2}}});
  EXPECT_EQ(ids(), (Ids{"e/base/x", "e/base/gone", "e/new/added", "e/new/x"}));
  EXPECT_EQ(result_.plan.cases[2].baseline, std::nullopt);
  EXPECT_EQ(result_.plan.cases[3].baseline, 0U);
  EXPECT_NEAR(summarize(result_)[3].value("delta"), 1, 1e-9);
}

TEST_F(FoundCases, OneThatAProcessDoesNotTellOfHasFailed) {
  add_case("e/a");
  tell(0, 0, {{.name = "x", .samples_s = {1}}, {.name = "y", .samples_s = {1}}});
  tell(0, 1, {{.name = "x", .samples_s = {1}}});
  ids();
  const auto summaries = summarize(result_);
  EXPECT_EQ(summaries[0].status, CaseStatus::measured);
  EXPECT_EQ(summaries[1].status, CaseStatus::failed);
  EXPECT_EQ(summaries[1].reason, "read: process 1 did not report this case");
}

TEST_F(FoundCases, WhatIsWantedIsKeptAndIsMissedWhereItIsMissing) {
  add_case("e/a").wanted = {"there", "not there"};
  tell(0, 0, {{.name = "there", .samples_s = {1}}, {.name = "other", .samples_s = {1}}});
  EXPECT_EQ(ids(), (Ids{"e/a/there", "e/a/not there"}));
  EXPECT_EQ(summarize(result_)[1].status, CaseStatus::failed);
}

TEST_F(FoundCases, AFilterKeepsBaselinesToo) {
  add_case("e/base");
  add_case("e/new", 0);
  for (const std::size_t i : {0U, 1U}) {
    tell(i, 0, {{.name = "x", .samples_s = {1}}, {.name = "y", .samples_s = {1}}});
  }
  EXPECT_EQ(ids("new/x"), (Ids{"e/base/x", "e/new/x"}));
  EXPECT_EQ(result_.measurements.size(), 2U);
}

TEST_F(FoundCases, AProcessThatFailedLeavesTheCaseOrFailsThemAll) {
  add_case("e/a");
  add_case("e/b");
  tell(0, 0, {}).failed = "exit code 1";
  tell(1, 0, {{.name = "x", .samples_s = {1}}});
  tell(1, 1, {}).failed = "exit code 2";
  EXPECT_EQ(ids(), (Ids{"e/a", "e/b/x"}));
  const auto summaries = summarize(result_);
  EXPECT_EQ(summaries[0].reason, "exit code 1");
  EXPECT_EQ(summaries[1].reason, "exit code 2");
}

}  // namespace
}  // namespace apod
