// What pages say of ceilings and peaks: shares, limits and rooflines.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "benchmarks/show/figures.hpp"
#include "tests/benchmarks/show/pages.hpp"
#include "tests/benchmarks/show/study.hpp"
#include "tests/benchmarks/show/texts.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

/// A study with ceilings whose cases compute.
Result computing_study() {
  auto result = streams_study();
  auto& ceilings = result.ceilings.emplace();
  ceilings.read_bytes_per_s = 3e12;
  ceilings.fp32_flops = 5e13;
  ceilings.h2d_pinned_bytes_per_s = 55e9;
  ceilings.d2h_pinned_bytes_per_s = 54e9;
  for (auto& measurement : result.measurements) measurement.traffic.flops_fp32 = 1e6;
  return result;
}

TEST(Pages, WhatLimitsAndWhatWasFoundStandsBelowTheAnswer) {
  auto result = streams_study();
  for (auto& measurement : result.measurements) measurement.traffic.bytes_read = 75e9;
  result.findings.resize(4);
  result.findings[3] = {{"idle-gaps", Severity::warning, "", "it waits", "don't wait", 0.25}};
  const auto page = page_of(sheet_on(result));
  EXPECT_TRUE(contains(page,
                       "Limited by memory in 2 of 4 cases: streams 8 reaches 83.3 % of the "
                       "theoretical memory peak."));
  auto one = result;
  for (auto& measurement : one.measurements) {
    measurement.traffic.bytes_read = measurement.case_index == 0 ? 119e9 : 40e9;
  }
  EXPECT_TRUE(contains(page_of(sheet_on(one)), "Limited by memory in 1 of 4 cases: "));
  auto far = result;
  for (auto& measurement : far.measurements) measurement.traffic.bytes_read = 60e9;
  EXPECT_TRUE(contains(page_of(sheet_on(far)),
                       "Nearest ceiling: streams 8 reaches 66.7 % of the theoretical memory peak."))
      << "so much does not show what limits it";
  EXPECT_TRUE(contains(page, "idle-gaps</span> in 1 of 4 cases, costs up to 25.0 % of the time."));
  EXPECT_TRUE(contains(page, "<a href=\"#x3\">idle-gaps</a>")) << "in the table";
  EXPECT_TRUE(contains(page, " id=\"x3\""));
  EXPECT_FALSE(contains(page_of(sheet_on(streams_study())), ">finding<"));
}

TEST(Pages, ARooflineIsOnTheMeasuredCeilings) {
  auto result = streams_study();
  result.ceilings.emplace();
  result.ceilings->gpu = "A GPU";
  result.ceilings->read_bytes_per_s = 3e12;
  result.ceilings->fp32_flops = 5e13;
  EXPECT_EQ(figures_of(sheet_on(result)).size(), 3u) << "no FLOPs are known";
  for (auto& measurement : result.measurements) measurement.traffic.flops_fp32 = 1e6;
  const auto sheet = sheet_on(result);
  EXPECT_EQ(figures_of(sheet)[1], "figure-roofline-fp32");
  EXPECT_TRUE(contains(page_of(sheet), "memory, measured 3 TB/s"));
}

TEST(Pages, BelowATableStandsWhatItsSharesAreOf) {
  auto result = streams_study();
  for (auto& measurement : result.measurements) measurement.traffic.bytes_read = 60e9;
  EXPECT_TRUE(contains(page_of(sheet_on(result)), "of peak (theoretical): memory 4 TB/s<"));
  auto& ceilings = result.ceilings.emplace();
  ceilings.gpu = "A GPU";
  ceilings.date = "2026-03-01T12:00:00+00:00";
  ceilings.commit = "1a2b3c4";
  ceilings.read_bytes_per_s = 2.5e12;
  EXPECT_TRUE(
      contains(page_of(sheet_on(result)),
               "'of ceiling' is the share of these measured ceilings: memory 2.5 TB/s (A GPU · "
               "1a2b3c4 · 2026-03-01)"));
}

TEST(Pages, AShareAbove100PercentIsExplained) {
  auto result = computing_study();
  double least = std::numeric_limits<double>::infinity();
  for (const auto& summary : summarize(result)) least = std::min(least, summary.time().value);
  const auto explains = [&](double share) {
    result.ceilings->fp32_flops = 1e6 / least / share;
    const auto text = written(result, Format::console);
    return std::pair<bool, bool>(contains(text, "above 100 % of a ceiling"),
                                 contains(page_of(sheet_on(result)), "above 100 % of a ceiling"));
  };
  EXPECT_EQ(explains(1.02), std::pair(true, true));
  EXPECT_EQ(explains(1.004), std::pair(false, false)) << "printed as 100 %";
}

TEST(Pages, WhereCasesAreHeldAgainstSeveralCeilingsEachShareNamesItsOwn) {
  auto result = computing_study();
  EXPECT_FALSE(contains(written(result, Format::console), "% fp32"));
  for (auto& measurement : result.measurements) {
    if (measurement.case_index > 0) continue;
    measurement.traffic.bytes_read = measurement.traffic.bytes_written = 0;
  }
  const auto text = written(result, Format::console);
  EXPECT_TRUE(contains(text, "% fp32") && contains(text, "% memory")) << text;
}

