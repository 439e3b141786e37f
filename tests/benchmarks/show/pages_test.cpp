#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "benchmarks/show/below_tables.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/run_result.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/benchmarks/show/study.hpp"
#include "tests/benchmarks/show/texts.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

template <class Subject>
Sheet sheet_on(const Subject& subject) {
  return sheet_of(report_of(subject));
}

std::string bytes_of(Sheet sheet) {
  std::ostringstream out;
  write_page(out, {std::move(sheet)});
  return out.str();
}

/// With plain spaces where lines may not end.
std::string page_of(Sheet sheet) {
  constexpr std::string_view no_break = "\u00A0";
  std::string page = bytes_of(std::move(sheet));
  for (auto at = page.find(no_break); at != std::string::npos; at = page.find(no_break, at + 1)) {
    page.replace(at, no_break.size(), " ");
  }
  return page;
}

/// The figures of a sheet by their ids.
std::vector<std::string> figures_of(const Sheet& sheet) {
  std::vector<std::string> ids;
  for (const auto& block : sheet.document.blocks) {
    if (const auto* figure = std::get_if<figure::Figure>(&block)) ids.push_back(figure->id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Pages, TheQuestionAndItsAnswerComeFirst) {
  const auto page = page_of(sheet_on(streams_study()));
  EXPECT_LT(page.find("Does it pay?</a></h1>"), page.find("class=\"answer\""));
  EXPECT_LT(page.find("class=\"answer\""), page.find("<figure"));
  EXPECT_LT(page.find("<figure"), page.find("<table"));
}

TEST(Pages, EachCaseHasARowToLinkToAndACommandThatRepeatsIt) {
  const auto page = page_of(sheet_on(streams_study()));
  EXPECT_TRUE(contains(page, "<tr id=\"c3\">"));
  EXPECT_TRUE(contains(page, "data-c=\"c3\""));
  EXPECT_TRUE(contains(page, "bench --config study.yaml --filter '^sums/plain/streams:8$'"));
  EXPECT_TRUE(contains(page, "name: study")) << "the experiment of this run";
}

TEST(Pages, NothingOnThePageIsAskedForElsewhere) {
  const auto page = page_of(sheet_on(streams_study()));
  EXPECT_TRUE(contains(page, "default-src 'none'"));
  EXPECT_FALSE(contains(page, "http://"));
  EXPECT_FALSE(contains(page, "https://"));
  EXPECT_FALSE(contains(page, "unsafe-inline"));
}

TEST(Pages, HostileTextIsHarmless) {
  const auto page = page_of(sheet_on(sample_with_findings()));
  EXPECT_EQ(count(page, "<script>"), 1u);
  EXPECT_FALSE(contains(page, "\x1b"));
  EXPECT_FALSE(contains(page, "star* <b>"));
}

TEST(Pages, WhatIsComparedIsInOneFigure) {
  auto result = study({{at({{"size", 1000}}), about(1e-3)},
                       {at({{"size", 2000}}), about(2e-3)},
                       {at({{"size", 1000}}), about(1.5e-3), 0},
                       {at({{"size", 2000}}), about(2.5e-3), 1}});
  result.plan.experiments.push_back(result.plan.experiments[0]);
  result.plan.experiments[0].name = "clean";
  result.plan.experiments[1].name = "dirty";
  result.plan.cases[2].experiment = 1;
  result.plan.cases[3].experiment = 1;
  const auto compared = written(result, Format::html);
  EXPECT_TRUE(contains(compared, "<bdi>clean, dirty: "));
  EXPECT_FALSE(contains(compared, "<bdi>dirty: "));
  result.plan.cases[2].baseline.reset();
  result.plan.cases[3].baseline.reset();
  EXPECT_TRUE(contains(written(result, Format::html), "<bdi>dirty: ")) << "not compared";
}

TEST(Pages, CautionsStandBesideTheAnswerAndNameTheirCases) {
  auto result = streams_study();
  result.interrupted = true;
  result.environment.device.backend = BackendKind::host;
  for (auto& measurement : result.measurements) measurement.throttled = {1, 1, 1};
  const auto cautions = [](const Result& one) {
    std::string all;
    for (const auto& block : sheet_on(one).document.blocks) {
      const auto* paragraph = std::get_if<Paragraph>(&block);
      if (paragraph == nullptr || paragraph->text.spans.front().tone != Tone::warning) continue;
      all += paragraph->text.spans.front().text + "\n";
    }
    return all;
  };
  EXPECT_EQ(cautions(result),
            "Measured on the host, not on a GPU.\n"
            "Interrupted.\n"
            "Throttled while sampling: sums/plain/streams:1, sums/plain/streams:2, "
            "sums/plain/streams:4 and 1 more.\n");
  auto noisy = streams_study();
  noisy.measurements[3].samples_s = {1, 1, 1};
  EXPECT_EQ(cautions(noisy),
            "Noisy, with an interval wider than the wanted precision: sums/plain/streams:2.\n");
}

/// Of so many streams, which run one after the other.
std::vector<Lane> lanes_of_streams(std::size_t streams) {
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < streams; ++i) {
    lanes.push_back({"stream " + std::to_string(i + 7),
                     "kernels",
                     {"sum"},
                     {0},
                     {static_cast<std::int64_t>(1000 * i)},
                     {500},
                     {1}});
  }
  return lanes;
}

TEST(Pages, TimelinesOfTracedCasesAreLanesOnOneScaleOfTime) {
  auto result = streams_study();
  for (auto& measurement : result.measurements) {
    if (measurement.process != 0 || measurement.case_index > 1) continue;
    measurement.profile.kernels.resize(1);
    measurement.profile.lanes = lanes_of_streams(measurement.case_index + 2);
  }
  const auto sheet = sheet_on(result);
  EXPECT_EQ(figures_of(sheet),
            (Ids{"figure-time", "figure-timeline", "figure-samples", "figure-distribution"}));
  const auto page = page_of(sheet);
  EXPECT_TRUE(contains(page,
                       "Timelines: streams 1 finishes first, after 1.500 us; streams 2 last, "
                       "after 2.500 us"));
  EXPECT_TRUE(contains(page, ">stream 8<"));
}

TEST(Pages, ATimelineHasNoFlushesOfTheRecorder) {
  auto lanes = lanes_of_streams(2);
  lanes.push_back({"recorder", "recorder", {"buffer flush"}, {0}, {0}, {9000}, {1}});
  Page page;
  EXPECT_EQ(lanes_figure({{"a run", &lanes}}, page).panels.at(0).rows,
            (Ids{"stream 7", "stream 8"}));
  lanes.back().names = {"buffer request"};
  EXPECT_EQ(lanes_figure({{"a run", &lanes}}, page).panels.at(0).rows.size(), 3u)
      << "it held the program up";
}

TEST(Pages, TheChangeComesFirstWhereLinesHideIt) {
  const auto page_with = [](double larger) {
    std::vector<StudyCase> cases;
    for (const double scale : {1.0, larger}) {
      const auto base = cases.size();
      const auto size = static_cast<std::int64_t>(1000 * scale);
      cases.push_back({at({{"size", size}, {"threads", 1}}), about(1e-3), {}, 4e6 * scale});
      cases.push_back({at({{"size", size}, {"threads", 2}}), about(0.9e-3), base, 4e6 * scale});
      cases.push_back({at({{"size", size}, {"threads", 4}}), about(0.8e-3), base, 4e6 * scale});
    }
    return figures_of(sheet_on(study(cases)));
  };
  EXPECT_EQ(page_with(30).at(0), "figure-speedup");
  EXPECT_EQ(page_with(30).at(1), "figure-bandwidth");
  EXPECT_EQ(page_with(3).at(0), "figure-bandwidth");
}

TEST(Pages, OneKernelAloneIsNoTimeline) {
  auto result = streams_study();
  for (auto& measurement : result.measurements) {
    measurement.profile.kernels.resize(1);
    measurement.profile.lanes = lanes_of_streams(1);
  }
  EXPECT_FALSE(contains(page_of(sheet_on(result)), "figure-timeline"));
}

TEST(Pages, NoNumberIsPartedFromItsUnit) {
  auto result = streams_study();
  result.plan.description = "From 256 KiB to 4 GiB, in 95 % of 8 cases by python3 steps";
  const auto page = bytes_of(sheet_on(result));
  EXPECT_TRUE(contains(
      page, "From 256\u00A0KiB to 4\u00A0GiB, in 95\u00A0% of 8\u00A0cases by python3 steps"));
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

TEST(Pages, OverManyDecadesLinesAreHeldAgainstTheBaseline) {
  std::vector<StudyCase> cases;
  for (int k = 0; k < 6; ++k) {
    const double size = std::pow(8, k);
    const auto axis = at({{"size", static_cast<std::int64_t>(size)}});
    cases.push_back({axis, about(1e-6 * (1 + size / 1e3)), {}, 4 * size, "cub"});
    cases.push_back({axis, about(0.8e-6 * (1 + size / 1e3)), cases.size() - 1, 4 * size, "mine"});
  }
  const auto result = study(cases);
  const auto page = page_of(sheet_on(result));
  EXPECT_TRUE(contains(page, "mine is the fastest, and beats the baseline, at 6 of 6 points"));
  EXPECT_TRUE(contains(page, "the fastest case at each value of size, and its change against cub"));
  EXPECT_TRUE(contains(page, "mine, 800.8 ns, -20.0")) << "at size 1";
  EXPECT_EQ(headlines(result, summarize(result)).front(),
            "Yes: mine is faster than cub in 6 of 6 cases (median saving: 20.0 %)");
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
  EXPECT_TRUE(contains(
      page_of(sheet_on(result)),
      "of ceiling, with the measured ceilings: memory 2.5 TB/s (A GPU · 1a2b3c4 · 2026-03-01)"));
}

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
                       "rates and shares: from the operations that the workload states; cases that "
                       "did other operations: plain"));
  EXPECT_FALSE(
      contains(formatted(result, Format::console, 120, {.columns = {"time"}}), "operations:"));
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
  EXPECT_TRUE(contains(shown, "not shown, too narrow: width, bound")) << shown;
  EXPECT_TRUE(contains(shown, "FLOP/s") && contains(shown, "ceiling")) << shown;
  const auto narrow = written(result, Format::console, {.width = 70});
  EXPECT_TRUE(contains(narrow, "FLOP/s") && contains(narrow, "bound, of ceiling")) << narrow;
}

