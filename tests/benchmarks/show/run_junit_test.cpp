#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/show/report.hpp"
#include "tests/benchmarks/show/golden.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

std::vector<std::string> annotations(const Result& result, const FailsToo& fails = {}) {
  std::ostringstream out;
  write_annotations(out, result, fails);
  return lines_of(out.str());
}

/// The element of the test called `name`.
std::string test_of(const std::string& report, const std::string& name) {
  const auto begin = report.find("name=\"" + name + "\"");
  EXPECT_NE(begin, std::string::npos) << name;
  if (begin == std::string::npos) return "";
  return report.substr(begin, report.find("</testcase>", begin) - begin);
}

TEST(Golden, Junit) {
  expect_golden("sample.xml", formatted(sample_result(), Format::junit));
}

TEST(RunJunit, WhatFailedIsAnErrorWhatMissedARuleAFailureAndTheRestIsSkippedOrPasses) {
  const auto report = formatted(sample_result(), Format::junit);
  EXPECT_TRUE(contains(report, "tests=\"15\" failures=\"2\" errors=\"3\" skipped=\"4\""));
  const auto failed = test_of(report, "reduction/warp_shuffle/size:1048576");
  EXPECT_TRUE(contains(failed, "<error message=\"verify: relative error of the sum is 0.25"));
  const auto missed = test_of(report,
                              "streams/normalize/grid_stride/size:100000000/streams:4/"
                              "host_memory:pinned/stream_pool:aliased");
  EXPECT_TRUE(contains(missed,
                       "<failure message=\"configs/streams.yaml:14: distinct_streams == streams: "
                       "distinct_streams is 1, streams is 4\" type=\"expectation\">"));
  const auto skipped = test_of(report, "reduction/host/size:1048576");
  EXPECT_TRUE(contains(skipped, "<skipped message=\"backend host was not asked for\""));
  EXPECT_TRUE(contains(test_of(report, "reduction/thrust/size:1048576"), "message=\"not run\""));
  EXPECT_TRUE(contains(test_of(report, "everything was run"), "<error"));
  const auto passed = test_of(report, "reduction/cub/size:1048576");
  EXPECT_TRUE(contains(passed, "<system-out>measured: 80")) << passed;
  EXPECT_TRUE(contains(passed, "time=\"0.0000008")) << passed;
}

TEST(RunJunit, WhatFailsTheRunTooIsAFailure) {
  auto result = sample_result();
  result.interrupted = false;
  std::erase_if(result.measurements, [](const Measurement& m) { return !m.failed.empty(); });
  const auto id = "reduction/cub/size:1048576";
  const auto cub = std::ranges::find(result.plan.cases, id, &Case::id);
  result.expectations = {{cub->index, "time < 1 us", "time is 0.8 us", RuleState::undecided, {}}};
  EXPECT_TRUE(contains(formatted(result, Format::junit), "failures=\"0\""));
  EXPECT_TRUE(annotations(result).empty());
  const auto undecided = formatted(result, Format::junit, 120, {.fails = {.undecided = true}});
  EXPECT_TRUE(contains(test_of(undecided, id), "<failure message=\"undecided: time &lt; 1 us"))
      << test_of(undecided, id);
  EXPECT_EQ(annotations(result, {.undecided = true}).size(), 1u);
  const auto skipped = formatted(result, Format::junit, 120, {.fails = {.skipped = true}});
  EXPECT_TRUE(contains(test_of(skipped, "reduction/host/size:1048576"),
                       "<failure message=\"backend host was not asked for\""));
}

TEST(RunJunit, ARunOfNothingDoesNotPass) {
  auto result = sample_result();
  result.interrupted = false;
  EXPECT_FALSE(contains(formatted(result, Format::junit), "everything was run"));
  result.measurements.clear();
  EXPECT_TRUE(contains(test_of(formatted(result, Format::junit), "something was measured"),
                       "<error message=\"no case was measured\""));
}

TEST(RunAnnotations, AreOfTheErrorsAndFailures) {
  const auto lines = annotations(sample_result());
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "::error title=incomplete%3A everything was run::the run was interrupted");
  EXPECT_TRUE(
      lines[1].starts_with("::error title=failed%3A reduction/warp_shuffle/size%3A1048576"));
  EXPECT_TRUE(lines[3].starts_with("::error title=expectation%3A streams/normalize/")) << lines[3];
  EXPECT_TRUE(contains(lines[3], "::configs/streams.yaml:14: distinct_streams == streams: "));
  for (const auto& line : lines) EXPECT_EQ(line.rfind("::error title=", 0), 0u);
}

TEST(RunAnnotations, AreAtMostTenAndNoneWhereAllIsWell) {
  auto result = sample_result();
  auto good = result;
  good.interrupted = false;
  good.expectations.clear();
  std::erase_if(good.measurements, [](const Measurement& m) { return !m.failed.empty(); });
  EXPECT_TRUE(annotations(good).empty());
  result.expectations.clear();
  for (std::size_t i = 0; i < result.plan.cases.size(); ++i) {
    result.expectations.push_back({i, "rule", "observed", RuleState::missed, {}});
  }
  const auto lines = annotations(result);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(contains(lines[9], "::and ")) << lines[9];
}

TEST(RunJunit, HasNoColumns) {
  EXPECT_THROW(formatted(sample_result(), Format::junit, 120, {.columns = {"time"}}),
               std::invalid_argument);
  EXPECT_THROW(written(History{}, Format::junit), std::invalid_argument);
}

}  // namespace
}  // namespace apod::show
