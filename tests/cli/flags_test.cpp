// Every flag, good and bad, and what a wrong file or a wrong path costs: nothing but a message.

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

constexpr const char* small_config =
    "schema: 1\nname: small\n"
    "measure: {warmup: 0ms, max_time: 20ms, min_samples: 2, processes: 1}\n"
    "experiments:\n"
    "  - workload: copy\n"
    "    axes: {variant: host, size: [64, 128, 256]}\n";

class FlagsTest : public ProgramTest {
 protected:
  FlagsTest() { write("a.yaml", small_config); }
};

TEST_F(FlagsTest, HelpNamesEveryFlagAndExitCode) {
  const auto run = shell("bench --help");
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word :
       {"--config",  "--list",         "--dry-run", "--set",    "--filter", "--backend",
        "--device",  "--processes",    "--timeout", "--seed",   "--resume", "--in-process",
        "--profile", "--profile-runs", "--out",     "--format", "--timers", "--quiet",
        "--color",   "--version",      "Exit codes"}) {
    EXPECT_TRUE(holds(run.out, word));
  }
}

TEST_F(FlagsTest, WhatMeansNothingIsRefusedBeforeAnythingRuns) {
  std::vector<Refused> all{
      {"--config strems.yaml", "strems.yaml: no such file here or in "},
      {"--config strems.yaml", "did you mean 'streams.yaml'?"},
      {"--config a.yaml --processes 0", "--processes: '0' is not a whole number from 1 to 1000"},
      {"--config a.yaml --processes x", "--processes: 'x' is not a whole number"},
      {"--config a.yaml --device -1", "--device"},
      {"--config a.yaml --format yaml", "'yaml' is none of console, json, csv, markdown"},
      {"--config a.yaml --color blue", "'blue' is none of auto, always, never"},
      {"--config a.yaml --timeout 5parsecs", "--timeout: '5parsecs' is not a time"},
      {"--config a.yaml --timeout -1s", "--timeout: '-1s' is not a time"},
      {"--config a.yaml --profile-runs 0", "--profile-runs"},
      {"--config a.yaml --filter '['", "--filter"},
      {"--config a.yaml --filter nothing", "--filter"},
      {"--config a.yaml --set size", "--set"},
      {"--config a.yaml --set sizes=3", "did you mean 'size'?"},
      {"--config a.yaml --set size=-1", "size"},
      {"--config a.yaml --set variant=cubb", "cubb"},
      {"--config a.yaml --set size=64 --set size=128 --dry-run",
       "--set: size=128: size=64 was set before (keep one of them; "},
      {"--config a.yaml --out", "--out"},
      {"--config a.yaml stray", "not expected: stray"},
      {"--config a.yaml --only absent", "--only absent: can't be read"},
      {"--config a.yaml --only a.yaml", "--only a.yaml: 'schema: 1' is not the id of a case"},
      {"--config a.yaml --only .", "--only .: is a folder: name a file in it"},
      {"--config a.yaml --benchmark_repetitions=many", "'many' is not a whole number"},
      {"--config a.yaml --benchmark_format=xml", "'xml' is not a format"},
      {"--config a.yaml --benchmark_min_time=1s", "--set precision"},
      {"--config a.yaml --benchmark_filtr=x", "did you mean --benchmark_filter?"},
      {"compare --config a.yaml --by nosuch=1,2",
       "nothing was measured\n  | --by: nosuch=1,2: no experiment has the axis"},
  };
  for (const std::string seed : {"abc", "-1", "18446744073709551616", "1e3", "1.5", "0x10", ""}) {
    all.push_back(
        {"--config a.yaml --seed '" + seed + "'", "not a whole number from 0 to 2^64 - 1"});
  }
  for (auto& [command, says] : all) command = "bench " + command;
  expect_refused(all);
  EXPECT_FALSE(std::filesystem::exists(path("small.json")));
  EXPECT_EQ(shell("bench --config a.yaml --set trace=true --explain --dry-run").exit_code, 0);
  EXPECT_EQ(shell("bench --config a.yaml -q --backend host --seed 18446744073709551615").exit_code,
            0);
  EXPECT_TRUE(holds(read_file(path("small.json")), "18446744073709551615"));
}

TEST_F(FlagsTest, DryRunRunsNothing) {
  const auto run = shell("bench --config a.yaml --dry-run");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.out, "copy/host/size:64"));
  EXPECT_TRUE(holds(run.out, "3 cases would run"));
  EXPECT_TRUE(holds("\n" + run.out, "\nsmall\n")) << "it has no description";
  EXPECT_FALSE(std::filesystem::exists(path("small.json")));
}

