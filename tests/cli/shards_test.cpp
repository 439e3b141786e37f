// Parts of a study that are measured apart, and the result that they make together.

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

class ShardsTest : public FaultsTest {
 protected:
  ShardsTest() { write("s.yaml", copies("[1000, 2000, 3000, 4000, 5000]")); }

  std::string shard(const std::string& which) const {
    return "bench --config s.yaml -q --out r.json --shard " + which;
  }
  std::vector<std::string> ids(const std::string& file) const {
    std::vector<std::string> all;
    const auto result = json(file);
    for (const auto& c : result["apod_cases"]) all.push_back(c["id"]);
    return all;
  }
};

TEST_F(ShardsTest, TheLastOneMergesThemAll) {
  passes("bench --config s.yaml -q --out serial.json");
  EXPECT_TRUE(holds(passes(shard("2/3")).err,
                    "1 of 3 shards are measured; the last shard to finish writes r.json"));
  passes(shard("3/3"));
  EXPECT_FALSE(exists("r.json"));
  EXPECT_TRUE(holds(passes(shard("1/3")).err, "all shards are measured and merged: r.json"));
  EXPECT_EQ(ids("serial.json").size(), 5u);
  EXPECT_EQ(ids("r.json"), ids("serial.json"));
  auto merged = json("r.json");
  auto serial = json("serial.json");
  for (auto* file : {&merged, &serial}) {
    for (const char* key : {"date", "load_avg"}) (*file)["context"].erase(key);
    auto& own = (*file)["context"]["apod"];
    for (const char* key : {"command_line", "order_seed", "wall_s", "part", "cpu_mhz"}) {
      own.erase(key);
    }
    own["device"].erase("memory_free_bytes");
  }
  EXPECT_EQ(merged["context"]["apod"], serial["context"]["apod"]);
  EXPECT_EQ(merged["apod_experiments"], serial["apod_experiments"]);
  EXPECT_TRUE(holds(passes("bench show r.json").out, "5 measured"));
}

TEST_F(ShardsTest, WhatIsMissingIsSaidWithTheCommandThatMeasuresIt) {
  passes(shard("1/3"));
  passes(shard("3/3"));
  const auto run = fails("bench merge all.json r.1-of-3.json r.3-of-3.json");
  EXPECT_TRUE(holds(
      run.err,
      "shard 2/3 is incomplete; to continue it, go to the folder where it was started and type: ",
      "--config s.yaml -q --out r.json --shard 2/3", "cases are missing"));
  EXPECT_TRUE(json("all.json")["context"]["apod"]["interrupted"].get<bool>());
  passes(shard("2/3"));
  EXPECT_TRUE(holds(passes("bench merge all.json r.*-of-3.json all.json").out, "5 of 5 cases"));
}

TEST_F(ShardsTest, AResultThatIsNoPartStaysWhereTheOutputWasForgotten) {
  passes("bench --config s.yaml -q --out a.json");
  passes("bench --config s.yaml -q --out b.json");
  const auto before = read("a.json");
  EXPECT_TRUE(holds(fails("bench merge a.json b.json").err,
                    "a.json exists, with content that the parts lack; nothing was written"));
  EXPECT_EQ(read("a.json"), before);
  EXPECT_FALSE(exists("a.json.old"));
}

TEST_F(ShardsTest, AShardGoesOnWhereItStopped) {
  write("s.yaml", faults("held, fine", "processes: 2"));
  write("hold", "");
  const auto run = ends(130, "set -m; \"$FAULTY\" --config s.yaml --out r.json --shard 1/2 &" +
                                 await("test \"$(cat r.1-of-2.json.journal | wc -l)\" -ge 2") +
                                 "\"$BENCH\" status r.json; kill -INT $!; wait $!");
  EXPECT_TRUE(holds(run.out, "running  1 measurement so far", "continue with the same command"));
  EXPECT_TRUE(exists("r.1-of-2.json.journal"));
  EXPECT_TRUE(holds(ends(4, "\"$BENCH\" status r.json").out, "interrupted"));
  std::filesystem::remove(path("hold"));
  EXPECT_TRUE(holds(passes("faulty --config s.yaml -q --out r.json --shard 1/2").err,
                    "kept 1 measurement from the interrupted run"));
  EXPECT_FALSE(exists("r.1-of-2.json.journal"));
  const auto before = read("r.1-of-2.json");
  EXPECT_TRUE(
      holds(passes("faulty --config s.yaml -q --out r.json --shard 1/2").err,
            "r.1-of-2.json: shard 1/2 is already measured (to measure again, remove the file)"));
  EXPECT_EQ(read("r.1-of-2.json"), before);
}

TEST_F(ShardsTest, LaunchersSayWhichPart) {
  const auto run =
      passes("SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_ID=0 bench --config s.yaml -q --out r.json");
  EXPECT_TRUE(holds(run.err,
                    "shard 2/2, chosen by SLURM_PROCID (to measure everything here: --shard 1/1)"));
  EXPECT_TRUE(exists("r.2-of-2.json"));
  EXPECT_TRUE(holds(passes("PMI_RANK=7 PMI_SIZE=9 bench --config s.yaml --out r.json").err,
                    "shard 8/9 has no case: this study can only be divided into 5 shards"));
}