TEST(Pages, WhatWasMeasuredOnRequestHasAColumn) {
  auto result = computing_study();
  EXPECT_FALSE(contains(written(result, Format::console), "energy"));
  for (auto& measurement : result.measurements) measurement.facts["energy"] = 0.3214;
  EXPECT_TRUE(contains(written(result, Format::console), "321.4 mJ"));
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
  EXPECT_TRUE(contains(
      page_of(sheet),
      "transfer 54 GB/s in each direction (for each case, the direction with more bytes counts)"))
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

TEST(Pages, ThrottledSamplesAreMarked) {
  auto result = streams_study();
  result.measurements[0].throttled = {0, 1, 0};
  EXPECT_TRUE(contains(page_of(sheet_on(result)), "class=\"odd\""));
  EXPECT_FALSE(contains(page_of(sheet_on(streams_study())), "<path class=\"odd\""));
}

TEST(Pages, EightSeriesThatAreDrawnHaveEightColours) {
  Report report;
  report.document = [](Audience) {
    Document document;
    document.add(Heading{1, {"colours"}});
    Page page;
    for (int i = 0; i < 20; ++i) page.color_of("drawn nowhere " + std::to_string(i));
    for (int i = 0; i < 8; ++i) {
      figure::Series series{
          "s", figure::Mark::dots, {}, page.color_of("drawn " + std::to_string(i % 4))};
      if (i != 2) series.points.push_back({1, 1});
      figure::Figure figure;
      figure.panels.push_back({"", {series}});
      document.add(std::move(figure));
    }
    return document;
  };
  std::vector<std::size_t> colors;
  for (const auto& block : sheet_of(report).document.blocks) {
    const auto* figure = std::get_if<figure::Figure>(&block);
    if (figure == nullptr || figure->panels[0].series[0].points.empty()) continue;
    colors.push_back(figure->panels[0].series[0].color.index);
  }
  EXPECT_EQ(colors, (std::vector<std::size_t>{0, 1, 2, 0, 1, 3, 2})) << "a series keeps its own";
}

TEST(Pages, OfNothingKnownThereIsNoEnvironment) {
  auto result = streams_study();
  result.environment = {};
  result.ceilings.reset();
  EXPECT_FALSE(contains(page_of(sheet_on(result)), ">environment</a></h2>"));
}

TEST(Pages, ChangesOfAComparisonLieBesideTheThreshold) {
  const auto sheet = sheet_on(sample_comparison());
  EXPECT_EQ(figures_of(sheet), (Ids{"figure-changes"}));
  const auto page = page_of(sheet);
  EXPECT_TRUE(contains(page, "class=\"same\""));
  EXPECT_TRUE(contains(page, "class=\"series worse\""));
  EXPECT_TRUE(contains(page, "class=\"series better\""));
  EXPECT_TRUE(contains(page, "moved most clearly"));
  auto wider = sample_comparison();
  for (auto& c : wider.cases) {
    if (!is_change(c.verdict)) continue;
    auto unsure = c;
    unsure.name = "unsure";
    unsure.verdict = Verdict::inconclusive;
    unsure.change *= 3;
    wider.cases.push_back(unsure);
    break;
  }
  EXPECT_FALSE(contains(page_of(sheet_on(wider)), "unsure moved most clearly"));
  auto undecided = sample_comparison();
  for (auto& c : undecided.cases) {
    if (is_change(c.verdict)) c.verdict = Verdict::inconclusive;
  }
  const auto other = page_of(sheet_on(undecided));
  EXPECT_FALSE(contains(other, "moved most clearly"));
  EXPECT_TRUE(contains(other, "is closest to a change, but shows no change"));
  for (const auto& [verdict, text] :
       {std::pair{Verdict::suspect, " may have moved: "}, {Verdict::small, " moved by little: "}}) {
    auto unsure = undecided;
    std::ranges::find(unsure.cases, Verdict::inconclusive, &CaseComparison::verdict)->verdict =
        verdict;
    EXPECT_FALSE(contains(page_of(sheet_on(unsure)), "moved most clearly"));
    EXPECT_TRUE(contains(page_of(sheet_on(unsure)), text));
  }
}

TEST(Pages, AComparisonSaysWhatCameWithItsChangesAndHowToRepeatIt) {
  auto comparison = sample_comparison();
  comparison.command_line = {"bench", "compare", "a.json", "b.json"};
  const auto page = page_of(sheet_on(comparison));
  EXPECT_TRUE(contains(page,
                       "REGRESSION: 2 of 7 cases slower (worst +6.1 % in streams/4, "
                       "threshold 1 %)</a></h1>"));
  EXPECT_TRUE(contains(page, "differences found in changed cases"));
  EXPECT_TRUE(contains(page, "<code>bench compare a.json b.json\n</code>"));
  EXPECT_LT(page.find(">changed, or not compared"),
            page.find(">environment: what differs</a></h2>"));
}

TEST(Pages, AComparisonSaysWithWhatItsSidesWereMeasured) {
  auto comparison = sample_comparison();
  const auto page = page_of(sheet_on(comparison));
  EXPECT_TRUE(contains(page, "measured: Do streams pay?"));
  EXPECT_TRUE(contains(page, "A GPU · driver 580.95.05 · 1a2b3c4 · 2026-03-01 to 2026-03-02"));
  EXPECT_TRUE(contains(page, "A GPU · driver 580.95.05 · 5d6e7f8 · 2026-03-03"));
  EXPECT_TRUE(contains(page, "<th scope=row>host<td class=w>lab-7<td class=w>lab-8"));
  // Files of before have nothing of it.
  comparison.base_environment.clear();
  comparison.new_environment = {{"host", {"lab-8"}}};
  comparison.environment.clear();
  const auto unknown = page_of(sheet_on(comparison));
  EXPECT_EQ(count(unknown, "its device, commit and date are not recorded"), 1u);
  EXPECT_TRUE(contains(unknown, ">lab-8<"));
  // Some have what differs.
  comparison.environment = {"commit 1a2b3c4 -> 5d6e7f8", "gpu A -> B"};
  EXPECT_EQ(count(page_of(sheet_on(comparison)), "its date is not recorded"), 1u);
}

/// Of the row that `anchor` leads to.
std::string command_in(const std::string& page, const std::string& anchor) {
  const auto row = page.find("<tr id=\"" + anchor + "\">");
  const auto begin = page.find("<code>", row) + 6;
  return page.substr(begin, page.find("</code>", begin) - begin);
}

TEST(Pages, ACaseLeadsToTheCommandThatRepeatsIt) {
  auto result = streams_study();
  result.plan.config_text = "experiments: []";
  result.plan.config_path = "a.yaml";
  result.command_line.clear();
  result.plan.cases[2].id = "e/v/size:1.5";
  EXPECT_EQ(command_in(page_of(sheet_on(result)), "c2"),
            "bench --config a.yaml --filter '^e/v/size:1\\.5$'");
  result.command_line = {"bench",  "-c", "a.yaml", "--set",      "seed=1",  "--out",
                         "r.json", "-o", "r.html", "--filter=e", "--resume"};
  EXPECT_EQ(command_in(page_of(sheet_on(result)), "c2"),
            "bench -c a.yaml --set seed=1 --filter '^e/v/size:1\\.5$'");
  EXPECT_EQ(count(page_of(sheet_on(result)), "shows the command that repeats it"), 1u);
  result.plan.config_text.clear();  // as of Google Benchmark's files
  EXPECT_FALSE(contains(page_of(sheet_on(result)), "remark command"));
}

TEST(Pages, ACaseOfAComparisonLeadsToTheCommandThatJudgesItAlone) {
  auto comparison = sample_comparison();
  comparison.command_line = {"bench", "compare", "a.json", "b.json", "--out", "c.html"};
  EXPECT_EQ(command_in(page_of(sheet_on(comparison)), "c1"),
            "bench compare a.json b.json --filter '^streams/2$'");
  // The names of a ladder lack the axis in which its arms differ.
  comparison.method = CompareMethod::blocks;
  comparison.cases = {comparison.cases[1]};
  comparison.cases[0].name = "e/v/size:8 [streams 1 -> 4]";
  EXPECT_EQ(command_in(page_of(sheet_on(comparison)), "c0"),
            "bench compare a.json b.json --filter "
            "'^e(/[^/]*)?/v(/[^/]*)?/size:8(/[^/]*)?$'");
  for (const Verdict one_side : {Verdict::missing, Verdict::added}) {
    comparison.cases[0].verdict = one_side;
    EXPECT_EQ(again(comparison, comparison.cases[0]), "")
        << "a filter would match no case of the other side";
  }
}

TEST(Pages, ALongNameIsCutBetweenCharacters) {
  auto comparison = sample_comparison();
  comparison.command_line = {"bench"};
  comparison.cases[0].name = std::string(254, 'a') + "\u00e9\u00e9";  // its filter begins with ^
  EXPECT_EQ(again(comparison, comparison.cases[0]), "bench --filter ^" + std::string(254, 'a'));
}

TEST(Pages, SeveralResultsKeepTheirNamesApart) {
  std::ostringstream out;
  write_page(out, {sheet_on(streams_study()), sheet_on(streams_study())});
  EXPECT_EQ(count(out.str(), "<tr id=\"c0\">"), 1u);
  EXPECT_EQ(count(out.str(), "<tr id=\"r2-c0\">"), 1u);
  EXPECT_EQ(count(out.str(), "<figure id=\"r2-figure-time\">"), 1u);
  EXPECT_TRUE(contains(out.str(), " data-c=\"r2-c0\""));
}

TEST(Pages, ThePartsOfAPageAreNamedInItsMenuAndAboveEach) {
  auto comparison = sample_comparison();
  std::ostringstream out;
  write_page(out, {sheet_on(streams_study()), sheet_on(comparison)});
  const std::string page = out.str();
  const auto menu = page.substr(page.find("<nav aria-label=\"Parts\">"));
  EXPECT_TRUE(contains(menu.substr(0, menu.find("</nav>")), "REGRESSION"));
  EXPECT_EQ(count(page, "<p class=\"part\">"), 2u);
  const auto second = page.rfind("<p class=\"part\">");
  const auto before = page.substr(0, second);
  EXPECT_EQ(count(before, "<details>"), count(before, "</details>")) << "it is in sight";
  EXPECT_LT(before.size() - before.rfind("</details>"), 20u);
}

TEST(Pages, AChoiceThatNoExperimentHasIsRefused) {
  EXPECT_TRUE(contains(error_of<std::invalid_argument>([] {
                         sheet_of(report_of(streams_study(), {.curves = {.x = "streems"}}));
                       }),
                       "did you mean 'streams'?"));
}

HistoryPoint run_at(int day, double seconds, std::size_t segment) {
  HistoryPoint point;
  point.date = "2026-03-0" + std::to_string(day) + "T12:00:00";
  point.commit = "abcdef12345" + std::to_string(day);
  point.time_s = {seconds, seconds * 0.99, seconds * 1.01};
  point.segment = segment;
  return point;
}

TEST(Pages, AHistoryHasItsLevelsAndTheCommitThatChangedThem) {
  History history;
  history.runs = 4;
  CaseHistory c;
  c.name = "sum";
  c.points = {run_at(1, 1e-3, 0), run_at(2, 1e-3, 0), run_at(3, 2e-3, 1), run_at(4, 2e-3, 1)};
  c.segments.resize(2);
  c.segments[0].level_s = 1e-3;
  c.segments[1].level_s = 2e-3;
  c.segments[1].change = 1.0;
  history.cases.push_back(c);
  const auto sheet = sheet_on(history);
  EXPECT_EQ(figures_of(sheet), (Ids{"figure-trend-sum"}));
  const auto page = page_of(sheet);
  EXPECT_TRUE(contains(page, "sum: 1 change, +100.0 % with abcdef1234, in 4 runs"));
  EXPECT_TRUE(contains(page, ">abcdef1234<"));
  EXPECT_TRUE(contains(page, ">2026-03-01<"));
  EXPECT_TRUE(contains(page, "class=\"spark\"")) << "a line for each case in the table";
}

}  // namespace
}  // namespace apod::show