TEST_F(FlagsTest, DryRunOfNothingSaysWhyAndEndsAsTheRunWould) {
  write("cub.yaml",
        "schema: 1\nexperiments:\n  - {workload: reduction, axes: {variant: cub, size: 8}}\n");
  // The reason is another where nothing was built for CUDA.
  const auto plan = shell("bench --config cub.yaml --backend host --dry-run");
  EXPECT_EQ(plan.exit_code, 4);
  EXPECT_TRUE(holds(plan.err, "bench: every case is skipped: "));
  EXPECT_EQ(shell("bench --config cub.yaml --backend host --out r.json").exit_code, 4);
  const auto by = shell("bench compare --config cub.yaml --backend host --by size=8,9");
  EXPECT_EQ(by.exit_code, 1);
  EXPECT_TRUE(holds(by.err, "size=8 can't run this experiment; nothing was measured"));
  EXPECT_TRUE(holds(by.err, plan.err));
}

TEST_F(FlagsTest, SetAndFilterNarrow) {
  EXPECT_TRUE(holds(shell("bench --config a.yaml --dry-run --set size=32").out, "1 case would"));
  EXPECT_TRUE(holds(shell("bench --config a.yaml --dry-run --set size=32,2^10").out, "size:1024"));
  EXPECT_TRUE(
      holds(shell("bench --config a.yaml --dry-run --filter 'size:(64|256)'").out, "2 cases"));
  write("ids", "  copy/host/size:128 \r\n \n\n");
  EXPECT_EQ(shell("bench --config a.yaml --only ids --benchmark_list_tests").out,
            "copy/host/size:128\n");
}

TEST_F(FlagsTest, AListOfIdsNamesCasesAlone) {
  write("ids", "copy/host/size:128\ncopy/host/sise:64\n");
  const auto run = shell("bench --config a.yaml --only ids --dry-run");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err,
                    "--only ids: 'copy/host/sise:64' is not the id of a case (did you mean "
                    "'copy/host/size:64'?)\nbench: 1 problem"));
  write("ids", "copy/host/size:128\n");
  EXPECT_TRUE(holds(shell("bench --config a.yaml --only ids --filter size:64 --dry-run").err,
                    "--only ids: --filter leaves out all of its cases"));
}

TEST_F(FlagsTest, AResultIsNoExperiment) {
  write("r.json", R"({"context": {}, "benchmarks": []})");
  EXPECT_TRUE(
      holds(shell("bench --config r.json").err,
            "r.json:1:1: it seems to be a result, not an experiment file (bench show prints "
            "it)\nbench: 1 problem"));
}

TEST_F(FlagsTest, OutputFormatsFollowTheExtension) {
  write("r.json", "old");
  const auto run =
      shell("bench --config a.yaml -q -o r.json -o r.csv -o r.md -o r.txt --backend host");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(read_file(path("r.json")))["benchmarks"].size(), 3U);
  EXPECT_TRUE(holds(read_file(path("r.csv")), "copy/host/size:64"));
  EXPECT_TRUE(holds(read_file(path("r.md")), "|"));
  EXPECT_TRUE(holds(read_file(path("r.txt")), "3 measured"));
  EXPECT_EQ(run.err, "") << "quiet";
}

TEST_F(FlagsTest, StandardOutputInOtherFormats) {
  auto run = shell("bench --config a.yaml -q --backend host --format json");
  EXPECT_EQ(nlohmann::json::parse(run.out)["benchmarks"].size(), 3U);
  EXPECT_TRUE(holds(run.err, "Wrote small.json"));
  run = shell("bench --config a.yaml -q --backend host --format markdown");
  EXPECT_TRUE(holds(run.out, "| "));
  EXPECT_EQ(shell("bench --config a.yaml --format xml").exit_code, 1);
}

TEST_F(FlagsTest, ProgressGoesToStandardErrorAsPlainLines) {
  const auto run = shell("bench --config a.yaml --backend host");
  EXPECT_TRUE(holds(run.err, "copy/host/size:"));
  EXPECT_EQ(run.err.find('\r'), std::string::npos);
  EXPECT_EQ(run.out.find("\033["), std::string::npos) << "no colour in a pipe";
  EXPECT_NE(shell("bench --config a.yaml --backend host -q --color always").out.find("\033["),
            std::string::npos);
}

