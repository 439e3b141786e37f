#include "benchmarks/run/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "benchmarks/run/problem_key.hpp"
#include "benchmarks/run/session.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod::run {
namespace {

class FurtherRound : public ::testing::Test {
 protected:
  FurtherRound() {
    MeasureSpec measure;
    measure.precision = 0.01;
    measure.max_processes = 5;
    measure.budget_s = 10;
    result_.plan = test::echo_plan({"echo", "waiting"}, measure);
  }
  /// One process of each of the two cases.
  void add(int process, double first_s, double second_s, double wall_s = 1) {
    for (std::size_t i = 0; i < 2; ++i) {
      Measurement measurement;
      measurement.case_index = i;
      measurement.process = process;
      measurement.samples_s = {i == 0 ? first_s : second_s};
      measurement.wall_s = wall_s;
      result_.measurements.push_back(measurement);
    }
  }
  std::vector<std::size_t> cases_of(int process) const {
    std::vector<std::size_t> cases;
    for (const auto& step : further_round(result_, process, options_)) {
      EXPECT_EQ(step.process, process);
      EXPECT_EQ(step.pass, record::Pass::measure);
      cases.push_back(step.case_index);
    }
    return cases;
  }

  Result result_;
  SessionOptions options_;
};

using Cases = std::vector<std::size_t>;

TEST_F(FurtherRound, IsOfTheCasesWhoseIntervalIsTooWide) {
  add(0, 1.000, 1.0);
  add(1, 1.001, 1.1);
  EXPECT_EQ(cases_of(2), Cases{}) << "three are measured whatever they say";
  add(2, 1.002, 0.9);
  EXPECT_EQ(cases_of(3), Cases{1});
  add(3, 1.0, 1.0);
  EXPECT_EQ(cases_of(4), Cases{1}) << "the first case was done before";
  EXPECT_EQ(cases_of(3), Cases{1}) << "what a later process said does not decide";
  add(4, 1.0, 1.0);
  EXPECT_EQ(cases_of(5), Cases{}) << "max_processes";
}

TEST_F(FurtherRound, EndsWithTheBudgetAndWithAFailure) {
  add(0, 1.0, 1.0, 3);
  add(1, 1.1, 1.1, 3);
  add(2, 0.9, 0.9, 3);
  EXPECT_EQ(cases_of(3).size(), 2U);
  result_.measurements.back().failed = "wrong";
  EXPECT_EQ(cases_of(3), Cases{0});
  result_.measurements.front().wall_s = 4;
  EXPECT_EQ(cases_of(3), Cases{}) << "10 s of budget, 10 s spent";
}

TEST_F(FurtherRound, HasAnOrderOfItsOwn) {
  MeasureSpec measure;
  result_.plan = test::echo_plan(std::vector<std::string>(8, "echo"), measure);
  for (std::size_t i = 0; i < 8; ++i) {
    for (int process = 0; process < 4; ++process) {
      Measurement measurement;
      measurement.case_index = i;
      measurement.process = process;
      measurement.samples_s = {1.0 + 0.1 * process};
      result_.measurements.push_back(measurement);
    }
  }
  EXPECT_EQ(cases_of(3), cases_of(3));
  EXPECT_NE(cases_of(3), cases_of(4));
}

/// The cases of a round of one step for each of `order`.
Cases by_problem_of(const Cases& order, const std::vector<std::size_t>& first_of_problem) {
  Round round;
  for (const auto index : order) round.push_back({index, 0, record::Pass::measure});
  Cases cases;
  for (const auto& step : by_problem(round, first_of_problem)) cases.push_back(step.case_index);
  return cases;
}

TEST(ByProblem, TheCasesOfOneProblemFollowEachOther) {
  const std::vector<std::size_t> first{0, 1, 0, 1, 0, 5};
  EXPECT_EQ(by_problem_of({5, 2, 3, 0, 1, 4}, first), (Cases{5, 2, 0, 4, 3, 1}));
  EXPECT_EQ(by_problem_of({4, 3, 5, 1, 2, 0}, first), (Cases{5, 3, 1, 4, 2, 0}));
  EXPECT_EQ(by_problem_of({4, 3}, first), (Cases{4, 3})) << "a further round has a part of them";
}

TEST(ByProblem, AProblemOfManyCasesIsNotEarlierThanOthers) {
  const std::vector<std::size_t> first{0, 1, 1, 1, 1, 1};
  std::mt19937_64 random(1);
  constexpr int rounds = 2000;
  int small_first = 0;
  for (int i = 0; i < rounds; ++i) {
    Cases order{0, 1, 2, 3, 4, 5};
    std::shuffle(order.begin(), order.end(), random);
    small_first += by_problem_of(order, first).front() == 0;
  }
  EXPECT_NEAR(small_first, rounds / 2, 100);  // five standard deviations are 112
}

TEST(FirstOfProblem, StreamsShareAProblemAndSizesDoNot) {
  MeasureSpec measure;
  auto plan = test::echo_plan({"echo", "waiting", "echo", "echo"}, measure);
  plan.cases[2].params.set("streams", std::int64_t{4});
  plan.cases[3].params.set("size", std::int64_t{32});
  test::Script script;
  Registry registry;
  test::fill_registry(registry, script);
  EXPECT_EQ(first_of_problem(plan, registry), (Cases{0, 0, 0, 3}));
  plan.experiments[0].data.seed = 7;
  plan.experiments.push_back(plan.experiments[0]);
  plan.experiments[1].data.seed = 8;
  plan.cases[1].experiment = 1;
  EXPECT_EQ(first_of_problem(plan, registry), (Cases{0, 1, 0, 3}));
}

}  // namespace
}  // namespace apod::run
