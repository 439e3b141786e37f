// One study on several GPUs of a machine. They are pretended: tests/faults/pretended_gpus.cpp.

#include <set>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

class SeveralGpusTest : public FaultsTest {
 protected:
  SeveralGpusTest() { write("s.yaml", study("on_gpu", "[1, 2, 3, 4, 5]")); }

  static std::string study(const std::string& variant, const std::string& sizes) {
    return "schema: 1\nname: s\nmeasure: {cache: hot, warmup: 0ms, max_time: 20ms, min_samples: 2, "
           "processes: "
           "2}\nexperiments:\n  - workload: faults\n    axes: {variant: " +
           variant + ", size: " + sizes + "}\n";
  }
  static std::string on(const std::string& gpus, const std::string& rest,
                        const std::string& out = "r.json") {
    return "PRETENDED_GPUS=" + gpus + " faulty --config s.yaml --out " + out + " " + rest;
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    const auto result = json("r.json");
    for (const auto& c : result["apod_cases"]) all.push_back(c["id"]);
    return all;
  }
  /// What has the name of a part.
  int parts() const {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path("."))) {
      const auto name = entry.path().filename().string();
      found += name.starts_with("r.") && name != "r.json" ? 1 : 0;
    }
    return found;
  }
};

TEST_F(SeveralGpusTest, SpreadMakesWhatOneGpuMakes) {
  passes(on("big", "-q"));
  const auto serial = ids();
  ASSERT_EQ(serial.size(), 5u);
  const auto run = passes(on("big,big,big", "--device 0,2 --spread"));
  EXPECT_TRUE(holds(run.out, "5 measured", "Wrote r.json"));
  EXPECT_TRUE(holds(run.err, "GPU 0: ", "GPU 2: "));
  EXPECT_EQ(ids(), serial);
  EXPECT_EQ(parts(), 0);
  std::set<std::string> machines;
  const auto result = json("r.json");
  for (const auto& row : result["benchmarks"]) machines.insert(row["apod"]["machine"]);
  EXPECT_EQ(machines.size(), 2u);
  for (const auto& machine : machines) EXPECT_TRUE(lacks(machine, "GPU-00000001"));
  EXPECT_TRUE(holds(result["context"]["apod"]["command_line"].dump(), "--spread"));
}

TEST_F(SeveralGpusTest, EveryOneMeasuresAllAndTheyAreAnAxis) {
  passes(on("big,small", "-q --device all"));
  const auto all = ids();
  ASSERT_EQ(all.size(), 10u);
  EXPECT_TRUE(holds(all.at(0), "/device:GPU-00000000"));
  EXPECT_TRUE(holds(all.at(1), "/device:GPU-00000001"));
  EXPECT_EQ(parts(), 0);
  // One GPU is an axis of one value.
  passes(on("big", "-q --device all"));
  EXPECT_EQ(ids().size(), 5u);
  EXPECT_TRUE(holds(ids().at(0), "/device:GPU-00000000"));
}

TEST_F(SeveralGpusTest, WhatIsComparedStaysOnOneGpu) {
  write("s.yaml", study("[on_gpu, together]", "[1, 2, 3, 4]") +
                      "    baseline: {variant: on_gpu}\n    exclude: []\n");
  write("together.other", "");  // so that none waits
  passes(on("big,big", "-q --spread"));
  const auto file = json("r.json");
  std::vector<std::string> machine(8);
  for (const auto& row : file["benchmarks"]) {
    machine.at(row["apod"]["case_index"]) = row["apod"]["machine"];
  }
  EXPECT_EQ(std::set<std::string>(machine.begin(), machine.end()).size(), 2u);
  for (const auto& c : file["apod_cases"]) {
    if (c["baseline"].is_null()) continue;
    EXPECT_EQ(machine.at(c["index"]), machine.at(c["baseline"]));
  }
}

TEST_F(SeveralGpusTest, ExclusiveCasesRunAlone) {
  write("s.yaml", study("together", "64"));
  passes(on("big,big", "-q --device all --processes 1"));
  for (const auto& entry : std::filesystem::directory_iterator(path("."))) {
    if (entry.path().stem() == "together") std::filesystem::remove(entry.path());
  }
  const auto run = fails(on("big,big", "-q --device all --processes 1 --set exclusive=true"));
  EXPECT_TRUE(holds(run.out, "nobody came"));
}

TEST_F(SeveralGpusTest, AnInterruptedOneGoesOnWithTheSameCommand) {
  write("s.yaml", faults("held, fine, on_gpu", "processes: 2"));
  write("hold", "");  // for the second process of `held`, which is in the first part
  const auto command = "--config s.yaml --out r.json --device 0,1 --spread";
  ends(130, std::string("set -m; PRETENDED_GPUS=big,big \"$FAULTY\" ") + command + " &" +
                await("test \"$(cat r.1-of-2.json.journal | wc -l)\" -ge 2") +
                "kill -INT $!; wait $!");
  EXPECT_TRUE(json("r.json")["context"]["apod"]["interrupted"].get<bool>());
  EXPECT_GT(parts(), 0);
  std::filesystem::remove(path("hold"));
  const auto run = passes(on("big,big", "--device 0,1 --spread"));
  EXPECT_TRUE(holds(run.err, "from the interrupted run"));
  EXPECT_FALSE(json("r.json")["context"]["apod"]["interrupted"].get<bool>());
  EXPECT_EQ(parts(), 0);
}

