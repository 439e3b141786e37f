#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "benchmarks/base/steps.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/figure/svg.hpp"
#include "benchmarks/show/run_result.hpp"
#include "tests/benchmarks/show/study.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

using figure::Mark;
using figure::Scale;

struct Drawn {
  Result result;
  std::vector<CaseSummary> summaries;
  figure::Figure figure;
};

Drawn drawn(Result result, const CurveChoice& choice = {}) {
  Drawn all{std::move(result), {}, {}};
  all.summaries = summarize(all.result);
  Page page;
  all.figure = curve_figure(all.result, measured_cases(all.summaries), choice, page);
  return all;
}

std::vector<std::string> series_names(const figure::Panel& panel) {
  std::vector<std::string> names;
  for (const auto& series : panel.series) names.push_back(series.name);
  return names;
}

using Names = std::vector<std::string>;

/// Two variants at sizes of which each is four times the one before.
Result sizes_study() {
  std::vector<StudyCase> cases;
  for (const std::string variant : {"cub", "mine"}) {
    for (std::int64_t size = 1 << 20; size <= 1 << 26; size *= 4) {
      const double bytes = 4.0 * static_cast<double>(size);
      const double rate = variant == "mine" ? 3e12 : 2e12;
      cases.push_back({at({{"size", size}}), about(1e-6 + bytes / rate), {}, bytes, variant});
    }
  }
  return study(std::move(cases));
}

TEST(CurveFigure, ADeviceIsARowAndNoPlaceOnAnAxis) {
  const auto devices =
      study({{at({{"device", 0}}), about(0.9e-3)}, {at({{"device", 1}}), about(2.7e-3)}});
  const auto all = drawn(devices);
  EXPECT_EQ(all.figure.panels.at(0).rows, (Names{"device 0", "device 1"}));
  EXPECT_TRUE(contains(all.figure.title, "Time goes from 900.0 us")) << all.figure.title;
  EXPECT_TRUE(contains(all.figure.title, " with device 0 to 2.700 ms")) << all.figure.title;
  const auto counted =
      drawn(study({{at({{"devices", 1}}), about(0.9e-3)}, {at({{"devices", 2}}), about(2.7e-3)}}));
  EXPECT_TRUE(counted.figure.panels.at(0).rows.empty());
}

TEST(CurveFigure, CollectivesAreComparedByWhatALinkCarries) {
  auto result = study({{at({{"size", 1 << 20}}), about(1e-3), {}, 0, "all_gather"},
                       {at({{"size", 1 << 20}}), about(1e-3), {}, 0, "all_reduce"}});
  result.plan.experiments[0].command.emplace();
  for (auto& measurement : result.measurements) {
    const bool reduces = measurement.case_index == 1;  // it sends all twice
    measurement.facts = {{"bandwidth", reduces ? 4e9 : 5e9},
                         {"bus_bandwidth", reduces ? 6e9 : 4e9}};
  }
  const auto all = drawn(std::move(result));
  EXPECT_TRUE(contains(all.figure.title, "Bus bandwidth is highest with all_reduce: 6.00 GB/s"))
      << all.figure.title;
  EXPECT_TRUE(contains(headlines(all.result, all.summaries).front(),
                       "The highest bus bandwidth of 2 cases is 6.00 GB/s"));
}

TEST(CurveFigure, EqualWorkIsShownByItsTime) {
  const auto all = drawn(streams_study());
  const auto& figure = all.figure;
  EXPECT_EQ(figure.x.title, "streams");
  EXPECT_EQ(figure.x.scale, Scale::log2);
  EXPECT_EQ(figure.y.title, "time");
  ASSERT_EQ(figure.panels.size(), 1u);
  ASSERT_EQ(figure.panels[0].series.size(), 1u);
  const auto& points = figure.panels[0].series[0].points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].look, figure::Look::hollow) << "the baseline";
  EXPECT_LT(points[3].low, points[3].y);
  EXPECT_EQ(points[3].about, "c3");
  EXPECT_TRUE(contains(figure.title, "Time falls to 22.50 ms"));
  EXPECT_TRUE(contains(figure.title, "at streams 8"));
}

