// What people have lying around: folders with other files in them, files of other programs.

#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class ForeignFilesTest : public ProgramTest {
 protected:
  ForeignFilesTest() {
    std::filesystem::create_directories(path("old/deeper"));
    std::filesystem::create_directory(path("new"));
    write("old/1.json", dated("2026-05-01", 1000));
    write("old/deeper/2.json", dated("2026-05-02", 1001));
    write("new/3.json", dated("2026-05-03", 1000));
    write("new/4.json", dated("2026-05-12", 1001));
  }

  static std::string dated(const std::string& date, double ns) {
    auto result = Json::parse(google("BM_a", {ns, 1.001 * ns, 0.999 * ns}));
    result["context"]["date"] = date + "T10:00:00+00:00";
    for (auto& row : result["benchmarks"]) {
      row["cpu_time"] = 2 * row["real_time"].get<double>();
      row["items_per_second"] = 1e9 / row["real_time"].get<double>();
      row["misses"] = 3 * row["real_time"].get<double>();
    }
    return result.dump();
  }

  void add_strangers() const {
    write("old/README.md", "# Runs");
    write("old/deeper/broken.json", google("BM_a", {1000}).substr(0, 60));
    passes("bench compare old/1.json new/3.json -o old/comparison.json");
  }
};

TEST_F(ForeignFilesTest, WhatIsNoResultInAFolderIsNamedAndLeftOut) {
  const auto before = passes("bench compare old new");
  add_strangers();
  const auto run = passes("bench compare old new");
  EXPECT_EQ(run.out.substr(0, run.out.find("notes")),
            before.out.substr(0, before.out.find("notes")));
  EXPECT_TRUE(holds(run.out,
                    "old/README.md: left out, it is text, but in an unknown format "
                    "(docs/formats.md lists the formats)",
                    "old/comparison.json: left out, it is a report of bench compare",
                    "old/deeper/broken.json: left out, "));
  const auto history = passes("bench history old new");
  EXPECT_TRUE(holds(history.out, "in 1 case over 4 runs", "old/README.md: left out",
                    "old/deeper/broken.json: left out"));
  EXPECT_TRUE(holds(passes("bench export old --to go").err, "old/README.md: left out"));
  for (const char* named : {"old/README.md", "old/deeper/broken.json", "old/comparison.json"}) {
    EXPECT_TRUE(holds(fails(std::string("bench history old/1.json ") + named).err, named));
    EXPECT_TRUE(holds(fails(std::string("bench compare old/1.json ") + named).err, named));
  }
}

/// A file with so many cases, whose text of the number i is `of(i)`.
template <class Of>
std::string go_file(int cases, const Of& of) {
  std::string text = "goos: linux\ngoarch: amd64\n";
  for (int i = 0; i < cases; ++i) text += "Benchmark" + of(i) + "\n";
  return text;
}

TEST_F(ForeignFilesTest, ATableHasSoManyColumnsAndEmptyCells) {
  const auto number = [](int i) { return std::to_string(i); };
  const auto table = [&](const std::string& text) {
    write("go.txt", text);
    return passes("bench show go.txt");
  };
  const auto numbers =
      table(go_file(300, [&](int i) { return "A" + number(i) + " 1 5 ns/op 1 x" + number(i); }));
  EXPECT_TRUE(holds(numbers.out, "100 numbers are left out (the first: x200): "));
  const auto axes = table(go_file(300, [&](int i) { return "A/k" + number(i) + ":1 1 5 ns/op"; }));
  EXPECT_TRUE(holds(axes.out, "100 axes are left out (the first: k200): "));
  // 125 columns of 7999 empty cells are a million.
  const auto sparse = table(go_file(8000, [&](int i) {
    std::string line = "A" + number(i) + " 1 5 ns/op";
    for (int j = 0; j < 150 && i == 0; ++j) line += " 1 x" + number(j);
    return line;
  }));
  EXPECT_TRUE(holds(sparse.out, "25 numbers are left out (the first: x125): "));
  const auto full = table(go_file(8000, [&](int i) {
    std::string line = "A" + number(i) + " 1 5 ns/op";
    for (int j = 0; j < 20; ++j) line += " 1 x" + number(j);
    return line;
  }));
  EXPECT_TRUE(lacks(full.out, "left out"));
  const auto one = table(go_file(1, [&](int) {
    std::string line = "A";
    for (int j = 0; j < 201; ++j) line += "/k" + number(j) + ":1";
    return line + " 1 5 ns/op";
  }));
  EXPECT_TRUE(holds(one.out, "the axes in the name are not shown: the limit is 200 axes"));
}

TEST_F(ForeignFilesTest, AFolderWithoutAResultIsAnError) {
  std::filesystem::create_directory(path("none"));
  write("none/README.md", "");
  for (const char* command :
       {"history none", "compare none new", "export none --to go", "calibrate none"}) {
    EXPECT_TRUE(holds(fails(std::string("bench ") + command).err,
                      "none: the folder contains no result", "none/README.md"));
  }
  // It begins as a result.
  const auto text = google("BM_a", {1000, 1000});
  write("none/broken.json", text.substr(0, text.size() - 3));
  EXPECT_TRUE(
      holds(fails("bench history none").err, "none/broken.json: left out", "no result is left"));
}

