// bench show: a saved result as its run printed it, and what can't be shown.

#include <sstream>
#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

using ShowTest = FaultsTest;

const std::string kept = APOD_SOURCE_DIR "/tests/data/results/kept/smoke.json";
const std::string show_kept = "bench show '" + kept + "' ";

TEST_F(ShowTest, PrintsWhatTheRunPrinted) {
  write("a.yaml", faults("fine, wrong"));
  for (const std::string flags : {"", "--format markdown", "--format csv", "--format json",
                                  "--explain --timers --color always"}) {
    const auto run = fails(
        "COLUMNS=90 faulty --config a.yaml --processes 2 -q --out r.json --out r.md --out r.csv "
        "--out r.txt " +
        flags);
    const auto show = passes("COLUMNS=90 bench show r.json " + flags);
    ASSERT_TRUE(run.out.starts_with(show.out)) << flags << run.out << show.out;
    const auto rest = run.out.substr(show.out.size());
    EXPECT_TRUE(rest.empty() || rest.starts_with("Wrote r.json\n")) << rest;
    passes("bench show r.json --out s.json --out s.md --out s.csv --out s.txt " + flags);
    for (const std::string extension : {"json", "md", "csv", "txt"}) {
      EXPECT_EQ(read("s." + extension), read("r." + extension)) << extension;
    }
  }
}

// The file was written when the time of another run counted as idle: the device was busy for 99.7
// %.
TEST_F(ShowTest, FindsInATracedResultWhatIsFoundToday) {
  const std::string explained =
      APOD_SOURCE_DIR "/results/explained/nvidia-h100-80gb-hbm3/streams.json";
  ASSERT_TRUE(holds(read_file(explained), "the device has nothing to do for 19 %"));
  const auto shown = passes("bench show '" + explained + "' --explain").out;
  EXPECT_TRUE(holds(shown, "pageable-transfer"));
  EXPECT_TRUE(lacks(shown, "the device has nothing to do for 19 %"));
}

TEST_F(ShowTest, SaysWhatCompiledTheKernelsOfFiles) {
  auto result = Json::parse(read_file(kept));
  EXPECT_TRUE(lacks(passes(show_kept).out, "compiled by"));
  for (auto& row : result["benchmarks"]) {
    if (row["apod"].contains("facts")) row["apod"]["facts"]["nvcc"] = 13.0;
  }
  write("r.json", result.dump());
  EXPECT_TRUE(holds(passes("bench show r.json").out, "compiled by nvcc 13.0"));
}

TEST_F(ShowTest, KeepsWhatTheFilterFinds) {
  const auto all = passes(show_kept + "--format csv");
  const auto some = passes(show_kept + "--format csv --filter warp");
  EXPECT_LT(some.out.size(), all.out.size());
  std::istringstream lines(some.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("case,") ||
                holds(all.out, "\n" + line.substr(0, line.find(',') + 1)));
  }
  EXPECT_TRUE(holds(shell(show_kept + "--filter gird_stride").err,
                    "--filter: 'gird_stride' matches none of"));
  EXPECT_TRUE(holds(shell(show_kept + "--filter '('").err, "--filter: "));
}

TEST_F(ShowTest, ReadsSeveralFilesAndStandardInput) {
  const auto once = shell(show_kept);
  const auto both = passes("cat '" + kept + "' | bench show - '" + kept + "'");
  EXPECT_EQ(both.out, once.out + once.out);
  const auto one_is_bad = fails("bench show gone.json '" + kept + "'");
  EXPECT_EQ(one_is_bad.out, once.out) << "the others are shown";
  EXPECT_TRUE(holds(one_is_bad.err, "bench show: gone.json: there is no such file"));
}

TEST_F(ShowTest, APipeAndAFileHaveAllColumnsUnlessAWidthIsGiven) {
  const auto as_wide = [this](const std::string& width) {
    return passes("env " + width + " \"$BENCH\" show '" + kept + "'").out;
  };
  const std::string left_out = "not shown (no room)";
  EXPECT_TRUE(holds(as_wide("COLUMNS=80"), left_out));
  EXPECT_TRUE(lacks(as_wide("-u COLUMNS"), left_out));
  passes(show_kept + "--out s.txt");
  EXPECT_EQ(read("s.txt"), as_wide("-u COLUMNS"));
}

TEST_F(ShowTest, ACsvHasTheColumnsThatAreAskedFor) {
  // A title of a table, and facts; the CSV calls them by the name that it always has for them.
  const auto csv = passes(show_kept + "--format csv --columns 'of peak, delta' --columns flops");
  EXPECT_TRUE(holds(csv.out, ",flops_per_s,share,delta,status\n"));
  EXPECT_TRUE(holds(passes(show_kept + "--format csv --columns time_s,share").out, "time_s,share"));
}