TEST_F(ShardsTest, OtherPlansAndDamagedFilesAreRefused) {
  passes(shard("1/2"));
  passes("bench --config s.yaml --set size=7 -q --out other.json --shard 1/1");
  write("broken.json", read("r.1-of-2.json").substr(0, 3000));
  expect_refused({{"merge m.json r.1-of-2.json other.json",
                   "other.json: its plan differs from the plan of r.1-of-2.json"},
                  {"merge m.json broken.json", "broken.json: "},
                  {"merge m.json absent.json", "absent.json: "},
                  {"merge m.json", "name a part after m.json"},
                  {"merge", "nothing to merge"},
                  {"--config s.yaml --shard 3/2", "--shard: '3' is not a whole number from 1 to 2"},
                  {"--config s.yaml --shard 1/3/4", "'1/3/4' is not of the form I/N (write 2/8)"},
                  {"--config s.yaml --shard a/b", "'a/b' is not of the form I/N (write 2/8)"}},
                 "bench ");
  EXPECT_FALSE(exists("m.json"));
}

TEST_F(ShardsTest, AllOutputsAreMadeOfTheMergedResult) {
  const std::string outputs = " --out r.html";
  passes(shard("1/2") + outputs);
  EXPECT_FALSE(exists("r.html"));
  const auto run = passes(shard("2/2") + outputs);
  EXPECT_TRUE(holds(run.err, "merged: r.json, r.html"));
  EXPECT_TRUE(lacks(run.out, "measured in"));  // quiet shards print no tables
  EXPECT_TRUE(exists("r.html"));
  EXPECT_FALSE(exists("r.2-of-2.html"));
}

TEST_F(ShardsTest, NothingElseTakesAShardsPlaceUnseen) {
  passes(shard("1/2"));
  const auto before = read("r.1-of-2.json");
  EXPECT_TRUE(holds(passes(shard("1/2") + " --set size=1,2,3,4,5").err, "the old file is now "));
  EXPECT_EQ(read("r.1-of-2.json.old"), before);
  passes(shard("1/2"));
  passes("bench --config s.yaml -q --out r.1-of-2.json");
  EXPECT_TRUE(exists("r.1-of-2.json.old3"));
}

TEST_F(ShardsTest, WhatIsStillOfAnotherPlanOrBuildIsMissing) {
  for (const char* which : {"1/3", "2/3", "3/3"}) passes(shard(which));
  const auto old = read("r.json");
  const std::string other = " --set size=1000,2000,3000,4000,5001";
  auto run = passes(shard("1/3") + other);
  EXPECT_TRUE(holds(run.err, "r.2-of-3.json, r.3-of-3.json: left out, it belongs to another plan",
                    "1 of 3 shards are measured; the last shard to finish writes r.json"));
  EXPECT_TRUE(lacks(run.err, "not merged"));
  run = passes(shard("2/3") + other);
  EXPECT_TRUE(
      holds(run.err, "r.3-of-3.json: left out, it belongs to another plan", "2 of 3 shards"));
  EXPECT_EQ(read("r.json"), old);
  EXPECT_TRUE(holds(passes(shard("3/3") + other).err, "all shards are measured and merged"));
  EXPECT_TRUE(
      holds(passes("bench status r.json").out, "r.json contains the results of all shards"));

  auto file = json("r.3-of-3.json");
  file["context"]["apod"]["commit"] = "of before";
  write("r.3-of-3.json", file.dump());
  run = passes(shard("1/3") + other);
  EXPECT_TRUE(
      holds(run.err, "r.3-of-3.json: left out, it was measured by another build", "2 of 3 shards"));
  write("r.3-of-3.json", "{");
  EXPECT_TRUE(holds(passes(shard("2/3") + other).err, "r.3-of-3.json: left out, ", "2 of 3"));
}

TEST_F(ShardsTest, StatusKnowsWhatIsMerged) {
  const auto status = [&](int code, const std::string& text) {
    EXPECT_TRUE(holds(ends(code, "\"$BENCH\" status r.json").out, text));
  };
  passes(shard("1/2"));
  passes(shard("2/2") + " --set size=1,2,3,4,5");
  status(4, "1 of 2 shards are measured");
  passes(shard("2/2"));
  status(0, "r.json contains the results of all shards");
  std::filesystem::remove(path("r.1-of-2.json"));
  std::filesystem::rename(path("r.json"), path("old.json"));
  passes(shard("1/2"));
  status(0, "r.json contains the results of all shards");
  std::filesystem::rename(path("old.json"), path("r.json"));
  status(4, "to merge: bench merge r.json r.*-of-2.json");
  std::filesystem::remove(path("r.json"));
  status(4, "to merge: bench merge r.json r.*-of-2.json");
}