TEST(CurveFigure, DifferentWorkIsShownByItsRateBesideThePeak) {
  const auto all = drawn(sizes_study());
  const auto& panel = all.figure.panels.at(0);
  EXPECT_EQ(all.figure.y.title, "bandwidth");
  EXPECT_EQ(series_names(panel), (Names{"cub", "mine"}));
  ASSERT_EQ(panel.guides.size(), 1u);
  EXPECT_EQ(panel.guides[0].name, "peak 4.00 TB/s");
  EXPECT_TRUE(panel.guides[0].dashed);
  EXPECT_TRUE(contains(all.figure.title, "Bandwidth rises to"));
  EXPECT_TRUE(contains(all.figure.title, "at size 2^26 (mine)"));
}

TEST(CurveFigure, TheMeasuredCeilingIsALineOfItsOwn) {
  auto result = sizes_study();
  result.ceilings.emplace();
  result.ceilings->gpu = result.environment.device.name;
  result.ceilings->read_bytes_per_s = 3.5e12;
  const auto ceilings = result.ceilings;
  const auto all = drawn(std::move(result));
  const auto& guides = all.figure.panels.at(0).guides;
  ASSERT_EQ(guides.size(), 2u);
  EXPECT_EQ(guides[0].name, "measured ceiling 3.50 TB/s");
  EXPECT_FALSE(guides[0].dashed);
  EXPECT_TRUE(contains(all.figure.title, "% of the measured memory ceiling"));
  auto low = sizes_study();
  low.ceilings = ceilings;
  low.ceilings->read_bytes_per_s = 1e12;
  const auto above = drawn(std::move(low)).figure.title;
  EXPECT_TRUE(contains(above, ", above the measured memory ceiling")) << above;
  EXPECT_FALSE(contains(above, "% of the measured"));
}

TEST(CurveFigure, AxesCanBeChosen) {
  const auto all =
      drawn(sizes_study(), {.x = "size", .y = "time", .facet = "variant", .log_x = false});
  EXPECT_EQ(all.figure.y.title, "time");
  EXPECT_EQ(all.figure.x.scale, Scale::linear);
  ASSERT_EQ(all.figure.panels.size(), 2u);
  EXPECT_EQ(all.figure.panels[1].title, "mine");
}

TEST(CurveFigure, AWideIntervalDoesNotPressTheOthersTogether) {
  const auto scale_with = [](const std::vector<double>& last) {
    return drawn(study({{at({{"streams", 1}}), about(30e-3)},
                        {at({{"streams", 2}}), about(25e-3)},
                        {at({{"streams", 4}}), last}}))
        .figure.y.scale;
  };
  EXPECT_EQ(scale_with(about(20e-3)), Scale::linear);
  EXPECT_EQ(scale_with({10e-3, 20e-3, 80e-3}), Scale::log10) << "its interval ends at 500 ms";
}

TEST(CurveFigure, OneFarAboveTheOthersIsSaidInWords) {
  const auto all = drawn(study({{at({{"streams", 1}}), about(30e-3)},
                                {at({{"streams", 2}}), about(25e-3)},
                                {at({{"streams", 4}}), about(24e-3)},
                                {at({{"streams", 8}}), about(24e-3)},
                                {at({{"streams", 16}}), about(120e-3)}}));
  EXPECT_EQ(all.figure.panels[0].series[0].points.size(), 4u);
  ASSERT_EQ(all.figure.notes.size(), 1u);
  EXPECT_TRUE(contains(all.figure.notes[0],
                       "not drawn, because it is far above the others: streams 16: 120.0 ms"));
}