TEST_F(ShowTest, SeveralResultsAreOneTableOfCsvOrNone) {
  const std::string other = APOD_SOURCE_DIR "/tests/data/results/kept/streams.json";
  const auto once = shell(show_kept + "--format csv").out;
  const auto twice = passes(show_kept + "'" + kept + "' --format csv");
  EXPECT_EQ(twice.out, once + once.substr(once.find('\n') + 1));
  const auto others = fails("bench show '" + kept + "' '" + other + "' --format csv");
  EXPECT_EQ(others.out, once);
  EXPECT_TRUE(
      holds(others.err, "streams.json: does not have the same columns as the file before it"));
}

TEST_F(ShowTest, WhatIsAskedOfSeveralOrOfOthersInVainIsRefused) {
  write("c.json", R"({"kind": "comparison"})");
  expect_refused({{show_kept + "'" + kept + "' --format json", "name one FILE"},
                  {show_kept + "--format json --columns time", "--columns: JSON always has"},
                  {"bench show c.json --columns time", "work only for the result of a run"}});
}

TEST_F(ShowTest, WhatIsNoResultIsRefusedWithItsPlace) {
  write("empty.json", "");
  write("list.json", "[]");
  write("other.json", R"({"name": "web", "dependencies": {}})");
  write("mine.yaml", "schema: 1\n");
  write("comparison.json", R"({"kind": "comparison"})");
  write("calibration.json", R"({"apod_calibration": 2})");
  write("deep.json", R"({"context": )" + std::string(100'000, '['));
  auto text = read_file(kept);
  write("half.json", text.substr(0, text.size() / 2));
  write("half_calibration.json", R"({"apod_calibration": 2, "date": "2026-)");
  write("half_ceilings.json", R"({"apod_ceilings": 1, "date": "2026-)");
  write("half_recording.json", R"({"apod_recording": 1, "date": "2026-)");
  write("r.csv", "case,experiment\n");
  write("compose.yaml", "services:\n  web: {image: nginx}\n");
  write("app.sqlite", std::string("SQLite format 3\0\x10", 17));
  write("r.json.xz", "\3757zXZ");
  write("r.html", "<!DOCTYPE html>\n");
  write("app.nsys-rep", "a report");
  write("noise.json", std::string("\1\0\2", 3));
  text.replace(text.find("\"schema\": 2"), 11, "\"schema\": 9");
  write("later.json", text);
  const std::pair<std::string, std::string> table[] = {
      {"empty.json", "the file is empty"},
      {"list.json", "its top level is not an object"},
      {"other.json", "it seems to be a package.json, not a result"},
      {"mine.yaml", "it seems to be an experiment file, not a result: run it first"},
      {"compose.yaml", "it is YAML, but neither a result nor an experiment file"},
      {"deep.json", "context[0]: nested too deeply"},
      {"half.json", "the file is cut off, in benchmarks["},
      {"half_calibration.json", "the file is cut off"},
      {"half_ceilings.json", "the file is cut off"},
      {"half_recording.json", "the file is cut off"},
      {"r.csv", "it is text, but in an unknown format (docs/formats.md lists the formats)"},
      {"app.sqlite", "is not an SQLite file, or its start is damaged"},
      {"r.json.xz", "it is compressed, not a result: unpack it (xz -d)"},
      {"r.html", "it is an HTML page, not a result: name the .json file of the same run"},
      {"app.nsys-rep",
       "is an nsys report; export it first: nsys export --type sqlite app.nsys-rep"},
      {"noise.json", "it is a binary file, not JSON"},
      {"comparison.json", "schema: missing"},
      {"calibration.json", "date: missing"},
      {"later.json", "context: apod: schema: 9, but this bench reads schemas 1 to 3"}};
  for (const auto& [file, message] : table) {
    expect_refused({{file, "bench show: " + file + ": " + message},
                    {"- < " + file,
                     "bench show: standard input: " + (file.starts_with("half_") ? message : "")}},
                   "bench show ");
  }
  for (const auto& command : {std::string("report"), std::string("history"),
                              "compare '" + kept + "'", std::string("calibrate")}) {
    const std::string named = "half_recording.json: the file is cut off";
    expect_refused({{"bench " + command + " half_recording.json",
                     "bench " + command.substr(0, command.find(' ')) + ": " + named}});
  }
  expect_refused(
      {{"bench show .", "bench show: .: is a folder: name a file in that folder"},
       {"bench show /dev/null", "bench show: /dev/null: not a regular file"},
       {show_kept + "'" + kept + "' --out x.md", "--out, JSON, JUnit and HTML hold one result"},
       {"cp '" + kept + "' r.json; bench show r.json --out r.json", "one of the input files"}});
}

TEST_F(ShowTest, HostileTextIsHarmless) {
  auto text = read_file(kept);
  const auto put = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  put("warp_shuffle", R"(\u001b[31m\u0007\u202e<script>|`*_x)");
  write("r.json", text);
  for (const char* format : {"console", "markdown", "csv"}) {
    const auto show = passes(std::string("bench show r.json --format ") + format);
    EXPECT_TRUE(holds(show.out, "script"));
    EXPECT_EQ(show.out.find_first_of("\x1b\x07"), std::string::npos) << format;
  }
  EXPECT_TRUE(lacks(shell("bench show r.json --format markdown").out, "<script>"));
}

}  // namespace
}  // namespace apod::test
