/// The histories that github-action-benchmark keeps.

#include <array>
#include <filesystem>

#include "benchmarks/files/foreign_result.hpp"
#include "tests/benchmarks/files/formats_fixture.hpp"

namespace apod::files {
namespace {

using DataJs = Formats;

constexpr const char* data_js = R"(window.BENCHMARK_DATA = {
  "lastUpdate": 1, "repoUrl": "https://example.com",
  "entries": {"Suite": [
    {"commit": {"id": "aaa"}, "date": 1767225600000, "tool": "cargo",
     "benches": [{"name": "sum", "value": 100, "range": "± 3", "unit": "ns/iter"}]},
    {"commit": {"id": "bbb"}, "date": 1767312000000, "tool": "cargo",
     "benches": [{"name": "sum", "value": 200, "unit": "ns/iter"},
                 {"name": "rate", "value": 50, "unit": "iter/sec"},
                 {"name": "size", "value": 5, "unit": "KB"}]}]}})";

TEST_F(DataJs, AHistoryOfGithubActionBenchmarkIsManyRuns) {
  const auto file = folder_.write("data.js", data_js);
  const auto runs = read_runs(file);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_DOUBLE_EQ(times_of(runs[0], "sum").at(0), 100e-9);
  EXPECT_EQ(property(runs[0], "commit"), "aaa");
  EXPECT_EQ(property(runs[0], "date"), "2026-01-01T00:00:00Z");
  const Side last = read("data.js", data_js);
  EXPECT_DOUBLE_EQ(times_of(last, "sum").at(0), 200e-9);
  EXPECT_EQ(times_of(last, "rate"), std::vector{1.0 / 50}) << "of a rate, more is better";
  note_of(last, "only the last of 2 runs in the file is read");
  EXPECT_EQ(note_of(last, "left out"), file_ + ": left out, its unit 'KB' is not a time: size");
}

TEST_F(DataJs, AHistoryIsTheNightsOfABase) {
  const auto file = folder_.write("data.js", data_js);
  const auto base = read_side({file}, {}, Samples::skip, {}, {}, Runs::all);
  ASSERT_EQ(base.sessions.size(), 2u);
  EXPECT_EQ(base.sessions[0].environment.at("commit"), "aaa");
  EXPECT_EQ(times_of(base, "sum").size(), 2u);
  EXPECT_EQ(case_of(base, "rate").times.at(0).session, 1u);
}

TEST_F(DataJs, AHistoryWithoutARunTakesNoOtherFileAlong) {
  folder_.write("a.js", data_js);
  folder_.write("b.js", R"(window.BENCHMARK_DATA = {"entries": {"S": [
      {"commit": {}, "benches": []}, {"commit": {}, "benches": []}, {}]}})");
  const auto base = read_side({folder_.path("")}, {}, Samples::skip, {}, {}, Runs::all);
  EXPECT_EQ(base.sessions.size(), 2u);
  note_of(base, "left out, nothing was measured");
}

TEST_F(DataJs, ALinkThatLeadsNowhereIsLeftOutInPlainWords) {
  folder_.write("a.js", data_js);
  std::filesystem::create_symlink("b.json", folder_.path("b.json"));
  const auto side = read_side({folder_.path("")});
  EXPECT_EQ(note_of(side, "b.json").find("filesystem"), std::string::npos);
  note_of(side, "left out, can't be read: Too many levels of symbolic links");
}

TEST_F(DataJs, NothingOfAFileElsewhereIsShownThatALinkLeadsTo) {
  folder_.write("a.js", data_js);
  folder_.write(".secret", "Sesame\n");
  std::filesystem::create_symlink(folder_.path(".secret"), folder_.path("b.json"));
  folder_.write("c.json", "Sesam\n");
  const auto side = read_side({folder_.path("")});
  const auto note = note_of(side, "b.json");
  EXPECT_EQ(note.substr(note.find("left out")),
            "left out, it is a link or another user's file (bench show FILE says why it is not a "
            "result)");
  EXPECT_NE(note_of(side, "c.json").find("'S'"), std::string::npos);
}