TEST(CurveFigure, OneFarBelowTheOthersLeavesThemTheirRoom) {
  std::vector<StudyCase> cases{{at({{"streams", 1}}), about(0.5e-3)}};
  for (std::int64_t streams = 2; streams < 7; ++streams) {
    cases.push_back({at({{"streams", streams}}), about(0.1 * static_cast<double>(streams))});
  }
  const auto all = drawn(study(cases));
  EXPECT_EQ(all.figure.y.scale, Scale::linear);
  EXPECT_EQ(all.figure.panels[0].series[0].points.size(), 6u) << "it is drawn near 0";
  cases[1].medians = about(0.02e-3);
  EXPECT_EQ(drawn(study(cases)).figure.y.scale, Scale::log10) << "two of six are not few";
}

TEST(CurveFigure, LinesFarAboveOthersLeaveThemRoom) {
  const auto of = [](const char* memory, std::int64_t streams, double seconds) {
    return StudyCase{at({{"memory", memory}, {"streams", streams}}), about(seconds)};
  };
  const auto lone =
      drawn(study({of("pageable", 1, 98e-3), of("pinned", 1, 31e-3), of("pinned", 4, 24e-3)}));
  EXPECT_EQ(lone.figure.y.scale, Scale::linear);
  ASSERT_EQ(lone.figure.notes.size(), 1u) << "a lone point shows no course";
  EXPECT_TRUE(
      contains(lone.figure.notes[0], "far above the others: pageable, streams 1: 98.00 ms"));
  const std::vector<StudyCase> lines{of("pageable", 1, 98e-3), of("pageable", 4, 97e-3),
                                     of("pinned", 1, 31e-3), of("pinned", 4, 24e-3)};
  EXPECT_EQ(drawn(study(lines)).figure.y.scale, Scale::log10);
  EXPECT_TRUE(drawn(study(lines)).figure.notes.empty());
  CurveChoice linear;
  linear.log_y = false;
  EXPECT_EQ(drawn(study(lines), linear).figure.y.scale, Scale::linear);
  const auto steep = drawn(study({of("pageable", 1, 98e-3), of("pageable", 4, 22e-3),
                                  of("pinned", 1, 31e-3), of("pinned", 4, 24e-3)}));
  EXPECT_EQ(steep.figure.y.scale, Scale::linear) << "the line shows that it falls";
}

TEST(CurveFigure, AnAxisThatDoesNotBeginAtZeroSaysSo) {
  const auto near =
      drawn(study({{at({{"streams", 1}}), about(30e-3)}, {at({{"streams", 2}}), about(29e-3)}}));
  EXPECT_TRUE(contains(near.figure.description, "y does not begin at 0"));
  EXPECT_FALSE(contains(drawn(streams_study()).figure.description, "y does not begin at 0"));
}

TEST(CurveFigure, LinesThatAreComparedWithThemselvesAreNoRivals) {
  std::vector<StudyCase> cases;
  for (const std::int64_t size : {1000, 8000}) {
    const auto base = cases.size();
    cases.push_back({at({{"size", size}, {"programs", 1}}), about(1e-3)});
    cases.push_back({at({{"size", size}, {"programs", 2}}), about(0.5e-3), base});
    cases.push_back({at({{"size", size}, {"programs", 4}}), about(0.6e-3), base});
  }
  CurveChoice choice;
  choice.x = "programs";
  choice.y = "speedup";
  const auto all = drawn(study(cases), choice);
  EXPECT_TRUE(contains(all.figure.title, "The speedup over the baseline is highest at programs 2"));
  EXPECT_TRUE(winners_table(all.result, measured_cases(all.summaries), choice).rows.empty());
}

TEST(CurveFigure, WhatRisesIsOneLine) {
  const auto all = drawn(study({{at({{"groups", 10}}), about(0.7e-3), {}, 4e6, "one_pass"},
                                {at({{"groups", 1000}}), about(0.9e-3), {}, 4e6, "one_pass"},
                                {at({{"groups", 10}}), about(1.0e-3), {}, 4e6, "three_passes"},
                                {at({{"groups", 1000}}), about(2.1e-3), {}, 4e6, "three_passes"}}));
  EXPECT_TRUE(contains(all.figure.title, "Time rises from 700.0 us")) << all.figure.title;
  EXPECT_TRUE(contains(all.figure.title, "to 900.0 us")) << all.figure.title;
  EXPECT_TRUE(contains(all.figure.title, "at groups 1000 (one_pass)")) << all.figure.title;
}

