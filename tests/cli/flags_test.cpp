// Every flag, good and bad, and what a wrong file or a wrong path costs: nothing but a message.

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class FlagsTest : public ProgramTest {
 protected:
  FlagsTest() { write("a.yaml", copies("[64, 128, 256]")); }
};

TEST_F(FlagsTest, WhatMeansNothingIsRefusedBeforeAnythingRuns) {
  std::vector<Refused> all{
      {"--processes 0", "--processes: '0' is not a whole number from 1 to 1000"},
      {"--processes x", "--processes: 'x' is not a whole number"},
      {"--processes 2^20", "--processes: '2^20' is not a whole number from 1 to 1000"},
      {"--device -1", "--device"},
      {"--format yaml", "'yaml' is not one of console, json, csv, markdown"},
      {"--color blue", "'blue' is not one of auto, always, never"},
      {"--timeout 5parsecs", "--timeout: '5parsecs' is not a time"},
      {"--timeout -1s", "--timeout: '-1s' is not a time"},
      {"--timeout 0", "--timeout: '0' is not a time (write 90s or 2m)"},
      {"--timeout 0s", "--timeout: '0s' is not a time above 0 and at most a week (write "},
      {"--timeout 200h", "--timeout: '200h' is not a time above 0 and at most a week"},
      {"--timeout 5", "--timeout: '5' has no unit (write 5s or 5m)"},
      {"--profile-runs 0", "--profile-runs"},
      {"--profile-runs 3",
       "--profile-runs needs --profile: add --profile, or leave out --profile-runs"},
      {"--profile --resume", "--profile and --resume can't be combined: use only one"},
      {"--resume --seed 3", "--resume and --seed can't be combined"},
      {"--in-process --processes 2", "--in-process and --processes can't be combined"},
      {"--in-process --timeout 5s", "--in-process and --timeout can't be combined"},
      {"--filter '['", "--filter"},
      {"--filter nothing", "--filter"},
      {"--set size", "--set"},
      {"--set sizes=3", "did you mean 'size'?"},
      {"--set size=-1", "size"},
      {"--set variant=cubb", "cubb"},
      {"--set size=64 --set size=128 --dry-run",
       "--set: size=128: size=64 was set before (keep one of them; "},
      {"--out", "--out"},
      {"stray", "unexpected argument: stray"},
      {"--only absent", "--only absent: there is no such file"},
      {"--only a.yaml", "--only a.yaml: 'schema: 1' is not the id of a case"},
      {"--only .", "--only .: is a folder: name a file in that folder"},
      {"--benchmark_repetitions=many", "'many' is not a whole number"},
      {"--benchmark_format=xml", "'xml' is not a format"},
      {"--benchmark_min_time=1s", "--set precision"},
      {"--strems 4", "did you mean '--set streams=VALUE'?"},
      {"--precison=1%", "did you mean '--set precision=VALUE'?"},
      {"--benchmark_filtr=x", "did you mean '--benchmark_filter'?"},
      {"--benchmark_out=", "--benchmark_out: empty argument"},
      {"--benchmark_out", "--benchmark_out: empty argument"},
      {"--benchmark_filter= --dry-run", "--benchmark_filter: empty argument"},
      {"--benchmark_filter --dry-run", "--benchmark_filter: empty argument"},
      {"--benchmark_dry_run= ", "--benchmark_dry_run: empty argument"},
  };
  for (const std::string seed : {"abc", "-1", "18446744073709551616", "1e3", "1.5", "0x10"}) {
    all.push_back({"--seed '" + seed + "'", "not a whole number from 0 to 2^64 - 1"});
  }
  expect_refused(all, "bench --config a.yaml ");
  EXPECT_FALSE(exists("small.json"));
  passes("bench --config a.yaml --set trace=true --explain --dry-run");
  passes("bench --config a.yaml -q --backend host --seed 18446744073709551615");
  EXPECT_TRUE(holds(read("small.json"), "18446744073709551615"));
}

TEST_F(FlagsTest, DryRunRunsNothingAndLeavesNothingBehind) {
  const auto run = passes("bench --config a.yaml --dry-run");
  EXPECT_TRUE(holds("\n" + run.out, "copy/host/size:64", "3 cases would run", "\nsmall\n"));
  EXPECT_FALSE(exists("small.json") || exists("small.json.journal"));
}

