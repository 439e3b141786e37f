#include "benchmarks/plan/space.hpp"

#include <gtest/gtest.h>

#include "tests/benchmarks/plan/planned.hpp"
#include "tests/support/texts.hpp"

namespace apod::plan {
namespace {

/// The only experiment of `experiments:`.
Experiment read(const std::string& experiments, const Registry& registry) {
  const auto loaded = config::load_text("schema: 1\nexperiments:\n" + experiments, "t.yaml",
                                        registry, {BackendKind::cuda, {}});
  EXPECT_TRUE(loaded.diagnostics.empty()) << to_string(loaded.diagnostics.front());
  return loaded.config->experiments.front();
}

/// A command with these axes, a letter each, all of the same values.
std::string command(const std::string& axes, const std::string& values,
                    const std::string& more = "") {
  std::string words;
  std::string of_axes;
  for (const char axis : axes) {
    words += std::string(", \"{") + axis + "}\"";
    of_axes += std::string(of_axes.empty() ? "" : ", ") + axis + ": " + values;
  }
  return "  - workload: {command: [echo" + words + "]}\n    axes: {" + of_axes + "}\n" + more;
}

struct Counted {
  std::size_t size;
  std::string messages;
  std::vector<std::string> notes;
};

Counted counted(const std::string& experiments) {
  const auto registry = test::fake_registry();
  const auto experiment = read(experiments, registry);
  Diagnostics diagnostics;
  const Space space(experiment, registry, {}, "t.yaml", diagnostics);
  std::string messages;
  for (const auto& one : diagnostics) messages += to_string(one) + "\n";
  return {space.size(), messages, space.notes()};
}

TEST(Space, HasTheRunningCasesOfThePlanInItsOrder) {
  const std::string text =
      "  - workload: sum\n    scope: end_to_end\n"
      "    axes: {variant: [fast, slow], size: [10, 20, 40], streams: [1, 2, 4], threads: [1, 2]}\n"
      "    where: [\"size > 10 or streams == 1\"]\n"
      "    exclude: [{variant: slow, streams: \"> 2\"}]\n";
  const auto registry = test::fake_registry();
  const auto experiment = read(text, registry);
  Diagnostics diagnostics;
  const Space space(experiment, registry, {}, "t.yaml", diagnostics);
  ASSERT_TRUE(diagnostics.empty());
  const auto outcome = plan_file("schema: 1\nexperiments:\n" + text, "t.yaml");
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  std::vector<Params> running;
  for (const auto& c : outcome.plan->cases) {
    if (c.skip.empty()) running.push_back(c.params);
  }
  ASSERT_EQ(space.size(), running.size());
  for (RowIndex row = 0; row < space.size(); ++row) {
    EXPECT_EQ(space.params(row), running[row]) << space.label(row);
    EXPECT_EQ(space.find(space.at(row)), row);
    for (const auto other : space.neighbours(row)) {
      const auto a = space.at(row);
      const auto b = space.at(other);
      int apart = 0;
      for (std::size_t d = 0; d < a.size(); ++d) apart += a[d] != b[d] ? 1 : 0;
      EXPECT_EQ(apart, 1);
    }
  }
}

TEST(Space, MakesAnExperimentOfItsRows) {
  const std::string text =
      "  - {workload: sum, axes: {variant: [fast, slow], size: [10, 20, 40]}, baseline: {size: "
      "20}}\n";
  const auto registry = test::fake_registry();
  const auto experiment = read(text, registry);
  Diagnostics diagnostics;
  const Space space(experiment, registry, {}, "t.yaml", diagnostics);
  EXPECT_EQ(space.label(space.nearest(experiment.baseline)), "variant fast, size 20");
  const std::vector<RowIndex> rows{4, 0};
  ExperimentConfig config{"t", "", "t.yaml", "", {space.experiment_of(rows)}};
  const auto outcome = expand(config, registry, {});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(ids(outcome), (Words{"sum/slow/size:20", "sum/fast/size:10"}));
}

TEST(Space, HasOnePointForAVariantThatLacksAnAxis) {
  const auto flags = with_blocked();
  const auto experiment = read(
      "  - {workload: sum, axes: {variant: [slow, blocked], size: [10, 20], block: [64, 128]}, "
      "exclude: [{block: 64}]}\n",
      flags.registry);
  Diagnostics diagnostics;
  const Space space(experiment, flags.registry, {}, "t.yaml", diagnostics);
  ASSERT_EQ(space.size(), 4u);
  const std::vector<RowIndex> rows{0, 1, 2, 3};
  ExperimentConfig config{"t", "", "t.yaml", "", {space.experiment_of(rows)}};
  const auto outcome = expand(config, flags.registry, {});
  ASSERT_TRUE(outcome.plan) << messages(outcome);
  EXPECT_EQ(ids(outcome),
            (Words{"sum/slow/size:10", "sum/slow/size:20", "sum/blocked/size:10/block:128",
                   "sum/blocked/size:20/block:128"}));
  for (const auto& c : outcome.plan->cases) EXPECT_EQ(space.row_of(c.params), c.index);
}

TEST(Space, DoesNotNameAnAxisThatTheVariantLacks) {
  const auto flags = with_blocked();
  const auto experiment =
      read("  - {workload: sum, axes: {variant: [slow, blocked], size: 10, block: [64, 128]}}\n",
           flags.registry);
  Diagnostics diagnostics;
  const Space space(experiment, flags.registry, {}, "t.yaml", diagnostics);
  ASSERT_EQ(space.size(), 3u);
  EXPECT_EQ(space.label(0), "variant slow");
  EXPECT_FALSE(space.params(0).has("block"));
  EXPECT_EQ(space.known(0).back(), space.levels(2)) << "no level of block";
  EXPECT_EQ(space.label(2), "variant blocked, block 128");
  EXPECT_EQ(space.params(2).integer("block"), 128);
}

TEST(Space, CountsTenMillion) {
  const std::string ten = "{from: 1, to: 10, step: \"+1\"}";
  const auto all = counted(command("abcdefg", ten));
  EXPECT_EQ(all.size, 10'000'000U) << all.messages;
  const auto some = counted(command("abcdefg", ten, "    where: [\"a <= b\", \"c * d <= 20\"]\n"));
  // c * d <= 20 for 10 + 10 + 6 + 5 + 4 + 3 + 2 + 2 + 2 + 2 pairs.
  EXPECT_EQ(some.size, 55U * 46 * 1000) << some.messages;
  ASSERT_EQ(some.notes.size(), 2U);
  EXPECT_EQ(some.notes[0],
            "where: a <= b leaves out 4500000 of 10000000 combinations of experiment 'command'");
}

TEST(Space, RefusesWhatIsTooLarge) {
  const std::string hundred = "{from: 1, to: 100, step: \"+1\"}";
  const auto large = counted(command("abcdef", hundred));
  EXPECT_EQ(large.size, 0U);
  EXPECT_TRUE(contains(large.messages, "1e+12 combinations")) << large.messages;
  EXPECT_TRUE(contains(large.messages, "narrow it with 'where'")) << large.messages;
  // The same with few that are valid is a space like any other.
  const auto narrow = counted(command("abcdef", hundred,
                                      "    where: [\"a + b <= 3\", \"b + c <= 3\", \"c + d <= "
                                      "3\", \"d + e <= 3\", \"e + f <= 3\"]\n"));
  EXPECT_EQ(narrow.size, 21U) << narrow.messages;  // no two neighbours are 2: Fibonacci
}

TEST(Space, SaysWhyNothingIsValid) {
  const auto none = counted(command("ab", "[1, 2]", "    where: [\"a + b > 4\"]\n"));
  EXPECT_EQ(none.size, 0U);
  EXPECT_TRUE(contains(
      none.messages, "has no valid configuration: where: a + b > 4 leaves out 4 of 4 combinations"))
      << none.messages;
  const auto wrong = counted(command("ab", "[0, 2]", "    where: [\"a % b == 1\"]\n"));
  EXPECT_TRUE(contains(wrong.messages, "where: ")) << wrong.messages;
  const auto more = counted(command("a", "[1, 2]", "    include: [{a: 3}]\n"));
  EXPECT_TRUE(contains(more.messages, "only the combinations of the axes")) << more.messages;
}

TEST(Space, LeavesTheProblemToItsShapes) {
  const auto registry = test::fake_registry();
  const auto experiment =
      read("  - {workload: sum, axes: {variant: [fast, slow], size: [10, 20, 40]}}\n", registry);
  EXPECT_EQ(problem_axes(experiment, registry), (std::vector<std::string>{"size"}));
  const auto parts = split_by(experiment, {"size"});
  ASSERT_EQ(parts.size(), 3U);
  Diagnostics diagnostics;
  const Space space(parts[1], registry, {}, "t.yaml", diagnostics);
  EXPECT_EQ(space.size(), 2U);
  EXPECT_EQ(space.params(0).integer("size"), 20);
  EXPECT_EQ(space.label(0), "variant fast");
  EXPECT_THROW(split_by(experiment, {"streams"}), std::invalid_argument);
}

TEST(Space, HasPartsThatAreTheWholeTogether) {
  const auto registry = test::fake_registry();
  const auto experiment = read(command("ab", "[1, 2, 3, 4, 5, 6, 7, 8]"), registry);
  Diagnostics diagnostics;
  const Space whole(experiment, registry, {}, "t.yaml", diagnostics);
  const RowIndex always = 10;
  std::vector<int> seen(whole.size());
  for (std::size_t part = 0; part < 3; ++part) {
    Space space(experiment, registry, {}, "t.yaml", diagnostics);
    const auto start = space.keep_part(part, 3, always);
    EXPECT_EQ(space.label(start), whole.label(always));
    EXPECT_GT(space.size(), 12U);
    EXPECT_LT(space.size(), 32U);
    for (std::size_t row = 0; row < space.size(); ++row) {
      const auto there = whole.row_of(space.params(static_cast<RowIndex>(row)));
      ASSERT_TRUE(there);
      ++seen[*there];
    }
  }
  for (std::size_t row = 0; row < seen.size(); ++row) EXPECT_EQ(seen[row], row == always ? 3 : 1);
  auto other = whole.params(0);
  other.set("a", std::int64_t{9});
  EXPECT_FALSE(whole.row_of(other));
}

}  // namespace
}  // namespace apod::plan