TEST(CurveFigure, ARiseThatMayBeChanceIsNone) {
  const auto all = drawn(study({{at({{"streams", 16}}), {15.0e-3, 15.1e-3, 15.2e-3}},
                                {at({{"streams", 32}}), {15.2e-3, 15.1e-3, 15.4e-3}}}));
  EXPECT_TRUE(contains(all.figure.title, "at streams 16, not clearly different from streams 32"))
      << all.figure.title;
}

TEST(CurveFigure, WhetherACaseDiffersFromItsBaselineTheirChangeSays) {
  // The processes differ more than the two cases of each.
  const std::vector<double> base{1e-3, 1.02e-3, 1.04e-3, 1.01e-3};
  const auto times = [&](double factor) {
    auto all = base;
    for (auto& one : all) one *= factor;
    return all;
  };
  for (const double factor : {1.005, 0.995, 1.0}) {
    const auto all =
        drawn(study({{at({{"way", "a"}}), base}, {at({{"way", "b"}}), times(factor), 0}}));
    const auto headline = headlines(all.result, all.summaries).front();
    const auto& title = all.figure.title;
    EXPECT_EQ(contains(headline, "not clearly different"), contains(title, "not clearly different"))
        << headline << "\n"
        << title;
    if (factor == 1.0) continue;
    EXPECT_TRUE(contains(title, factor > 1 ? "Time is lowest with a" : "Time is lowest with b"))
        << title;
  }
}

TEST(CurveFigure, OnlyRivalsHaveALowestTime) {
  const auto title_with = [](std::vector<StudyCase> cases) {
    return drawn(study(std::move(cases))).figure.title;
  };
  const auto up = at({{"direction", "upload"}});
  const auto down = at({{"direction", "download"}});
  const auto other = title_with({{up, about(1e-3)}, {down, about(2e-3)}});
  EXPECT_TRUE(contains(other, "Time goes from 1.000 ms")) << other;
  const auto narrow = [](double ms) { return std::vector<double>(3, ms); };
  EXPECT_EQ(title_with({{up, narrow(1e-3)}, {down, narrow(1.00001e-3)}}),
            "Time is 1.000 ms in each of 2 cases");
  const auto same = title_with({{up, about(1e-3)}, {down, about(1.0005e-3)}});
  EXPECT_TRUE(contains(same, "with upload, not clearly different from download")) << same;
  const auto variants =
      title_with({{up, about(1e-3), {}, 4e6, "cub"}, {up, about(2e-3), {}, 4e6, "mine"}});
  EXPECT_TRUE(contains(variants, "Time is lowest with cub")) << variants;
  const auto alike =
      title_with({{up, about(1e-3), {}, 4e6, "cub"}, {up, about(1.0005e-3), {}, 4e6, "mine"}});
  EXPECT_TRUE(contains(alike, "with cub, not clearly different from mine")) << alike;
  const auto compared = title_with({{up, about(1e-3)}, {down, about(2e-3), 0}});
  EXPECT_TRUE(contains(compared, "Time is lowest with upload")) << compared;
}

TEST(CurveFigure, TheFastestLineTakesTheLeastTime) {
  // Against its own baseline double gains most, and takes longer than float at every size.
  std::vector<StudyCase> cases;
  for (const std::int64_t size : {1000, 8000}) {
    const auto of = [&](const char* type) { return at({{"size", size}, {"type", type}}); };
    cases.push_back({of("fp32"), about(1e-3), {}, 4e6, "cub"});
    cases.push_back({of("fp32"), about(0.8e-3), cases.size() - 1, 4e6, "mine"});
    cases.push_back({of("fp64"), about(3e-3), {}, 4e6, "cub"});
    cases.push_back({of("fp64"), about(1e-3), cases.size() - 1, 4e6, "mine"});
  }
  CurveChoice choice;
  choice.y = "speedup";
  const auto all = drawn(study(cases), choice);
  EXPECT_TRUE(contains(all.figure.title,
                       "mine, fp32 is the fastest, and beats the baseline, at 2 of 2 points"))
      << all.figure.title;
}

