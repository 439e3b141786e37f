// Comparisons of recordings of programs.

#include "benchmarks/judge/recordings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// All launches of an operation.
SideCase operation(const std::string& name, double milliseconds, double launches) {
  auto c = side_case(name, {milliseconds});
  c.facts = {{"kernel_time/" + name, 1e-3 * milliseconds}, {"launches/" + name, launches}};
  return c;
}

Side recording(std::vector<SideCase> cases, const std::string& command = "./app",
               const std::string& exit_code = "0") {
  auto side = side_of(std::move(cases));
  side.sessions[0].format = "recording";
  side.sessions[0].one_process = true;
  side.sessions[0].environment["command"] = command;
  side.sessions[0].environment["exit_code"] = exit_code;
  return side;
}

TEST(Recordings, OfMoreLaunchesAreComparedByTheirTotals) {
  const auto base = recording({operation("program", 1644, 1), operation("sum", 0.064, 1),
                               operation("reduce", 0.16, 1), operation("divide", 0.42, 1)});
  const auto cut = recording({operation("program", 293, 1), operation("sum", 22.3, 401),
                              operation("reduce", 10.1, 401), operation("divide", 0.374, 8)});
  const auto comparison = compare_sides(base, cut, {});
  EXPECT_EQ(comparison.cases[0].verdict, Verdict::improvement);
  EXPECT_EQ(comparison.cases[1].verdict, Verdict::regression);
  EXPECT_EQ(comparison.cases[2].verdict, Verdict::regression) << "of the shorter run it is 3 %";
  EXPECT_EQ(comparison.cases[3].verdict, Verdict::within_noise);
  EXPECT_FALSE(comparison.common) << "other launches show no shared shift";
  ASSERT_FALSE(comparison.cases[1].causes.empty());
  EXPECT_TRUE(comparison.cases[1].causes[0].text.starts_with("1 -> 401 launches"));
}

TEST(Recordings, OfAnotherCommandOrThatFailedAreNoPairForAVerdict) {
  const auto base = recording({operation("program", 10, 1)}, "python3 train.py");
  const auto unlike = [&](const std::string& command, const std::string& code) {
    return compare_sides(base, recording({operation("program", 100, 1)}, command, code), {});
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(unlike("/opt/bin/python3 ../b/train.py", "0").unlike, Lines());
  EXPECT_EQ(unlike("python3 train.py", "0").cases[0].verdict, Verdict::regression);
  const auto other = unlike("python3 light.py", "0");
  EXPECT_EQ(other.unlike, Lines({"different commands"}));
  EXPECT_EQ(unlike("python3 train.py v3 8", "0").unlike, Lines({"different commands"}));
  EXPECT_EQ(other.cases[0].verdict, Verdict::suspect);
  const auto failed = unlike("python3 train.py", "1");
  EXPECT_EQ(failed.unlike, Lines({"the new side ended with exit code 1"}));
  EXPECT_EQ(failed.cases[0].verdict, Verdict::suspect);
}

TEST(Recordings, PartsOfOneWholeAreNoCasesThatMovedTogether) {
  const auto side = [](double factor) {
    return recording({side_case("program", {100 * factor}), side_case("step", {10 * factor}),
                      side_case("step: allocating", {7 * factor}),
                      side_case("step: launching", {3 * factor})});
  };
  const auto comparison = compare_sides(side(1), side(0.25), {});
  EXPECT_FALSE(comparison.common);
  EXPECT_EQ(comparison.cases[1].verdict, Verdict::suspect);
}

TEST(Recordings, OneRunASideConvictsNoWaitAlone) {
  const auto verdict_of = [](const std::string& part, double factor, double step = 1) {
    const auto side = [&](double times, double of_step) {
      return recording({side_case("step", {30 * of_step}), side_case(part, {3 * times})});
    };
    return compare_sides(side(1, 1), side(factor, step), {}).cases[1].verdict;
  };
  for (const char* wait :
       {"step: launching", "step: device 1: no CUDA call", "step: communication alone",
        "step: device 1: waiting for a later device"})
    EXPECT_EQ(verdict_of(wait, 7), Verdict::suspect) << wait;
  EXPECT_EQ(verdict_of("step: kernels", 7), Verdict::regression);
  EXPECT_EQ(verdict_of("step: copies alone", 7), Verdict::regression);
  EXPECT_EQ(verdict_of("step: launching", 30, 8), Verdict::regression) << "the step says so";
}

TEST(Recordings, FoldersInTheWordsMakeNoOtherCommand) {
  const auto side = [](const std::string& command) {
    return recording({operation("program", 10, 1)}, command);
  };
  const auto base = side("/a/app --data=/a/x.bin --size=8");
  EXPECT_TRUE(why_unlike(base, side("b/app --data=../x.bin --size=8")).empty());
  EXPECT_FALSE(why_unlike(base, side("/a/app --data=/a/y.bin --size=8")).empty());
  EXPECT_FALSE(why_unlike(base, side("/a/app --copy=/a/x.bin --size=8")).empty());
}

TEST(Recordings, ShareAShiftThatIsLargerThanItsSpread) {
  const auto shared = [](const std::vector<double>& factors) {
    std::vector<SideCase> before;
    std::vector<SideCase> after;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const auto name = "k" + std::to_string(i);
      before.push_back(operation(name, 10, 5));
      after.push_back(operation(name, 10 * factors[i], 5));
    }
    return compare_sides(recording(before), recording(after), {}).common.has_value();
  };
  EXPECT_TRUE(shared({1.3, 1.31, 1.29, 1.3}));
  EXPECT_FALSE(shared({0.2, 0.4, 0.9, 1.2, 1.6}));
}

