#include "benchmarks/judge/commit_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace apod::judge {
namespace {

/// Commits whose times come from a formula, with visits that spread by 0.4 %.
class Commits {
 public:
  Commits(std::size_t last, std::map<std::size_t, double> steps, std::uint64_t seed = 1)
      : last_(last), steps_(std::move(steps)), random_(seed) {}

  /// Also what a test changes.
  std::set<std::size_t> broken;
  std::set<std::size_t> gone;  ///< can't be built again to be confirmed
  std::function<double(std::size_t)> lie = [](std::size_t) { return 0; };  ///< ln, on top
  double burst = 0;           ///< chance that a visit is slower by 10 %
  std::size_t most = 10'000;  ///< blocks before the user stops
  std::size_t measured = 0;   ///< blocks, the confirmation too

  Bisection search(const std::function<bool(std::size_t, std::size_t)>& identical = {}) {
    BisectionHooks hooks;
    hooks.identical = identical;
    hooks.measure = [&](std::size_t base, std::size_t commit) -> BlockAttempt {
      if (measured == most) return {};
      for (const auto which : {base, commit}) {
        if (broken.contains(which)) return {.block = {}, .unusable = which};
      }
      return {.block = block(base, commit, lie(commit)), .unusable = {}};
    };
    hooks.confirm = [&](std::size_t before, std::size_t after) -> ConfirmAttempt {
      if (measured == most) return {};
      for (const auto commit : {before, after}) {
        if (gone.contains(commit)) return {.change = {}, .unusable = commit};
      }
      BlockCase fresh;
      for (int i = 0; i < confirmation_blocks; ++i) {
        fresh.confirmation.push_back(block(before, after, 0));
      }
      const auto judged = judge_blocks({fresh}, {.threshold = 0.02}).cases.front();
      return {.change = judged.change, .unusable = {}};
    };
    return bisect(last_, {.threshold = 0.02}, hooks);
  }

 private:
  double ln(std::size_t commit) const {
    double sum = 0;
    for (const auto& [at, step] : steps_) sum += at <= commit ? std::log1p(step) : 0;
    return sum;
  }
  BlockCase::Block block(std::size_t base, std::size_t commit, double more) {
    ++measured;
    const auto visit = [&](double level) {
      const double slower = burst > 0 && uniform_(random_) < burst ? 0.1 : 0;
      return level + slower + normal_(random_);
    };
    const double level = ln(commit) + more;
    return {{visit(ln(base)), visit(ln(base))}, {visit(level), visit(level)}};
  }

  std::size_t last_;
  std::map<std::size_t, double> steps_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_{0, 0.004};
  std::uniform_real_distribution<double> uniform_;
};

using Found = std::vector<std::pair<std::size_t, std::size_t>>;

Found found(const Bisection& outcome) {
  Found all;
  for (const auto& step : outcome.steps) all.emplace_back(step.before, step.after);
  return all;
}

// An ideal bisection of 64 commits takes 7 blocks: one of the ends, and one for each halving.
TEST(CommitSearch, FindsAStepOfFivePercentAmong64CommitsAtTheCostOfAnIdealOneAndAHalf) {
  std::size_t right = 0;
  std::size_t blocks = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::size_t at = 1 + seed * 37 % 64;
    const auto outcome = Commits(64, {{at, 0.05}}, seed).search();
    blocks += outcome.blocks;
    if (found(outcome) != Found{{at - 1, at}}) continue;
    ++right;
    EXPECT_NEAR(outcome.ends.value, 0.05, 0.02);
    EXPECT_NEAR(outcome.steps[0].change.value, 0.05, 0.006);
  }
  EXPECT_GE(right, 95u);
  EXPECT_LE(blocks, 100 * 7 * 1.5);
}

TEST(CommitSearch, TellsTwoStepsApart) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto& [first, second] : {std::pair{0.03, 0.06}, {0.06, 0.03}, {0.05, 0.05}}) {
      const auto outcome = Commits(64, {{20, first}, {21 + seed, second}}, seed).search();
      EXPECT_EQ(found(outcome), (Found{{19, 20}, {20 + seed, 21 + seed}})) << seed << " " << first;
    }
  }
}

TEST(CommitSearch, NamesTheRangeWhereACommitDoesNotBuild) {
  Commits beside(16, {{9, 0.05}});
  beside.broken = {3, 8, 12};
  auto outcome = beside.search();
  EXPECT_EQ(outcome.end, BisectionEnd::found);
  EXPECT_EQ(found(outcome), (Found{{7, 9}})) << "8 may have done it as well";
  EXPECT_TRUE(outcome.commits[8].state == CommitState::skipped);
  Commits away(16, {{14, 0.05}});
  away.broken = {8};
  EXPECT_EQ(found(away.search()), (Found{{13, 14}}));
}

