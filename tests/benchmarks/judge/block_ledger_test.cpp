#include "benchmarks/judge/block_ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// One block of two arms; every visit of a case takes as long as its arm says, times 1 + `jitter`.
void block(BlockLedger& ledger, double base_ms, double new_ms, double jitter) {
  ledger.visit(0, side_of({side_case("e/v/x", {base_ms * (1 + jitter)})}));
  ledger.visit(1, side_of({side_case("e/v/x", {new_ms * (1 - jitter)})}));
  ledger.visit(1, side_of({side_case("e/v/x", {new_ms})}));
  ledger.visit(0, side_of({side_case("e/v/x", {base_ms})}));
  ledger.close_block();
}

void blocks(BlockLedger& ledger, int count, double base_ms, double new_ms) {
  for (int b = 0; b < count; ++b) block(ledger, base_ms, new_ms, 1e-4 * (b % 3 - 1));
}

const CaseComparison& named(const Comparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.cases.begin(), comparison.cases.end(),
                                  [&](const auto& c) { return c.name == name; });
  EXPECT_NE(found, comparison.cases.end()) << name;
  static const CaseComparison none;
  return found == comparison.cases.end() ? none : *found;
}

TEST(BlockLedger, JudgesWhatItConfirmed) {
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  blocks(ledger, 5, 1.0, 1.05);
  ledger.begin_confirmation();
  EXPECT_EQ(ledger.candidates(), (std::set<CaseStep>{{"e/v/x", 0}}));
  blocks(ledger, 12, 1.0, 1.05);
  const auto comparison = ledger.judge();
  EXPECT_EQ(comparison.base, "old");
  EXPECT_EQ(comparison.new_side, "new");
  const auto& c = named(comparison, "e/v/x");
  EXPECT_EQ(c.verdict, Verdict::regression);
  EXPECT_EQ(c.base_units, 12U);
  EXPECT_EQ(ledger.moved(comparison), (std::set<CaseStep>{{"e/v/x", 0}}));
}

TEST(BlockLedger, SaysThatOthersKeptTheProcessorsBusy) {
  const auto notes_beside = [](double load) {
    BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
    for (const std::size_t arm : {0, 1}) {
      auto c = side_case("e/v/x", {1.0});
      c.facts = {{"other_load", arm == 0 ? load : 0}};
      Side side = side_of({c});
      side.sessions[0].environment["cpus"] = "2";
      ledger.visit(arm, side);
    }
    auto comparison = ledger.judge();
    ledger.explain(comparison);
    return comparison.notes;
  };
  const auto notes = notes_beside(1);
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes.back(),
            "the machine was not quiet: during old, other processes kept 1 of 2 processors busy");
  EXPECT_EQ(notes_beside(0.1).size() + 1, notes.size());
}

TEST(BlockLedger, WhatWasNotClosedOrLacksAVisitDoesNotCount) {
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  blocks(ledger, 2, 1.0, 1.0);
  ledger.visit(0, side_of({side_case("e/v/x", {5.0})}));
  EXPECT_EQ(named(ledger.judge(), "e/v/x").base_units, 2U);
  ledger.visit(1, side_of({side_case("e/v/x", {1.0})}));
  ledger.visit(0, side_of({side_case("e/v/x", {1.0})}));
  ledger.close_block();
  EXPECT_EQ(named(ledger.judge(), "e/v/x").base_units, 2U);
}

TEST(BlockLedger, FailuresAndOneSidedCasesAreKept) {
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  SideCase failed = side_case("e/v/bad", {});
  failed.failed = "crashed";
  for (int b = 0; b < 2; ++b) {
    ledger.visit(0, side_of({side_case("e/v/x", {1.0}), side_case("e/v/gone", {1.0}), failed}));
    ledger.visit(1, side_of({side_case("e/v/x", {1.0}), side_case("e/v/fresh", {1.0}), failed}));
    ledger.visit(1, side_of({side_case("e/v/x", {1.0}), side_case("e/v/fresh", {1.0}), failed}));
    ledger.visit(0, side_of({side_case("e/v/x", {1.0}), side_case("e/v/gone", {1.0}), failed}));
    ledger.close_block();
  }
  EXPECT_EQ(ledger.comparable(), (std::set<CaseStep>{{"e/v/x", 0}}));
  EXPECT_EQ(ledger.ids_of(1, ledger.comparable()), std::vector<std::string>{"e/v/x"});
  const auto comparison = ledger.judge();
  EXPECT_EQ(comparison.cases.size(), 4U);
  EXPECT_EQ(named(comparison, "e/v/gone").verdict, Verdict::missing);
  EXPECT_EQ(named(comparison, "e/v/fresh").verdict, Verdict::added);
  EXPECT_EQ(named(comparison, "e/v/bad").verdict, Verdict::invalid);
  EXPECT_EQ(named(comparison, "e/v/bad").reason, "failed with old: crashed");
}

