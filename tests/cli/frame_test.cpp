// What every command of bench has in common: help, hints, files that are kept, readers that leave,
// and text that does a terminal no harm.

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class FrameTest : public ProgramTest {
 protected:
  FrameTest() {
    write("a.yaml",
          "schema: 1\nname: small\n"
          "measure: {warmup: 0ms, max_time: 20ms, min_samples: 2, processes: 1}\n"
          "experiments:\n"
          "  - {workload: copy, axes: {variant: host, size: [64, 128]}}\n");
    write("base.json", google("BM_a", 1000));
    write("slow.json", google("BM_a", 1300));
  }
  /// A file of Google Benchmark's with one case that takes so long (ns).
  static std::string google(const std::string& name, double ns) {
    nlohmann::json json{{"context", {{"host_name", "h"}}}, {"benchmarks", nlohmann::json::array()}};
    for (int i = 0; i < 4; ++i) {
      json["benchmarks"].push_back({{"name", name},
                                    {"run_type", "iteration"},
                                    {"iterations", 1},
                                    {"real_time", ns + i},
                                    {"cpu_time", ns + i},
                                    {"time_unit", "ns"}});
    }
    return json.dump();
  }
};

TEST_F(FrameTest, EveryCommandExplainsItselfAndKnowsWhatWasMeant) {
  const auto all = shell("bench --help");
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_TRUE(holds(all.out, "Exit codes"));
  for (const std::string name :
       {"show", "compare", "calibrate", "ceilings", "history", "inspect", "export", "sass"}) {
    EXPECT_TRUE(holds(all.out, "\n  " + name + " "));
    const auto run = shell("bench " + name + " --help");
    EXPECT_EQ(run.exit_code, 0) << name;
    EXPECT_TRUE(holds(run.out, "Usage: bench " + name)) << name;
    EXPECT_TRUE(holds(run.out, "Exit codes")) << name;
    expect_refused({{"bench " + name + " --hellp",
                     "bench " + name + ": not expected: --hellp (did you mean --help?)\nbench " +
                         name + " --help shows the flags.\n"}});
  }
  EXPECT_TRUE(holds(shell("bench inspect --help").out, "altseq")) << "the columns of a table";
  const auto version = shell("bench --version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(holds(version.out, "bench 0."));
}

TEST_F(FrameTest, WhatCannotBeMeantIsRefusedWithAHint) {
  expect_refused({
      {"bench", "--config FILE is missing"},
      {"bench --confg a.yaml", "did you mean --config?"},
      {"bench comapre a.json b.json",
       "bench: not expected: comapre a.json b.json (did you mean compare?)\n"},
      {"bench a.yaml", "did you mean --config a.yaml?"},
      {"bench --config a.yaml --backend cudaa",
       "--backend: 'cudaa' is none of auto, host, cuda (did you mean cuda?)"},
      {"bench compare base.json slow.json --treshold 2%", "did you mean --threshold?"},
      {"bench show", "nothing to show: name result files"},
      {"bench export base.json", "--to is missing"},
      {"bench export base.json --to xml", "none of google, bmf"},
      {"bench export --to go", "name result files"},
      {"bench history", "name result files"},
      {"bench history base.json --case '('", "'(' is not a regular expression"},
      {"bench calibrate", "--config is missing"},
      {"bench calibrate --config a.yaml --sessions 1", "not a whole number from 2 to 1000"},
      {"bench calibrate --config a.yaml --backend gpu", "'gpu' is none of auto, host, cuda"},
      {"bench ceilings --flag", "bench ceilings --help"},
      {"bench ceilings --config absent.yaml", "absent.yaml"},
      {"bench sass --kernel '['", "'[' is not a regular expression"},
      {"bench sass a b", "not expected: b"},
      {"bench inspect", "report is required"},
      {"bench --list copyy", "'copyy' is none of "},
      {"bench --list copyy", "(did you mean copy?)"},
  });
  EXPECT_EQ(shell("bench a.json").err.find("did you mean"), std::string::npos);
}

TEST_F(FrameTest, AnEmptyNameIsNoFile) {
  for (const std::string command :
       {"bench --config a.yaml -q --out ''", "bench --config a.yaml --only ''",
        "bench --config a.yaml --trace-out ''", "bench --config ''",
        "bench export base.json --to go --out ''", "bench ceilings --out ''",
        "bench compare base.json slow.json --out ''"}) {
    expect_refused({{command, ": '' names no file"}});
  }
}

TEST_F(FrameTest, WhatIsReadIsNeverReplacedAndWhatCannotBeWrittenIsFoundFirst) {
  const auto base = read_file(path("base.json"));
  const auto config = read_file(path("a.yaml"));
  std::filesystem::create_symlink(path("base.json"), path("link.json"));
  std::filesystem::create_directory(path("folder"));
  const std::string read = "is one of the files that are read";
  expect_refused({
      {"bench compare base.json slow.json -o base.json", "--out: base.json: " + read},
      {"bench compare base.json slow.json -o link.json", read},
      {"bench compare slow.json base.json -o ./base.json", read},
      {"bench compare base.json slow.json -o n.json -o ./n.json", "is named twice"},
      {"bench compare base.json slow.json -o r.pdf", "r.pdf"},
      {"bench compare base.json slow.json -o missing/r.json", "missing"},
      {"bench compare base.json slow.json -o folder", "folder"},
      {"bench export base.json --to google -o base.json", read},
      {"bench export . --to google -o base.json", read},
      {"bench history base.json slow.json -o base.json", read},
      {"bench history base.json slow.json -o r.md", "r.md"},
      {"bench calibrate --config a.yaml -o a.yaml", read},
      {"bench calibrate --config a.yaml -o slow.json", "exists and is not a calibration"},
      {"bench ceilings --backend host --config a.yaml --out a.yaml", read},
      {"bench ceilings --backend host --config a.yaml -o x.csv", "--out: x.csv: name it .json"},
      {"bench ceilings --backend host --config a.yaml -o -", "--out: -: name it .json"},
      {"bench ceilings --backend host --config a.yaml -o no/such/c.json", "no/such"},
      {"bench --config a.yaml --out missing/r.json", "missing"},
      {"bench --config a.yaml --out base.json/r.json", "base.json/r.json"},
      {"bench --config a.yaml --out .", "--out: "},
      {"bench --config a.yaml --out r.xml", "r.xml"},
      {"bench --config a.yaml --out r", "--out: 'r': the extension names no format"},
  });
  EXPECT_EQ(read_file(path("base.json")), base);
  EXPECT_EQ(read_file(path("a.yaml")), config);
  EXPECT_FALSE(std::filesystem::exists(path("r.xml")));
}

TEST_F(FrameTest, AReaderThatLeavesIsNoErrorAndChangesNoVerdict) {
  // `true` leaves before anything is printed; some of these print more than a pipe holds, too.
  const std::vector<std::pair<std::string, int>> commands{
      {"bench --list", 0},
      {"bench --config a.yaml --dry-run", 0},
      {"bench --config a.yaml -q --backend host -o r.json", 0},
      {"bench compare base.json slow.json -o r.txt", 3},
      {"bench export base.json --to go", 0},
      {"bench history base.json slow.json -o r.csv", 0},
  };
  for (const auto& [command, exit_code] : commands) {
    const auto run = shell("{ sleep 0.1; " + command + "; } | true; exit ${PIPESTATUS[0]}");
    EXPECT_EQ(run.exit_code, exit_code) << command;
    EXPECT_EQ(run.err, "") << command;
  }
  for (const char* file : {"r.json", "r.txt", "r.csv"})
    EXPECT_NE(read_file(path(file)), "") << file;
}

TEST_F(FrameTest, AHistoryIsShownAgainAsItWas) {
  const auto run = shell("bench history base.json slow.json -o h.json -o h.csv --format json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_file(path("h.json")), run.out);
  EXPECT_EQ(shell("bench show h.json --format csv").out, read_file(path("h.csv")));
  EXPECT_EQ(shell("bench show h.json").out, shell("bench history base.json slow.json").out);
}

TEST_F(FrameTest, OutputThatIsLostIsAnError) {
  for (const std::string command :
       {"bench --list", "bench --config a.yaml --dry-run", "bench compare base.json slow.json",
        "bench export base.json --to go", "bench history base.json slow.json"}) {
    for (const std::string gone : {" >/dev/full", " >&-"}) {
      expect_refused({{command + gone, "standard output could not be written"}});
    }
  }
}

TEST_F(FrameTest, NoTextOfAFileReachesTheTerminalRaw) {
  const std::string hostile = "\x1b]0;x\x07\xc2\x9b[31m\n::error::x";
  write("evil.json", google("BM_" + hostile, 1000));
  write("evil2.json", google("BM_" + hostile, 1300));
  write("evil.yaml",
        "schema: 1\nname: small\ndescription: \"a\\e]0;x\\a\\x9b\\n::error::x\"\n"
        "experiments:\n  - {workload: copy, axes: {variant: host, size: 64}}\n");
  write("word.yaml",
        "schema: 1\nexperiments:\n  - {workload: \"co\\e[31m\\n::error::x\\x9b\", axes: {}}\n");
  for (const std::string command :
       {"bench --config evil.yaml --dry-run", "bench --config word.yaml --dry-run",
        "bench compare evil.json evil2.json", "bench history evil.json evil2.json",
        "bench history evil.json --case nothing", "bench compare evil.json base.json",
        "bench export evil.json --to google -o x.json", "bench $'\\e[31m'",
        "bench --config $'\\e[31m'", "bench compare $'\\e[31m\\n::error::' base.json"}) {
    const auto run = shell(command);
    const auto text = run.out + run.err;
    for (const char* raw : {"\x1b", "\x07", "\xc2\x9b", "\n::error"}) {
      EXPECT_EQ(text.find(raw), std::string::npos) << command << '\n' << text;
    }
  }
}

TEST_F(FrameTest, TheListFitsAndNamesWhatThereIsOnce) {
  const auto run = shell("bench --list");
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word :
       {"reduction", "normalize", "convolution", "copy", "grid_stride", "warp_shuffle", "cub",
        "thrust", "memcpy_async", "shared_tile", "direct_double", "compute_repeats",
        "distinct_streams", "streams.yaml", "smoke.yaml"}) {
    EXPECT_TRUE(holds(run.out, word));
  }
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (auto at = run.out.find(part); at != std::string::npos; at = run.out.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("\n  host_memory "), 1U) << "an axis of every workload";
  EXPECT_EQ(count("seed"), 0U);
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;

  const auto one = shell("bench --list copy");
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_TRUE(holds(one.out, "memcpy_async"));
  EXPECT_TRUE(holds(one.out, "host_memory"));
  for (const char* other : {"convolution", "distinct_streams ", "smoke.yaml"}) {
    EXPECT_EQ(one.out.find(other), std::string::npos) << other;
  }
}

}  // namespace
}  // namespace apod::test
