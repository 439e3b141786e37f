#include "benchmarks/judge/search/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "benchmarks/judge/search/effects.hpp"
#include "benchmarks/judge/search/gaussian.hpp"
#include "tests/benchmarks/plan/planned.hpp"

namespace apod::search {
namespace {

/// Of a command whose axes have these names and values: {"a", "[1, 2]"}.
plan::Space space_of(const std::vector<std::pair<std::string, std::string>>& axes,
                     const std::string& where = "") {
  std::string words;
  std::string all;
  for (const auto& [name, values] : axes) {
    words += ", \"{" + name + "}\"";
    all += (all.empty() ? "" : ", ") + name + ": " + values;
  }
  const auto registry = test::fake_registry();
  const auto loaded =
      config::load_text("schema: 1\nexperiments:\n  - workload: {command: [echo" + words +
                            "]}\n    axes: {" + all + "}\n    where: [" + where + "]\n",
                        "t.yaml", registry, {BackendKind::cuda, {}});
  EXPECT_TRUE(loaded.diagnostics.empty()) << to_string(loaded.diagnostics.front());
  auto experiment = loaded.config->experiments.front();
  experiment.groups.erase(experiment.groups.begin());  // its only variant
  Diagnostics diagnostics;
  return {experiment, registry, {}, "t.yaml", diagnostics};
}

constexpr const char* eight = "[0, 1, 2, 3, 4, 5, 6, 7]";

/// Four axes of eight values; the time is least at (5, 2, any, 3), and axis 2 changes nothing.
plan::Space space_of_formula() {
  return space_of({{"a", eight}, {"b", eight}, {"c", eight}, {"d", eight}}, "\"a + b < 13\"");
}

double ln_time(const plan::Space& space, RowIndex row) {
  const auto at = space.at(row);
  const auto from = [&](std::size_t d, double best) { return std::abs(at[d] - best); };
  return 0.05 * from(0, 5) + 0.08 * from(1, 2) + 0.03 * from(3, 3) + 0.02 * from(0, 5) * from(3, 3);
}

struct Formula {
  const plan::Space& space;
  double noise = 0.01;
  std::uint64_t seed = 1;
  std::mt19937_64 random{seed};
  std::size_t calls = 0;
  std::set<RowIndex> broken{};

