#include "benchmarks/plan/expand.hpp"

#include <gtest/gtest.h>

#include <set>

#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/filter.hpp"
#include "tests/benchmarks/plan/planned.hpp"
#include "tests/support/texts.hpp"

namespace apod::plan {
namespace {

TEST(Expand, MakesTheProductFirstAxisSlowest) {
  const auto outcome =
      plan_of("  - {workload: sum, axes: {variant: [fast, slow], size: [10, 20]}}\n");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(ids(outcome), (Words{"sum/fast/size:10", "sum/fast/size:20", "sum/slow/size:10",
                                 "sum/slow/size:20"}));
  const auto& plan = *outcome.plan;
  EXPECT_EQ(plan.experiments[0].swept, (Words{"variant", "size"}));
  for (std::size_t i = 0; i < plan.cases.size(); ++i) EXPECT_EQ(plan.cases[i].index, i);
  // Every axis of the workload, defaults included, the variant first.
  const auto& params = plan.cases[1].params;
  EXPECT_EQ(params.entries().front().first, "variant");
  EXPECT_EQ(params.text("variant"), "fast");
  EXPECT_EQ(params.integer("size"), 20);
  EXPECT_EQ(params.text("accumulator"), "fp32");
  EXPECT_EQ(params.integer("repeats"), 1);
  EXPECT_FALSE(params.has("streams"));
}

const std::string blocked_and =
    "  - workload: sum\n"
    "    baseline: {variant: slow}\n"
    "    axes: {size: 10, block: [64, 128], variant: [blocked, ";

TEST(Expand, AnAxisOfOtherVariantsTellsNoCasesApart) {
  // Whether the other was built or not.
  for (const std::string other : {"slow", "unbuilt"}) {
    const auto outcome = plan_of("  - workload: sum\n    axes: {variant: [" + other +
                                     ", blocked], size: 10, block: [64, 128]}\n"
                                     "    baseline: {variant: " +
                                     other + "}\n",
                                 {}, with_blocked());
    ASSERT_TRUE(outcome.plan) << messages(outcome);
    EXPECT_EQ(ids(outcome), (Words{"sum/" + other + "/size:10", "sum/blocked/size:10/block:64",
                                   "sum/blocked/size:10/block:128"}));
    const auto& cases = outcome.plan->cases;
    EXPECT_FALSE(cases[0].params.has("block"));
    EXPECT_EQ(cases[1].params.integer("block"), 64);
    for (const int i : {1, 2}) EXPECT_EQ(cases[i].baseline, std::size_t{0});
  }
}

TEST(Expand, ExcludeAndWhereAreAskedOfCases) {
  const auto with = [](const std::string& rules) {
    return plan_of(blocked_and + "slow]}\n    " + rules + "\n", {}, with_blocked());
  };
  const Words without_64{"sum/slow/size:10", "sum/blocked/size:10/block:128"};
  for (const std::string rules :
       {"where: \"block >= 128\"", "where: \"variant == 'slow' or block >= 128\"",
        "exclude: [{block: 64}]", "exclude: [{block: \"<= 64\", variant: blocked}]"}) {
    EXPECT_EQ(ids(with(rules)), without_64) << rules << messages(with(rules));
  }
  EXPECT_EQ(with("where: \"block >= 128\"").notes,
            Words{"where leaves out 1 of 3 cases of experiment 'sum'"});
  EXPECT_EQ(messages(with("exclude: [{variant: slow, block: 64}]")),
            "t.yaml:6:15: an item of 'exclude' leaves out no case: no case meets all of the "
            "conditions (to see all cases, remove these conditions and add --dry-run)\n");
}

TEST(Expand, RulesAreHeldAgainstTheAxesThatACaseHas) {
  const auto said = [](const std::string& rules) {
    return messages(plan_of(blocked_and + "slow, fast]}\n    " + rules + "\n", {}, with_blocked()));
  };
  // 256 is the default of the axis that only `blocked` has.
  EXPECT_EQ(
      said("expect: [{where: {variant: slow, block: 256}, error: \"< 1\"}]"),
      "t.yaml:6:15: 'where' selects no case: no case has block == 256 (block is 64 or 128)\n");
  EXPECT_EQ(
      said("answer: {variant: fast, block: 256}"),
      "t.yaml:6:5: 'answer' selects no case: no case has block == 256 (block is 64 or 128)\n");
}

TEST(Expand, AValueOfAnAxisThatNoCaseHasIsNoted) {
  const auto included =
      plan_of(blocked_and + "slow]}\n    include: [{variant: slow, size: 20, block: 64}]\n", {},
              with_blocked());
  const Words note{
      "experiment 'sum': variant slow does not have the axis 'block', so bench ignores the axis's "
      "value"};
  EXPECT_EQ(included.notes, note);
  EXPECT_EQ(ids(included).back(), "sum/slow/size:20");
  const auto set =
      plan_of(blocked_and + "slow]}\n", {}, with_blocked({"variant=slow", "block=64"}));
  EXPECT_EQ(ids(set), Words{"sum/slow/size:10"});
  EXPECT_EQ(set.notes, Words{"experiment 'sum': its variants do not have the axis 'block', so "
                             "bench ignores the axis's value"});
}

TEST(Expand, ABaselineElsewhereHasTheAxesOfItsVariant) {
  const auto outcome = plan_of(
      "  - {name: alone, workload: sum, axes: {variant: [slow, blocked], size: 10, block: [64, "
      "128]}}\n"
      "  - {name: beside, workload: sum, axes: {variant: blocked, size: 10, block: [64, 128]}, "
      "baseline: {experiment: alone, variant: slow}}\n"
      "  - {name: same, workload: sum, axes: {variant: blocked, size: 10, block: [64, 128]}, "
      "baseline: {experiment: alone}}\n",
      {}, with_blocked());
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  std::vector<std::string> bases;
  for (const auto& c : outcome.plan->cases) {
    if (c.baseline) bases.push_back(outcome.plan->cases[*c.baseline].id);
  }
  EXPECT_EQ(bases, (Words{"alone/slow/size:10", "alone/slow/size:10",
                          "alone/blocked/size:10/block:64", "alone/blocked/size:10/block:128"}));
}

TEST(Expand, FillsInStreamsEndToEnd) {
  const auto outcome = plan_of("  - {workload: sum, scope: end_to_end, axes: {variant: fast}}\n");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  const auto& c = outcome.plan->cases.at(0);
  EXPECT_EQ(c.id, "sum/fast");
  EXPECT_EQ(c.params.integer("streams"), 1);
  EXPECT_EQ(c.params.text("host_memory"), "pinned");
  EXPECT_EQ(c.params.text("stream_pool"), "distinct");
  EXPECT_TRUE(outcome.plan->experiments[0].swept.empty());
}

TEST(Expand, SkipsThreadsWithoutAStream) {
  const auto outcome = plan_of(
      "  - {workload: sum, scope: end_to_end, axes: {variant: fast, streams: [1, 2],"
      " threads: [1, 2, 4]}}\n");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  std::vector<std::string> skips;
  for (const auto& c : outcome.plan->cases) skips.push_back(c.skip);
  EXPECT_EQ(outcome.plan->cases[1].id, "sum/fast/streams:1/threads:2");
  EXPECT_EQ(skips, (std::vector<std::string>{
                       "", "2 threads, but only 1 stream: each thread needs its own stream",
                       "4 threads, but only 1 stream: each thread needs its own stream", "", "",
                       "4 threads, but only 2 streams: each thread needs its own stream"}));
}

TEST(Expand, AdvancesZippedAxesTogether) {
  const auto outcome = plan_of(
      "  - workload: sum\n"
      "    axes: {variant: fast, accumulator: [fp32, fp64]}\n"
      "    zip: [{size: [10, 20], repeats: [1, 2]}]\n");
  EXPECT_EQ(ids(outcome), (Words{"sum/fast/accumulator:fp32/size:10/repeats:1",
                                 "sum/fast/accumulator:fp32/size:20/repeats:2",
                                 "sum/fast/accumulator:fp64/size:10/repeats:1",
                                 "sum/fast/accumulator:fp64/size:20/repeats:2"}));
}

TEST(Expand, ExcludesAndIncludes) {
  const auto outcome = plan_of(
      "  - workload: sum\n"
      "    axes: {variant: fast, size: [10, 20, 30], repeats: [1, 2]}\n"
      "    exclude: [{size: \"> 10\", repeats: 2}, {size: 30}]\n"
      "    include: [{size: 40}, {size: 30, repeats: 1, accumulator: fp64}, {size: 10}]\n");
  // An included point keeps the values of the axes that it leaves out; a repeated one is dropped.
  EXPECT_EQ(ids(outcome), (Words{"sum/fast/size:10/repeats:1/accumulator:fp32",
                                 "sum/fast/size:10/repeats:2/accumulator:fp32",
                                 "sum/fast/size:20/repeats:1/accumulator:fp32",
                                 "sum/fast/size:40/repeats:1/accumulator:fp32",
                                 "sum/fast/size:40/repeats:2/accumulator:fp32",
                                 "sum/fast/size:30/repeats:1/accumulator:fp64"}));
  EXPECT_EQ(outcome.plan->experiments[0].swept, (Words{"size", "accumulator", "repeats"}));
}

TEST(Expand, ExcludesByAxisAndByVariant) {
  const auto outcome = plan_of(
      "  - workload: sum\n"
      "    axes: {variant: [fast, slow], size: [1, 2], repeats: [1, 2]}\n"
      "    exclude: [{variant: slow, size: \"!= 1\"}, {size: \"< repeats\"}]\n");
  EXPECT_EQ(ids(outcome), (Words{"sum/fast/size:1/repeats:1", "sum/fast/size:2/repeats:1",
                                 "sum/fast/size:2/repeats:2", "sum/slow/size:1/repeats:1"}));
}

TEST(Expand, LinksBaselines) {
  const auto outcome = plan_of(
      "  - workload: sum\n"
      "    axes: {variant: [fast, slow], size: [10, 20], repeats: [1, 2]}\n"
      "    baseline: {variant: slow, repeats: 1, accumulator: fp32}\n");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  for (const auto& c : outcome.plan->cases) {
    const bool is_baseline = c.variant == "slow" && c.params.integer("repeats") == 1;
    ASSERT_EQ(c.baseline.has_value(), !is_baseline) << c.id;
    if (is_baseline) continue;
    const auto& base = outcome.plan->cases[*c.baseline];
    EXPECT_EQ(base.variant, "slow");
    EXPECT_EQ(base.params.integer("repeats"), 1);
    EXPECT_EQ(base.params.integer("size"), c.params.integer("size"));
  }
}

TEST(Expand, LinksBaselinesOfAnotherExperiment) {
  const std::string alone =
      "  - {name: alone, workload: sum, axes: {variant: slow, size: [10, 20]}}\n";
  const auto beside = [](const std::string& baseline, const std::string& axes) {
    return "  - {name: beside, workload: sum, axes: " + axes + ", baseline: " + baseline + "}\n";
  };
  const std::string same = "{variant: slow, size: [20, 10]}";
  // The other one may come later, and expectations may compare with it.
  for (const bool first : {true, false}) {
    const auto own = beside("{experiment: alone}, expect: [{speedup: '> 1'}]", same);
    const auto outcome = plan_of(first ? alone + own : own + alone);
    ASSERT_TRUE(outcome.plan) << messages(outcome);
    std::size_t linked = 0;
    for (const auto& c : outcome.plan->cases) {
      if (!c.baseline) continue;
      ++linked;
      const auto& base = outcome.plan->cases[*c.baseline];
      EXPECT_TRUE(c.id.starts_with("beside/") && base.id.starts_with("alone/")) << base.id;
      EXPECT_EQ(base.params.integer("size"), c.params.integer("size"));
    }
    EXPECT_EQ(linked, 2u);
  }
  // Values of the baseline stand in for the case's own.
  const auto named = plan_of(alone + beside("{experiment: alone, size: 10}", same));
  ASSERT_TRUE(named.plan);
  EXPECT_EQ(named.plan->cases[2].baseline, named.plan->cases[3].baseline);
  // A case without a partner has none; an experiment without any is a mistake.
  const auto half =
      plan_of(alone + beside("{experiment: alone}", "{variant: slow, size: [10, 11]}"));
  ASSERT_TRUE(half.plan) << messages(half);
  EXPECT_FALSE(half.plan->cases[3].baseline);
  ASSERT_EQ(half.notes.size(), 1u);
  EXPECT_EQ(half.notes[0], "1 of 2 cases of experiment 'beside' have no baseline in 'alone'");
  EXPECT_TRUE(
      contains(messages(alone + beside("{experiment: alone}", "{variant: fast, size: 10}")),
               "is in 'alone', but no case of this experiment has the same axis values as a case "
               "of the other experiment (an axis that is not named has its default value)"));
  EXPECT_TRUE(
      contains(messages(alone + beside("{experiment: alonw}", same)),
               "the file has no experiment 'alonw' to compare with (did you mean 'alone'?)"));
  EXPECT_TRUE(contains(messages("  - {name: a, workload: sum, axes: {size: 1}, baseline: "
                                "{experiment: b}}\n"
                                "  - {name: b, workload: sum, axes: {size: 1}, baseline: "
                                "{experiment: a}}\n"),
                       "the other experiment has its own baseline in a third experiment"));
}

TEST(Expand, AnAxisThatIsNotNamedHasItsDefaultInTheBaseline) {
  const std::string text = "  - {workload: sum, axes: {size: [10, 20]}, baseline: {repeats: ";
  EXPECT_TRUE(plan_of(text + "1}}\n").plan);
  EXPECT_TRUE(contains(messages(text + "2}}\n"), "matches none of its cases"));
}

TEST(Expand, DiagnosesAnItemOfExcludeThatLeavesNothingOut) {
  const std::string text =
      "  - workload: sum\n"
      "    axes: {variant: fast, size: [10, 20, 30], repeats: [1, 2]}\n"
      "    exclude: [{size: 10}, ";
  EXPECT_EQ(messages(text + "{size: 99}]\n"),
            "t.yaml:5:27: an item of 'exclude' leaves out no case: no case has size == 99 (size is "
            "10, 20 or 30)\n");
  EXPECT_EQ(messages(text + "{size: 20, accumulator: fp64}]\n"),
            "t.yaml:5:27: an item of 'exclude' leaves out no case: no case has accumulator == fp64 "
            "(accumulator is fp32)\n");
  EXPECT_EQ(messages("  - workload: sum\n"
                     "    axes: {variant: fast}\n"
                     "    zip: [{size: [10, 20], repeats: [1, 2]}]\n"
                     "    exclude: [{size: 10, repeats: 2}]\n"),
            "t.yaml:6:15: an item of 'exclude' leaves out no case: no case meets all of the "
            "conditions (to see all cases, remove these conditions and add --dry-run)\n");
  // What another item left out already is left out by this one too.
  EXPECT_TRUE(plan_of(text + "{size: \"< 20\"}]\n").plan);
}

TEST(Expand, SkipsWithTheReason) {
  const std::string text = "  - {workload: sum, axes: {variant: [fast, unbuilt, host]}}\n";
  ExpandOptions options;
  options.cuda_available = false;
  options.cuda_missing_reason = "no GPU in this machine";
  const auto outcome = plan_of(text, options);
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  const auto& cases = outcome.plan->cases;
  EXPECT_EQ(cases[0].skip, "no GPU in this machine");
  EXPECT_EQ(cases[0].backend, BackendKind::cuda);
  EXPECT_EQ(cases[1].skip,
            "this build has no CUDA backend (install nvcc, and build the preset cuda)");
  EXPECT_EQ(cases[2].skip, "");
  EXPECT_EQ(cases[2].backend, BackendKind::host);
  EXPECT_EQ(plan_of(text).plan->cases[0].skip, "");
}

TEST(Expand, SkipsWhatTheFamilyRejects) {
  const auto some = plan_of("  - {workload: blur, axes: {variant: tile, mask: [3, 4]}}\n");
  ASSERT_TRUE(some.plan) << messages(some);
  EXPECT_EQ(some.plan->cases[0].skip, "");
  EXPECT_EQ(some.plan->cases[1].skip, "the mask must be odd");
  EXPECT_EQ(messages("  - {workload: blur, axes: {mask: [4, 6]}}\n"),
            "t.yaml:3:36: no case of experiment 'blur' can run: the mask must be odd\n");
}

TEST(Expand, HoldsSizesAgainstTheMemory) {
  const std::string text =
      "  - workload: sum\n"
      "    scope: end_to_end\n"
      "    axes: {variant: [fast, host], size: [1000, 2^20, 2^30], repeats: [1, 2]}\n"
      "  - {workload: blur, axes: {variant: tile, size: 8192}}\n";
  ExpandOptions options;
  options.device_memory_bytes = 1 << 20;
  EXPECT_EQ(messages(text, options),
            "t.yaml:5:48: size 1048576 needs 4.00 MiB of device memory, but there is only 1.00 MiB "
            "(use a smaller size)\nt.yaml:5:54: size 1073741824 needs 4.00 GiB of device memory, "
            "but there is only 1.00 MiB (use a smaller size)\nt.yaml:6:50: size 8192x8192 needs "
            "512 MiB of device memory, but there is only 1.00 MiB (use a smaller size)\n");
  options.filter = text::Pattern("size:1000");
  EXPECT_TRUE(plan_of(text, options).plan);  // what is filtered out needs nothing
  options = {};
  options.host_memory_bytes = std::uint64_t{10} << 30;
  EXPECT_EQ(messages(text, options),
            "t.yaml:5:54: size 1073741824 needs 12.0 GiB of host memory, but there is only 10.0 "
            "GiB (use a smaller size)\n");
  options.host_memory_bytes = 1 << 20;
  options.cuda_available = false;
  options.filter = text::Pattern("fast|tile");
  EXPECT_TRUE(plan_of(text, options).plan);  // nothing runs, nothing is needed
}

TEST(Expand, RefusesNamesThatWouldExhaustTheMemory) {
  std::string axes;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    std::string values;
    for (int i = 0; i < 15; ++i) {
      values += (i > 0 ? ", " : "") + std::string(2000, 'x') + std::to_string(i);
    }
    axes += (axes.empty() ? "" : ", ") + std::string(name) + ": [" + values + "]";
  }
  EXPECT_EQ(
      messages("  - workload: {command: [x, \"{a}{b}{c}{d}{e}\"]}\n    axes: {" + axes + "}\n"),
      "t.yaml:3:5: 759375 cases with these axes and names would need 22.1 GiB of memory, but the "
      "limit is 900 MiB (use fewer or shorter values and rules, or several files)\n");
}

TEST(Expand, RefusesMoreThanTheLimitWithoutMakingThem) {
  const std::string axes =
      "{size: {from: 1, to: 100000, step: \"+1\"}, repeats: {from: 1, to: 1000, step: \"+1\"}}";
  EXPECT_EQ(messages("  - {workload: blur}\n  - {workload: sum, axes: " + axes + "}\n"),
            "t.yaml:4:5: the axes have 200000001 combinations, but the limit is 1000000 (use fewer "
            "values or several files)\n");
}

TEST(Expand, SurvivesAProductPast64Bits) {
  ExperimentConfig config;
  config.path = "t.yaml";
  Experiment experiment;
  experiment.name = experiment.workload = "sum";
  Axis axis{"size", std::vector<AxisValue>(100'000, std::int64_t{1}), {}};
  for (int i = 0; i < 5; ++i) experiment.groups.push_back({{axis}});
  config.experiments.push_back(std::move(experiment));
  const auto outcome = expand(config, test::fake_registry(), {});
  EXPECT_TRUE(contains(messages(outcome), "more than 2^64 combinations"));
}

const std::string filtered =
    "  - workload: sum\n"
    "    axes: {variant: [fast, slow], size: [10, 20], repeats: [1, 2]}\n"
    "    baseline: {variant: slow}\n"
    "  - {workload: blur, axes: {variant: tile}}\n";

TEST(Filter, KeepsTheBaselinesOfWhatItKeeps) {
  ExpandOptions options;
  options.filter = text::Pattern("fast/size:10/repeats:[12]$");
  const auto outcome = plan_of(filtered, options);
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(ids(outcome), (Words{"sum/fast/size:10/repeats:1", "sum/fast/size:10/repeats:2",
                                 "sum/slow/size:10/repeats:1", "sum/slow/size:10/repeats:2"}));
  const auto& cases = outcome.plan->cases;
  EXPECT_EQ(cases[0].baseline, std::size_t{2});
  EXPECT_EQ(cases[1].baseline, std::size_t{3});
  EXPECT_FALSE(cases[2].baseline);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(cases[i].index, i);
  EXPECT_EQ(outcome.plan->experiments[0].swept, (Words{"variant", "repeats"}));
  // Experiments stay, so that Case::experiment keeps its meaning.
  EXPECT_EQ(outcome.plan->experiments.size(), 2u);
}

TEST(Filter, LeavesTheTimeOfAllCasesOnlyToAllOfThem) {
  Result result;
  result.plan = *plan_of(filtered).plan;
  result.wall_s = 100;
  Result part = result;
  ASSERT_TRUE(apply_filter(part, text::Pattern("fast")));
  EXPECT_EQ(part.wall_s, 0);
  ASSERT_TRUE(apply_filter(result, text::Pattern(".")));
  EXPECT_EQ(result.wall_s, 100);
}

TEST(Filter, SaysWhatItIsNot) {
  const auto message = [](const std::string& filter) {
    ExpandOptions options;
    options.filter = text::Pattern(filter);
    return messages(filtered, options);
  };
  EXPECT_EQ(message("fsat"), "--filter: 'fsat' matches none of 9 cases (did you mean 'fast'?)\n");
  EXPECT_EQ(message("nothing_like_it"),
            "--filter: 'nothing_like_it' matches none of 9 cases (example of a case id: "
            "sum/fast/size:10/repeats:1)\n");
}

TEST(MemoryOf, CountsBothStagedCopiesEndToEnd) {
  const auto registry = test::fake_registry();
  const auto outcome = plan_of(
      "  - {workload: sum, axes: {variant: fast, size: 1000}}\n"
      "  - {workload: sum, name: e2e, scope: end_to_end, axes: {variant: fast, size: 1000}}\n");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  const auto kernel = memory_of(*outcome.plan, outcome.plan->cases[0], registry);
  EXPECT_EQ(kernel.device_bytes, 4008u);
  EXPECT_EQ(kernel.host_bytes, 4008u);
  const auto end_to_end = memory_of(*outcome.plan, outcome.plan->cases[1], registry);
  EXPECT_EQ(end_to_end.device_bytes, 4008u);
  EXPECT_EQ(end_to_end.host_bytes, 8016u);
}

TEST(MemoryOf, IsThatOfAllPrograms) {
  const std::string experiment =
      "  - {workload: sum, axes: {variant: fast, size: 1000, programs: [1, 3]}}\n";
  const auto registry = test::fake_registry();
  const auto outcome = plan_of(experiment);
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(ids(outcome),
            (Words{"sum/fast/size:1000/programs:1", "sum/fast/size:1000/programs:3"}));
  const auto three = memory_of(*outcome.plan, outcome.plan->cases[1], registry);
  EXPECT_EQ(three.device_bytes, 3 * 4008u);
  EXPECT_EQ(three.host_bytes, 3 * 4008u);

  ExpandOptions options;
  options.device_memory_bytes = 10'000;  // enough for two
  EXPECT_EQ(messages(experiment, options),
            "t.yaml:3:49: size 1000 with programs 3 needs 11.7 KiB of device memory, but there is "
            "only 9.77 KiB (use a smaller size, or a smaller value of programs)\n");
}

// It takes half a second; a quadratic search would not end before CTest does.
TEST(Expand, MakesAHundredThousandCases) {
  const auto outcome = plan_of(
      "  - workload: sum\n"
      "    scope: end_to_end\n"
      "    axes:\n"
      "      variant: [fast, slow]\n"
      "      size: {from: 1, to: 1251, step: \"+1\"}\n"
      "      streams: {from: 1, to: 10, step: \"+1\"}\n"
      "      host_memory: [pageable, pinned]\n"
      "      accumulator: [fp32, fp64]\n"
      "    exclude: [{size: 1251}]\n"
      "    baseline: {streams: 1, host_memory: pinned}\n");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(outcome.plan->cases.size(), 100'000u);
  const auto all = ids(outcome);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 100'000u);
}

TEST(Expand, HoldsLongListsAgainstManyCases) {
  std::string text =
      "  - workload: sum\n"
      "    axes: {variant: fast, size: {from: 1, to: 10000, step: \"+1\"}}\n"
      "    exclude:\n";
  for (int i = 1; i < 100; ++i) text += "      - {size: " + std::to_string(i) + "}\n";
  text += "      - {size: [";
  for (int i = 100; i < 600; ++i) text += std::to_string(i) + ", ";
  text += "600]}\n    expect:\n";
  for (int i = 601; i < 701; ++i) {
    text += "      - {where: {size: " + std::to_string(i) + "}, error: \"< 1\"}\n";
  }
  const auto outcome = plan_of(text);
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(outcome.plan->cases.size(), 9'400u);
}

TEST(Expand, RefusesRulesThatTakeTooLongToCheck) {
  std::string text =
      "  - workload: sum\n"
      "    axes: {variant: fast, size: {from: 1, to: 100000, step: \"+1\"}}\n"
      "    exclude:\n";
  for (int i = 1; i <= 1000; ++i) text += "      - {size: \">= " + std::to_string(i) + "\"}\n";
  EXPECT_TRUE(contains(messages(plan_of(text)),
                       "t.yaml:3:5: the 1000 rules for 100000 cases take too long to check"));
}

TEST(Expand, PlansManyExperiments) {
  std::string text;
  for (int i = 0; i < 3'000; ++i) {
    text += "  - {workload: sum, name: n" + std::to_string(i) + ", axes: {variant: fast}}\n";
  }
  EXPECT_EQ(ids(plan_of(text)).size(), 3'000u);
}

TEST(Expand, DifferentCasesOfOneIdAreRefused) {
  const auto said = messages(
      "  - workload: {command: [x, \"{a}{b}\"]}\n"
      "    axes: {a: [\"1\", \"1/b:2\"], b: [\"2/b:2\", \"2\"]}\n");
  EXPECT_TRUE(
      contains(said, "t.yaml:3:5: two cases would have the same id: command/x/a:1/b:2/b:2 ("))
      << said;
}

Words answering(const ExpandOutcome& outcome) {
  Words all;
  if (!outcome.plan) return all;
  for (const auto& c : outcome.plan->cases) {
    if (c.answers) all.push_back(c.id);
  }
  return all;
}

TEST(Answer, IsOfTheCasesThatAreComparedWithAnother) {
  const std::string sum =
      "  - {workload: sum, axes: {variant: [fast, slow], size: [10, 20]}, baseline: {variant: "
      "slow}, answer: ";
  EXPECT_EQ(answering(plan_of(sum + "all}\n")), (Words{"sum/fast/size:10", "sum/fast/size:20"}));
  EXPECT_EQ(answering(plan_of(sum + "{size: \"> 10\"}}\n")), (Words{"sum/fast/size:20"}));
  EXPECT_EQ(answering(plan_of("  - {name: a, workload: sum, axes: {variant: slow}}\n"
                              "  - {name: b, workload: sum, axes: {variant: fast}, baseline: "
                              "{experiment: a, variant: slow}, answer: all}\n")),
            (Words{"b/fast"}));
  for (const auto& [answer, says] : std::vector<std::pair<std::string, std::string>>{
           {"{size: 30}", "'answer' selects no case: no case has size == 30 (size is 10 or 20)"},
           {"{variant: slow}", "'answer' selects no case that has a baseline"},
           {"{sise: 10}", "unknown axis 'sise'"},
           {"fast", "'answer' does not name cases (write answer: all"},
           {"{}", "'answer' does not name cases"}}) {
    EXPECT_TRUE(contains(messages(sum + answer + "}\n"), says)) << answer;
  }
  EXPECT_TRUE(contains(messages("  - {workload: sum, axes: {variant: fast}, answer: all}\n"),
                       "'answer' needs a 'baseline': the answer is a change against the baseline"));
}

TEST(Answer, IsDroppedWithWhatItSelects) {
  const std::string sum =
      "  - workload: sum\n"
      "    axes: {variant: [fast, slow], size: [10, 20]}\n"
      "    baseline: {variant: slow}\n"
      "    answer: {size: 20}\n";
  const auto set = plan_of(sum, {}, {.set = {"size=10"}});
  EXPECT_EQ(messages(set), "");
  EXPECT_EQ(answering(set), Words{});
  const auto host = plan_of(sum + "    host: {axes: {variant: host}, baseline: {}}\n", {},
                            {.backend = BackendKind::host});
  EXPECT_EQ(messages(host), "");
  EXPECT_EQ(answering(host), Words{});
}

}  // namespace
}  // namespace apod::plan
