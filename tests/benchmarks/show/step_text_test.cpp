// The answer that a recording begins with.

#include "benchmarks/show/step_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

constexpr double milli = 1e-3;

class StepText : public testing::Test {
 protected:
  StepText() {
    steps.by = StepsBy::ranges;
    steps.name = "step N";
    steps.found = 8;
    for (int i = 1; i < 8; ++i) {
      Step step{"step " + std::to_string(i), 0, 0, {}, 0};
      step.parts[StepPart::kernels] = (13 + 0.5 * i) * milli;
      step.parts[StepPart::no_call] = 5 * milli;
      step.parts[StepPart::recorder] = 1 * milli;
      steps.steady.push_back(step);
    }
    steps.start_names = {"step 0"};
    steps.start_s = 1.3;
    steps.start = {{"loading code", {1, 0.9, 0.9, 0.9}}, {"no CUDA call", {1, 0.4, 0.4, 0.4}}};
    steps.launches_a_step = 700;
    steps.calls_a_step = 1000;
  }
  std::string answer(bool by_recorder = true, int exit_code = 0, int width = 250,
                     Audience audience = Audience::text) const {
    const StepReport report{"python3 train.py", steps, findings, profile, by_recorder, exit_code};
    Document document;
    document.add(answer_list(report, audience));
    std::ostringstream out;
    render_terminal(out, document, {false, width});
    return out.str();
  }

  Steps steps;
  std::vector<Finding> findings;
  Profile profile;
};

TEST(CollectivesList, SizesOfOneRoundedTextAreToldInFull) {
  std::vector<Collective> all(3);
  for (auto& one : all) {
    one.name = "all-reduce";
    one.ranks = 2;
  }
  all[0].bytes = 33'589'248;
  all[1].bytes = 33'587'200;
  all[2].bytes = 1'048'576;
  Document document;
  document.add(collectives_list(all));
  std::ostringstream out;
  render_terminal(out, document, {false, 250});
  EXPECT_TRUE(contains(out.str(), "all-reduce of 33589248 bytes on 2 devices"));
  EXPECT_TRUE(contains(out.str(), "all-reduce of 33587200 bytes on 2 devices"));
  EXPECT_TRUE(contains(out.str(), "all-reduce of 1.00 MiB on 2 devices, "));
  for (auto& one : all) one.bytes = 1'048'576;
  Document groups;
  groups.add(collectives_list(all));
  render_terminal(out, groups, {false, 250});
  EXPECT_TRUE(contains(out.str(), "of 1.00 MiB on 2 devices, one of 3 communicators, "));
}

TEST_F(StepText, SaysWhereTheDeviceWaitsForTheHost) {
  steps.wait = {"DtoH", "HtoD", "between steps", {7, 28 * milli, 4 * milli, 4 * milli}, 35 * milli};
  EXPECT_TRUE(contains(answer(),
                       "waiting for the host: 4 of 5 ms between DtoH and HtoD, between "
                       "steps (1 wait of 4 ms)"));
  steps.wait = {"", "gemm", "", {70, 28 * milli, 0.4 * milli, 0.4 * milli}, 35 * milli};
  EXPECT_TRUE(
      contains(answer(), "waiting for the host: 4 of 5 ms before gemm (10 waits of 400 us)"));
  steps.wait.all_s = 10 * milli;
  EXPECT_FALSE(contains(answer(), "waiting for the host")) << "less than a tenth of the steps";
}

TEST_F(StepText, WhatTheHostCostsIsNoTimeOfKernels) {
  findings = {{"blocking-reads", Severity::warning, "", "a", "b", 0.2},
              {"copying-kernels", Severity::warning, "", "a", "b", 0.7},
              {"fp64-kernels", Severity::warning, "", "a", "b", 0.4}};
  EXPECT_TRUE(contains(answer(), "together at most 95 %")) << "kernels are 75 % of a step";
}

TEST_F(StepText, SaysWhatRepeatsHowLongItTakesAndWhatIsLeftOut) {
  const auto text = answer();
  EXPECT_TRUE(contains(text, "python3 train.py runs 'step N' 8 times, 20 ms each"));
  EXPECT_TRUE(contains(text, "(median of 7, 18.5 to 21.5)"));
  EXPECT_TRUE(contains(text, "is busy for 75 %"));
  EXPECT_TRUE(contains(text, "kernels 15 (75 %), no CUDA call 5 (25 %)"));
  EXPECT_TRUE(contains(text, "left out: the start with step 0, 1.3 s: loading code 900 ms"));
  EXPECT_TRUE(contains(text, "subtracted: the 1 ms that the recorder added to a step"));
  EXPECT_TRUE(contains(text, "; not subtracted: up to 1.4 ms for recording the calls"));
  EXPECT_FALSE(contains(answer(false), "not subtracted")) << "another tool recorded it";
}