TEST_F(FlagsTest, DryRunOfNothingSaysWhyAndEndsAsTheRunWould) {
  write("cub.yaml",
        "schema: 1\nexperiments:\n  - {workload: reduction, axes: {variant: cub, size: 8}}\n");
  // The reason is another where nothing was built for CUDA.
  const auto plan = ends(4, "bench --config cub.yaml --backend host --dry-run");
  EXPECT_TRUE(holds(plan.err, "bench: all cases are skipped: "));
  EXPECT_TRUE(holds(ends(4, "bench --config cub.yaml --backend host --out r.json").out, "skipped"));
  EXPECT_TRUE(holds(fails("bench compare --config cub.yaml --backend host --by size=8,9").err,
                    "size=8 can't run this experiment; nothing was measured", plan.err));
}

TEST_F(FlagsTest, SetAndFilterNarrow) {
  const std::string dry_run = "bench --config a.yaml --dry-run ";
  EXPECT_TRUE(holds(shell(dry_run + "--set size=32").out, "1 case would"));
  EXPECT_TRUE(holds(shell(dry_run + "--set size=32,2^10").out, "size:1024"));
  EXPECT_TRUE(holds(shell(dry_run + "--filter 'size:(64|256)'").out, "2 cases"));
  write("ids", "  copy/host/size:128 \r\n \n\n");
  EXPECT_EQ(shell("bench --config a.yaml --only ids --benchmark_list_tests").out,
            "copy/host/size:128\n");
}

TEST_F(FlagsTest, AListOfIdsNamesCasesAlone) {
  write("ids", "copy/host/size:128\ncopy/host/sise:64\n");
  write("many", "a\nb\nc\nd\ne\nf\ng\n");
  write("other", "copy/host/size:128\n");
  expect_refused(
      {{"ids --dry-run",
        "--only ids: 'copy/host/sise:64' is not the id of a case (did you mean "
        "'copy/host/size:64'?)\nbench: 1 problem"},
       {"many", "--only many: 2 more lines are not ids of cases\nbench: 6 problems"},
       {"other --filter size:64", "--only other: --filter leaves out all cases of this file"}},
      "bench --config a.yaml --only ");
}

TEST_F(FlagsTest, OutputFormatsFollowTheExtension) {
  write("r.json", "old");
  const auto run =
      passes("bench --config a.yaml -q -o r.json -o r.csv -o r.md -o r.txt --backend host");
  EXPECT_EQ(json("r.json")["benchmarks"].size(), 3U);
  EXPECT_TRUE(holds(read("r.csv"), "copy/host/size:64"));
  EXPECT_TRUE(holds(read("r.md"), "|"));
  EXPECT_TRUE(holds(read("r.txt"), "3 measured"));
  EXPECT_TRUE(holds(run.err, "r.json already existed, with other content; the old file is now "));
  EXPECT_EQ(read("r.json.old"), "old");
  EXPECT_EQ(passes("bench --config a.yaml -q -o r.json --backend host").err, "") << "its like";
}

TEST_F(FlagsTest, AnOutputKeepsASavedFileOfAnotherKind) {
  passes("bench --config a.yaml -q -o r.json --backend host");
  const auto result = read("r.json");
  const auto kept = [&](const std::string& command) {
    write("s.json", result);
    EXPECT_TRUE(holds(passes(command + " s.json").err, "the old file is now ")) << command;
    EXPECT_EQ(read("s.json.old"), result) << command;
    std::filesystem::remove(path("s.json.old"));
  };
  kept("bench history r.json --out");
  kept("bench export r.json --to bmf --out");
  kept("bench --config a.yaml --backend host --set trace=true --trace-out");
  write("s.json", R"({"name": "of another program"})");
  passes("bench --config a.yaml -q --backend host --out s.json");
  EXPECT_TRUE(holds(read("s.json.old"), "of another program"));
}

TEST_F(FlagsTest, StandardOutputInOtherFormats) {
  const auto run = passes("bench --config a.yaml -q --backend host --format json");
  EXPECT_EQ(Json::parse(run.out)["benchmarks"].size(), 3U);
  EXPECT_TRUE(holds(run.err, "Wrote small.json"));
  EXPECT_TRUE(holds(shell("bench --config a.yaml -q --backend host --format markdown").out, "| "));
}

TEST_F(FlagsTest, ProgressGoesToStandardErrorAsPlainLines) {
  const auto run = shell("bench --config a.yaml --backend host");
  EXPECT_TRUE(holds(run.err, "copy/host/size:"));
  EXPECT_TRUE(lacks(run.err, "\r"));
  EXPECT_TRUE(lacks(run.out, "\033[")) << "no colour in a pipe";
  EXPECT_TRUE(holds(shell("bench --config a.yaml --backend host -q --color always").out, "\033["));
}