TEST(Pages, AProductsRateIsOneOfArithmeticWhereMemoryIsItsNearestCeilingToo) {
  auto result = computing_study();
  for (auto& measurement : result.measurements) measurement.traffic.flops_fp32 = 12e6;
  const auto text = written(result, Format::console);
  EXPECT_TRUE(contains(text, "FLOP/s ") && contains(text, "% memory")) << text;
  EXPECT_FALSE(contains(text, "cases that did other operations"));
  for (auto& measurement : result.measurements) {
    measurement.traffic.flops_replaced = std::exchange(measurement.traffic.flops_fp32, 0);
  }
  EXPECT_TRUE(contains(written(result, Format::console),
                       "rates and shares count the operations that the workload states; variants "
                       "that do other operations: plain"));
  EXPECT_FALSE(
      contains(formatted(result, Format::console, 120, {.columns = {"time"}}), "operations:"));
  const auto narrow = formatted(result, Format::console, 24);
  ASSERT_TRUE(contains(narrow, "rate,")) << narrow;
  EXPECT_FALSE(contains(narrow, "operations")) << narrow;
}

TEST(Pages, InANarrowTableWhatOthersTellGivesWayBeforeTheRate) {
  std::vector<StudyCase> cases;
  for (const std::int64_t n : {1024, 4096}) {
    for (const std::string variant : {"tiled", "cublas"}) {
      const auto size = std::to_string(n) + "x" + std::to_string(n);
      cases.push_back({at({{"size", size}, {"width", n}}),
                       about(1e-9 * static_cast<double>(n)),
                       {},
                       4e6,
                       variant});
      if (variant == "cublas") cases.back().baseline = cases.size() - 2;
    }
  }
  auto result = study(std::move(cases));
  result.plan.experiments[0].swept = {"size", "width"};
  for (auto& measurement : result.measurements) measurement.traffic.flops_fp32 = 12e6;
  result.ceilings.emplace().fp32_flops = 5e13;
  const auto shown = written(result, Format::console, {.width = 80});
  EXPECT_TRUE(contains(shown, "not shown (no room): width, bound")) << shown;
  EXPECT_TRUE(contains(shown, "FLOP/s") && contains(shown, "ceiling")) << shown;
  const auto narrow = written(result, Format::console, {.width = 70});
  EXPECT_TRUE(contains(narrow, "FLOP/s") && contains(narrow, "bound, of ceiling")) << narrow;
}

const figure::Figure& roofline_in(const Sheet& sheet) {
  for (const auto& block : sheet.document.blocks) {
    const auto* figure = std::get_if<figure::Figure>(&block);
    if (figure != nullptr && contains(figure->id, "roofline")) return *figure;
  }
  throw std::runtime_error("no roofline");
}

std::vector<std::string> guides_of(const figure::Figure& figure) {
  std::vector<std::string> names;
  for (const auto& guide : figure.panels.at(0).guides) names.push_back(guide.name);
  return names;
}

TEST(Pages, CasesThatCrossTheHostLinkHaveItsRoofs) {
  auto result = computing_study();
  result.plan.experiments[0].scope = Scope::end_to_end;
  for (auto& measurement : result.measurements) {
    measurement.facts["transfer_bytes"] = 8e6;
    measurement.facts["upload_bytes"] = measurement.facts["download_bytes"] = 4e6;
  }
  const auto sheet = sheet_on(result);
  const auto& figure = roofline_in(sheet);
  EXPECT_EQ(figure.id, "figure-roofline-fp32-host-link");
  EXPECT_EQ(guides_of(figure), (Ids{"one way, measured 55 GB/s", "fp32, measured 50 TFLOP/s"}));
  EXPECT_DOUBLE_EQ(figure.panels[0].series[0].points[0].x, 1e6 / 8e6);
  EXPECT_TRUE(contains(page_of(sheet),
                       "transfer 54 GB/s in each direction (a share refers to the direction that "
                       "copies more bytes)"))
      << "the share is not of both ways together";
  result.ceilings->both_ways_bytes_per_s = 98e9;
  EXPECT_FALSE(contains(page_of(sheet_on(result)), "in each direction"));
  EXPECT_EQ(guides_of(roofline_in(sheet_on(result))),
            (Ids{"both ways at once, measured 98 GB/s", "one way, measured 55 GB/s",
                 "fp32, measured 50 TFLOP/s"}))
      << "drawn where it was measured, and never added up";
}

TEST(Pages, WhereTheL2WasCountedItsRoofIsDrawn) {
  auto result = computing_study();
  EXPECT_EQ(roofline_in(sheet_on(result)).panels[0].series.size(), 1u);
  for (auto& measurement : result.measurements) measurement.facts["l2_throughput"] = 0.5;
  const auto sheet = sheet_on(result);
  const auto& series = roofline_in(sheet).panels[0].series;
  ASSERT_EQ(series.size(), 2u);
  const auto& l2 = series[1].points[0];
  EXPECT_DOUBLE_EQ(l2.y, 2 * series[0].points[0].y) << "at half of the L2's peak";
  EXPECT_EQ(l2.low, series[0].points[0].y) << "the line begins at the case";
}

TEST(Pages, AFewPointsOfARooflineNameTheirCases) {
  const auto named = sheet_on(computing_study());
  EXPECT_EQ(roofline_in(named).panels[0].series[0].points[3].name, "streams 8");
  std::vector<StudyCase> many;
  for (int streams = 1; streams < 40; ++streams)
    many.push_back({at({{"streams", streams}}), about(1e-3)});
  auto result = study(many);
  result.ceilings = computing_study().ceilings;
  for (auto& measurement : result.measurements) measurement.traffic.flops_fp32 = 1e6;
  EXPECT_EQ(roofline_in(sheet_on(result)).panels[0].series[0].points[3].name, "");
}

}  // namespace
}  // namespace apod::show