TEST_F(ShardsTest, StatusKnowsWhatIsOfNoUse) {
  write("r.1-of-3.json.journal", "\x01\n\x02\n\x03\n");
  write("r.2-of-3.json", "{");
  ends(0, "mkfifo r.3-of-3.json");
  const auto run = ends(4, "\"$BENCH\" status r.json");
  EXPECT_TRUE(holds(run.out, "1/3: r.1-of-3.json.journal: is not a journal",
                    "2/3: ", "3/3: not a regular file"));
}

TEST_F(ShardsTest, PlacesOfOtherKindsAreRefusedBeforeAnythingIsMeasured) {
  ends(0, "mkfifo r.1-of-2.json; mkdir whole.json; ln -s loop loop");
  expect_refused(
      {{"--config s.yaml --out r.json --shard 1/2", "the result of a shard must be a regular file"},
       {"--config s.yaml --out whole.json --shard 1/2", "'whole.json': it is a directory"},
       {"merge m.json r.1-of-2.json", "r.1-of-2.json: is not a regular file"},
       {"merge whole.json r.1-of-2.json", "OUT: cannot write 'whole.json': it is a directory"},
       {"status absent/r.json", "absent: No such file or directory"},
       {"status loop/r.json", "loop: Too many levels of symbolic links"}},
      "bench ");
  EXPECT_FALSE(exists("whole.1-of-2.json"));
}

TEST_F(ShardsTest, TasksWithoutACaseAreNotSubmitted) {
  EXPECT_TRUE(holds(fails("bench submit --config s.yaml --nodes 500 --out r.json --print").err,
                    "it makes 500 shards, but the study can only be divided into 5 parts"));
  const auto script = passes("bench submit --config s.yaml --nodes 2 --out r.json --print").out;
  EXPECT_TRUE(holds(script, "export APOD_SHARD=$SLURM_ARRAY_TASK_ID/2",
                    "merge r.json r.*-of-2.json' --dependency=afterany:$array"));
  EXPECT_TRUE(lacks(script, "by itself"));
}

TEST_F(ShardsTest, ANameIsNoLineOfTheScript) {
  shell("cp s.yaml \"$(printf 'x\\ntouch PWNED; : \"\\n.yaml')\"; sed -i /^name:/d x*.yaml");
  for (const std::string name : {"\"$(printf 'x\\ntouch PWNED; : \"\\n.yaml')\"", "'a b.yaml'"}) {
    shell("[ -e " + name + " ] || sed /^name:/d s.yaml >" + name);
    const auto run = fails("bench submit --config " + name + " --nodes 1 --out r.json --print");
    EXPECT_TRUE(holds(run.err, "can't be used in case ids and file names"));
    EXPECT_EQ(run.out, "");
  }
  for (const std::string out :
       {"'a\"b.json'", "'a\\b.json'", "a%j.json", "\"$(printf 'a\\nb').json\""}) {
    EXPECT_TRUE(
        holds(fails("bench submit --config s.yaml --nodes 1 --print --out " + out).err, "Slurm "));
  }
}

TEST_F(ShardsTest, AScriptThatWasThereIsKept) {
  shell("mkdir bin; printf '#!/bin/sh\\necho 12\\n' >bin/sbatch; chmod +x bin/sbatch");
  write("r.sbatch", "precious");
  const std::string submit =
      "PATH=$PWD/bin:$PATH bench submit --config s.yaml --nodes 1 --out r.json";
  EXPECT_TRUE(holds(passes(submit).err, "the old file is now ", "r.sbatch.old"));
  EXPECT_EQ(read("r.sbatch.old"), "precious");
  EXPECT_TRUE(lacks(passes(submit).err, "kept")) << "what is there is the same script";
}

TEST_F(ShardsTest, NoLogLeadsElsewhere) {
  shell("mkdir bin; printf '#!/bin/sh\necho 12\n' >bin/sbatch; chmod +x bin/sbatch");
  const std::string submit =
      "PATH=$PWD/bin:$PATH bench submit --config s.yaml --nodes 2 --out r.json";
  for (const std::string log : {"r.slurm-2.log", "r.slurm-merge.log"}) {
    shell("echo mine >mine");
    for (const std::string link : {"ln -s mine ", "ln mine ", "mkfifo "}) {
      shell(link + log);
      EXPECT_TRUE(holds(fails(submit).err, log + ": Slurm would write its log here"));
      passes(submit + " -- --output=/dev/null");
      shell("rm " + log);
    }
    shell("echo old >" + log);
    passes(submit);  // a requeued task appends
  }
  EXPECT_TRUE(
      holds(fails(submit + " -- --array=7").err, "--array is set by bench submit: leave it out"));
  EXPECT_TRUE(
      holds(fails(submit + " -- -D /tmp").err, "--chdir is set by bench submit: leave it out"));
  EXPECT_TRUE(holds(passes(submit + " --print").out, "--open-mode=append"));
}

}  // namespace
}  // namespace apod::test