  Measure measure() {
    return [this](std::span<const RowIndex> rows, Care) {
      std::normal_distribution<> normal;
      Batch batch;
      ++calls;
      const double process = noise * normal(random);
      for (const auto row : rows) {
        const double value = broken.contains(row)
                                 ? std::nan("")
                                 : ln_time(space, row) + process + noise * normal(random);
        batch.answers.push_back({row, value});
        batch.seconds += 1;
      }
      return batch;
    };
  }
};

TEST(Search, OfEachStrategyFindsWhatItsBudgetAllows) {
  const auto space = space_of_formula();
  for (const auto kind : {StrategyKind::race, StrategyKind::model}) {
    Formula formula{space};
    const SearchRequest request{.strategy = kind, .seed = 3, .budget_s = 400, .start = 0};
    const auto found = explore(space, request, formula.measure());
    EXPECT_LE(found.seconds, 400);
    ASSERT_FALSE(found.finalists.empty());
    const auto last = finals(found.finalists, 0, 200, 1, formula.measure());
    ASSERT_FALSE(last.rows.empty());
    const double loss = std::exp(ln_time(space, last.rows.front().row)) - 1;
    EXPECT_LT(loss, kind == StrategyKind::model ? 0.001 : 0.15) << to_string(kind);
    ASSERT_TRUE(last.gain);
    const double truth = std::exp(ln_time(space, last.rows.front().row) - ln_time(space, 0)) - 1;
    EXPECT_LE(last.gain->low, truth);
    EXPECT_GE(last.gain->high, truth);
  }
}

TEST(Search, WithTheSameAnswersTakesTheSameWay) {
  const auto space = space_of_formula();
  for (const auto kind : {StrategyKind::race, StrategyKind::model}) {
    std::vector<std::vector<RowIndex>> ways;
    for (int run = 0; run < 2; ++run) {
      Formula formula{space};
      auto& way = ways.emplace_back();
      const auto measure = formula.measure();
      explore(space, {.strategy = kind, .seed = 9, .budget_s = 200},
              [&](std::span<const RowIndex> rows, Care care) {
                way.insert(way.end(), rows.begin(), rows.end());
                return measure(rows, care);
              });
    }
    EXPECT_EQ(ways[0], ways[1]);
  }
}

TEST(Search, NeverLetsAFailedRowWin) {
  const auto space = space_of_formula();
  Formula formula{space};
  double least = 1;
  for (RowIndex row = 0; row < space.size(); ++row) {
    if (ln_time(space, row) < 0.05)
      formula.broken.insert(row);
    else
      least = std::min(least, ln_time(space, row));
  }
  const auto found = explore(space, {.strategy = StrategyKind::model, .seed = 1, .budget_s = 300},
                             formula.measure());
  const auto last = finals(found.finalists, 0, 200, 1, formula.measure());
  ASSERT_FALSE(last.rows.empty());
  EXPECT_FALSE(formula.broken.contains(last.rows.front().row));
  EXPECT_NEAR(ln_time(space, last.rows.front().row), least, 0.02);

  for (RowIndex row = 0; row < space.size(); ++row) formula.broken.insert(row);
  const auto none = explore(space, {.seed = 1, .budget_s = 100}, formula.measure());
  EXPECT_TRUE(none.finalists.empty());
  EXPECT_LT(none.steps.back().looks, 60U) << "there is nothing to find";
  EXPECT_TRUE(finals(none.finalists, 0, 100, 1, formula.measure()).rows.empty());
}

TEST(Search, OfAModelHasTheFirstRowsInOneProcessAndLearnsSoon) {
  const auto space = space_of_formula();
  Formula formula{space};
  const auto measure = formula.measure();
  const auto sizes = [&](double budget_s, double starting_s, const Prepare& prepare = {}) {
    std::vector<std::size_t> all;
    explore(space,
            {.strategy = StrategyKind::model, .seed = 9, .budget_s = budget_s, .prepare = prepare},
            [&](std::span<const RowIndex> rows, Care care) {
              all.push_back(rows.size());
              auto batch = measure(rows, care);
              batch.seconds += starting_s;
              return batch;
            });
    return all;
  };
  // The start; rows far apart, with it six and one for each of the four axes; what is learnt.
  EXPECT_EQ(sizes(34, 0), (std::vector<std::size_t>{1, 9, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(sizes(17, 0), (std::vector<std::size_t>{1, 7, 4, 4}));
  // Kernels of a process are compiled at once.
  EXPECT_EQ(sizes(34, 0, [](auto) {}), (std::vector<std::size_t>{1, 9, 8, 8, 8}));
  // The longer starting takes, the more share a process.
  EXPECT_EQ(sizes(66, 2), (std::vector<std::size_t>{1, 9, 6, 6, 6, 6, 6, 6, 2}));
  EXPECT_EQ(sizes(400, 40), (std::vector<std::size_t>{1, 7, 8, 8, 8, 8, 8, 8, 3}));
}

TEST(Search, PreparesTheNextRowsWhileItMeasures) {
  const auto space = space_of_formula();
  Formula formula{space};
  const auto measure = formula.measure();
  constexpr double compiling_s = 4;
  double now_s = 0;
  double mark_s = 0;                      // the end of the process before
  std::map<RowIndex, double> compiled_s;  // when it was, or will be
  const auto timed = [&](std::span<const RowIndex> rows, Care care) {
    double ready_s = now_s;  // what is not compiled yet is, all at once
    for (const auto row : rows)
      ready_s = std::max(ready_s, compiled_s.emplace(row, now_s + compiling_s).first->second);
    auto batch = measure(rows, care);
    now_s = ready_s + batch.seconds;
    batch.seconds = now_s - std::exchange(mark_s, now_s);
    return batch;
  };
  const auto prepare = [&](std::span<const RowIndex> rows) {
    for (const auto& [row, at_s] : compiled_s) now_s = std::max(now_s, at_s);
    for (const auto row : rows)
      EXPECT_TRUE(compiled_s.emplace(row, now_s + compiling_s).second) << "it was chosen before";
  };
  const auto looked_at = [&](const Prepare& prepares) {
    now_s = mark_s = 0;
    compiled_s.clear();
    const auto found = explore(
        space, {.strategy = StrategyKind::model, .seed = 4, .budget_s = 150, .prepare = prepares},
        timed);
    EXPECT_LT(found.seconds, 160);
    for (const auto& row : found.looks.rows()) EXPECT_EQ(row.looks, 1u);
    return found.looks.rows().size();
  };
  const auto alone = looked_at({});
  EXPECT_GT(looked_at(prepare), alone + alone / 4);
}

TEST(Search, OfARacePreparesNothingThatTheComingAnswersDecide) {
  const auto space = space_of_formula();
  std::vector<std::map<RowIndex, std::size_t>> looks;
  for (const auto& prepare : {Prepare{}, Prepare{[](auto) {}}}) {
    Formula formula{space, 0};
    const auto found = explore(
        space, {.strategy = StrategyKind::race, .seed = 4, .budget_s = 150, .prepare = prepare},
        formula.measure());
    auto& all = looks.emplace_back();
    for (const auto& row : found.looks.rows()) all[row.row] = row.looks;
  }
  EXPECT_EQ(looks.front(), looks.back());
}

TEST(Search, ChoosesARaceWhereTheBudgetHasTwoLooksARow) {
  const auto space = space_of_formula();
  // The first row tells what a row costs, and the strategy is chosen; there the search is stopped.
  const Measure first_row = [](std::span<const RowIndex> rows, Care) {
    return Batch{.answers = {{rows.front(), 0.0}}, .seconds = 1, .stopped = true};
  };
  const auto enough = 2.0 * static_cast<double>(space.size()) + 1;
  EXPECT_EQ(explore(space, {.seed = 1, .budget_s = enough}, first_row).strategy,
            StrategyKind::race);
  EXPECT_EQ(explore(space, {.seed = 1, .budget_s = enough - 1}, first_row).strategy,
            StrategyKind::model);
}

TEST(Finals, SaysWhatIsAsGoodAndWhatIsWorse) {
  const auto space = space_of_formula();
  Formula formula{space, 0.005};
  const auto at = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return *space.find(std::vector<std::uint32_t>{a, b, c, d});
  };
  // Axis c changes nothing; (5, 3) is 8 % worse.
  const auto last = finals({at(5, 2, 0, 3), at(5, 2, 7, 3), at(5, 3, 0, 3)}, at(0, 0, 0, 0), 1000,
                           1, formula.measure());
  ASSERT_EQ(last.rows.size(), 4U);
  std::map<RowIndex, const Finalist*> rows;
  for (const auto& one : last.rows) rows[one.row] = &one;
  EXPECT_FALSE(rows.at(at(5, 2, 0, 3))->is_worse);
  EXPECT_FALSE(rows.at(at(5, 2, 7, 3))->is_worse);
  EXPECT_TRUE(rows.at(at(5, 3, 0, 3))->is_worse);
  EXPECT_TRUE(rows.at(at(0, 0, 0, 0))->is_worse);
  EXPECT_EQ(last.rows[last.start].row, at(0, 0, 0, 0));
}

TEST(Finals, KeepTheirBudget) {
  const auto space = space_of_formula();
  for (const double budget : {3.0, 8.0, 20.0, 50.0, 100.0}) {
    Formula formula{space};
    const auto last = finals({1, 2, 3, 4, 5, 6, 7, 8}, 0, budget, 1, formula.measure());
    EXPECT_LE(last.seconds, budget);
    EXPECT_FALSE(last.rows.empty());
    if (budget < 8) continue;
    ASSERT_TRUE(last.gain);
    EXPECT_TRUE(std::isfinite(last.gain->low)) << "eight measurements say something";
  }
  EXPECT_EQ(budget_of_looks(100, 1), 70);
  EXPECT_EQ(budget_of_looks(100, 10), 20);
  EXPECT_EQ(budget_of_looks(100, 50), 0);
  EXPECT_NEAR(budget_of_looks(1000, 1), 898, 1e-9);
}

/// A look is noisy, so the best is often not the first.
TEST(Finals, WithLittleTimeStillTryMostFinalists) {
  const auto space = space_of_formula();
  const auto at = [&](std::uint32_t a, std::uint32_t b) {
    return *space.find(std::vector<std::uint32_t>{a, b, 0, 3});
  };
  Formula formula{space, 0.001};
  const auto best = at(5, 2);
  const auto last = finals({at(4, 2), at(6, 2), at(5, 3), at(5, 1), at(4, 3), best, at(3, 2)},
                           at(0, 0), 29, 1, formula.measure());
  ASSERT_FALSE(last.rows.empty());
  EXPECT_EQ(last.rows.front().row, best);
  ASSERT_TRUE(last.gain);
  EXPECT_LT(last.gain->high, 0);
  EXPECT_LE(last.seconds, 29);
}

/// The interval of the gain has fresh data: luck that chose the winner is not in it.
TEST(Finals, AreRarelyWrongWhereAllAreEqual) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<> normal;
    const auto last =
        finals({1, 2, 3, 4, 5, 6, 7, 8}, 0, 1e9, 1, [&](std::span<const RowIndex> rows, Care) {
          Batch batch;
          for (const auto row : rows) {
            batch.answers.push_back({row, 0.02 * normal(random)});
          }
          return batch;
        });
    if (last.gain && last.gain->high < 0) ++wrong;
  }
  EXPECT_LE(wrong, 8) << "of 200, at 99 %";
}

TEST(Effects, AreThoseOfTheFormula) {
  const auto space = space_of_formula();
  Formula formula{space, 0.001};
  const auto found = explore(space, {.strategy = StrategyKind::race, .seed = 1, .budget_s = 400},
                             formula.measure());
  const auto effects = effects_of(space, found.looks);
  std::map<std::string, double> shares;
  for (const auto& one : effects) shares[one.axis + one.other] = one.share;
  EXPECT_GT(shares["b"], shares["d"]);
  EXPECT_GT(shares["a"], 0.1);
  EXPECT_LT(shares["c"], 0.02);
  EXPECT_GT(shares["ad"], 0.01);
  EXPECT_LT(shares["bc"], 0.02);
  for (const auto& one : effects) {
    if (one.axis == "b" && one.other.empty()) {
      EXPECT_EQ(one.best, "2");
    }
  }
}

TEST(Effects, OfAnAxisAreThoseInVariantsThatHaveIt) {
  const auto flags = plan::with_blocked();
  const auto loaded = config::load_text(
      "schema: 1\nexperiments:\n  - {workload: sum, axes: {variant: [slow, blocked], size: [1, 2, "
      "3, 4, 5, 6, 7, 8], block: [64, 128]}}\n",
      "t.yaml", flags.registry, {BackendKind::host, {}});
  ASSERT_TRUE(loaded.config && loaded.diagnostics.empty());
  Diagnostics diagnostics;
  const plan::Space space(loaded.config->experiments.front(), flags.registry, {}, "t.yaml",
                          diagnostics);
  ASSERT_EQ(space.size(), 24u);
  Looks looks;
  for (RowIndex row = 0; row < space.size(); ++row) {
    const auto at = space.at(row);
    looks.add({row, at[0] == 0 ? 3.0 : at[2] == 0 ? 1.0 : 1.6});
  }
  const auto effects = effects_of(space, looks);
  const auto block = std::ranges::find(effects, "block", &AxisEffect::axis);
  ASSERT_NE(block, effects.end());
  EXPECT_EQ(block->best, "64") << "the variant without blocks is slower than both";
  EXPECT_LT(block->share, 0.15);
}

TEST(Search, LooksAtNoRowTwiceAndEndsWhereAllAreKnown) {
  const auto space = space_of_formula();
  Formula formula{space};
  const double all = static_cast<double>(space.size());
  const auto found = explore(space, {.strategy = StrategyKind::model, .seed = 1, .budget_s = 300},
                             formula.measure());
  EXPECT_EQ(found.looks.rows().size(), 300U);
  const SearchRequest known{
      .strategy = StrategyKind::model, .seed = 2, .budget_s = all, .known = [&] {
        Looks looks;
        for (RowIndex row = 20; row < space.size(); ++row) {
          looks.add({row, ln_time(space, row)});
        }
        return looks;
      }()};
  const auto rest = explore(space, known, formula.measure());
  EXPECT_EQ(rest.looks.rows().size(), space.size());
  EXPECT_EQ(rest.seconds, 20);
}

/// Sees each third row of a space, whose third axis changes nothing.
struct Thirds {
  plan::Space space = space_of({{"size", "[1, 2, 4, 8, 16, 32, 64]"},
                                {"word", "[a, b, c, d]"},
                                {"other", "[0, 1, 2, 3, 4, 5, 6, 7, 8]"}});
  std::vector<Levels> at;
  std::vector<Seen> seen;
  Thirds() {
    for (RowIndex row = 0; row < space.size(); ++row) {
      const auto levels = space.at(row);
      if (row % 3 == 0)
        seen.push_back({levels, truth(levels)});
      else
        at.push_back(levels);
    }
  }
  static double truth(const Levels& at) {
    return 0.2 * at[0] + (at[1] == 2 ? 0.5 : 0.0) + (at[0] > 3 && at[1] == 1 ? 0.7 : 0.0);
  }
};

TEST(Gaussian, ExpectsOfARowWhatRowsLikeItHad) {
  const Thirds thirds;
  Gaussian model(thirds.space);
  std::mt19937_64 random(1);
  model.learn(thirds.seen, random);
  const auto values = model.expected(thirds.at);
  ASSERT_EQ(values.size(), thirds.at.size());
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    squares += std::pow(values[i] - Thirds::truth(thirds.at[i]), 2);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(values.size())), 0.1);
}