TEST(CurveFigure, ALineThatIsNotAloneIsAsFastAsAnother) {
  std::vector<StudyCase> cases;
  for (const std::int64_t size : {1000, 8000}) {
    const auto of = [&] { return at({{"size", size}}); };
    cases.push_back({of(), about(2e-3), {}, 4e6, "cub"});
    cases.push_back({of(), about(1e-3), cases.size() - 1, 4e6, "mine"});
    cases.push_back(
        {of(), about(size == 1000 ? 1.0001e-3 : 1.5e-3), cases.size() - 2, 4e6, "twin"});
  }
  CurveChoice choice;
  choice.y = "speedup";
  const auto all = drawn(study(cases), choice);
  EXPECT_EQ(all.figure.title,
            "mine is the fastest, or as fast as another, and beats the baseline, at 2 of 2 points");
}

TEST(CurveFigure, FiguresToCompareHaveOneScale) {
  auto result = study({{at({{"streams", 1}}), about(30e-3)},
                       {at({{"streams", 2}}), about(29e-3)},
                       {at({{"streams", 1}}), about(30e-3)},
                       {at({{"streams", 2}}), about(20e-3)}});
  result.plan.experiments.push_back(result.plan.experiments[0]);
  result.plan.cases[2].experiment = 1;
  result.plan.cases[3].experiment = 1;
  const auto summaries = summarize(result);
  Page page;
  const auto choices = shared_scales(result, summaries, {}, page);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto figure = curve_figure(result, measured_cases(summaries, i), choices[i], page);
    EXPECT_TRUE(figure.y.from_zero);
    const auto& also = figure.y.also;
    EXPECT_NE(std::find_if(also.begin(), also.end(), [](double v) { return v < 20.5e-3; }),
              also.end());
  }
}

TEST(CurveFigure, WordsAreRowsOfBars) {
  std::vector<StudyCase> cases;
  for (const std::string word : {"a", "b", "c"}) {
    cases.push_back(
        {at({{"word", word}}), about(1e-3 * (1.0 + static_cast<double>(cases.size())))});
  }
  const auto all = drawn(study(cases));
  const auto& panel = all.figure.panels.at(0);
  EXPECT_EQ(panel.rows, (Names{"a", "b", "c"}));
  EXPECT_EQ(panel.series.at(0).mark, Mark::bars);
  EXPECT_TRUE(all.figure.x.from_zero);
  // Bars of very different lengths say nothing: points on a scale of ratios do.
  cases.push_back({at({{"word", std::string("d")}}), about(1)});
  const auto wide = drawn(study(cases));
  EXPECT_EQ(wide.figure.panels.at(0).series.at(0).mark, Mark::dots);
  EXPECT_EQ(wide.figure.x.scale, Scale::log10);
}

TEST(CurveFigure, NumbersThatAreAlmostTheSameAreWords) {
  const auto all = drawn(study({{at({{"n", 1024}}), about(1e-3)},
                                {at({{"n", 4095}}), about(2e-3)},
                                {at({{"n", 4096}}), about(3e-3)}}));
  EXPECT_EQ(all.figure.panels.at(0).rows.size(), 3u);
}