TEST_F(StepText, CausesAreRankedWithWhatTheyCostAtMost) {
  findings = {{"host-bound", Severity::warning, "", "no CUDA call", "load data", 0.2},
              {"many-small-kernels", Severity::warning, "", "they wait", "fuse", 0.1},
              {"low-occupancy", Severity::note, "k", "few threads", "more", 0}};
  const auto text = answer();
  EXPECT_TRUE(contains(text, "1 host-bound, at most 4 ms (20 %): no CUDA call"));
  EXPECT_TRUE(contains(text, "2 many-small-kernels, at most 2 ms (10 %)"));
  EXPECT_TRUE(contains(text, "together at most 30 %"));
  EXPECT_FALSE(contains(text, "few threads")) << "notes are for --table findings";
}

TEST_F(StepText, GainsOfKernelsAddUpToNoMoreThanTheKernels) {
  findings = {{"host-bound", Severity::warning, "", "a", "b", 0.2},
              {"small-grid", Severity::warning, "k", "a", "b", 0.6},
              {"tail-effect", Severity::warning, "k", "a", "b", 0.5}};
  EXPECT_TRUE(contains(answer(), "together at most 95 %"));
}

TEST_F(StepText, AtMostFifteenLinesWhateverIsFound) {
  for (int i = 0; i < 30; ++i) {
    findings.push_back({"host-bound", Severity::warning, "",
                        "evidence of fair length: " + std::string(60, 'x'), "advice of fair length",
                        0.03});
  }
  const auto text = answer(true, 0, 110);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 15);
  EXPECT_TRUE(contains(text, "27 more findings: --table findings"));
}

TEST_F(StepText, ARunWithoutAStepAndOneThatCrashedAreToldApart) {
  const auto crashed = answer(true, 139);
  EXPECT_TRUE(contains(crashed, "The program ended with exit code 139 after step 7."));
  steps.by = StepsBy::nothing;
  steps.steady.resize(1);
  steps.start_names.clear();
  const auto whole = answer();
  EXPECT_TRUE(contains(whole, "no steps were found, so this describes the whole run"));
  EXPECT_FALSE(contains(whole, "median"));
  steps.by = StepsBy::launches;
  steps.name = "softmax";
  steps.found = 20;
  EXPECT_TRUE(contains(answer(), "repeats 700 launches (the first is softmax) 20 times"));
  steps.launches_a_step = 1;
  EXPECT_TRUE(contains(answer(), "repeats the launch of softmax 20 times"));
}

