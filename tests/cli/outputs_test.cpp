// Where results go, what they never replace, and everything that is wrong with a run at once.

#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

using OutputsTest = FaultsTest;

TEST_F(OutputsTest, AProfileReplacesNoStudy) {
  passes("faulty --config a.yaml -q --out r.json");
  const auto before = read("r.json");
  EXPECT_TRUE(holds(fails("faulty --config a.yaml --profile --out r.json").err, "r.profile.json"));
  EXPECT_EQ(read("r.json"), before);
  passes("faulty --config a.yaml --profile --out r.profile.json -q");
  passes("faulty --config a.yaml --profile --out r.profile.json -q");
}

TEST_F(OutputsTest, ANarrowerRunKeepsTheStudyThatWasThere) {
  write("b.yaml", faults("fine, wrong"));
  passes("faulty --config a.yaml --processes 2 -q --out r.json");
  const auto study = read("r.json");
  std::filesystem::create_symlink(path("r.json"), path("link.json"));
  const auto run = passes("faulty --config a.yaml --processes 1 -q --out link.json");
  EXPECT_TRUE(holds(run.err,
                    "link.json already existed, with measurements that the new file lacks; the "
                    "old file is now ",
                    "/r.json.old\n"));
  EXPECT_EQ(read("r.json.old"), study);
  EXPECT_NE(read("r.json"), study);
  // As much and more replaces what was there, as a run that is made again does.
  EXPECT_EQ(shell("faulty --config a.yaml --processes 1 -q --out r.json").err, "");
  fails("faulty --config b.yaml --processes 2 -q --out r.json");
  EXPECT_FALSE(exists("r.json.old2"));
  // All that it would do is fail.
  EXPECT_TRUE(
      holds(shell("faulty --config b.yaml --filter wrong -q --out r.json").err, "/r.json.old2\n"));
}

TEST_F(OutputsTest, AResultThatNobodyNamedStaysUntilTheNextDayIsCompared) {
  passes("faulty --config a.yaml -q");
  EXPECT_EQ(shell("faulty --config a.yaml -q").err, "") << "the same day";
  auto result = json("faults.json");
  result["context"]["date"] = "2001-02-03T04:05:06+00:00";
  write("faults.json", result.dump());
  const auto old = read("faults.json");
  EXPECT_TRUE(holds(passes("faulty --config a.yaml -q").err, "/faults.json.old\n"));
  EXPECT_EQ(read("faults.json.old"), old);
  write("faults.json", old);
  EXPECT_EQ(shell("faulty --config a.yaml -q --out faults.json").err, "") << "named by hand";
}

TEST_F(OutputsTest, WhatBenchDidNotWriteIsKept) {
  passes("faulty --config a.yaml -q --out r.json");
  const auto keeps = [&](const std::string& command, const std::string& name) {
    write(name, "my own notes\n");
    EXPECT_TRUE(holds(passes(command + name).err, name + " already existed, with other content"));
    EXPECT_EQ(read(name + ".old"), "my own notes\n");
    passes(command + name);
    EXPECT_FALSE(exists(name + ".old2")) << "its own is replaced";
  };
  keeps("faulty --config a.yaml -q --out ", "README.md");
  keeps("bench show r.json --out ", "w.csv");
  keeps("bench show r.json --out ", "r.txt");
  keeps("bench show r.json --out ", "r.xml");
  keeps("bench report r.json --out ", "i.html");
  const std::string many = APOD_SOURCE_DIR "/tests/data/results/nvbench/yardstick.json";
  keeps("bench plot '" + many + "' --out ", "fig.svg");
  // The converter, and a picture that it made.
  std::filesystem::create_directory(path("bin"));
  write("bin/rsvg-convert",
        "#!/bin/sh\nwhile [ \"$1\" != --output ]; do shift; done\n"
        "echo %PDF >\"$2\"\n");
  passes("chmod +x bin/rsvg-convert");
  keeps("PATH=$PWD/bin:$PATH \"$BENCH\" plot '" + many + "' --out ", "fig.pdf");
}

