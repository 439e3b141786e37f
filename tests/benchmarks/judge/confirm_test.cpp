#include "benchmarks/judge/confirm.hpp"

#include <gtest/gtest.h>

#include "benchmarks/judge/blocks.hpp"

namespace apod::judge {
namespace {

CaseComparison case_of(const std::string& name, double change, double p) {
  CaseComparison c;
  c.name = name;
  c.base_s = 1;
  c.new_s = 1 + change;
  c.change.value = change;
  c.p = p;
  c.threshold = 0.02;
  return c;
}

Comparison made_of(std::vector<CaseComparison> cases) {
  Comparison comparison;
  comparison.cases = std::move(cases);
  return comparison;
}

TEST(Confirm, TheSuspectsAreThoseThatAScreeningWouldKeep) {
  EXPECT_TRUE(may_have_changed(0.099, 0, 0.02));
  EXPECT_FALSE(may_have_changed(0.1, 0.0098, 0.02));
  EXPECT_TRUE(may_have_changed(0.9, -0.01, 0.02));
  auto uncompared = case_of("uncompared", 0.5, 0);
  uncompared.base_s = 0;
  auto of_another_board = case_of("invalid", 0.5, 0);
  of_another_board.verdict = Verdict::invalid;
  EXPECT_EQ(suspects_of(made_of({case_of("sure", 0.001, 0.01), case_of("calm", 0.001, 0.5),
                                 case_of("large", -0.02, 0.5), uncompared, of_another_board})),
            (std::vector<std::string>{"large"}));
}

TEST(Confirm, TheBlocksDecideOfTheSuspectsAlone) {
  auto measured = case_of("a", 0.1, 1e-6);
  measured.verdict = Verdict::regression;
  measured.replicate = Replicate::block;
  measured.base_units = measured.new_units = 12;
  auto other = measured;
  other.name = "b";
  const auto result = confirmed(made_of({case_of("a", 0.5, 0), case_of("b", 0, 1)}), {"a"},
                                made_of({measured, other}));
  EXPECT_EQ(result.method, CompareMethod::confirmed);
  EXPECT_EQ(result.cases[0].verdict, Verdict::regression);
  EXPECT_EQ(result.cases[0].change.value, 0.1);
  EXPECT_EQ(result.cases[0].reason,
            "decided from 12 new blocks; the files show a change of +50.0 %");
  EXPECT_EQ(result.cases[1].verdict, Verdict::inconclusive) << "no suspect";
}

TEST(Confirm, ASuspectWithoutBlocksIsInconclusiveWithItsReason) {
  auto suspect = case_of("a", 0.5, 0);
  suspect.verdict = Verdict::regression;
  auto failed = made_of({});
  failed.failure = "the device is gone";
  auto interrupted = made_of({});
  interrupted.interrupted = true;
  auto only = case_of("a", 0, 1);
  only.verdict = Verdict::added;
  only.reason = "only b has this case";
  for (const auto& [blocks, why] :
       {std::pair(failed, "the device is gone"),
        std::pair(interrupted, "the comparison was interrupted"),
        std::pair(made_of({}), "no complete block of this case was measured"),
        std::pair(made_of({only}), "only b has this case")}) {
    const auto result = confirmed(made_of({suspect}), {"a"}, blocks);
    EXPECT_EQ(result.cases[0].verdict, Verdict::inconclusive);
    EXPECT_EQ(
        result.cases[0].reason,
        std::string("the files show a change of +50.0 %, which was not measured again: ") + why);
    const bool silent = blocks.failure.empty() && !blocks.interrupted;
    EXPECT_EQ(result.failure, silent ? "no suspect case could be measured again" : blocks.failure);
    EXPECT_EQ(result.interrupted, blocks.interrupted);
  }
}

TEST(Confirm, ASuspectThatFailsIsInvalid) {
  auto failed = case_of("a", 0, 1);
  failed.verdict = Verdict::invalid;
  failed.reason = "failed with b: wrong result";
  const auto result = confirmed(made_of({case_of("a", 0.5, 0)}), {"a"}, made_of({failed}));
  EXPECT_EQ(result.cases[0].verdict, Verdict::invalid);
  EXPECT_EQ(result.cases[0].reason,
            "failed with b: wrong result; the files show a change of +50.0 %");
}

}  // namespace
}  // namespace apod::judge