TEST_F(ForeignFilesTest, AReportMayStandBesideTheResultsItIsOf) {
  passes("bench history old -o old/trend.json");
  passes("bench history old -o old/trend.json");
  EXPECT_FALSE(exists("old/trend.json.old"));
  EXPECT_TRUE(
      holds(fails("bench history old -o old/deeper/2.json").err, "is one of the input files"));
  EXPECT_TRUE(holds(fails("bench compare old new -o old/1.json").err, "is one of the input files"));
}

TEST_F(ForeignFilesTest, AnyNumberOfARowCanBeCompared) {
  const auto base_of = [&](const std::string& metric) {
    const auto run = passes("bench compare old/1.json new/3.json --format json --metric " + metric);
    return Json::parse(run.out)["cases"][0]["base_s"].get<double>();
  };
  EXPECT_NEAR(base_of("real_time"), 1e-6, 1e-8);
  EXPECT_NEAR(base_of("cpu_time"), 2e-6, 1e-8);
  EXPECT_NEAR(base_of("items_per_second"), 1e-6, 1e-8);
  EXPECT_NEAR(base_of("misses:less"), 3000, 10);
  EXPECT_TRUE(holds(shell("bench compare old/1.json new/3.json --metric items_per_second").out,
                    "the time is 1 / items_per_second", "change of 1/rate"));
  expect_refused(
      {
          {"compare old/1.json new/3.json --metric cpu_tim", "did you mean 'cpu_time'?"},
          {"compare old/1.json new/3.json --metric misses", "misses:less or misses:more"},
          {"compare old/1.json new/3.json --metric ''", "--metric: empty argument"},
          {"compare --config x.yaml --by streams=1,2 --metric cpu_time",
           "--metric needs BASE and NEW"},
          {"export old --to go --metric misses:less", "is not a time"},
          {"calibrate old --metric cpu_time", "--out"},
      },
      "bench ");
  EXPECT_TRUE(holds(passes("bench history old --metric cpu_time").out, "2.00"));
  EXPECT_TRUE(holds(passes("bench history old --metric items_per_second").out, " k/s"));
  EXPECT_TRUE(holds(passes("bench history old --metric misses:less").out,
                    "the compared value is misses", " 30"));
  EXPECT_TRUE(holds(passes("bench export old --to go --metric cpu_time").out, " 2000 ns/op"));
}

TEST_F(ForeignFilesTest, NobodyWantedAPrecisionOfThem) {
  write("h.json", R"({"results":[{"command":"a","times":[1,1.05,1.1]}]})");
  const auto run = passes("bench show h.json");
  EXPECT_TRUE(holds(run.out, "±", "1 measured"));
  EXPECT_TRUE(lacks(run.out, "precision"));
  write("own.json", passes("bench show h.json --format json").out);
  EXPECT_TRUE(holds(passes("bench show own.json").out, "1 measured"));
}

TEST_F(ForeignFilesTest, RepetitionsAreNotCalledProcesses) {
  const auto run = passes("bench compare old/1.json new/3.json");
  EXPECT_TRUE(holds(run.out, "each side has 3 repetitions of one process"));
  EXPECT_TRUE(lacks(run.out, "judged on 3 processes"));
}

TEST_F(ForeignFilesTest, CalibratesFromFilesThatAreThere) {
  const auto run = passes("bench calibrate old new --out c.json");
  EXPECT_TRUE(holds(run.out, "4 sessions from 4 days", "Wrote c.json",
                    "3 repetitions of each of 4 processes"));
  EXPECT_EQ(json("c.json")["sessions"], 4);
  EXPECT_EQ(shell("bench show c.json").out + "Wrote c.json\n", run.out);
  EXPECT_TRUE(holds(shell("bench compare old/1.json new/3.json --calibration c.json").out,
                    "from the calibration (c.json)"));
  EXPECT_TRUE(holds(fails("bench calibrate old/1.json --out d.json").err, "needs two"));
  for (const char* flag : {"--config x.yaml", "--sessions 3", "--processes 3", "--pause 1s",
                           "--set size=1", "--backend host"}) {
    EXPECT_TRUE(holds(fails(std::string("bench calibrate old --out d.json ") + flag).err,
                      "result files and --"));
  }
  auto other = Json::parse(read("new/3.json"));
  other["context"]["library_build_type"] = "debug";
  write("new/3.json", other.dump());
  auto release = Json::parse(read("new/4.json"));
  release["context"]["library_build_type"] = "release";
  write("new/4.json", release.dump());
  EXPECT_TRUE(holds(fails("bench calibrate new --out d.json").err, "build_type debug, release",
                    "one machine at a time"));
  EXPECT_FALSE(exists("d.json"));
}

}  // namespace
}  // namespace apod::test