TEST(CommitSearch, SkipsACommitThatIsGoneWhenItIsConfirmed) {
  for (const std::size_t gone : {8, 9}) {
    Commits commits(16, {{9, 0.05}});
    commits.gone = {gone};
    const auto outcome = commits.search();
    EXPECT_EQ(outcome.end, BisectionEnd::found);
    EXPECT_EQ(found(outcome),
              (Found{gone == 8 ? Found::value_type{7, 9} : Found::value_type{8, 10}}));
    EXPECT_TRUE(outcome.commits[gone].state == CommitState::skipped);
    EXPECT_EQ(outcome.wrong_turns, 0u);
  }
  Commits end(2, {{2, 0.05}});
  end.gone = {2};
  EXPECT_EQ(end.search().end, BisectionEnd::no_end);
}

TEST(CommitSearch, NoticesAWrongTurnAndGoesBack) {
  for (const std::size_t liar : {4, 8, 12}) {
    for (const double by : {0.05, -0.05}) {
      Commits commits(16, {{11, 0.05}});
      int lies = 4;
      commits.lie = [&, at = liar, size = by](std::size_t commit) {
        return commit == at && lies-- > 0 ? size : 0.0;
      };
      const auto outcome = commits.search();
      EXPECT_EQ(found(outcome), (Found{{10, 11}})) << liar << " " << by;
      const bool misleads = (liar < 11) == (by > 0);
      EXPECT_EQ(outcome.wrong_turns > 0, misleads && lies < 4) << liar << " " << by;
    }
  }
}

TEST(CommitSearch, ABurstInAVisitIsLeftOut) {
  std::size_t disturbed = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Commits commits(64, {{1 + seed, 0.05}}, seed);
    commits.burst = 0.05;
    const auto outcome = commits.search();
    EXPECT_EQ(found(outcome), (Found{{seed, 1 + seed}})) << seed;
    disturbed += outcome.disturbed;
  }
  EXPECT_GE(disturbed, 50u);
}

TEST(CommitSearch, SaysThatAChangeIsSmallerThanTheThreshold) {
  const auto small = Commits(64, {{30, 0.01}}).search();
  EXPECT_EQ(small.end, BisectionEnd::small);
  EXPECT_TRUE(small.steps.empty());
  EXPECT_LT(small.ends.high, 0.02);
  const auto faster = Commits(64, {{30, -0.05}}).search();
  EXPECT_EQ(faster.end, BisectionEnd::small);
  EXPECT_LT(faster.ends.high, 0);
}

TEST(CommitSearch, AChangeAtTheThresholdIsUndecided) {
  int undecided = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Commits commits(8, {{3, 0.02}}, seed);
    const auto outcome = commits.search();
    undecided += outcome.end == BisectionEnd::undecided ? 1 : 0;
    EXPECT_LE(outcome.blocks, 60u);
  }
  EXPECT_GE(undecided, 18);
}

TEST(CommitSearch, OfManySmallStepsItBlamesNone) {
  std::map<std::size_t, double> steps;
  for (std::size_t i = 1; i <= 64; ++i) steps[i] = 0.0008;
  int unconfirmed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto outcome = Commits(64, steps, seed).search();
    for (const auto& step : outcome.steps) EXPECT_LT(step.change.value, 0.02);
    unconfirmed += outcome.end == BisectionEnd::unconfirmed ? 1 : 0;
  }
  EXPECT_GE(unconfirmed, 5);
}

TEST(CommitSearch, WhatHasTheSameCodeIsNotMeasured) {
  // The code changes with commits 5 and 12 only.
  const auto code = [](std::size_t commit) { return commit < 5 ? 0 : commit < 12 ? 1 : 2; };
  Commits commits(16, {{12, 0.05}});
  const auto outcome =
      commits.search([&](std::size_t a, std::size_t b) { return code(a) == code(b); });
  EXPECT_EQ(found(outcome), (Found{{11, 12}}));
  EXPECT_LE(outcome.blocks, 6u);
  EXPECT_TRUE(outcome.commits[11].same_code_as);
  Commits same(16, {{12, 0.05}});
  EXPECT_EQ(same.search([](std::size_t, std::size_t) { return true; }).end,
            BisectionEnd::same_code);
  EXPECT_EQ(same.measured, 0u);
}

TEST(CommitSearch, EndsWhereAnEndIsUnusableOrTheUserStops) {
  for (const std::size_t end : {0, 16}) {
    Commits commits(16, {{12, 0.05}});
    commits.broken = {end};
    const auto outcome = commits.search();
    EXPECT_EQ(outcome.end, BisectionEnd::no_end);
    EXPECT_TRUE(outcome.commits[end].state == CommitState::skipped);
  }
  for (std::size_t most = 0; most < 8; ++most) {
    Commits commits(64, {{12, 0.05}});
    commits.most = most;
    const auto outcome = commits.search();
    EXPECT_EQ(outcome.end, BisectionEnd::stopped);
    EXPECT_LE(outcome.low, 11u);
    EXPECT_GE(outcome.high, 12u);
  }
}

TEST(CommitSearch, OfTwoNeighboursTheEndsAreTheAnswer) {
  const auto outcome = Commits(1, {{1, 0.05}}).search();
  EXPECT_EQ(found(outcome), (Found{{0, 1}}));
}

}  // namespace
}  // namespace apod::judge
