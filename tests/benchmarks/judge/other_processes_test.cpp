#include "benchmarks/judge/other_processes.hpp"

#include <gtest/gtest.h>

#include "benchmarks/judge/compare.hpp"
#include "tests/benchmarks/judge/sides.hpp"

namespace apod::judge {
namespace {

SideCase beside(double milliseconds, Facts facts) {
  auto c = side_case("x", around(milliseconds, 0.001));
  c.facts = std::move(facts);
  return c;
}

CaseComparison compared(const Side& base, const Side& new_side) {
  return compare_sides(base, new_side, {}).cases.at(0);
}

TEST(OtherProcesses, MayHaveMadeAChangeOrHiddenOne) {
  const auto with = [](double milliseconds, double others) {
    return side_of({beside(milliseconds, {{"other_gpu_processes", others}})});
  };
  // More than 4.5 times as long would be sure.
  const auto doubted = compared(with(1.0, 0), with(5.0, 1));
  EXPECT_EQ(doubted.verdict, Verdict::suspect);
  EXPECT_EQ(doubted.reason,
            "other processes may have caused this change: other processes on the GPU 0 -> 1");
  EXPECT_EQ(compared(with(1.0, 1), with(5.0, 1)).verdict, Verdict::regression)
      << "the same on both sides";
  EXPECT_EQ(compared(with(1.0, 0), with(5.0, 0.2)).verdict, Verdict::regression)
      << "one of five processes does not make the mean";
  const auto hidden = compared(with(1.0, 1), with(1.0, 0));
  EXPECT_EQ(hidden.verdict, Verdict::within_noise);
  ASSERT_EQ(hidden.warnings.size(), 1u);
  EXPECT_EQ(hidden.warnings[0],
            "other processes may have hidden a change: other processes on the GPU 1 -> 0");
}

TEST(OtherProcesses, OnManyProcessorsMayHaveMadeAChange) {
  const auto verdict = [](double load_before, double load_after) {
    Side base = side_of({beside(5.0, {{"other_load", load_before}})});
    Side new_side = side_of({beside(1.0, {{"other_load", load_after}})});
    base.sessions[0].environment["cpus"] = "16";
    new_side.sessions[0].environment["cpus"] = "16";
    return compared(base, new_side).verdict;
  };
  EXPECT_EQ(verdict(0.1, 15), Verdict::suspect);
  EXPECT_EQ(verdict(15, 0.1), Verdict::suspect);
  EXPECT_EQ(verdict(0.1, 4), Verdict::improvement) << "twelve processors are enough";
  EXPECT_EQ(verdict(0.1, -1e9), Verdict::improvement) << "not told";
}

TEST(OtherProcesses, WhatOneSideDoesNotTellIsNoDisturbance) {
  const auto told = side_of({beside(5.0, {{"other_gpu_processes", 1}, {"other_load", 16}})});
  EXPECT_EQ(compared(side_of({beside(1.0, {})}), told).verdict, Verdict::regression);
}

Side loaded(const char* average, Facts facts) {
  Side side = side_of({beside(1.0, std::move(facts))});
  side.sessions[0].environment = {{"load_average", average}, {"cpus", "4"}};
  return side;
}

/// What differs between the only cases of the two.
std::vector<std::string> changes(const Side& base, const Side& new_side) {
  const CasePair pair(&base.cases.at(0), &new_side.cases.at(0));
  std::vector<std::string> texts;
  for (const auto& change : OtherProcesses(base, new_side).changes({&pair, 1})) {
    EXPECT_FALSE(change.decisive);
    texts.push_back(change.text);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(OtherProcesses, AreToldInTheHead) {
  EXPECT_EQ(changes(loaded("0.1", {{"other_gpu_processes", 0}, {"other_load", 0}}),
                    loaded("0.1", {{"other_gpu_processes", 0.2}, {"other_load", 3}})),
            (Texts{"other processes on the GPU 0 -> 0.2",
                   "processors busy with other processes 0 -> 3 of 4"}));
  EXPECT_EQ(changes(loaded("0.1", {{"other_load", 0}}), loaded("9", {{"other_load", 0.5}})),
            Texts{})
      << "what was measured beside the cases comes before the minute before them";
}

TEST(OtherProcesses, TheLoadAverageStandsInWhereNothingElseIsTold) {
  EXPECT_EQ(changes(loaded("0.1", {}), loaded("6.0", {})),
            Texts{"load of the machine per processor 0.03 -> 1.50"});
  EXPECT_EQ(changes(loaded("0.1", {}), loaded("0.3", {})), Texts{});
  Side silent = loaded("", {});
  silent.sessions[0].environment.erase("load_average");
  EXPECT_EQ(changes(loaded("6.0", {}), silent), Texts{});
}

TEST(OtherProcesses, CasesOfOneSideAloneDoNotCount) {
  Side base = loaded("0", {{"other_load", 0}});
  Side new_side = loaded("0", {{"other_load", 0}});
  const auto alone = beside(1.0, {{"other_load", 4}});
  const std::vector<CasePair> pairs{{&base.cases[0], &new_side.cases[0]}, {nullptr, &alone}};
  EXPECT_TRUE(OtherProcesses(base, new_side).changes(pairs).empty());
}

TEST(OthersBeside, SaysWhatOtherProcessesDidWhereThatIsWorthAWord) {
  const auto beside_others = [](double gpu, double load) {
    return others_beside(loaded("0", {{"other_gpu_processes", gpu}, {"other_load", load}}));
  };
  EXPECT_EQ(beside_others(0, 0.9), "");
  EXPECT_EQ(beside_others(0, 1.5), "other processes kept 1.5 of 4 processors busy");
  EXPECT_EQ(beside_others(1, 0), "other processes had contexts on the GPU");
  EXPECT_EQ(others_beside(side_of({side_case("x", {1})})), "") << "not recorded";
}

}  // namespace
}  // namespace apod::judge
