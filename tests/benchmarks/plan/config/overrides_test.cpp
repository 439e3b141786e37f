// What --set and --having make of a config.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/benchmarks/plan/config/loaded.hpp"

namespace apod::config {
namespace {

const std::string two =
    "schema: 1\n"
    "experiments:\n"
    "  - workload: sum\n"
    "    scope: end_to_end\n"
    "    axes: {size: [10, 20], streams: [1, 2]}\n"
    "    include: [{streams: 8}]\n"
    "    baseline: {streams: 1}\n"
    "  - workload: sum\n"
    "    name: zipped\n"
    "    zip: [{size: [1, 2], repeats: [3, 4]}]\n";

TEST(Overrides, ReplaceAnAxisWhereverItMayBe) {
  const auto outcome = load(two, BackendKind::cuda,
                            {"size=64Ki,1e6", "accumulator=fp64", "max_time=2s", "streams=1,8"});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  const auto& [sum, zipped] =
      std::tie(outcome.config->experiments[0], outcome.config->experiments[1]);
  EXPECT_EQ(values_of(sum, "size"), "65536 1000000");
  EXPECT_EQ(values_of(sum, "accumulator"), "fp64");
  EXPECT_EQ(values_of(sum, "streams"), "1 8");
  EXPECT_EQ(values_of(zipped, "size"), "65536 1000000");
  EXPECT_EQ(values_of(zipped, "repeats"), "3 4");
  EXPECT_EQ(values_of(zipped, "streams"), "absent");  // kernel scope has no streams
  EXPECT_DOUBLE_EQ(zipped.measure.max_time_s, 2);
  EXPECT_EQ(sum.include.size(), 1u);
  EXPECT_TRUE(sum.baseline.has("streams"));
}

TEST(Overrides, DropWhatANarrowedAxisNoLongerHolds) {
  const auto outcome = load(two, BackendKind::cuda, {"streams=2,4"});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  EXPECT_TRUE(outcome.config->experiments[0].include.empty());
  EXPECT_TRUE(outcome.config->experiments[0].baseline.entries().empty());
}

LoadOutcome having(const std::string& text) {
  return load_text(two, "test.yaml", test::fake_registry(), {.overrides = {}, .having = text});
}

TEST(Having, NothingFitsAndTheReasonIsSaid) {
  EXPECT_EQ(
      messages(having("strems=1,2")),
      "--having: strems=1,2: no experiment has the axis 'strems' (did you mean 'streams'?)\n");
  EXPECT_EQ(messages(having("cache=hot,cold")),
            "--having: cache=hot,cold: 'cache' is a key of measure, not an axis (make a run for "
            "each value, and compare the results: --set cache=...)\n");
  EXPECT_EQ(messages(having("size=8,8")), "--having: size=8,8: 8 is listed twice\n");
}

TEST(Overrides, AreDiagnosedTogether) {
  const auto outcome = load(two, BackendKind::cuda,
                            {"stream=4", "size", "=3", "size=", "size=0", "repeats=1,1", "size=5",
                             "variant=quick", "max_time=5", "processes=0", "cache=lukewarm"});
  EXPECT_EQ(
      messages(outcome),
      "--set: '=3' is not KEY=VALUE (write --set streams=1,8)\n--set: 'size' is not KEY=VALUE "
      "(write --set streams=1,8)\n--set: 'size=' is not KEY=VALUE (write --set "
      "streams=1,8)\n--set: cache=lukewarm: unknown value 'lukewarm' (use one of cold, flushed, "
      "hot)\n--set: max_time=5: '5' has no unit (write 5s or 5ms)\n--set: processes=0: '0' is out "
      "of range (use 1 to 1000, or auto)\n--set: repeats=1,1: 1 is listed twice\n--set: size=0: "
      "for sum, '0' is out of range (use at least 1)\n--set: size=5: 'size' is zipped in "
      "experiment 'zipped', so it needs 2 values\n--set: stream=4: this is neither an axis of an "
      "experiment nor a key of measure (did you mean 'streams'?)\n--set: variant=quick: for sum, "
      "unknown value 'quick' (use one of fast, host, slow, unbuilt)\n");
}

TEST(Overrides, ThatSomeExperimentsTakeAreToldOfHaving) {
  const auto outcome =
      load("{schema: 1, experiments: [{name: a, workload: sum}, {name: b, workload: blur}]}",
           BackendKind::cuda, {"variant=fast"});
  EXPECT_EQ(messages(outcome),
            "--set: variant=fast: for blur, unknown value 'fast' (use one of host, tile)\n--set: "
            "variant=fast: only some experiments of the file accept this value (to keep only these "
            "experiments, add --having variant=fast)\n");
}

TEST(Overrides, MayRepeatValuesOfAZippedAxisOnly) {
  const auto outcome = load(two, BackendKind::cuda, {"repeats=5,5"});
  EXPECT_EQ(messages(outcome), "--set: repeats=5,5: 5 is listed twice\n");  // in `sum`
  const auto zip = two.substr(0, two.find("  - workload")) + two.substr(two.rfind("  - workload"));
  const auto zipped = load(zip, BackendKind::cuda, {"repeats=5,5"});
  ASSERT_TRUE(zipped.config) << messages(zipped);
  EXPECT_EQ(values_of(zipped.config->experiments[0], "repeats"), "5 5");
}

TEST(Overrides, OfEndToEndAxesNeedThatScope) {
  const auto outcome =
      load("{schema: 1, experiments: [{workload: sum}]}", BackendKind::cuda, {"streams=4"});
  EXPECT_EQ(messages(outcome),
            "--set: streams=4: no experiment has the axis 'streams' (add 'scope: end_to_end' to an "
            "experiment: this axis exists only in that scope)\n");
}

TEST(Overrides, MustFitTogether) {
  const auto outcome = load(two, BackendKind::cuda, {"timeout=1s"});
  EXPECT_EQ(messages(outcome),
            "--set: timeout is shorter than warmup and max_time together, so it would end every "
            "case (make timeout longer)\n");
}

TEST(Overrides, ANumberOfProcessesHoldsAgainstASetMost) {
  const auto set = [](const std::string& own, std::vector<std::string> overrides) {
    return load("{schema: 1, experiments: [{name: a, workload: sum, measure: {" + own + "}}]}",
                BackendKind::cuda, std::move(overrides));
  };
  const auto most = [&](const std::string& own, std::vector<std::string> overrides) {
    const auto outcome = set(own, std::move(overrides));
    EXPECT_EQ(messages(outcome), "") << own;
    return outcome.config ? outcome.config->experiments[0].measure.max_processes : 0;
  };
  const std::string refused =
      "--set: max_processes=8: experiment 'a' has exactly 5 processes (add --set processes=auto, "
      "or use --set processes=8 instead)\n";
  EXPECT_EQ(messages(set("processes: 5", {"max_processes=8"})), refused);
  EXPECT_EQ(messages(set("", {"max_processes=8", "processes=5"})), refused) << "in any order";
  EXPECT_EQ(most("processes: 5", {"max_processes=5"}), 5);
  EXPECT_EQ(most("processes: 5", {"max_processes=8", "processes=auto"}), 8);
  EXPECT_EQ(most("processes: 5", {"processes=auto"}), 30);
  EXPECT_EQ(most("max_processes: 6", {"processes=auto"}), 6) << "that of the file stays";
  EXPECT_EQ(most("max_processes: 6", {"processes=2"}), 2);
  EXPECT_EQ(most("max_processes: 6", {"max_processes=8"}), 8);
}

TEST(Overrides, MayAskForTheTraceThatAnExpectationNeeds) {
  const std::string text =
      "{schema: 1, experiments: [{workload: sum, expect: [{overlap: \"> 30%\"}]}]}";
  EXPECT_EQ(load(text).diagnostics.size(), 1u);
  EXPECT_EQ(messages(load(text, BackendKind::cuda, {"trace=true"})), "");
}

TEST(Overrides, ChooseRowsOfAZip) {
  const auto zipped = [](std::vector<std::string> overrides) {
    return load(
        "{schema: 1, experiments: [{workload: sum, zip: [{size: [1, 2, 3, 2], repeats: [3, 4, 5, "
        "6]}]}]}",
        BackendKind::cuda, std::move(overrides));
  };
  const auto rows = [&](std::vector<std::string> overrides) {
    const auto outcome = zipped(std::move(overrides));
    EXPECT_EQ(messages(outcome), "");
    return values_of(outcome.config->experiments[0], "size") + ": " +
           values_of(outcome.config->experiments[0], "repeats");
  };
  EXPECT_EQ(rows({"size=2"}), "2 2: 4 6");
  EXPECT_EQ(rows({"size=2", "repeats=6"}), "2: 6");
  EXPECT_EQ(rows({"repeats=5,3"}), "1 3: 3 5") << "in the order of the file";
  EXPECT_EQ(messages(zipped({"size=7"})),
            "--set: size=7: 'size' is zipped in experiment 'sum', so it needs 4 values\n");
}

TEST(Having, KeepsTheExperimentThatHasTheBaseline) {
  const std::string text =
      "schema: 1\nexperiments:\n  - {workload: sum, name: alone}\n  - {workload: sum, name: "
      "other}\n"
      "  - {workload: blur, name: blurred, baseline: {experiment: alone}, axes: {variant: tile}}\n";
  const auto kept = [&](const std::string& having, std::vector<std::string> overrides) {
    const auto outcome = load_text(text, "test.yaml", test::fake_registry(),
                                   {.overrides = std::move(overrides), .having = having});
    EXPECT_EQ(messages(outcome), "");
    std::string names;
    if (outcome.config) {
      for (const auto& one : outcome.config->experiments) names += one.name + " ";
    }
    return names;
  };
  EXPECT_EQ(kept("variant=tile", {}), "alone blurred ");
  EXPECT_EQ(kept("variant=tile", {"variant=tile"}), "alone blurred ")
      << "the baseline has no such value, and keeps its own";
  EXPECT_EQ(kept("variant=fast", {}), "alone other ");
}

}  // namespace
}  // namespace apod::config
