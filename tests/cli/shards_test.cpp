// Parts of a study that are measured apart, and the result that they make together.

#include <set>

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
  EXPECT_TRUE(holds(passes(shard("2/3")).err, "1 of 3 shards are there"));
  passes(shard("3/3"));
  EXPECT_FALSE(exists("r.json"));
  EXPECT_TRUE(holds(passes(shard("1/3")).err, "all 3 shards are there, and merged: r.json"));
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
  EXPECT_TRUE(holds(run.err, "shard 2/3 is not whole: ",
                    "--config s.yaml -q --out r.json --shard 2/3", "cases are missing"));
  EXPECT_TRUE(json("all.json")["context"]["apod"]["interrupted"].get<bool>());
  passes(shard("2/3"));
  EXPECT_TRUE(holds(passes("bench merge all.json r.*-of-3.json all.json").out, "5 of 5 cases"));
}

TEST_F(ShardsTest, AShardGoesOnWhereItStopped) {
  write("s.yaml", faults("held, fine", "processes: 2"));
  write("hold", "");
  ends(130, "set -m; \"$FAULTY\" --config s.yaml --out r.json --shard 1/2 &" +
                await("test \"$(cat r.1-of-2.json.journal | wc -l)\" -ge 2") +
                "kill -INT $!; wait $!");
  EXPECT_TRUE(exists("r.1-of-2.json.journal"));
  std::filesystem::remove(path("hold"));
  EXPECT_TRUE(holds(passes("faulty --config s.yaml -q --out r.json --shard 1/2").err,
                    "kept 1 measurement of the run that was interrupted"));
  EXPECT_FALSE(exists("r.1-of-2.json.journal"));
  const auto before = read("r.1-of-2.json");
  EXPECT_TRUE(holds(passes("faulty --config s.yaml -q --out r.json --shard 1/2").err,
                    "r.1-of-2.json: shard 1/2 is measured (remove the file to measure it again)"));
  EXPECT_EQ(read("r.1-of-2.json"), before);
}

TEST_F(ShardsTest, LaunchersSayWhichPart) {
  const auto run =
      passes("SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_ID=0 bench --config s.yaml -q --out r.json");
  EXPECT_TRUE(holds(run.err, "shard 2/2, by SLURM_PROCID (--shard 1/1 measures everything here)"));
  EXPECT_TRUE(exists("r.2-of-2.json"));
  EXPECT_TRUE(holds(passes("PMI_RANK=7 PMI_SIZE=9 bench --config s.yaml --out r.json").err,
                    "shard 8/9 has no case: there are only 5"));
}

TEST_F(ShardsTest, OtherPlansAndDamagedFilesAreRefused) {
  passes(shard("1/2"));
  passes("bench --config s.yaml --set size=7 -q --out other.json --shard 1/1");
  write("broken.json", read("r.1-of-2.json").substr(0, 3000));
  expect_refused(
      {{"merge m.json r.1-of-2.json other.json", "other.json: of another plan"},
       {"merge m.json broken.json", "broken.json: "},
       {"merge m.json absent.json", "absent.json: "},
       {"merge m.json", "no part is named behind m.json"},
       {"merge", "nothing to merge"},
       {"--config s.yaml --shard 3/2", "--shard: '3' is not a whole number from 1 to 2"}},
      "bench ");
  EXPECT_FALSE(exists("m.json"));
}

}  // namespace
}  // namespace apod::test