TEST_F(StepText, WhereKernelsAreTheLimitTheLongestIsNamedUnlessAFindingSavesMuch) {
  const auto add = [&](const std::string& name, double seconds) {
    KernelProfile kernel;
    kernel.name = name;
    kernel.time = {7, seconds, 0, 0};
    profile.kernels.push_back(kernel);
  };
  add("void solve<4>(int)", 30 * milli);
  add("void solve<2>(int)", 30 * milli);
  add("void scale(int)", 40 * milli);
  EXPECT_TRUE(contains(answer(),
                       "kernels are the limit; the most time goes to solve (60 %) (bench capture"));
  add("sm80_xmma_fprop_a__5x_cudnn", 90 * milli);
  add("void wgrad_alg0_engine<float>()", 60 * milli);
  EXPECT_TRUE(
      contains(answer(),
               "kernels are the limit; the most time goes to convolution (60 %): change precision"))
      << "the owner of a program can't change a kernel of cuDNN";
  add("cudnn_generated_fort_native_sdpa_sm90_flash_fprop", 900 * milli);
  EXPECT_TRUE(contains(answer(), "instead of a mask"));
  profile.kernels.back().name = "void pytorch_flash::flash_fwd_kernel<traits>(params)";
  EXPECT_FALSE(contains(answer(), "mask")) << "it takes none";
  profile.kernels.pop_back();
  add("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 900 * milli);
  EXPECT_TRUE(contains(answer(), "goes to convolution (60 %)")) << "communication computes nothing";
  findings = {{"small-grid", Severity::warning, "solve", "a", "b", 0.3}};
  EXPECT_FALSE(contains(answer(), "are the limit"));
  findings.clear();
  for (auto& step : steps.steady) step.parts[StepPart::copies] = 1;
  profile.copies.push_back({"HtoD"});
  profile.copies.back().time = {7, 1, 0, 0};
  EXPECT_TRUE(contains(answer(), "copies are the limit; the most time goes to HtoD (100 %)"));
  profile.copies.back().source = MemoryKind::pageable;
  const auto by = std::exchange(steps.by, StepsBy::nothing);
  EXPECT_TRUE(contains(answer(), "used more than once"));
  steps.by = by;
  EXPECT_FALSE(contains(answer(), "used more than once")) << "the copies recur";
  for (auto& step : steps.steady) step.parts[StepPart::launching] = 2;
  EXPECT_FALSE(contains(answer(), "are the limit"));
  for (auto& step : steps.steady) step.parts[StepPart::between] = 3;
  EXPECT_TRUE(contains(answer(), "for 3 s, the device is idle although work is launched"));
}

TEST_F(StepText, WhatIsLeftOutBetweenTheStepsIsOneLine) {
  steps.apart = {"validate (3)", "save (1)", std::string(300, 'x') + " (2)", "log (9)", "draw (1)"};
  const auto text = answer();
  EXPECT_TRUE(contains(text, "left out between the steps: validate (3), save (1), xxx"));
  EXPECT_TRUE(contains(text, ", 2 more\n"));
}

TEST_F(StepText, WhereNotAllStepsFitTheSlowestIsDrawn) {
  steps.steady[3].parts[StepPart::kernels] = 1;
  Page page;
  for (const std::size_t most : {1, 2, 3, 4, 6}) {
    const auto figure = steps_figure(steps, most, page);
    const auto& rows = figure.panels.at(0).rows;
    EXPECT_EQ(rows.size(), most);
    EXPECT_NE(std::find(rows.begin(), rows.end(), "step 4"), rows.end()) << most;
  }
}

TEST_F(StepText, PercentagesAddUpToAHundred) {
  Parts parts;
  parts[StepPart::kernels] = 1;
  parts[StepPart::copies] = 1;
  parts[StepPart::no_call] = 1;
  parts[StepPart::allocating] = 0.06;
  const auto text = parts_text(parts);
  int sum = 0;
  for (auto at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
    sum += std::atoi(text.c_str() + at + 1);
  }
  EXPECT_EQ(sum, 100) << text;
  EXPECT_TRUE(contains(text, "other 0.06"));
}

TEST_F(StepText, KernelsAreAddedUpByFamilyAndShortName) {
  const auto add = [&](const std::string& name, double seconds, std::uint64_t launches) {
    KernelProfile kernel;
    kernel.name = name;
    kernel.time = {launches, seconds, 0, 0};
    profile.kernels.push_back(kernel);
  };
  add("void at::native::vectorized_elementwise_kernel<4, A>(int)", 14 * milli, 70);
  add("void at::native::vectorized_elementwise_kernel<2, B>(int)", 14 * milli, 70);
  add("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 7 * milli, 7);
  for (int i = 0; i < 20; ++i) add("kernel_" + std::to_string(i), 0.01 * milli, 7);
  const StepReport report{"", steps, findings, profile};
  const auto table = step_table(report, 5);
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.rows[0].cells[4].text, "elementwise");
  EXPECT_EQ(table.rows[0].cells[2].text, "20");
  EXPECT_EQ(table.rows[0].cells[1].text, "4 ms");
  EXPECT_EQ(table.rows[1].cells[4].text, "communication");
  EXPECT_TRUE(contains(table.rows[4].cells[5].text, "18 others"));
  steps.launched = {
      {"void at::native::vectorized_elementwise_kernel<4, A>(int)",
       {{"in forward", 1 * milli}, {"in 'layer N'", 5 * milli}}},
      {"void at::native::vectorized_elementwise_kernel<2, B>(int)", {{"in 'layer N'", 5 * milli}}},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)",
       {{"in backward", 4 * milli}, {"after backward", 3 * milli}}},
      {"of another step", {{"in forward", 1 * milli}}}};
  const auto placed = step_table(report, 5);
  EXPECT_EQ(placed.columns[5].name, "launched in");
  EXPECT_EQ(placed.rows[0].cells[5].text, "'layer N'");
  EXPECT_EQ(placed.rows[1].cells[5].text, "several");
  EXPECT_EQ(placed.rows[4].cells[5].text, "");
}

TEST_F(StepText, FurtherFindingsAreThoseThatTheAnswerDoesNotGive) {
  for (int i = 0; i < 4; ++i) {
    findings.push_back({"cause " + std::to_string(i), Severity::warning, "", "a", "b", 0.1});
  }
  findings.push_back({"hint", Severity::note, "", "a", "b", 0});
  findings.push_back({"unused-tensor-cores", Severity::note, "", "products without them", "b", 0});
  EXPECT_TRUE(contains(answer(), "products without them"));
  EXPECT_TRUE(contains(answer(), "1 more finding: --table findings"));
  EXPECT_FALSE(contains(answer(true, 0, 250, Audience::page), "--table")) << "a page lists it";
  const auto further = further_findings(findings);
  ASSERT_EQ(further.size(), 3u);
  EXPECT_EQ(further[0].id, "cause 3");
  EXPECT_EQ(further[1].id, "hint");
  EXPECT_EQ(further[2].id, "unused-tensor-cores") << "whose advice the answer only names";
}

}  // namespace
}  // namespace apod::show
