// What --set, --filter and a host block leave out: rules that select nothing any more are no
// mistake but are counted, and a wrong flag is told of together with what is wrong with the file.

#include <gtest/gtest.h>

#include "tests/benchmarks/plan/planned.hpp"
#include "tests/support/texts.hpp"

namespace apod::plan {
namespace {

struct Narrowing {
  Words set{};
  std::string filter{};
  BackendKind backend = BackendKind::cuda;
};

ExpandOutcome outcome_of(const std::string& experiments, const Narrowing& narrowing) {
  ExpandOptions options;
  options.filter = text::Pattern(narrowing.filter);
  options.device_memory_bytes = 1 << 20;
  return plan_of(experiments, options, {.set = narrowing.set, .backend = narrowing.backend});
}

std::string messages_of(const std::string& experiments, const Narrowing& narrowing) {
  return messages(outcome_of(experiments, narrowing));
}

using Notes = Words;

const std::string ruled =
    "  - workload: sum\n"
    "    axes: {variant: [fast, slow], size: [10, 20]}\n"
    "    baseline: {variant: slow}\n"
    "    expect:\n"
    "      - {where: {size: 10}, error: \"< 1\", speedup: \"> 1\"}\n"
    "      - {where: {size: 20}, error: \"< 1\"}\n"
    "      - {error: \"< 1\"}\n";

TEST(RuleNotes, AreNoneWhereEveryRuleSelectsACase) {
  const auto outcome = outcome_of(ruled, {});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(outcome.notes, Notes{});
}

TEST(RuleNotes, CountWhatAFilterLeavesWithoutCases) {
  auto outcome = outcome_of(ruled, {.filter = "size:20"});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(outcome.notes,
            Notes{"2 expect rules select no case of this run (cause: --filter or --only)"});
  outcome = outcome_of(ruled, {.filter = "slow/size:20"});  // the baseline alone
  EXPECT_EQ(outcome.notes,
            Notes{"2 expect rules select no case of this run (cause: --filter or --only)"});
  outcome = outcome_of(ruled, {.filter = "slow"});
  EXPECT_EQ(outcome.notes,
            Notes{"1 expect rule selects no case of this run (cause: --filter or --only)"});
}

TEST(RuleNotes, CountWhatASetAxisLeavesWithoutCases) {
  auto outcome = outcome_of(ruled, {.set = {"size=20"}});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(outcome.notes, Notes{"2 expect rules select no case of this run (cause: --set)"});
  // The baseline went with the variant that it was.
  outcome = outcome_of(ruled, {.set = {"variant=fast"}, .filter = "size:10"});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(outcome.notes,
            (Notes{"1 expect rule selects no case of this run (cause: --filter or --only)",
                   "1 expect rule selects no case of this run (cause: --set)"}));
}

TEST(RuleNotes, ASetKeyOfMeasureExcusesNothing) {
  const std::string wrong = "  - {workload: sum, expect: [{where: {size: 7}, error: \"< 1\"}]}\n";
  EXPECT_EQ(messages_of(wrong, {.set = {"processes=1"}}),
            "t.yaml:3:31: 'where' selects no case: no case has size == 7 (size is 1000)\n");
}

TEST(RuleNotes, CountWhatTheHostBlockLeavesWithoutCases) {
  const std::string text =
      "  - workload: sum\n"
      "    axes: {variant: [fast, slow], size: [10, 20]}\n"
      "    expect: [{where: {size: 20}, error: \"< 1\"}]\n"
      "    host: {axes: {variant: host, size: 10}";
  EXPECT_EQ(outcome_of(text + "}\n", {}).notes, Notes{});
  EXPECT_EQ(
      outcome_of(text + "}\n", {.backend = BackendKind::host}).notes,
      Notes{"1 expect rule selects no case of this run (cause: the 'host' block of the file)"});
  // A rule of the block itself is meant for its cases.
  const std::string own = ", expect: [{where: {size: 20}, error: \"< 1\"}]}\n";
  EXPECT_EQ(messages_of(text + own, {.backend = BackendKind::host}),
            "t.yaml:6:55: 'where' selects no case: no case has size == 20 (size is 10)\n");
}

TEST(RuleNotes, CountWhatRestsOnSkippedCases) {
  const std::string axes =
      "  - workload: blur\n"
      "    axes: {variant: tile, size: 8x8, mask: [3, 4, 5]}\n";
  const std::string rule = "    expect: [{where: {mask: 4}, error: \"< 1\"}]\n";
  EXPECT_EQ(outcome_of(axes + rule, {}).notes,
            Notes{"1 expect rule selects only skipped cases, so the result will be undecided"});
  EXPECT_EQ(outcome_of(axes + "    baseline: {mask: 4}\n", {}).notes,
            Notes{"2 cases have a skipped baseline, so there will be no delta"});
  EXPECT_EQ(outcome_of(axes + "    baseline: {mask: 3}\n", {}).notes, Notes{});
  // Where nothing runs, that is said, and is no rule's fault.
  EXPECT_EQ(outcome_of(axes + rule, {.filter = "mask:4"}).notes, Notes{});
}

TEST(RuleNotes, CountRulesForVariantsOfAnotherBackend) {
  const std::string text =
      "  - {workload: sum, expect: [{where: {variant: fast}, error: \"< 1\"}]}\n";
  EXPECT_EQ(outcome_of(text, {}).notes, Notes{});
  EXPECT_EQ(
      outcome_of(text, {.backend = BackendKind::host}).notes,
      Notes{"1 expect rule selects no case of this run (cause: the backend has fewer variants)"});
}

TEST(Narrowing, LeavesAnItemOfExcludeNothingToLeaveOut) {
  const std::string text =
      "  - workload: sum\n"
      "    axes: {variant: [fast, slow], size: [10, 20]}\n"
      "    exclude: [{size: 20}]\n"
      "    host: {axes: {variant: host, size: 10}";
  EXPECT_TRUE(outcome_of(text + "}\n", {.set = {"size=10"}}).plan);
  EXPECT_TRUE(outcome_of(text + "}\n", {.backend = BackendKind::host}).plan);
  // An item of the block itself is meant for its cases.
  EXPECT_EQ(messages_of(text + ", exclude: [{size: 20}]}\n", {.backend = BackendKind::host}),
            "t.yaml:6:55: an item of 'exclude' leaves out no case: no case has size == 20 (size is "
            "10)\n");
  const std::string variants = "  - {workload: sum, exclude: [{variant: fast}]}\n";
  EXPECT_TRUE(outcome_of(variants, {}).plan);
  EXPECT_TRUE(outcome_of(variants, {.backend = BackendKind::host}).plan);
}

TEST(WrongFlags, AreToldOfAfterTheFile) {
  const std::string text =
      "  - {workload: sum, axes: {size: 10}, baseline: {repeats: 2}}\n"
      "  - {workload: blur, measure: {processes: 0}}\n";
  const std::string of_measure =
      "t.yaml:4:43: processes: '0' is out of range (use 1 to 1000, or auto)\n";
  EXPECT_EQ(messages_of(text, {.set = {"processes=many"}}),
            of_measure +
                "--set: processes=many: 'many' is not a whole number (write a whole number, such "
                "as 1000, 1e6, 2^20 or 64Mi, or auto)\n");
}

TEST(WrongFlags, HideWhatOnlyFollowsFromThem) {
  const std::string large = "  - {workload: sum, axes: {variant: fast, size: 1e6}}\n";
  // It may have been the size that was to be smaller, or the cases that were to be left out.
  EXPECT_EQ(outcome_of(large, {}).diagnostics.size(), 1u);
  for (const auto& set : {"size=0", "sise=10", "size"}) {
    const auto outcome = outcome_of(large, {.set = {set}, .filter = "size:10"});
    EXPECT_EQ(outcome.diagnostics.size(), 1u) << messages(outcome);
    EXPECT_EQ(outcome.diagnostics.front().file, "--set");
  }
}

TEST(WrongFlags, AFilterMayMeanWhatCouldNotBeRead) {
  EXPECT_EQ(messages_of("  - {workload: sum, axes: {size: 1O}}\n  - {workload: blur}\n",
                        {.filter = "sum"}),
            "t.yaml:3:34: size: '1O' is not a whole number (write a whole number, such as 1000, "
            "1e6, 2^20 or 64Mi)\n");
}

TEST(WrongFlags, SetsOfKnownExperimentsAreChecked) {
  EXPECT_EQ(messages_of("  - {workload: summ}\n  - {workload: blur, axes: {size: 8}}\n",
                        {.set = {"mask=0", "repeats=3"}}),
            "t.yaml:3:16: unknown workload 'summ' (did you mean 'sum'?)\n--set: mask=0: for blur, "
            "'0' is out of range (use at least 1)\n");
}

TEST(Narrowing, AnExperimentThatCanNotHaveWhatWasSetIsSkippedWithTheReason) {
  const std::string two =
      "  - {workload: sum, axes: {variant: fast}, scope: end_to_end}\n"
      "  - {name: streamed, workload: sum, scope: end_to_end,\n"
      "     axes: {variant: fast, streams: 4}}\n";
  const auto outcome = outcome_of(two, {.set = {"threads=2"}});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  ASSERT_EQ(outcome.plan->cases.size(), 2u);
  EXPECT_TRUE(contains(outcome.plan->cases[0].skip, "2 threads, but only 1 stream"));
  EXPECT_EQ(outcome.plan->cases[1].skip, "");
  EXPECT_FALSE(outcome_of("  - {workload: sum, scope: end_to_end, axes: {threads: 2}}\n", {}).plan)
      << "in the file it is a mistake";
}

TEST(MetricsOfCounters, NobodyToAskIsSaid) {
  const auto outcome = plan_of("  - {workload: sum, measure: {counters: [a__b.sum]}}\n");
  EXPECT_EQ(outcome.notes,
            Words{"the metrics under 'counters' were not checked: this build has no CUDA backend"});
  EXPECT_EQ(plan_of("  - {workload: sum, measure: {counters: true}}\n").notes, Words{});
}

}  // namespace
}  // namespace apod::plan