TEST_F(FlagsTest, AFullDiskCostsTheOtherOutputsNothing) {
  std::filesystem::create_symlink("/dev/full", path("full.json"));
  const auto run = shell("bench --config a.yaml -q --backend host -o r.json -o full.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "No space left"));
  EXPECT_EQ(nlohmann::json::parse(read_file(path("r.json")))["benchmarks"].size(), 3U);
  EXPECT_TRUE(holds(run.out, "safe in r.json.journal; --resume writes them"));
  EXPECT_EQ(shell("bench --config a.yaml -q --backend host -o r.json --resume").exit_code, 0);
}

TEST_F(FlagsTest, CudaWithoutADeviceSaysWhy) {
  const auto run = shell("CUDA_VISIBLE_DEVICES= bench --config a.yaml --backend cuda");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "--backend cuda: "));
  EXPECT_EQ(shell("CUDA_VISIBLE_DEVICES= bench --config a.yaml --device 3").exit_code, 1);
}

TEST_F(FlagsTest, FlagsOfGoogleBenchmark) {
  auto run = shell("bench --config a.yaml --benchmark_list_tests --benchmark_filter=size:64");
  EXPECT_EQ(run.out, "copy/host/size:64\n");
  run = shell(
      "bench --config a.yaml -q --backend host --benchmark_filter=size:64 --benchmark_out=g.json "
      "--benchmark_out_format=json --benchmark_repetitions=2 --benchmark_color=false "
      "--benchmark_context=who=me");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(read_file(path("g.json")))["benchmarks"].size(), 2U);
  EXPECT_TRUE(holds(read_file(path("g.json")), "\"who\""));
  run = shell("bench --config a.yaml --benchmark_format=csv -q --backend host");
  EXPECT_TRUE(holds(run.out, "copy/host/size:64"));
  EXPECT_FALSE(holds(run.out, "Wrote")) << "data alone";
}

TEST_F(FlagsTest, EveryProblemOfAFileIsListedWithItsPlace) {
  write("bad.yaml",
        "schema: 1\n"
        "experiments:\n"
        "  - workload: copi\n"
        "  - workload: copy\n"
        "    axes: {variant: host, sise: 64}\n"
        "  - name: third\n"
        "    workload: reduction\n"
        "    axes: {variant: host, size: [0, -5]}\n");
  const auto run = shell("bench --config bad.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "bad.yaml:3:"));
  EXPECT_TRUE(holds(run.err, "copy"));
  EXPECT_TRUE(holds(run.err, "bad.yaml:5:"));
  EXPECT_TRUE(holds(run.err, "size"));
  EXPECT_TRUE(holds(run.err, "bad.yaml:8:"));
  EXPECT_TRUE(holds(run.err, "nothing was run"));
}

TEST_F(FlagsTest, WhatIsWrongWithThePlanIsListedBesideWhatIsWrongWithTheFile) {
  write("bad.yaml",
        "schema: 1\n"
        "experiments:\n"
        "  - workload: copy\n"
        "    axes: {variant: host, size: [64, 128]}\n"
        "    baseline: {size: 32}\n"
        "  - workload: read\n"
        "    axes: {variant: host, size: 64}\n"
        "    measure: {processes: 0}\n");
  const auto run = shell("bench --config bad.yaml --dry-run --set sise=1");
  EXPECT_EQ(run.exit_code, 1);
  for (const char* part :
       {"bad.yaml:5:5: the baseline", "bad.yaml:8:26: processes", "--set: sise=1", "3 problems"}) {
    EXPECT_TRUE(holds(run.err, part));
  }
}

TEST_F(FlagsTest, RulesThatANarrowedRunLeavesOutAreCounted) {
  write("rule.yaml",
        std::string(small_config) + "    expect: [{where: {size: 64}, time: \"< 1s\"}]\n");
  const std::string note = "1 expect rule selects no case of this run (--filter or --only)";
  EXPECT_TRUE(holds(shell("bench --config rule.yaml --dry-run --filter size:128").err, note));
  EXPECT_EQ(shell("bench --config rule.yaml --dry-run --filter size:64").err, "");
}

TEST_F(FlagsTest, FilesThatAreNoConfig) {
  write("empty.yaml", "");
  write("binary.yaml", std::string("\x00\x01\xff\xfe", 4));
  write("tabs.yaml", "schema: 1\nexperiments:\n\t- workload: copy\n");
  write("nested.yaml", std::string(10 << 20, '['));
  for (const char* name :
       {"absent.yaml", ".", "empty.yaml", "binary.yaml", "tabs.yaml", "nested.yaml"}) {
    const auto run = shell(std::string("bench --config ") + name);
    EXPECT_EQ(run.exit_code, 1) << name << run.err;
    EXPECT_TRUE(holds(run.err, name));
  }
}

}  // namespace
}  // namespace apod::test