TEST_F(OutputsTest, ALinkIsFollowedOnlyFromANameThatTheUserGave) {
  write("precious", "precious");
  const auto refuses = [&](const std::string& command, const std::string& name,
                           const std::string& says =
                               ": it is a link (to write to it, name it with --out)") {
    SCOPED_TRACE(command);
    std::filesystem::create_symlink(path("precious"), path(name));
    EXPECT_TRUE(holds(fails(command).err, name, says));
    EXPECT_EQ(read("precious"), "precious");
    EXPECT_FALSE(exists("precious.old"));
    std::filesystem::remove(path(name));
  };
  refuses("faulty --config a.yaml -q", "faults.json");
  refuses("faulty --config a.yaml -q --shard 1/2", "faults.1-of-2.json");
  refuses("faulty --config a.yaml -q --shard 1/2 --out r.json", "r.1-of-2.json");
  refuses("bench new kernel mine", "mine.yaml", ": exists already");
  // A link to nothing would make a file elsewhere.
  std::filesystem::create_symlink(path("absent"), path("mine.cu"));
  EXPECT_TRUE(holds(fails("bench new kernel mine").err, "mine.cu: exists already"));
  EXPECT_FALSE(exists("absent"));
  // Nor is the folder of results a link.
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::create_symlink(path("elsewhere"), path("results"));
  passes("faulty --config a.yaml -q");
  EXPECT_TRUE(exists("faults.json"));
  EXPECT_FALSE(exists("elsewhere/faults.json"));
}

TEST_F(OutputsTest, AResultNeverReplacesItsOwnInputs) {
  write("a.json", faults("fine"));  // a YAML file may be called anything
  const auto text = read("a.json");
  EXPECT_TRUE(
      holds(fails("faulty --config a.json --out ./a.json").err, "is the experiment file itself"));
  // Below a folder that can't be searched no name can be followed, and none is another.
  if (::geteuid() != 0) {
    const auto run = shell(
        "mkdir -p up/in; cp a.json up/in; cd up/in; chmod a-x ..; "
        "faulty --config a.json --out b.json; chmod a+x ..");
    EXPECT_TRUE(lacks(run.err, "is the experiment file itself"));
  }
  EXPECT_EQ(read("a.json"), text);
}

TEST_F(OutputsTest, AResultNeverReplacesItsDataOrItsListOfIds) {
  write("a.yaml", copies("16") + "    data: {file: in/data.npy}\n");
  std::filesystem::create_directory(path("in"));
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }";
  write("in/data.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                           std::string(117 - header.size(), ' ') + "\n" + std::string(64, '\0'));
  const auto data = read("in/data.npy");
  write("ids.csv", "copy/host/size:16\n");
  std::filesystem::create_symlink(path("in/data.npy"), path("link.json"));
  EXPECT_TRUE(holds(
      fails("bench --config a.yaml --backend host --only ids.csv -o link.json -o ./ids.csv").err,
      "link.json: is the data of experiment 'copy'", "./ids.csv: is the list of --only",
      "2 problems"));
  EXPECT_EQ(read("in/data.npy"), data);
  passes("bench --config a.yaml --backend host --only ids.csv -q");
}

TEST_F(OutputsTest, AProfilesNameIsThatOfTheFileBehindALink) {
  write("study.json", "a study");
  std::filesystem::create_symlink(path("study.json"), path("r.profile.json"));
  fails("faulty --config a.yaml --profile --out r.profile.json");
  EXPECT_EQ(read("study.json"), "a study");
}

TEST_F(OutputsTest, AnOutputNamedTwiceIsRefused) {
  write("r.json", "");
  std::filesystem::create_symlink(path("r.json"), path("same.json"));
  expect_refused({{"-o r.json -o ./r.json", "named twice"},
                  {"-o fresh.json -o ./fresh.json", "named twice"},
                  {"-o r.json -o same.json", "named twice"}},
                 "faulty --config a.yaml ");
}

TEST_F(OutputsTest, AFlagIsNamedOnlyWhereItWasGiven) {
  std::filesystem::create_directories(path("faults.json"));
  EXPECT_TRUE(holds(fails("faulty --config a.yaml -q").err, "bench: cannot write 'faults.json'",
                    "(to choose another file: --out FILE)"));
  EXPECT_TRUE(holds(fails("faulty --config a.yaml -q -o faults.json").err,
                    "--out: cannot write 'faults.json'"));
}

TEST_F(OutputsTest, ADryRunChecksOutputsAndTheJournalToo) {
  const auto run = fails("faulty --config a.yaml --dry-run --resume -o r.pdf -o missing/r.json");
  EXPECT_TRUE(holds(run.err, "r.pdf", "missing", "no journal to resume",
                    "(leave out --resume, or name the output of the interrupted run",
                    "3 problems; nothing was run"));
  EXPECT_EQ(run.out, "");
}

TEST_F(OutputsTest, FullStandardOutputIsAFailureAndLosesNoFile) {
  fails("faulty --config a.yaml -q --format json > /dev/full");
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(OutputsTest, ResultsFolderIsUsedWhereThereIsOne) {
  std::filesystem::create_directory(path("results"));
  passes("faulty --config a.yaml -q");
  EXPECT_TRUE(exists("results/faults.json"));
}

}  // namespace
}  // namespace apod::test
