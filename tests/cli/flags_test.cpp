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

TEST_F(FlagsTest, Version) {
  const auto run = shell("bench --version");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.out, "bench 0."));
}

TEST_F(FlagsTest, NothingToDoSaysWhatThereIs) {
  const auto run = shell("bench");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "--config FILE is missing"));
  EXPECT_TRUE(holds(run.err, "smoke.yaml"));
}

TEST_F(FlagsTest, UnknownFlagsGetAHint) {
  const auto run = shell("bench --confg a.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "did you mean --config?"));
}

TEST_F(FlagsTest, UnknownSubcommandsGetAHint) {
  const auto run = shell("bench comapre a.json b.json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(
      holds(run.err, "bench: not expected: comapre a.json b.json (did you mean compare?)\n"));
  EXPECT_FALSE(holds(shell("bench a.json").err, "did you mean"));
  EXPECT_TRUE(holds(shell("bench a.yaml").err, "did you mean --config a.yaml?"));
}

TEST_F(FlagsTest, AConfigThatIsNotThereSaysWhereItWasLookedFor) {
  const auto run = shell("bench --config strems.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "strems.yaml: no such file here or in "));
  EXPECT_TRUE(holds(run.err, "did you mean 'streams.yaml'?"));
}

TEST_F(FlagsTest, BadValues) {
  for (const char* flags :
       {"--processes 0", "--processes x", "--device -1", "--backend gpu", "--color blue",
        "--timeout 5parsecs", "--timeout -1s", "--profile-runs 0", "--seed abc", "--filter '['",
        "--set size", "--set sizes=3", "--set size=-1", "--set variant=cubb", "--out",
        "--benchmark_repetitions=many", "--benchmark_format=xml", "stray"}) {
    const auto run = shell(std::string("bench --config a.yaml ") + flags);
    EXPECT_EQ(run.exit_code, 1) << flags << run.out << run.err;
    EXPECT_FALSE(run.err.empty()) << flags;
    EXPECT_FALSE(std::filesystem::exists(path("small.json"))) << flags;
  }
}

TEST_F(FlagsTest, AWrongWordIsAnsweredWithAllThatThereAre) {
  auto run = shell("bench --config a.yaml --backend cudaa");
  EXPECT_TRUE(
      holds(run.err, "--backend: 'cudaa' is none of auto, host, cuda (did you mean cuda?)"));
  run = shell("bench --config a.yaml --format yaml");
  EXPECT_TRUE(holds(run.err, "'yaml' is none of console, json, csv, markdown"));
}

TEST_F(FlagsTest, ASeedOutOfRangeIsRefusedRatherThanCut) {
  for (const char* seed : {"-1", "18446744073709551616", "1e3", "1.5", "0x10", ""}) {
    const auto run = shell(std::string("bench --config a.yaml --seed '") + seed + "'");
    EXPECT_EQ(run.exit_code, 1) << seed;
    EXPECT_TRUE(holds(run.err, "no whole number from 0 to 2^64 - 1")) << seed;
  }
  EXPECT_EQ(shell("bench --config a.yaml -q --backend host --seed 18446744073709551615").exit_code,
            0);
  EXPECT_TRUE(holds(read_file(path("small.json")), "18446744073709551615"));
}

TEST_F(FlagsTest, ListShowsWorkloadsVariantsAxesFactsAndConfigs) {
  const auto run = shell("bench --list");
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word :
       {"reduction", "normalize", "convolution", "copy", "grid_stride", "warp_shuffle", "cub",
        "thrust", "memcpy_async", "shared_tile", "direct_double", "host_memory", "compute_repeats",
        "distinct_streams", "streams.yaml", "smoke.yaml"}) {
    EXPECT_TRUE(holds(run.out, word));
  }
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

TEST_F(FlagsTest, AWrongValueOfByIsToldInTheWordsOfWhoAsked) {
  const auto run = shell("bench compare --config a.yaml --by nosuch=1,2");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "nothing was measured\n--by: nosuch=1,2: no experiment has the axis"));
  EXPECT_FALSE(holds(run.err, "--having"));
  EXPECT_FALSE(holds(run.err, "--set"));
}

TEST_F(FlagsTest, SetAndFilterNarrow) {
  EXPECT_TRUE(holds(shell("bench --config a.yaml --dry-run --set size=32").out, "1 case would"));
  EXPECT_TRUE(holds(shell("bench --config a.yaml --dry-run --set size=32,2^10").out, "size:1024"));
  EXPECT_TRUE(
      holds(shell("bench --config a.yaml --dry-run --filter 'size:(64|256)'").out, "2 cases"));
  const auto none = shell("bench --config a.yaml --filter nothing");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(holds(none.err, "--filter"));
}

TEST_F(FlagsTest, OutputFormatsFollowTheExtension) {
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

TEST_F(FlagsTest, OutputThatCannotBeWrittenIsFoundBeforeAnythingRuns) {
  write("file", "");
  for (const char* out : {"missing/r.json", "file/r.json", ".", "r.xml", "r"}) {
    const auto run = shell(std::string("bench --config a.yaml --out ") + out);
    EXPECT_EQ(run.exit_code, 1) << out;
    EXPECT_FALSE(holds(run.err, "copy/host/size:")) << "nothing ran";
  }
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

TEST_F(FlagsTest, ExistingResultIsReplaced) {
  write("small.json", "old");
  EXPECT_EQ(shell("bench --config a.yaml -q --backend host").exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(path("small.json")))["benchmarks"].size(), 3U);
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

TEST_F(FlagsTest, FlagsOfGoogleBenchmarkWithoutMeaningSayWhatToUse) {
  auto run = shell("bench --config a.yaml --benchmark_min_time=1s");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "--set precision"));
  run = shell("bench --config a.yaml --benchmark_filtr=x");
  EXPECT_TRUE(holds(run.err, "did you mean --benchmark_filter?"));
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
        "    expect: [{where: {size: 256}, time: \"< 1s\"}]\n"
        "    measure: {processes: 0}\n");
  const auto run = shell("bench --config bad.yaml --dry-run --filter '('");
  EXPECT_EQ(run.exit_code, 1);
  for (const char* part : {"bad.yaml:5:5: the baseline", "bad.yaml:6:15: 'where' selects no case",
                           "bad.yaml:7:26: processes", "--filter: '('", "4 problems"}) {
    EXPECT_TRUE(holds(run.err, part));
  }
}

TEST_F(FlagsTest, AListOfIdsThatNamesNoCaseIsNamed) {
  const auto run = shell("bench --config a.yaml --only a.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err,
                    "--only a.yaml: none of its lines is the id of a case (--dry-run "
                    "without --only shows the ids)\n"));
}

TEST_F(FlagsTest, AKeyThatIsSetTwiceIsRefused) {
  const auto run = shell("bench --config a.yaml --set size=64 --set size=128 --dry-run");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "--set: size=128: size=64 was set before (keep one of them; "));
  EXPECT_EQ(shell("bench --config a.yaml --set trace=true --explain --dry-run").exit_code, 0);
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
