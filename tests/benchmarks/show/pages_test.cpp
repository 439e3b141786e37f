#include "tests/benchmarks/show/pages.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/run_result.hpp"
#include "tests/benchmarks/show/sample_comparison.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/benchmarks/show/study.hpp"
#include "tests/benchmarks/show/texts.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

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
            "Noisy (the interval is wider than the wanted precision): sums/plain/streams:2.\n");
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

TEST(Pages, WhatWasMeasuredOnRequestHasAColumn) {
  auto result = streams_study();
  EXPECT_FALSE(contains(written(result, Format::console), "energy"));
  for (auto& measurement : result.measurements) measurement.facts["energy"] = 0.3214;
  EXPECT_TRUE(contains(written(result, Format::console), "321.4 mJ"));
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
  EXPECT_EQ(count(page_of(sheet_on(result)), "to see the command that repeats it"), 1u);
  result.plan.config_text.clear();  // as of Google Benchmark's files
  EXPECT_FALSE(contains(page_of(sheet_on(result)), "remark command"));
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

}  // namespace
}  // namespace apod::show
