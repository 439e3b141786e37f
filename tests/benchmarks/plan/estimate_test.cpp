// The estimate against itself: what must make it grow, and what must bound it. How far it is from
// the truth depends on the machine; docs/experiment-files.md says what was found.

#include "benchmarks/plan/estimate.hpp"

#include <gtest/gtest.h>

#include "tests/benchmarks/plan/planned.hpp"

namespace apod::plan {
namespace {

class Estimate : public testing::Test {
 protected:
  static Plan plan_of(const std::string& experiments) {
    const auto outcome = plan::plan_of(experiments);
    EXPECT_EQ(messages(outcome), "");
    return outcome.plan.value_or(Plan{});
  }
  /// Of one process on the only case of "{workload: sum, <rest>}".
  double of_case(const std::string& rest) const {
    const auto plan = plan_of("  - {workload: sum, " + rest + "}\n");
    return plan.cases.empty() ? 0 : estimate_seconds(plan, plan.cases.front(), registry_);
  }
  double of_run(const std::string& rest) const {
    return estimate_run(plan_of("  - {workload: sum, " + rest + "}\n"), registry_).least_s;
  }

  Registry registry_ = test::fake_registry();
};

TEST_F(Estimate, IsAboutTheWarmUpAndThePilotOfASmallCase) {
  for (const char* variant : {"fast", "host"}) {
    const double seconds = of_case(std::string("axes: {size: 1000, variant: ") + variant + "}");
    EXPECT_GT(seconds, MeasureSpec{}.warmup_s) << variant;
    EXPECT_LT(seconds, 6) << variant;
  }
}

TEST_F(Estimate, GrowsWithTheSize) {
  for (const std::string variant : {"fast", "host"}) {
    const double small = of_case("axes: {variant: " + variant + ", size: 1000}");
    EXPECT_GT(of_case("axes: {variant: " + variant + ", size: 3e9}"), small + 1) << variant;
  }
}

TEST_F(Estimate, GrowsWithWhatIsComputedOnTheSameData) {
  const std::string rest =
      "measure: {precision: 50%, max_time: 100s, timeout: 10min}, axes: {variant: host, size: "
      "1e8, repeats: ";
  EXPECT_GT(of_case(rest + "100}"), 4 * of_case(rest + "1}"));
}

TEST_F(Estimate, CountsTheReferenceAndItsData) {
  // One sample of a fast kernel; what is left is the host's own work.
  const std::string rest =
      "measure: {max_time: 1ms, warmup: 0s, min_samples: 1, max_samples: 1}, "
      "axes: {variant: fast, size: 1e9}";
  EXPECT_GT(of_case(rest), 0.5);
  EXPECT_GT(of_case("data: normal, " + rest), of_case("data: ones, " + rest));
}

TEST_F(Estimate, GrowsWithThePrograms) {
  for (const std::string variant : {"fast", "host"}) {
    const std::string rest = "axes: {variant: " + variant + ", size: 1e9, programs: ";
    EXPECT_GT(of_case(rest + "64}"), of_case(rest + "1}")) << variant;
  }
}

TEST_F(Estimate, StaysWithinTheTimeout) {
  EXPECT_LE(of_case("measure: {timeout: 3s, max_time: 2s}, axes: {variant: fast, size: 6e10}"), 3);
}

TEST_F(Estimate, TakesPrecisionAndBoundsIntoAccount) {
  const auto at = [&](const std::string& measure) {
    return of_case("measure: {" + measure + "}, axes: {variant: host, size: 1e7}");
  };
  EXPECT_GT(at("precision: 0.5%"), at("precision: 5%"));
  EXPECT_GT(at("precision: 0.5%, max_time: 5s"), at("precision: 0.5%, max_time: 500ms"));
  EXPECT_GT(at("precision: 50%, min_samples: 1000"), at("precision: 50%, min_samples: 10"));
  EXPECT_GT(at("precision: 0.5%"), at("precision: 0.5%, max_samples: 20"));
  EXPECT_GT(at("cache: cold"), at("cache: hot"));
  EXPECT_GT(at("warmup: 2s"), at("warmup: 50ms") + 1.5);
}

TEST_F(Estimate, KnowsTransfersAndStreams) {
  const auto at = [&](const std::string& axes) {
    return of_case(
        "scope: end_to_end, measure: {precision: 50%, max_time: 100s, timeout: 10min}, "
        "axes: {variant: fast, size: 1e9, " +
        axes + "}");
  };
  EXPECT_GT(at("host_memory: pageable"), at("host_memory: pinned"));
  EXPECT_GE(at("streams: 1"), at("streams: 4"));
}

TEST_F(Estimate, OfARunCountsProcessesTracesAndStarts) {
  const double once = of_run("measure: {processes: 1}, axes: {variant: fast}");
  EXPECT_GT(once, of_case("axes: {variant: fast}"));  // the start of the process
  EXPECT_NEAR(of_run("measure: {processes: 3}, axes: {variant: fast}"), 3 * once, 1e-9);
  const double traced = of_run("measure: {processes: 1, trace: true}, axes: {variant: fast}");
  EXPECT_GT(traced, once);
  EXPECT_LT(traced, 2.01 * once);
  EXPECT_GT(of_run("measure: {processes: 1, counters: true}, axes: {variant: fast}"), once);
  // Both cases share the process.
  const double both = of_run("measure: {processes: 1}, axes: {variant: [fast, slow]}");
  EXPECT_GT(both, once);
  EXPECT_LT(both, 2 * once);
}

TEST_F(Estimate, OfARunIsARangeWhereCasesMayGetFurtherProcesses) {
  const auto range = [&](const std::string& measure) {
    return estimate_run(
        plan_of("  - {workload: sum, axes: {variant: fast}, measure: {" + measure + "}}\n"),
        registry_);
  };
  const auto fixed = range("processes: 3");
  EXPECT_EQ(fixed.least_s, fixed.most_s);
  const auto open = range("processes: auto, max_processes: 12");
  EXPECT_EQ(open.least_s, fixed.least_s);
  EXPECT_NEAR(open.most_s, 4 * open.least_s, 1e-9) << "twelve of three";
  const auto short_of_time = range("processes: auto, max_processes: 12, budget: 0s");
  EXPECT_EQ(short_of_time.most_s, open.least_s);
}

TEST_F(Estimate, LeavesOutWhatIsSkipped) {
  EXPECT_EQ(of_run("axes: {variant: unbuilt}"), 0);
  EXPECT_EQ(estimate_run(Plan{}, registry_).least_s, 0);
  EXPECT_EQ(estimate_run(Plan{}, registry_).most_s, 0);
}

}  // namespace
}  // namespace apod::plan