TEST_F(FlagsTest, AFullDiskCostsTheOtherOutputsNothing) {
  std::filesystem::create_symlink("/dev/full", path("full.json"));
  const auto run = fails("bench --config a.yaml -q --backend host -o r.json -o full.json");
  EXPECT_TRUE(holds(run.err, "No space left"));
  EXPECT_EQ(json("r.json")["benchmarks"].size(), 3U);
  EXPECT_TRUE(holds(run.out, "kept in r.json.journal; --resume writes the result"));
  passes("bench --config a.yaml -q --backend host -o r.json --resume");
}

TEST_F(FlagsTest, CudaWithoutADeviceSaysWhy) {
  EXPECT_TRUE(holds(fails("CUDA_VISIBLE_DEVICES= bench --config a.yaml --backend cuda").err,
                    "--backend cuda: "));
  fails("CUDA_VISIBLE_DEVICES= bench --config a.yaml --device 3");
}

TEST_F(FlagsTest, FlagsOfGoogleBenchmark) {
  auto run = shell("bench --config a.yaml --benchmark_list_tests --benchmark_filter=size:64");
  EXPECT_EQ(run.out, "copy/host/size:64\n");
  passes(
      "bench --config a.yaml -q --backend host --benchmark_filter=size:64 --benchmark_out=g.json "
      "--benchmark_out_format=json --benchmark_repetitions=2 --benchmark_color=false "
      "--benchmark_context=who=me");
  EXPECT_EQ(json("g.json")["benchmarks"].size(), 2U);
  EXPECT_TRUE(holds(read("g.json"), "\"who\""));
  run = shell("bench --config a.yaml --benchmark_format=csv -q --backend host");
  EXPECT_TRUE(holds(run.out, "copy/host/size:64"));
  EXPECT_TRUE(lacks(run.out, "Wrote")) << "data alone";
}

TEST_F(FlagsTest, WhatIsWrongWithTheFileThePlanAndTheFlagsIsListedTogether) {
  write("bad.yaml",
        "schema: 1\n"
        "experiments:\n"
        "  - workload: copy\n"
        "    axes: {variant: host, size: [64, 128]}\n"
        "    baseline: {size: 32}\n"
        "  - workload: read\n"
        "    axes: {variant: host, sise: 64}\n"
        "    measure: {processes: 0}\n");
  const auto run =
      fails("bench --config bad.yaml --resume --seed 3 --only absent -o r.pdf -o bad.yaml");
  EXPECT_TRUE(holds(run.err, "bad.yaml:5:5: the baseline",
                    "bad.yaml:7:", "bad.yaml:8:26: processes", "--resume and --seed",
                    "--only absent: there is no such file", "r.pdf", "the experiment file itself",
                    "7 problems; nothing was run"));
}

TEST_F(FlagsTest, RulesThatANarrowedRunLeavesOutAreCounted) {
  write("rule.yaml", copies("[64, 128]") + "    expect: [{where: {size: 64}, time: \"< 1s\"}]\n");
  const std::string note = "1 expect rule selects no case of this run (cause: --filter or --only)";
  EXPECT_TRUE(holds(shell("bench --config rule.yaml --dry-run --filter size:128").err, note));
  EXPECT_EQ(shell("bench --config rule.yaml --dry-run --filter size:64").err, "");
}

TEST_F(FlagsTest, FilesThatAreNoConfig) {
  write("binary.yaml", std::string("\x00\x01\xff\xfe", 4));
  write("nested.yaml", std::string(10 << 20, '['));
  write("tabs.yaml", "schema: 1\nexperiments:\n\t- workload: copy\n");
  write("r.json", R"({"context": {}, "benchmarks": []})");
  expect_refused({{"strems.yaml", "strems.yaml: no such file here or in "},
                  {"strems.yaml", "did you mean 'streams.yaml'?"},
                  {".", "."},
                  {"binary.yaml", "binary.yaml"},
                  {"nested.yaml", "nested.yaml"},
                  {"tabs.yaml", "tabs.yaml:3:1: the indentation contains a tab"},
                  {"r.json",
                   "r.json:1:1: this seems to be a result, not an experiment file (to print the "
                   "result: bench show FILE)\nbench: 1 problem"}},
                 "bench --config ");
}

}  // namespace
}  // namespace apod::test