TEST(BlockLedger, AStepOfALadderIsConfirmedOnlyWhereItIsACandidate) {
  BlockLedger ledger({{"s=1", "1"}, {"s=2", "2"}, {"s=4", "4"}}, "s");
  const auto visit = [&](std::size_t arm, const std::string& value, double ms) {
    ledger.visit(arm, side_of({side_case("e/v/s:" + value, {ms})}));
  };
  const auto run = [&](int count) {
    for (int b = 0; b < count; ++b) {
      const double jitter = 1 + 1e-4 * (b % 3 - 1);
      visit(0, "1", 1.0 * jitter);
      visit(1, "2", 1.0);
      visit(2, "4", 1.2 * jitter);
      visit(2, "4", 1.2);
      visit(1, "2", 1.0 * jitter);
      visit(0, "1", 1.0);
      ledger.close_block();
    }
  };
  run(5);
  ledger.begin_confirmation();
  EXPECT_EQ(ledger.ids_of(2, ledger.candidates()), std::vector<std::string>{"e/v/s:4"});
  EXPECT_TRUE(ledger.ids_of(0, ledger.candidates()).empty()) << "no candidate's step touches s=1";
  run(12);
  const auto comparison = ledger.judge();
  EXPECT_EQ(named(comparison, "e/v [s 1 -> 2]").verdict, Verdict::unchanged);
  EXPECT_EQ(named(comparison, "e/v [s 1 -> 2]").base_units, 5U);
  EXPECT_EQ(named(comparison, "e/v [s 2 -> 4]").verdict, Verdict::regression);
  EXPECT_EQ(named(comparison, "e/v [s 2 -> 4]").base_units, 12U);
}

TEST(BlockLedger, WhatTheFileLeavesOutOfALadderIsCountedAndNotMissing) {
  BlockLedger ledger({{"s=1", "1"}, {"s=2", "2"}}, "s");
  for (int b = 0; b < 5; ++b) {
    for (const std::size_t arm : {0u, 1u, 1u, 0u}) {
      const std::string value = arm == 0 ? "1" : "2";
      auto side = side_of({side_case("e/v/s:" + value, {1.0 + 1e-4 * (b % 3)})});
      if (arm == 0) side.cases.push_back(side_case("e/pageable/s:1", {1.0}));
      ledger.visit(arm, std::move(side));
    }
    ledger.close_block();
  }
  const auto comparison = ledger.judge();
  ASSERT_EQ(comparison.cases.size(), 1U);
  EXPECT_EQ(comparison.cases[0].name, "e/v [s 1 -> 2]");
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_TRUE(contains(comparison.notes[0], "1 step is not in the file:"));
}

TEST(BlockLedger, ArmsThatRunRunTheSameCases) {
  // x changes from s=1 to s=2, y from s=2 to s=4: s=1 and s=4 run both, for the sake of the order.
  BlockLedger ledger({{"s=1", "1"}, {"s=2", "2"}, {"s=4", "4"}}, "s");
  const auto visit = [&](std::size_t arm, const std::string& value, double x, double y) {
    ledger.visit(arm, side_of({side_case("e/x/s:" + value, {x}), side_case("e/y/s:" + value, {y}),
                               side_case("e/z/s:" + value, {1.0})}));
  };
  for (int b = 0; b < 5; ++b) {
    const double jitter = 1 + 1e-4 * (b % 3 - 1);
    for (const double factor : {jitter, 1.0}) {
      visit(0, "1", 1.0 * factor, 1.0);
      visit(1, "2", 1.2, 1.0 * factor);
      visit(2, "4", 1.2, 1.2);
    }
    ledger.close_block();
  }
  ledger.begin_confirmation();
  EXPECT_EQ(ledger.candidates(), (std::set<CaseStep>{{"e/x", 0}, {"e/y", 1}}));
  EXPECT_EQ(ledger.ids_of(0, ledger.candidates()),
            (std::vector<std::string>{"e/x/s:1", "e/y/s:1"}));
  EXPECT_EQ(ledger.ids_of(2, ledger.candidates()),
            (std::vector<std::string>{"e/x/s:4", "e/y/s:4"}));
}

TEST(BlockLedger, ACandidateThatFailsIsNoLongerRun) {
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  blocks(ledger, 5, 1.0, 1.05);
  ledger.begin_confirmation();
  SideCase failed = side_case("e/v/x", {});
  failed.failed = "crashed";
  ledger.visit(1, side_of({failed}));
  EXPECT_TRUE(ledger.candidates().empty());
  EXPECT_TRUE(ledger.comparable().empty());
  EXPECT_EQ(named(ledger.judge(), "e/v/x").verdict, Verdict::invalid);
}

