#include <gtest/gtest.h>

#include <sstream>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/files/write_result.hpp"
#include "benchmarks/show/report.hpp"
#include "tests/benchmarks/show/sample_result.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace apod::files {
namespace {

using record::Json;

std::string thin_json_of(const Result& result) {
  std::ostringstream text;
  write_json(text, result);
  return text.str();
}

/// A result with samples, device times, throttled samples, failed and skipped cases; JSON has a
/// place for all of its text.
Result whole_result() {
  const TemporaryFolder folder;
  return read_result(folder.write("r.json", thin_json_of(show::sample_with_findings())));
}

std::string text_of_report(const Result& result, show::Format format,
                           const show::Shown& parts = {}) {
  std::ostringstream text;
  show::write(text, show::report_of(result, parts), format, {true, 100});
  return text.str();
}

TEST(ThinResult, IsReadAndWrittenAgainAsItWas) {
  const TemporaryFolder folder;
  const auto text = thin_json_of(thinned(whole_result()));
  const auto saved = read_result(folder.write("thin.json", text));
  EXPECT_TRUE(is_thin(saved));
  EXPECT_EQ(thin_json_of(saved), text);
  EXPECT_EQ(thin_json_of(thinned(saved)), text) << "thin already";
}

TEST(ThinResult, HoldsNoSampleAndNoClockOfOne) {
  const auto text = thin_json_of(thinned(whole_result()));
  EXPECT_FALSE(contains(text, "samples_s\":[0"));
  EXPECT_FALSE(contains(text, "sample_mhz"));
  EXPECT_TRUE(contains(text, "\"schema\": 3"));
}

TEST(ThinResult, ShowsWhatTheWholeOneShows) {
  const TemporaryFolder folder;
  const auto whole = whole_result();
  const auto thin = read_result(folder.write("thin.json", thin_json_of(thinned(whole))));
  for (const auto format : {show::Format::console, show::Format::markdown, show::Format::junit}) {
    EXPECT_EQ(text_of_report(thin, format), text_of_report(whole, format))
        << static_cast<int>(format);
  }
}

TEST(ThinResult, SaysWhatItDoesNotShow) {
  const auto thin = thinned(whole_result());
  const auto text = text_of_report(thin, show::Format::console, {{}, true, true});
  EXPECT_TRUE(contains(text, "timers: not kept in a thin result"));
  EXPECT_TRUE(
      contains(text, "samples, timelines, kernels, copies and calls: not kept in a thin result"));
  EXPECT_FALSE(contains(text, "no case was traced"));
  const auto page = text_of_report(thin, show::Format::html);
  EXPECT_TRUE(contains(page, "not kept in a thin result"));
  EXPECT_EQ(page.find("not kept in a thin result"), page.rfind("not kept in a thin result"));
}

TEST(ThinResult, QuantilesAreThoseOfTheSamplesThatCount) {
  Measurement m;
  m.samples_s = {5, 1, 2, 3, 4, 100};
  m.throttled = {0, 0, 0, 0, 0, 1};
  m.device_samples_s = {2, 2, 2, 2, 4, 50};
  const auto quantiles = quantiles_of(m);
  EXPECT_EQ(quantiles.samples, 6U);
  EXPECT_EQ(quantiles.throttled, 1U);
  EXPECT_DOUBLE_EQ(quantiles.p25_s, 2);
  EXPECT_DOUBLE_EQ(quantiles.median_s, 3);
  EXPECT_DOUBLE_EQ(quantiles.p75_s, 4);
  EXPECT_DOUBLE_EQ(quantiles.p99_s, 4.96);
  EXPECT_DOUBLE_EQ(quantiles.device_median_s.value(), 2);
  Measurement thin;
  thin.quantiles = quantiles;
  for (const auto* one : {&m, &thin}) {
    const auto process = summarize_process(*one);
    EXPECT_EQ(process.samples, 5U);
    EXPECT_DOUBLE_EQ(process.sample_spread.value(), 2.0 / 3);
    EXPECT_DOUBLE_EQ(throttled_share(*one), 1.0 / 6);
  }
}

TEST(ThinResult, TheClocksOfItsSamplesBecomeANote) {
  Result result;
  result.plan.cases.emplace_back().id = "a";
  auto& m = result.measurements.emplace_back();
  m.samples_s = {2, 2, 1, 1};
  m.clock.sample_mhz = {1000, 1000, 2000, 2000};
  const auto thin = thinned(result).measurements.front();
  EXPECT_EQ(thin.notes,
            std::vector<std::string>{
                "two clock states: 2.000 s at 1000 MHz (2 samples), 1.000 s at 2000 MHz (2)"});
  EXPECT_TRUE(thin.samples_s.empty());
  EXPECT_TRUE(thin.clock.sample_mhz.empty());
}

TEST(ThinResult, IsComparedAsTheWholeOneIs) {
  const TemporaryFolder folder;
  const auto whole = whole_result();
  const Side side = read_side({folder.write("whole.json", thin_json_of(whole))});
  const Side thin = read_side({folder.write("thin.json", thin_json_of(thinned(whole)))});
  ASSERT_EQ(thin.cases.size(), side.cases.size());
  for (std::size_t i = 0; i < side.cases.size(); ++i) {
    EXPECT_EQ(thin.cases[i].name, side.cases[i].name);
    EXPECT_EQ(thin.cases[i].version.str(), side.cases[i].version.str());
    EXPECT_EQ(thin.cases[i].params, side.cases[i].params);
    ASSERT_EQ(thin.cases[i].times.size(), side.cases[i].times.size());
    for (std::size_t k = 0; k < side.cases[i].times.size(); ++k) {
      const double seconds = side.cases[i].times[k].seconds;
      EXPECT_NEAR(thin.cases[i].times[k].seconds, seconds, 1e-8 * seconds);
      EXPECT_EQ(thin.cases[i].times[k].throttled, side.cases[i].times[k].throttled);
    }
  }
}

TEST(ThinResult, IsNotReplacedByARunThatHasLess) {
  const TemporaryFolder folder;
  auto result = whole_result();
  const auto path = folder.write("thin.json", thin_json_of(thinned(result)));
  EXPECT_FALSE(holds_more(path, result));
  std::erase_if(result.measurements, [](const Measurement& m) { return m.process > 0; });
  EXPECT_TRUE(holds_more(path, result));
}

TEST(ThinResult, WhatIsDamagedIsRefusedWithItsPlace) {
  const Json good = Json::parse(thin_json_of(thinned(whole_result())));
  const TemporaryFolder folder;
  const auto refusal = [&](const char* pointer, const Json& value) {
    Json document = good;
    document[Json::json_pointer(pointer)] = value;
    return error_of([&] { read_result(folder.write("r.json", document.dump())); });
  };
  EXPECT_TRUE(contains(refusal("/apod_processes/rows", 1), "apod_processes: "));
  EXPECT_TRUE(contains(refusal("/apod_processes/columns/case_index", Json::array({99})),
                       "apod_cases must list the case of this row first"));
  EXPECT_TRUE(contains(refusal("/apod_processes/columns/quantiles/median_s", Json::array({-1})),
                       "quantiles: [1]: -1 is not a time"));
  EXPECT_TRUE(contains(refusal("/apod_processes/columns/quantiles/samples", Json::array({-1})),
                       "quantiles: samples: integer out of range"));
  EXPECT_TRUE(contains(refusal("/apod_cases/columns/status", Json::array({"ok"})),
                       "status: unknown value 'ok'"));
  EXPECT_TRUE(contains(refusal("/apod_cases", Json::array({1})), "apod_cases"));
}

}  // namespace
}  // namespace apod::files
