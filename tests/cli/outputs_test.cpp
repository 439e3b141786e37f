// Where results go, what they never replace, and everything that is wrong with a run at once.

#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

using OutputsTest = FaultsTest;

TEST_F(OutputsTest, AProfileReplacesNoStudy) {
  write("a.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config a.yaml -q --out r.json").exit_code, 0);
  const auto before = read_file(path("r.json"));
  const auto run = shell("faulty --config a.yaml --profile --out r.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "r.profile.json"));
  EXPECT_EQ(read_file(path("r.json")), before);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(shell("faulty --config a.yaml --profile --out r.profile.json -q").exit_code, 0);
  }
}

TEST_F(OutputsTest, ANarrowerRunKeepsTheStudyThatWasThere) {
  write("a.yaml", faults("fine, wrong"));
  write("b.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config b.yaml --processes 2 -q --out r.json").exit_code, 0);
  const auto study = read_file(path("r.json"));
  std::filesystem::create_symlink(path("r.json"), path("link.json"));
  const auto run = shell("faulty --config b.yaml --processes 1 -q --out link.json");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.err, "link.json was there with more measurements; it is kept as "))
      << run.err;
  EXPECT_TRUE(holds(run.err, "/r.json.old\n")) << run.err;
  EXPECT_EQ(read_file(path("r.json.old")), study);
  EXPECT_NE(read_file(path("r.json")), study);
  // As much and more replaces what was there, as a run that is made again does.
  EXPECT_EQ(shell("faulty --config b.yaml --processes 1 -q --out r.json").err, "");
  EXPECT_EQ(shell("faulty --config a.yaml --processes 2 -q --out r.json").exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("r.json.old2")));
  // All that it would do is fail.
  const auto failed = shell("faulty --config a.yaml --filter wrong -q --out r.json");
  EXPECT_TRUE(holds(failed.err, "/r.json.old2\n")) << failed.err;
}

TEST_F(OutputsTest, AResultNeverReplacesItsOwnInputs) {
  write("a.json", faults("fine"));  // a YAML file may be called anything
  const auto text = read_file(path("a.json"));
  const auto run = shell("faulty --config a.json --out ./a.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "is the experiment file itself"));
  EXPECT_EQ(read_file(path("a.json")), text);
}

TEST_F(OutputsTest, AResultNeverReplacesItsDataOrItsListOfIds) {
  write("a.yaml",
        "schema: 1\nmeasure: {warmup: 0ms, max_time: 20ms, min_samples: 2, processes: 1}\n"
        "experiments:\n  - workload: copy\n    axes: {variant: host, size: 16}\n    data: {file: "
        "in/data.npy}\n");
  std::filesystem::create_directory(path("in"));
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }";
  write("in/data.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                           std::string(117 - header.size(), ' ') + "\n" + std::string(64, '\0'));
  const auto data = read_file(path("in/data.npy"));
  write("ids.csv", "copy/host/size:16\n");
  std::filesystem::create_symlink(path("in/data.npy"), path("link.json"));
  const auto run =
      shell("bench --config a.yaml --backend host --only ids.csv -o link.json -o ./ids.csv");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "link.json: is the data of experiment 'copy'"));
  EXPECT_TRUE(holds(run.err, "./ids.csv: is the list of --only"));
  EXPECT_TRUE(holds(run.err, "2 problems"));
  EXPECT_EQ(read_file(path("in/data.npy")), data);
  EXPECT_EQ(shell("bench --config a.yaml --backend host --only ids.csv -q").exit_code, 0);
}

TEST_F(OutputsTest, AProfilesNameIsThatOfTheFileBehindALink) {
  write("a.yaml", faults("fine"));
  write("study.json", "a study");
  std::filesystem::create_symlink(path("study.json"), path("r.profile.json"));
  EXPECT_EQ(shell("faulty --config a.yaml --profile --out r.profile.json").exit_code, 1);
  EXPECT_EQ(read_file(path("study.json")), "a study");
}

TEST_F(OutputsTest, AnOutputNamedTwiceIsRefused) {
  write("a.yaml", faults("fine"));
  write("r.json", "");
  std::filesystem::create_symlink(path("r.json"), path("same.json"));
  for (const char* flags :
       {"-o r.json -o ./r.json", "-o fresh.json -o ./fresh.json", "-o r.json -o same.json"}) {
    const auto run = shell(std::string("faulty --config a.yaml ") + flags);
    EXPECT_EQ(run.exit_code, 1) << flags;
    EXPECT_TRUE(holds(run.err, "named twice"));
  }
}

TEST_F(OutputsTest, ADryRunChecksOutputsAndTheJournalToo) {
  write("a.yaml", faults("fine"));
  const auto run = shell("faulty --config a.yaml --dry-run --resume -o r.pdf -o missing/r.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "r.pdf"));
  EXPECT_TRUE(holds(run.err, "missing"));
  EXPECT_TRUE(holds(run.err, "no journal to resume"));
  EXPECT_TRUE(holds(run.err, "3 problems; nothing was run"));
  EXPECT_EQ(run.out, "");
}

TEST_F(OutputsTest, AWrongFileHidesNoWrongFlag) {
  write("bad.yaml", "schema: 1\nexperiments:\n  - workload: copi\n");
  const auto run = shell(
      "bench --config bad.yaml --dry-run --resume --seed 3 --only absent -o r.pdf -o bad.yaml");
  EXPECT_EQ(run.exit_code, 1);
  for (const char* part : {"bad.yaml:3:", "leave out --seed", "--only absent: can't be read",
                           "r.pdf", "the experiment file itself", "5 problems; nothing was run"}) {
    EXPECT_TRUE(holds(run.err, part));
  }
}

TEST_F(OutputsTest, ADryRunLeavesNothingBehind) {
  write("a.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config a.yaml --dry-run -o r.json").exit_code, 0);
  EXPECT_FALSE(exists("r.json"));
  EXPECT_FALSE(exists("r.json.journal"));
}

TEST_F(OutputsTest, FlagsThatContradictEachOther) {
  write("a.yaml", faults("fine"));
  for (const char* flags : {"--profile --resume", "--resume --seed 3", "--in-process --processes 2",
                            "--in-process --timeout 5s", "--profile-runs 3"}) {
    const auto run = shell(std::string("faulty --config a.yaml ") + flags);
    EXPECT_EQ(run.exit_code, 1) << flags;
    EXPECT_FALSE(run.err.empty()) << flags;
    EXPECT_FALSE(std::filesystem::exists(path("faults.json"))) << flags;
  }
}

TEST_F(OutputsTest, FullStandardOutputIsAFailureAndLosesNoFile) {
  write("a.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config a.yaml -q --format json > /dev/full").exit_code, 1);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U);
}

TEST_F(OutputsTest, ResultsFolderIsUsedWhereThereIsOne) {
  write("a.yaml", faults("fine"));
  std::filesystem::create_directory(path("results"));
  EXPECT_EQ(shell("faulty --config a.yaml -q").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("results/faults.json")));
}

}  // namespace
}  // namespace apod::test