TEST_F(SeveralGpusTest, AnInterruptedOneThatMeasuresAllGoesOnToo) {
  // Each case has a process, and none has both.
  write("s.yaml", faults("held, on_gpu", "processes: 2"));
  write("hold", "");
  const auto run = ends(
      130, "set -m; PRETENDED_GPUS=big \"$FAULTY\" --config s.yaml --out r.json --device all &" +
               await("test \"$(cat r.*.journal | wc -l)\" -ge 3") + "kill -INT $!; wait $!");
  EXPECT_TRUE(holds(run.err, "the run of GPU 0 was interrupted", "incomplete; "));
  EXPECT_TRUE(json("r.json")["context"]["apod"]["interrupted"].get<bool>());
  EXPECT_EQ(ids().size(), 2u);
  EXPECT_GT(parts(), 0);
  const auto merge = fails("bench merge m.json r.gpu-0.json --by device");
  EXPECT_TRUE(holds(merge.err, "Pretended big", "was interrupted", "incomplete"));
  std::filesystem::remove(path("hold"));
  passes(on("big", "--device all"));
  EXPECT_FALSE(json("r.json")["context"]["apod"]["interrupted"].get<bool>());
  EXPECT_EQ(parts(), 0);
}

TEST_F(SeveralGpusTest, AGpuThatIsLostIsNamed) {
  write("s.yaml", faults("held, on_gpu"));
  write("was_held", "");
  write("hold", "");
  const auto run = ends(
      1, "PRETENDED_GPUS=big,big \"$FAULTY\" --config s.yaml --out r.json --device all &" +
             await("test -e r.gpu-1.json.journal") +
             "for run in $(cat /proc/$!/task/*/children); do tr '\\0' ' ' </proc/$run/cmdline | "
             "grep -q -e '--device 1 ' && kill -KILL $run; done; rm hold; wait $!");
  EXPECT_TRUE(holds(run.err, "the run of GPU 1 ended with exit code 137",
                    "the result has no measurement of GPU 1", "incomplete; "));
  EXPECT_TRUE(json("r.json")["context"]["apod"]["interrupted"].get<bool>());
  EXPECT_EQ(ids().size(), 2u);
  EXPECT_GT(parts(), 0);
  passes(on("big,big", "-q --device all"));
  EXPECT_EQ(ids().size(), 4u);
  EXPECT_FALSE(json("r.json")["context"]["apod"]["interrupted"].get<bool>());
  EXPECT_EQ(parts(), 0);
}

TEST_F(SeveralGpusTest, ARunThatIsRefusedIsNamed) {
  std::filesystem::create_directory(path("r.gpu-1.json"));
  const auto run = ends(1, on("big,big", "-q --device all"));
  EXPECT_TRUE(holds(run.err, "the run of GPU 1 ended with exit code 1",
                    "the result has no measurement of GPU 1"));
  EXPECT_EQ(ids().size(), 5u);
  EXPECT_TRUE(exists("r.gpu-0.json"));
}

TEST_F(SeveralGpusTest, WhereOneCannotStartTheOthersStop) {
  write("s.yaml", faults("held, on_gpu"));
  write("was_held", "");
  write("hold", "");
  const auto run = ends(1,
                        "PRETENDED_GPUS=big,big FAILING_START=2 timeout 30 \"$FAULTY\" --config "
                        "s.yaml --out r.json -q --device all");
  EXPECT_TRUE(holds(run.err, "can't start a process", "the run of GPU "));
}

TEST_F(SeveralGpusTest, ShortFlagsMayShareAWord) {
  passes("PRETENDED_GPUS=big,big faulty --config s.yaml -qo r.json --device all");
  EXPECT_EQ(ids().size(), 10u);
  EXPECT_EQ(parts(), 0);
}

TEST_F(SeveralGpusTest, ACommandSeesItsGpuAlone) {
  write("c.yaml",
        "schema: 1\nname: c\nmeasure: {processes: 1}\nexperiments:\n  - workload: {command: "
        "[/bin/sh, -c, 'echo \"saw=$CUDA_VISIBLE_DEVICES\"'], success: {match: "
        "'saw=GPU-00000001'}}\n");
  passes("PRETENDED_GPUS=big,big faulty --config c.yaml --trust -q --device 1");
  const auto run = fails("PRETENDED_GPUS=big,big faulty --config c.yaml --trust -q --device 0");
  EXPECT_TRUE(holds(run.out, "no line of its output matches"));
}

TEST_F(SeveralGpusTest, WhatCannotBeIsSaid) {
  const auto refused = [&](const std::string& gpus, const std::string& flags,
                           const std::string& why) {
    const auto run = fails(on(gpus, "-q " + flags));
    EXPECT_TRUE(holds(run.err, why)) << flags;
    EXPECT_FALSE(exists("r.json")) << flags;
  };
  refused("big,big", "--device 0,2", "--device: there is no GPU 2: this machine has 2");
  refused("big,big", "--device 0,0", "names GPU 0 twice");
  refused("big,big", "--device 0,", "is not a GPU index, a list such as 0,2, or all");
  refused("big,small", "--spread", "'Pretended small'");
  refused("big,big", "--device all --backend host", "there is no GPU: --backend host");
  refused("big,big", "--device all --shard 1/2", "merge the shards with bench merge --by device");
  refused("big,big", "--device all --profile", "--profile and --device with several GPUs");
  write("s.yaml", faults("fine"));
  refused("big,big", "--spread", "leave out --spread: no case uses a GPU");
  EXPECT_TRUE(holds(fails(on("big,big", "--device all", "r.csv")).err, "merged into a .json"));
}

}  // namespace
}  // namespace apod::test