TEST_F(DataJs, OfADataJsFurtherNumbersOfGoBelongToTheirCase) {
  const auto text = run_of("go", R"({"name":"A","value":5,"unit":"ns/op"},
    {"name":"A - ns/op","value":5,"unit":"ns/op"},{"name":"A - B/op","value":16,"unit":"B/op"},
    {"name":"B - ns/op","value":7,"unit":"ns/op"},{"name":"B - B/op","value":8,"unit":"B/op"},
    {"name":"C - B/op","value":1,"unit":"B/op"},{"name":"D - B/op","value":1,"unit":"B/op"})");
  const Side side = read("data.js", text);
  ASSERT_EQ(side.cases.size(), 2u);
  EXPECT_EQ(times_of(side, "A"), std::vector{5e-9}) << "which is there twice";
  EXPECT_DOUBLE_EQ(times_of(side, "B").at(0), 7e-9) << "whose name is the same in every run";
  EXPECT_EQ(times_of(read("data.js", text, "B/op:less"), "B"), std::vector{8.0});
  EXPECT_EQ(note_of(side, "left out"),
            file_ + ": left out, its unit 'B/op' is not a time: 2 cases, the first C");
  const auto of_other_tool =
      read("data.js", run_of("customSmallerIsBetter", R"({"name":"A - s","value":5,"unit":"s"})"));
  EXPECT_EQ(of_other_tool.cases.at(0).name, "A - s");
}

TEST_F(DataJs, AnotherPrefixOfARateIsTheSameWay) {
  const auto run = [](const char* value, const char* unit) {
    return std::string(R"({"commit":{"id":"a"},"tool":"customBiggerIsBetter","benches":[)") +
           R"({"name":"r","value":)" + value + R"(,"unit":")" + unit + R"("}]})";
  };
  const auto file =
      folder_.write("data.js", R"(window.BENCHMARK_DATA = {"entries":{"S":[)" +
                                   run("5000", "ops/s") + "," + run("4", "ops/ms") + "]}}");
  const auto base = read_side({file}, {}, Samples::skip, {}, {}, Runs::all);
  EXPECT_EQ(times_of(base, "r"), (std::vector{1 / 5000.0, 1 / 4000.0}));
  EXPECT_EQ(case_of(base, "r").failed, "");
}

TEST_F(DataJs, ATimeOf0OfManyRunsIsOneCase) {
  const auto run = [](const char* value) {
    return std::string(R"({"commit":{"id":"a"},"tool":"customSmallerIsBetter","benches":[)") +
           R"({"name":"p95","value":)" + value + R"(,"unit":"ms"}]})";
  };
  const auto file =
      folder_.write("data.js", R"(window.BENCHMARK_DATA = {"entries":{"S":[)" + run("0") + "," +
                                   run("0") + "," + run("3") + "]}}");
  const auto base = read_side({file}, {}, Samples::skip, {}, {}, Runs::all);
  EXPECT_TRUE(note_of(base, "0 s is not a time").ends_with("0 s is not a time: p95"));
}

TEST_F(DataJs, OfADataJsAggregatesAreNoCases) {
  const std::string aggregates =
      R"({"name":"a_mean","value":4,"unit":"ns/iter"},{"name":"a_median","value":3,"unit":"ns/iter"},
         {"name":"a_stddev","value":1,"unit":"ns/iter"},{"name":"a_cv","value":0.2,"unit":"ns/iter"},
         {"name":"the_mean","value":9,"unit":"ns/iter"})";
  Side side = read("data.js", run_of("googlecpp", aggregates));
  EXPECT_EQ(side.cases.size(), 2u);
  EXPECT_DOUBLE_EQ(times_of(side, "a").at(0), 3e-9) << "the median, as of the library's own file";
  EXPECT_EQ(times_of(side, "the_mean").size(), 1u) << "a name";
  const std::string repetitions = R"({"name":"a","value":5,"unit":"ns/iter"},
                                     {"name":"a","value":6,"unit":"ns/iter"},)";
  side = read("data.js", run_of("googlecpp", repetitions + aggregates));
  EXPECT_EQ(times_of(side, "a").size(), 2u);
  EXPECT_EQ(read("data.js", run_of("cargo", aggregates)).cases.size(), 5u);
}

}  // namespace
}  // namespace apod::files