TEST(Recordings, AChangeMattersByTheTimeOfTheWholeThatItCosts) {
  const auto of_copies = [](double ms) {
    return compare_sides(recording({operation("program", 11600, 1), operation("copy", 0.03, 9)}),
                         recording({operation("program", 11600, 1), operation("copy", ms, 9)}), {})
        .cases[1];
  };
  EXPECT_EQ(of_copies(0.96).verdict, Verdict::small);
  EXPECT_TRUE(contains(of_copies(0.96).reason, "% of the program"));
  EXPECT_EQ(of_copies(960).verdict, Verdict::regression);
}

TEST(Recordings, OfTheInspectedDeviceNothingIsThereTwice) {
  // Its parts are those of the step; the other device has its own, which are parts of its own
  // whole.
  const auto inspected = [](const std::string& device, double copies) {
    const std::string other = device == "0" ? "3" : "0";
    return recording({operation("program", 100, 1), side_case("step", {9}),
                      side_case("step: kernels", {5}), side_case("step: device " + device, {9.1}),
                      side_case("step: device " + device + ": kernels", {5}),
                      side_case("step: device " + other, {2}),
                      side_case("step: device " + other + ": kernels", {copies})});
  };
  using Lines = std::vector<std::string>;
  std::array both{inspected("0", 1), inspected("0", 2)};
  keep_comparable(both);
  for (const auto& side : both) {
    EXPECT_EQ(names_of(side), Lines({"program", "step", "step: kernels", "step: device 3",
                                     "step: device 3: kernels"}));
  }
  std::array swapped{inspected("0", 1), inspected("3", 1)};
  keep_comparable(swapped);
  EXPECT_EQ(names_of(swapped[0]).size(), 7u) << "each device is compared with itself";
  EXPECT_EQ(whole_of("step: device 3: kernels"), "step: device 3");
  EXPECT_EQ(whole_of("step: device 3"), "step");
  EXPECT_EQ(whole_of("step: kernels of reduction"), "step");
}

TEST(Recordings, AreComparedByStepWhereBothHaveSteps) {
  const auto with_steps = [] {
    return recording({operation("program", 100, 1), side_case("step", {9}),
                      side_case("step: kernels", {5}), operation("each step: sum", 5, 2),
                      operation("sum", 50, 20)});
  };
  using Lines = std::vector<std::string>;
  std::array both{with_steps(), with_steps()};
  EXPECT_TRUE(keep_comparable(both).empty());
  EXPECT_EQ(names_of(both[1]), Lines({"program", "step", "step: kernels", "each step: sum"}));
  std::array one{with_steps(), recording({operation("program", 100, 1), operation("sum", 50, 20)})};
  EXPECT_EQ(keep_comparable(one).size(), 1u);
  EXPECT_EQ(names_of(one[0]), Lines({"program", "sum"}));
  std::array other{side_of({side_case("step", {1}), side_case("sum", {1})})};
  keep_comparable(other);
  EXPECT_EQ(names_of(other[0]), Lines({"step", "sum"})) << "no recording";
}

}  // namespace
}  // namespace apod::judge
