// bench show: a saved result as its run printed it, and what can't be shown.

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

using ShowTest = FaultsTest;

const std::string kept = APOD_SOURCE_DIR "/results/baselines/nvidia-h200/smoke.json";

TEST_F(ShowTest, PrintsWhatTheRunPrinted) {
  write("a.yaml", faults("fine, wrong"));
  const struct {
    const char* flags;
    const char* shown;
  } forms[] = {{"", ""},
               {"--format markdown", "--format markdown"},
               {"--format csv", "--format csv"},
               {"--format json", "--format json"},
               {"--explain --timers --color always", "--explain --timers --color always"}};
  for (const auto& [flags, shown] : forms) {
    const auto run = shell(
        "COLUMNS=90 faulty --config a.yaml --processes 2 -q --out r.json --out "
        "r.md --out r.csv --out r.txt " +
        std::string(flags));
    ASSERT_EQ(run.exit_code, 1) << run.err;
    const auto show = shell("COLUMNS=90 bench show r.json " + std::string(shown));
    EXPECT_EQ(show.exit_code, 0) << show.err;
    EXPECT_TRUE(run.out.starts_with(show.out)) << flags << run.out << show.out;
    const auto rest = run.out.substr(std::min(show.out.size(), run.out.size()));
    EXPECT_TRUE(rest.empty() || rest.starts_with("Wrote r.json\n")) << rest;
    EXPECT_EQ(shell("bench show r.json --out s.json --out s.md --out s.csv --out s.txt " +
                    std::string(shown))
                  .exit_code,
              0);
    for (const std::string extension : {"json", "md", "csv", "txt"}) {
      EXPECT_EQ(read_file(path("s." + extension)), read_file(path("r." + extension))) << extension;
    }
  }
}

TEST_F(ShowTest, KeepsWhatTheFilterFinds) {
  const auto all = shell("bench show '" + kept + "' --format csv");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  const auto some = shell("bench show '" + kept + "' --format csv --filter warp");
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_LT(some.out.size(), all.out.size());
  std::istringstream lines(some.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("case,") ||
                holds(all.out, "\n" + line.substr(0, line.find(',') + 1)));
  }
  EXPECT_TRUE(holds(shell("bench show '" + kept + "' --filter gird_stride").err,
                    "--filter: 'gird_stride' matches none of"));
  EXPECT_TRUE(holds(shell("bench show '" + kept + "' --filter '('").err, "--filter: "));
}

TEST_F(ShowTest, ReadsSeveralFilesAndStandardInput) {
  const auto once = shell("bench show '" + kept + "'");
  const auto both = shell("cat '" + kept + "' | bench show - '" + kept + "'");
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out, once.out + once.out);
  const auto one_is_bad = shell("bench show gone.json '" + kept + "'");
  EXPECT_EQ(one_is_bad.exit_code, 1);
  EXPECT_EQ(one_is_bad.out, once.out) << "the others are shown";
  EXPECT_TRUE(holds(one_is_bad.err, "bench show: gone.json: there is no such file"));
}

TEST_F(ShowTest, APipeIsEightyColumnsWideAndAFileWider) {
  const auto show = "bench show '" + kept + "'";
  EXPECT_EQ(shell("unset COLUMNS; " + show).out, shell("COLUMNS=80 " + show).out);
  EXPECT_EQ(shell(show + " --out s.txt").exit_code, 0);
  EXPECT_EQ(read_file(path("s.txt")), shell("COLUMNS=120 " + show).out);
}

TEST_F(ShowTest, SeveralResultsAreOneTableOfCsvOrNone) {
  const std::string streams = APOD_SOURCE_DIR "/results/baselines/nvidia-h200/streams.json";
  const auto once = shell("bench show '" + kept + "' --format csv").out;
  const auto twice = shell("bench show '" + kept + "' '" + kept + "' --format csv");
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(twice.out, once + once.substr(once.find('\n') + 1));
  const auto others = shell("bench show '" + kept + "' '" + streams + "' --format csv");
  EXPECT_EQ(others.exit_code, 1);
  EXPECT_EQ(others.out, once);
  EXPECT_TRUE(holds(others.err, "streams.json: has other columns than the file before it"));
}

TEST_F(ShowTest, WhatIsAskedOfSeveralOrOfOthersInVainIsRefused) {
  write("c.json", R"({"kind": "comparison"})");
  expect_refused({{"bench show '" + kept + "' '" + kept + "' --format json", "name one FILE"},
                  {"bench show '" + kept + "' --format json --columns time", "--columns: JSON has"},
                  {"bench show c.json --columns time", "only for the result of a run"}});
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
  write("r.csv", "case,experiment\n");
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": 9");
  write("later.json", text);
  const struct {
    const char* file;
    const char* message;
  } table[] = {
      {"empty.json", "the file is empty"},
      {"list.json", "the top is not an object"},
      {"other.json", "it seems to be a package.json, not a result"},
      {"mine.yaml", "it seems to be an experiment file, not a result: run it first"},
      {"deep.json", "context[0]: nested too deeply"},
      {"half.json", "the file is cut off, in benchmarks["},
      {"half_calibration.json", "the file is cut off"},
      {"r.csv", "of the files of a run only the .json is read again"},
      {"comparison.json", "schema: missing"},
      {"calibration.json", "date: missing"},
      {"later.json", "context: apod: schema: 9, but this program reads schema 1"},
      {".", "is a folder: name a file in it"},
      {"/dev/null", "not a regular file"},
  };
  for (const auto& [file, message] : table) {
    const auto show = shell(std::string("bench show ") + file);
    EXPECT_EQ(show.exit_code, 1) << file;
    EXPECT_EQ(show.out, "") << file;
    EXPECT_TRUE(holds(show.err, std::string("bench show: ") + file + ": " + message));
    if (file[0] == '.' || file[0] == '/') continue;
    const auto piped = shell(std::string("bench show - < ") + file);
    EXPECT_TRUE(holds(piped.err, "bench show: standard input: ")) << file;
  }
  EXPECT_TRUE(holds(shell("bench show '" + kept + "' '" + kept + "' --out x.md").err,
                    "--out: takes one result"));
  EXPECT_TRUE(holds(shell("cp '" + kept + "' r.json; bench show r.json --out r.json").err,
                    "one of the files that are read"));
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
    const auto show = shell(std::string("bench show r.json --format ") + format);
    EXPECT_EQ(show.exit_code, 0) << show.err;
    EXPECT_TRUE(holds(show.out, "script"));
    EXPECT_EQ(show.out.find_first_of("\x1b\x07"), std::string::npos) << format;
    if (std::string(format) == "markdown") {
      EXPECT_EQ(show.out.find("<script>"), std::string::npos) << show.out;
    }
  }
}

}  // namespace
}  // namespace apod::test
