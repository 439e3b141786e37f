#include <gtest/gtest.h>

#include "tests/benchmarks/plan/planned.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::plan {
namespace {

TEST(Where, LeavesCasesOutAndCountsThem) {
  const auto outcome = plan_file(
      "schema: 1\nexperiments:\n  - workload: sum\n    axes: {variant: [fast, slow], size: [10, "
      "20, 30], repeats: [1, 2]}\n"
      "    where: [\"size * repeats <= 40\", \"variant == 'fast' or repeats == 1\"]\n",
      "t.yaml");
  EXPECT_EQ(messages(outcome), "");
  ASSERT_TRUE(outcome.plan);
  EXPECT_EQ(outcome.plan->cases.size(), 8u);
  EXPECT_EQ(outcome.notes,
            std::vector<std::string>{"where leaves out 4 of 12 cases of experiment 'sum'"});
}

TEST(Where, SaysForWhichCaseItFails) {
  EXPECT_EQ(
      messages("  - workload: sum\n    axes: {variant: fast, size: [10, 20], repeats: [1, 3]}\n"
               "    where: \"size / (repeats - 1) > 2\"\n"),
      "t.yaml:5:18: where: division of 10 by zero, for variant fast, size 10, repeats 1 and "
      "1 more\n");
  EXPECT_EQ(messages("  - {workload: sum, where: size}\n").substr(0, 76),
            "t.yaml:3:28: where: write a condition such as n > 0; this expression gives 1");
  EXPECT_EQ(messages("  - {workload: sum, axes: {size: 10}, where: [\"size < 5\"]}\n"),
            "t.yaml:3:48: 'where' leaves no case in experiment 'sum'\n");
}

TEST(Where, RefusesWhatWouldTakeTooLongToEvaluate) {
  std::string deep = "\"";
  for (int i = 0; i < 60; ++i) deep += "size > 0 and ";
  deep += "size > 0\"";
  std::string where = "[";
  for (int i = 0; i < 100; ++i) where += (i == 0 ? "" : ", ") + deep;
  const auto said = messages(
      "  - workload: sum\n    axes: {variant: fast, size: {from: 1, to: 100000, step: \"+1\"}}\n"
      "    where: " +
      where + "]\n");
  EXPECT_NE(said.find(" cases take too long to evaluate"), std::string::npos) << said;
}

TEST(Where, TakesALongTextForNoWork) {
  const auto blanks = "\"size" + std::string(900, ' ') + "> 0\"";
  const auto said = messages(
      "  - workload: sum\n    axes: {variant: fast, size: {from: 1, to: 100000, step: \"+1\"}}\n"
      "    where: [" +
      blanks + ", " + blanks + ", " + blanks + "]\n");
  EXPECT_EQ(said.find("take too long"), std::string::npos) << said;
}

TEST(Where, RefusesAnInfinityWhereItIsMade) {
  const std::string start = "  - {workload: sum, axes: {size: [1, 4]}, where: \"";
  const struct {
    std::string expression, made, says;
  } table[] = {
      {"1 < exp(1000 * size)", "exp", "its value is infinite"},
      {"min(1, exp(1e9)) > 0", "exp", "its value is infinite"},
      {"size > 0 or 10.0 ^ 300 * 10.0 ^ 300 == 1", "", ""},  // not evaluated
      {"size < 0 or 10.0 ^ 300 * 10.0 ^ 300 == 1", "* 10", "its value is infinite"},
      {"1 / (1 + 10.0 ^ 400) == 0", "^", "its value is infinite"},
      {"(0 - 8) ^ 0.5 != 1", "^", "its value is not a number"},
      {"10.0 ^ 300 / 10.0 ^ (0 - 300) > 1", "/", "its value is infinite"},
  };
  for (const auto& [expression, made, says] : table) {
    const auto said = messages(start + expression + "\"}\n");
    if (says.empty()) {
      EXPECT_EQ(said, "") << expression;
      continue;
    }
    const auto column = start.size() + expression.find(made) + 1;
    EXPECT_NE(said.find(":" + std::to_string(column) + ": where: " + says), std::string::npos)
        << expression << "\n"
        << said;
  }
}

class KernelPlan : public testing::Test {
 protected:
  ExpandOutcome plan(const std::string& text) const {
    return plan_file("schema: 1\nexperiments:\n" + text, folder_.path("t.yaml"));
  }
  std::string wrong(const std::string& text) const {
    std::string all;
    for (const auto& d : plan(text).diagnostics) {
      all += std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + " " + d.message +
             "\n";
    }
    return all;
  }
  TemporaryFolder folder_;
  std::string file_ = folder_.write("k.cu", "");
};

TEST_F(KernelPlan, HasCasesWithoutABackend) {
  const auto outcome = plan(
      "  - kernel: {file: k.cu, name: k}\n    axes: {size: [1, 2]}\n    grid: size\n    block: 1\n"
      "    args: [{name: y, type: f32, shape: size, role: out}]\n");
  EXPECT_EQ(messages(outcome), "");
  EXPECT_EQ(ids(outcome), (Words{"kernel/k.cu/size:1", "kernel/k.cu/size:2"}));
  EXPECT_EQ(outcome.plan->cases[0].skip, cuda_not_built);
  EXPECT_EQ(outcome.plan->cases[0].backend, BackendKind::cuda);
}

TEST_F(KernelPlan, ReportsEachExpressionOnceWithItsPlace) {
  EXPECT_EQ(
      wrong("  - kernel: {file: k.cu, name: k}\n    axes: {size: [1, 2], block: [512, 2048]}\n"
            "    grid: \"floor(size / 2)\"\n    block: block\n"
            "    args: [{name: y, type: f32, shape: [size, \"2^62\"], role: out}]\n"),
      "5:12 the grid is 0, but must be 1 to 2147483647, for variant k.cu, size 1, block 512 "
      "and 1 more\n"
      "6:12 the block is 2048, but must be 1 to 1024, for variant k.cu, size 2, block 2048\n"
      "7:48 a dimension of 'y' is 4611686018427387904, but must be 1 to 70368744177664, for "
      "variant k.cu, size 2, block 512\n");
}

TEST_F(KernelPlan, BoundsItsLoopsAndThoseOfAllCases) {
  const auto with = [&](const std::string& cases, const std::string& loops) {
    return wrong("  - kernel: {file: k.cu, name: k}\n    axes: {size: {from: 1, to: " + cases +
                 ", step: \"+1\"}}\n    grid: size\n    block: 1\n    for: {" + loops +
                 "}\n    args: [{name: y, type: f32, shape: size, role: out}, {name: n, type: i32, "
                 "value: i}]\n");
  };
  EXPECT_EQ(with("2", "i: \"1..10000 by +1\""), "");
  EXPECT_NE(with("2", "i: \"1..10001 by +1\"").find("more than 10000 launches"), std::string::npos);
  EXPECT_NE(with("2", "i: \"1..10^18 by +1\", j: \"1..0 by +1\"").find("more than 10000 launches"),
            std::string::npos)
      << "also where no round makes one";
  EXPECT_NE(with("1000", "i: \"1..10000 by +1\"").find("all cases together make more than 1000000"),
            std::string::npos);
}

TEST_F(KernelPlan, EveryAxisIsNamedOrAMacro) {
  // `more` holds one of the axes' names, or a reason that none is needed.
  const auto idle = [&](const std::string& axes, const std::string& more = "",
                        const std::string& name = "k") {
    return wrong("  - kernel: {file: k.cu, name: \"" + name + "\"}\n    axes: {" + axes +
                 "}\n    grid: 1\n    block: 1\n    args: [{name: y, type: f32, shape: 16, role: "
                 "out}, {name: x, type: f32, shape: 16" +
                 (more.starts_with("data") ? ", " + more + "}]\n"
                                           : "}]\n" + (more.empty() ? "" : "    " + more + "\n")));
  };
  const std::string said = "4:12 axis 'unroll' changes nothing in the kernel\n";
  EXPECT_EQ(idle("unroll: [1, 2]"), said);
  EXPECT_EQ(idle("unroll: 2"), said) << "it means nothing, though no case is made twice";
  EXPECT_EQ(idle("unroll: [1, 2], more: [a, b]"),
            said + "4:28 axis 'more' changes nothing in the kernel\n");
  EXPECT_EQ(idle("unroll: [1, 2]", "where: \"unroll > 0\""), said)
      << "to be left out by it makes no difference to the others";
  EXPECT_EQ(idle("UNROLL: [1, 2]"), "") << "a macro";
  EXPECT_EQ(idle("unroll: [1, 2]", "", "k<unroll>"), "");
  EXPECT_EQ(idle("unroll: [1, 2], variant: [k, \"k2<unroll>\"]"), "");
  for (const auto* names :
       {"for: {j: \"1..unroll\"}", "shared: \"unroll * 4\"", "cluster: \"if(unroll > 0, 1, 1)\"",
        "traffic: {read: unroll}", "data: {expression: \"i * unroll\"}",
        "reference: {expression: \"unroll * x\"}", "reference: {kernel: r, grid: unroll, block: 1}",
        "reference: {kernel: \"r<unroll>\"}"}) {
    EXPECT_EQ(idle("unroll: [1, 2]", names), "") << names;
  }
}

TEST_F(KernelPlan, AnAxisOfOneKernelIsInNoOthersIds) {
  const auto with = [&](const std::string& axis, const std::string& grid, const Flags& flags = {}) {
    return plan_file(
        "schema: 1\nexperiments:\n  - kernel: {file: k.cu, name: plain}\n    axes: "
        "{variant: [plain, \"tiled<" +
            axis + ">\"], n: [4, 8], " + axis + ": [2, 4]}\n    grid: \"" + grid +
            "\"\n    block: 1\n    args: [{name: y, type: f32, shape: n, role: "
            "out}]\n    baseline: {variant: plain}\n",
        folder_.path("t.yaml"), {}, flags);
  };
  for (const std::string axis : {"TILE", "tile"}) {
    const auto outcome = with(axis, "n");
    ASSERT_TRUE(outcome.plan) << messages(outcome);
    const auto tiled = "kernel/tiled<" + axis + ">/n:";
    EXPECT_EQ(ids(outcome), (Words{"kernel/plain/n:4", "kernel/plain/n:8",
                                   tiled + "4/" + axis + ":2", tiled + "4/" + axis + ":4",
                                   tiled + "8/" + axis + ":2", tiled + "8/" + axis + ":4"}));
    const auto& cases = outcome.plan->cases;
    EXPECT_FALSE(cases[0].params.has(axis));
    EXPECT_EQ(cases[5].baseline, std::size_t{1});
    const auto set = with(axis, "n", {.set = {"variant=plain"}});
    EXPECT_EQ(ids(set), (Words{"kernel/plain/n:4", "kernel/plain/n:8"}));
    // A macro would break `template <int TILE>` in the source.
    const auto& kernel = outcome.plan->experiments.front().kernel;
    EXPECT_EQ(kernel->family().shapes().launches(cases[0].params).front().defines, Words{});
    // What an expression names is of all.
    EXPECT_EQ(ids(with(axis, "n * " + axis)).size(), 8u);
  }
}

TEST_F(KernelPlan, OneAxisOfAZipMayNameWhatTheOthersChange) {
  const auto idle = [&](const std::string& grid) {
    return wrong(
        "  - kernel: {file: k.cu, name: k}\n    zip: [{form: [wide, tall], rows: [1, 2]}]\n"
        "    grid: " +
        grid +
        "\n    block: 1\n"
        "    args: [{name: y, type: f32, shape: 16, role: out}]\n");
  };
  EXPECT_EQ(idle("rows"), "");
  EXPECT_EQ(idle("1"),
            "4:12 axis 'form' changes nothing in the kernel\n"
            "4:32 axis 'rows' changes nothing in the kernel\n");
}

TEST_F(KernelPlan, AMacroChangesNothingThatWasCompiledBefore) {
  folder_.write("k.cubin", "");
  EXPECT_EQ(wrong("  - kernel: {file: k.cubin, name: k}\n    axes: {TILE: [4, 8]}\n    grid: 1\n"
                  "    block: 1\n    args: [{name: y, type: f32, shape: 16, role: out}]\n"),
            "4:12 axis 'TILE' changes nothing in the kernel\n");
}

TEST_F(KernelPlan, WhereIsNamedForWhatItCanLeaveOut) {
  const auto hint = [&](const std::string& block, const std::string& rest) {
    const auto outcome =
        plan("  - kernel: {file: k.cu, name: k}\n    axes: {size: 1}\n    block: " + block + "\n" +
             rest + "    args: [{name: y, type: f32, shape: size, role: out}]\n");
    return outcome.diagnostics.empty() ? "no problem" : outcome.diagnostics.front().hint;
  };
  const auto* where = "to leave such cases out, add where: [\"block <= 1024\"]";
  EXPECT_EQ(hint("2048 * size", "    grid: 1\n"), where);
  EXPECT_EQ(hint("[64 * size, 64]", "    grid: 1\n"), where);
  EXPECT_EQ(hint("size - 1", "    grid: 1\n"), "");
  EXPECT_EQ(hint("size - 2", "    grid: 1\n"), "");
  EXPECT_EQ(hint("1", "    grid: size - 1\n"), "");
  EXPECT_EQ(hint("1", "    grid: size / 0\n"), "");
  EXPECT_EQ(hint("1", "    grid: 1\n    where: \"size % 0 == 0\"\n"), "") << "it is wrong itself";
}

TEST_F(KernelPlan, AnAxisOfNumbersWithASlipIsNamed) {
  const auto outcome = plan(
      "  - kernel: {file: k.cu, name: k}\n    axes: {size: [1024, 2O48]}\n"
      "    grid: \"size / 4\"\n    block: 1\n"
      "    args: [{name: y, type: f32, shape: 1, role: out}]\n");
  ASSERT_FALSE(outcome.diagnostics.empty());
  EXPECT_EQ(outcome.diagnostics.front().hint,
            "the values of size are words, because '2O48' is not a whole number");
}

}  // namespace
}  // namespace apod::plan