TEST(BlockLedger, FactsAreMeansOverTheVisitsAndATracedLookAddsItsOwn) {
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  const auto visit = [&](std::size_t arm, double ms, double load) {
    auto c = side_case("e/v/x", {ms});
    c.facts = {{"other_load", load}};
    ledger.visit(arm, side_of({c}));
  };
  for (int block = 0; block < 20; ++block) {
    if (block == 5) ledger.begin_confirmation();
    visit(0, 1.0 + 1e-4 * block, 0);
    visit(1, 1.5 + 1e-4 * block, 1);
    visit(1, 1.5 + 1e-4 * block, 3);
    visit(0, 1.0 + 1e-4 * block, 0);
    ledger.close_block();
  }
  auto comparison = ledger.judge();
  auto traced = side_case("e/v/x", {1.0});
  traced.facts = {{"kernels", 4}, {"overlap", 0.5}};
  traced.kernel_code = {{"f()", "11"}};
  ledger.add_facts(0, side_of({traced}));
  traced.facts = {{"kernels", 5}, {"overlap", 0.0}};
  traced.kernel_code = {{"f()", "22"}};
  ledger.add_facts(1, side_of({traced}));
  ledger.explain(comparison);
  const auto& causes = named(comparison, "e/v/x").causes;
  std::string texts;
  for (const auto& cause : causes) texts += cause.text + "\n";
  for (const char* text :
       {"kernel binary differs: f\n", "overlap 50 % -> 0 %, worse\n", "kernels run 4 -> 5\n",
        "processors busy with other processes 0 -> 2, worse\n"}) {
    EXPECT_TRUE(contains(texts, text));
  }
}

TEST(BlockLedger, AKernelThatATracedVisitDidNotRunTookNoTimeThere) {
  const auto of = [](const std::string& kernel, double ms, double launches) {
    return Facts{{"kernel_time/" + kernel, 1e-3 * ms}, {"launches/" + kernel, launches}};
  };
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  const auto visit = [&](std::size_t arm, double ms, Facts facts) {
    auto c = side_case("e/sh", {ms});
    c.facts = std::move(facts);
    c.facts.merge({{"wall_time", 1}});
    ledger.visit(arm, side_of({c}));
  };
  for (int block = 0; block < 17; ++block) {
    if (block == 5) ledger.begin_confirmation();
    const bool traced = block == 0;
    const double ms = 1 + 1e-4 * (block % 3);
    visit(0, ms, traced ? of("f", 4, 10) : Facts{});
    visit(1, 1.5 * ms, traced ? of("f", 8, 10) : Facts{});
    visit(1, 1.5 * ms, traced ? Facts{{"span", 1}} : Facts{});
    visit(0, ms, traced ? of("g", 6, 3) : Facts{});
    ledger.close_block();
  }
  const auto comparison = ledger.judge();
  const auto texts = [&] {
    auto explained = comparison;
    ledger.explain(explained);
    std::string all;
    for (const auto& cause : named(explained, "e/sh").causes) all += cause.text + "\n";
    return all;
  };
  EXPECT_TRUE(contains(texts(), "kernel f: 2 ms -> 4 ms (+100.0 %), 5 launches, worse\n"));
  EXPECT_TRUE(contains(texts(), "kernel g: 3 ms -> 0 s, 1.5 -> 0 launches, better\n"));
  for (const std::size_t arm : {0U, 1U}) {
    auto look = side_case("e/sh", {1.0});
    look.facts = of("f", arm == 0 ? 5 : 6, 10);
    ledger.add_facts(arm, side_of({look}));
  }
  EXPECT_TRUE(contains(texts(), "kernel f: 5 ms -> 6 ms (+20.0 %), 10 launches, worse\n"));
  EXPECT_EQ(texts().find("kernel g"), std::string::npos) << "a traced look did not see it";
}

TEST(BlockLedger, AComparisonNamesItsFirstAndItsLastDay) {
  BlockLedger ledger({{"old", ""}, {"new", ""}}, "");
  for (const char* date :
       {"2026-11-20T23:50:00Z", "2026-11-21T00:10:00Z", "2026-11-23T00:10:00Z"}) {
    for (const std::size_t arm : {0U, 1U, 1U, 0U}) {
      auto side = side_of({side_case("e/v/x", {1.0})});
      side.sessions.front().environment["date"] = date;
      ledger.visit(arm, std::move(side));
    }
    ledger.close_block();
  }
  const std::vector<std::string> days{"2026-11-20T23:50:00Z", "2026-11-23T00:10:00Z"};
  const auto comparison = ledger.judge();
  EXPECT_EQ(comparison.base_environment.at("date"), days);
  EXPECT_EQ(comparison.new_environment.at("date"), days);
  EXPECT_EQ(comparison.base_environment.at("gpu"), std::vector<std::string>{"G"});
}

}  // namespace
}  // namespace apod::judge