TEST(Gaussian, ChoosesEachRowOnceAndTheOneThatMayBeBest) {
  Thirds thirds;
  Gaussian model(thirds.space);
  std::mt19937_64 random(1);
  std::erase_if(thirds.seen, [](const Seen& one) { return one.value < 0.2; });
  model.learn(thirds.seen, random);
  const auto all = model.promising(thirds.at, thirds.at.size());
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), thirds.at.size());
  EXPECT_EQ(thirds.at[all.front()][0], 0u) << "the least size is best";
  // Of two that are alike the one whose answer is to come says what the other would.
  auto at = thirds.at;
  at.push_back(at[all.front()]);
  const auto others = model.promising(at, 3, 1);
  EXPECT_EQ(std::count(others.begin(), others.end(), at.size() - 1), 0);
  EXPECT_NE(others.front(), all.front());
}

TEST(Gaussian, ChoosesRowsFarApartWhereItKnowsNothing) {
  const Thirds thirds;
  std::mt19937_64 random(1);
  for (const bool has_seen : {false, true}) {
    Gaussian model(thirds.space);
    if (has_seen) model.learn({{thirds.seen.front().at, 0}}, random);
    std::set<std::uint32_t> words;
    for (const auto i : model.promising(thirds.at, 4)) words.insert(thirds.at[i][1]);
    EXPECT_GE(words.size(), 3u);
  }
}

}  // namespace
}  // namespace apod::search