TEST(CurveFigure, ManyAxesBecomePanels) {
  std::vector<StudyCase> cases;
  for (std::int64_t streams = 1; streams <= 16; streams *= 2) {
    for (const std::string memory : {"pageable", "pinned"}) {
      for (const std::string type : {"fp16", "fp32", "fp64"}) {
        for (const std::string variant : {"cub", "mine"}) {
          cases.push_back({at({{"streams", streams}, {"memory", memory}, {"type", type}}),
                           about(1e-3),
                           {},
                           4e6,
                           variant});
        }
      }
    }
  }
  const auto all = drawn(study(std::move(cases)));
  EXPECT_EQ(all.figure.panels.size(), 6u);
  EXPECT_EQ(series_names(all.figure.panels[0]), (Names{"cub", "mine"}));
  EXPECT_EQ(all.figure.panels[0].title, "pageable, fp16");
}

TEST(CurveFigure, ASeriesKeepsItsColourOnThePage) {
  const auto result = sizes_study();
  const auto summaries = summarize(result);
  Page page;
  page.color_of("mine");
  const auto figure = curve_figure(result, measured_cases(summaries), {}, page);
  EXPECT_EQ(figure.panels[0].series[1].name, "mine");
  EXPECT_EQ(figure.panels[0].series[1].color.index, 0u);
  EXPECT_EQ(figure.panels[0].series[0].color.index, 1u);
}

TEST(CurveFigure, AKindOfWorkHasOneColourOnEveryPage) {
  Page empty;
  Page full;
  for (int i = 0; i < 9; ++i) full.color_of("series " + std::to_string(i));
  std::set<std::pair<figure::Color::Meaning, std::size_t>> seen;
  std::vector<std::string> kinds{"copies", "ranges"};
  for (const auto name : EnumNames<StepPart>::names) {
    if (name != to_string(StepPart::copies)) kinds.emplace_back(name);
  }
  for (const auto& kind : kinds) {
    const auto color = full.color_of(kind);
    EXPECT_EQ(color.meaning, figure::Color::Meaning::kind) << kind;
    EXPECT_EQ(color.index, empty.color_of(kind).index) << kind;
    EXPECT_TRUE(seen.insert({color.meaning, color.index}).second) << kind;
    const auto rule = ".k" + std::to_string(color.index) + "{color:";
    EXPECT_TRUE(contains(figure::figure_rules, rule)) << rule;
  }
}

TEST(CurveFigure, OneCaseIsNoFigure) {
  EXPECT_TRUE(drawn(study({{at({{"size", 1}}), about(1)}})).figure.empty());
  EXPECT_TRUE(drawn(study({})).figure.empty());
}

TEST(CurveFigure, AnAxisOrAFactThatThereIsNotHasAHint) {
  const auto why = [](const CurveChoice& choice) {
    return error_of<std::invalid_argument>([&] { drawn(sizes_study(), choice); });
  };
  EXPECT_TRUE(
      contains(why({.x = "sise"}), "'sise' is not an axis of these cases (did you mean 'size'?)"));
  EXPECT_TRUE(contains(why({.by = "nothing"}), "the axes are experiment, variant, size"));
  EXPECT_TRUE(contains(why({.y = "bandwith"}), "did you mean 'bandwidth'?"));
}

TEST(CurveFigure, AFactGoesByTheNamesThatItsColumnHasInTables) {
  for (const char* name : {"bandwidth", "bytes_per_s"}) {
    EXPECT_EQ(drawn(sizes_study(), {.y = name}).figure.id, "figure-bandwidth") << name;
  }
}

TEST(ValueOf, ARateHasTheIntervalOfItsTime) {
  const auto result = sizes_study();
  const auto summaries = summarize(result);
  const auto rate = value_of(summaries[0], "bandwidth");
  ASSERT_TRUE(rate);
  EXPECT_NEAR(rate->low, rate->value * summaries[0].time().value / summaries[0].time().high, 1);
  EXPECT_FALSE(value_of(summaries[0], "overlap"));
}

TEST(CaseLabels, TellCasesApartInFewWords) {
  const auto result = sizes_study();
  const auto summaries = summarize(result);
  EXPECT_EQ(case_labels(result, measured_cases(summaries)).front(), "cub, size 2^20");
}

}  // namespace
}  // namespace apod::show
