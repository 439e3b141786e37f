#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/report/comparison_report.hpp"
#include "tests/benchmarks/report/golden.hpp"
#include "tests/benchmarks/report/sample_comparison.hpp"
#include "tests/benchmarks/report/texts.hpp"

namespace apod::report {
namespace {

using nlohmann::json;
using testing::comparison_of;
using testing::contains;
using testing::expect_golden;
using testing::hostile_comparison;
using testing::judged_case;
using testing::lines_of;
using testing::sample_comparison;
using testing::written;

constexpr std::size_t mebibyte = 1 << 20;

std::vector<std::string> annotations(const Comparison& comparison) {
  std::stringstream out;
  write_annotations(out, comparison);
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  return lines;
}

TEST(ComparisonJson, Golden) {
  expect_golden("comparison.json", written(sample_comparison(), ComparisonFormat::json));
}

TEST(ComparisonJson, HoldsEverything) {
  auto comparison = sample_comparison();
  comparison.seed = 18446744073709551615u;
  comparison.cases[2].session_source = SessionSource::calibration;
  comparison.cases[2].session_deviation = 0.004;
  const json j = json::parse(written(comparison, ComparisonFormat::json));
  EXPECT_EQ(j.at("kind"), "comparison");
  EXPECT_EQ(j.at("schema"), 1);
  EXPECT_EQ(j.at("verdict"), verdict_line(comparison));
  EXPECT_EQ(j.at("method"), "files");
  EXPECT_EQ(j.at("base"), "monday/streams.json");
  EXPECT_EQ(j.at("new"), "tuesday/streams.json");
  EXPECT_EQ(j.at("seed"), 18446744073709551615u);
  EXPECT_EQ(j.at("interrupted"), false);
  EXPECT_EQ(j.at("environment").size(), 2u);
  EXPECT_EQ(j.at("notes").size(), 6u);
  EXPECT_EQ(j.at("options").at("strict"), false);
  EXPECT_EQ(j.at("options").at("alpha"), 0.01);
  EXPECT_EQ(j.at("counts").at("regression"), 2);
  EXPECT_EQ(j.at("counts").at("new"), 1);
  ASSERT_EQ(j.at("cases").size(), comparison.cases.size());
  const json& c = j.at("cases").at(2);
  EXPECT_EQ(c.at("name"), "streams/4");
  EXPECT_EQ(c.at("verdict"), "regression");
  EXPECT_EQ(c.at("change"), 0.0612);
  EXPECT_EQ(c.at("replicate"), "process");
  EXPECT_EQ(c.at("base_units"), 12);
  EXPECT_EQ(c.at("session_source"), "calibration");
  EXPECT_EQ(c.at("session_deviation"), 0.004);
  EXPECT_EQ(c.at("detectable"), 0.0123);
  EXPECT_EQ(c.at("units_needed"), nullptr);
  EXPECT_EQ(c.at("causes").at(1).at("fact"), "sm_clock");
  EXPECT_EQ(c.at("warnings").at(0), "throttled in 3 of 12 processes");
}

TEST(ComparisonJson, HasNullWhereNothingWasMeasured) {
  const json j = json::parse(written(sample_comparison(), ComparisonFormat::json));
  const json& missing = j.at("cases").at(7);
  ASSERT_EQ(missing.at("verdict"), "missing");
  for (const char* name : {"base_s", "new_s", "change", "change_low", "change_high", "p",
                           "p_adjusted", "q", "detectable"}) {
    EXPECT_TRUE(missing.at(name).is_null()) << name;
  }
}

TEST(ComparisonJson, IsValidWhateverTheNames) {
  const json j = json::parse(written(hostile_comparison(), ComparisonFormat::json));
  EXPECT_EQ(j.at("cases").size(), hostile_comparison().cases.size());
  EXPECT_TRUE(json::accept(written({}, ComparisonFormat::json)));
}

TEST(ComparisonJson, EveryFieldIsDocumented) {
  std::ifstream file(std::string(APOD_SOURCE_DIR) + "/docs/comparing-format.md");
  std::stringstream documentation;
  documentation << file.rdbuf();
  std::set<std::string> keys;
  const auto collect = [&](const json& object) {
    for (const auto& [key, value] : object.items()) keys.insert(key);
  };
  const json j = json::parse(written(sample_comparison(), ComparisonFormat::json));
  collect(j);
  collect(j.at("options"));
  collect(j.at("cases").at(2));
  collect(j.at("cases").at(2).at("causes").at(0));
  EXPECT_GT(keys.size(), 35u);
  for (const auto& key : keys) EXPECT_TRUE(contains(documentation.str(), "`" + key + "`")) << key;
}

TEST(ComparisonCsv, Golden) {
  expect_golden("comparison.csv", written(sample_comparison(), ComparisonFormat::csv));
}

TEST(ComparisonCsv, HasARowForEachCaseWhateverTheNames) {
  const auto lines = lines_of(written(hostile_comparison(), ComparisonFormat::csv));
  EXPECT_EQ(lines.size(), hostile_comparison().cases.size() + 1);
}

TEST(ComparisonCsv, HasFieldsOfTheJsonAlone) {
  const json j = json::parse(written(sample_comparison(), ComparisonFormat::json));
  for (const auto& column : comparison_rows(sample_comparison()).columns) {
    EXPECT_TRUE(j.at("cases").at(0).contains(column.name)) << column.name;
  }
}

TEST(ComparisonMarkdown, StaysBelowOneMebibyteAndSaysWhatItLeftOut) {
  for (const auto verdict : {Verdict::regression, Verdict::unchanged, Verdict::missing}) {
    const std::string report = written(comparison_of(100'000, verdict), ComparisonFormat::markdown);
    EXPECT_LT(report.size(), mebibyte);
    EXPECT_GT(report.size(), mebibyte / 4);
    EXPECT_TRUE(contains(report, "more rows left out")) << to_string(verdict);
    EXPECT_TRUE(contains(report, "### notes")) << to_string(verdict);
  }
}

TEST(ComparisonJunit, Golden) {
  expect_golden("comparison.xml", written(sample_comparison(), ComparisonFormat::junit));
}
TEST(ComparisonJunit, GoldenOfHostileNames) {
  expect_golden("comparison_hostile.xml", written(hostile_comparison(), ComparisonFormat::junit));
}

TEST(ComparisonJunit, AComparisonOfNothingIsAnError) {
  const std::string report = written({}, ComparisonFormat::junit);
  EXPECT_TRUE(contains(report, "tests=\"1\" failures=\"0\" errors=\"1\"")) << report;
  EXPECT_TRUE(contains(report, "<error message=\"NOTHING COMPARED")) << report;
  const auto passing = comparison_of(1, Verdict::unchanged);
  EXPECT_FALSE(contains(written(passing, ComparisonFormat::junit), "<error"));
}

TEST(ComparisonJunit, CountsWhatItHolds) {
  EXPECT_TRUE(contains(written(sample_comparison(), ComparisonFormat::junit),
                       "tests=\"10\" failures=\"3\" errors=\"1\" skipped=\"3\""));
}

TEST(Annotations, Golden) {
  std::ostringstream out;
  write_annotations(out, sample_comparison());
  expect_golden("annotations.txt", out.str());
}

TEST(Annotations, AreNoneWhereAllIsWell) {
  EXPECT_TRUE(annotations(comparison_of(3, Verdict::unchanged)).empty());
  EXPECT_TRUE(annotations(comparison_of(3, Verdict::inconclusive)).empty());
}

TEST(Annotations, AreAtMostTenAndTheTenthCountsTheRest) {
  EXPECT_EQ(annotations(comparison_of(10, Verdict::regression)).size(), 10u);
  const auto lines = annotations(comparison_of(25, Verdict::regression));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(contains(lines[8], "title=regression%3A ")) << lines[8];
  EXPECT_TRUE(contains(lines[9], "::and 16 more; REGRESSION: 25 of 25 cases")) << lines[9];
}

TEST(Annotations, SayThatNothingWasCompared) {
  ASSERT_EQ(annotations({}).size(), 1u);
  auto ended = comparison_of(1, Verdict::unchanged);
  ended.failure = "confirmation, block 3 of 12, new: no result";
  ASSERT_EQ(annotations(ended).size(), 1u);
  EXPECT_TRUE(contains(annotations(ended)[0], "INCOMPLETE (ended early)"));
  EXPECT_TRUE(contains(annotations(ended)[0], "block 3 of 12, new: no result"));
  const std::string junit = written(ended, ComparisonFormat::junit);
  EXPECT_TRUE(contains(junit, "tests=\"2\" failures=\"0\" errors=\"1\""));
  EXPECT_TRUE(contains(junit, "type=\"incomplete\">confirmation, block 3 of 12, new: no result"));
  EXPECT_EQ(annotations({})[0],
            "::error title=bench compare::NOTHING COMPARED: neither side has a case");
  const auto lines = annotations(comparison_of(10, Verdict::missing));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(contains(lines[0], "NOTHING COMPARED"));
  EXPECT_TRUE(contains(lines[9], "::and 2 more; "));
}

TEST(Annotations, EscapeWhatTheRunnerTakesForItsOwn) {
  Comparison comparison;
  comparison.cases = {judged_case("50%, a:b\r\nc", Verdict::regression, 1, 0.5, 0.1),
                      judged_case("ok", Verdict::unchanged, 1, 0, 0.1)};
  const auto lines = annotations(comparison);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "::error title=regression%3A 50%25%2C a%3Ab  c::1.000 s -> 1.500 s, +50.0 %25 ±10.0");
}

TEST(Annotations, AreAsManyLinesAsErrorsWhateverTheNames) {
  for (const auto& line : annotations(hostile_comparison())) {
    EXPECT_EQ(line.find("::error title="), 0u) << line;
    EXPECT_NE(line.find("::", 14), std::string::npos) << line;
    EXPECT_LT(line.size(), 8000u);
  }
}

}  // namespace
}  // namespace apod::report
