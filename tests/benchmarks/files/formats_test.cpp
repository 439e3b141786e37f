// Small whole files of each format that other programs write, as their documentation describes it.

#include <filesystem>

#include "benchmarks/files/foreign_result.hpp"
#include "tests/benchmarks/files/formats_fixture.hpp"

namespace apod::files {
namespace {

TEST_F(Formats, AnArrayAtTheTop) {
  const Side small = read("s.json", R"([{"name": "a", "unit": "us/iter", "value": 2},
                                        {"name": "b", "unit": "ops/ms", "value": "4"},
                                        {"name": "c", "unit": "apples", "value": 1}])");
  EXPECT_EQ(small.sessions.at(0).format, "smaller-is-better");
  EXPECT_NEAR(times_of(small, "a").at(0), 2e-6, 1e-15);
  EXPECT_NEAR(times_of(small, "b").at(0), 0.25e-3, 1e-12);
  EXPECT_EQ(small.cases.size(), 2u) << "a row that is not a time costs that row";
  EXPECT_TRUE(contains(refusal("n.json", "[[1]]"), "it is JSON, but in an unknown format"));
  EXPECT_TRUE(contains(refusal("e.json", "[]"), "its top level is not an object"));
}

TEST_F(Formats, Jmh) {
  const Side side = read("j.json", R"([
    {"benchmark": "a.B.sum", "mode": "avgt", "params": {"n": "10"},
     "primaryMetric": {"score": 3, "scoreUnit": "ms/op", "rawData": [[2, 4], [3]]}},
    {"benchmark": "a.B.sum", "mode": "avgt", "params": {"n": "20"},
     "primaryMetric": {"score": 7, "scoreUnit": "ms/op"}}])");
  EXPECT_EQ(side.sessions.at(0).format, "jmh");
  EXPECT_EQ(times_of(side, "a.B.sum/n:10"), (std::vector{0.002, 0.004, 0.003}));
  EXPECT_EQ(times_of(side, "a.B.sum/n:20"), std::vector{0.007});
}

TEST_F(Formats, Bencher) {
  const Side side = read("b.json", R"({"a": {"latency": {"value": 5.0}, "throughput": {"value": 2}},
                                       "b": {"throughput": {"value": 2}}})");
  EXPECT_EQ(side.sessions.at(0).format, "bencher");
  ASSERT_EQ(side.cases.size(), 1u);
  EXPECT_NEAR(times_of(side, "a").at(0), 5e-9, 1e-18);
}

constexpr const char* pytest = R"({
  "machine_info": {"node": "lab", "system": "Linux", "python_version": "3.12.1",
                   "cpu": {"brand_raw": "A CPU", "count": 16}},
  "commit_info": {"id": "abc123", "dirty": false},
  "benchmarks": [
    {"group": null, "name": "test_sum", "fullname": "tests/test_sum.py::test_sum",
     "params": {"n": 10}, "param": "10", "extra_info": {"misses": 3}, "options": {"timer": "x"},
     "stats": {"min": 0.001, "max": 0.003, "mean": 0.002, "stddev": 0.001, "rounds": 3,
               "median": 0.002, "ops": 500.0, "data": [0.001, 0.002, 0.003], "iterations": 1}},
    {"group": null, "name": "test_short", "fullname": "tests/test_sum.py::test_short",
     "params": null, "param": null, "extra_info": {}, "options": {},
     "stats": {"min": 1, "max": 2, "mean": 1.6, "stddev": 0.5, "rounds": 9, "median": 1.5,
               "ops": 0.6, "iterations": 1}}],
  "datetime": "2026-05-17T10:00:00.123456+00:00", "version": "5.1.0"})";

TEST_F(Formats, PytestBenchmark) {
  const Side side = read("p.json", pytest);
  EXPECT_EQ(side.sessions.at(0).format, "pytest");
  EXPECT_TRUE(side.sessions[0].one_process);
  const auto sum = case_of(side, "tests/test_sum.py::test_sum/n:10");
  EXPECT_EQ(times_of(side, sum.name), (std::vector{0.001, 0.002, 0.003})) << "of its rounds";
  EXPECT_EQ(medians_of(side, sum), std::vector{0.002}) << "which are one process";
  EXPECT_EQ(sum.params, (Labels{{"n", "10"}}));
  EXPECT_EQ(times_of(side, "tests/test_sum.py::test_short"), std::vector{1.5}) << "the median";
  EXPECT_EQ(property(side, "host"), "lab");
  EXPECT_EQ(property(side, "cpu"), "A CPU");
  EXPECT_EQ(property(side, "cpus"), "16");
  EXPECT_EQ(property(side, "commit"), "abc123");
  EXPECT_EQ(property(side, "date"), "2026-05-17T10:00:00.123456+00:00");
  EXPECT_EQ(times_of(read("p.json", pytest, "ops"), "tests/test_sum.py::test_sum/n:10"),
            std::vector{1 / 500.0});
}

TEST_F(Formats, AnObjectThatPytestCannotWriteIsNoPartOfTheName) {
  for (const char* address : {"0x7f01", "0x7f02"}) {
    const Side side = read(
        "p.json",
        R"({"benchmarks":[{"fullname":"t.py::test_f[small]","params":{"f":"UNSERIALIZABLE[<f at )" +
            std::string(address) + R"(>]","n":10},"stats":{"median":0.5}}]})");
    EXPECT_EQ(side.cases.at(0).name, "t.py::test_f[small]/n:10");
  }
}

TEST_F(Formats, WhatStandsInPlaceOfDataThatWereNotKeptIsNone) {
  const Side side = read("p.json", R"({"machine_info":{},"benchmarks":[{"fullname":"a","stats":
    {"median":2,"data":["not kept"]}}]})");
  EXPECT_EQ(times_of(side, "a"), std::vector{2.0});
}

constexpr const char* hyperfine = R"({"results": [
  {"command": "sort 1", "mean": 1.2, "stddev": 0.1, "median": 1.1, "user": 1.0, "system": 0.1,
   "min": 1.0, "max": 1.5, "times": [1.0, 1.1, 1.5], "exit_codes": [0, 0, 0],
   "parameters": {"n": "1"}},
  {"command": "sort 2", "mean": 2.5, "stddev": null, "median": 2.5, "user": 2.0, "system": 0.1,
   "min": 2.5, "max": 2.5}]})";

TEST_F(Formats, HyperfineWhoseTimesAreProcesses) {
  const Side side = read("h.json", hyperfine);
  EXPECT_FALSE(side.sessions.at(0).one_process);
  EXPECT_EQ(times_of(side, "sort 1"), (std::vector{1.0, 1.1, 1.5}));
  EXPECT_EQ(case_of(side, "sort 1").params, (Labels{{"n", "1"}}));
  EXPECT_EQ(times_of(side, "sort 2"), std::vector{2.5});
  EXPECT_EQ(times_of(read("h.json", hyperfine, "user_time"), "sort 1"), std::vector{1.0});
}

TEST_F(Formats, RowsOfOneNameAndOtherParametersAreOtherCases) {
  const Side side = read("h.json", R"({"results": [
    {"command": "sort", "times": [1.0, 1.1], "exit_codes": [0, 0], "parameters": {"n": "10"}},
    {"command": "sort", "times": [5.0, 5.1], "exit_codes": [0, 0], "parameters": {"n": "50"}},
    {"command": "sort 5", "times": [7.0], "exit_codes": [0], "parameters": {"n": "5"}}]})");
  EXPECT_EQ(times_of(side, "sort/n:10"), (std::vector{1.0, 1.1}));
  EXPECT_EQ(times_of(side, "sort/n:50"), (std::vector{5.0, 5.1}));
  EXPECT_EQ(times_of(side, "sort 5"), std::vector{7.0});
}

TEST_F(Formats, TheVariantIsTheNameWithoutTheParametersAtItsEnd) {
  const auto result = read_foreign_result(folder_.write("h.json", R"({"results": [
    {"command": "./a 1", "times": [1.0], "exit_codes": [0], "parameters": {"n": "1"}},
    {"command": "./b/c", "times": [1.0], "exit_codes": [0], "parameters": {"n": "1"}},
    {"command": "./b/c", "times": [5.0], "exit_codes": [0], "parameters": {"n": "2"}}]})"));
  ASSERT_EQ(result.plan.cases.size(), 3u);
  EXPECT_EQ(result.plan.cases[0].variant, "./a 1");
  EXPECT_EQ(result.plan.cases[1].variant, "./b/c");
  EXPECT_EQ(result.plan.cases[2].variant, "./b/c");
}

TEST_F(Formats, AsAResultAProcessIsOneMeasurementAndARunThatFailedHasNoTime) {
  std::string text = hyperfine;
  const auto result = read_foreign_result(folder_.write("h.json", text));
  ASSERT_EQ(result.measurements.size(), 4u);
  EXPECT_EQ(result.measurements[2].process, 2);
  EXPECT_EQ(result.measurements[2].samples_s, std::vector{1.5});
  text.replace(text.find("[0, 0, 0]"), 9, "[0, 3, 0]");
  const auto failed = read_foreign_result(folder_.write("h.json", text));
  EXPECT_EQ(failed.measurements.at(0).failed, "exit code 3");
  EXPECT_TRUE(failed.measurements[0].samples_s.empty());
  EXPECT_EQ(case_of(read("h.json", text), "sort 1").failed, "exit code 3");
}

TEST_F(Formats, ARateIsThatOfTheMedianOfItsTimes) {
  const auto result = read_foreign_result(folder_.write("j.json", R"([
    {"benchmark": "m", "mode": "thrpt", "primaryMetric":
      {"score": 100, "scoreUnit": "ops/ms", "rawData": [[50, 100, 150, 100]]}}])"));
  EXPECT_EQ(result.measurements.at(0).samples_s.size(), 4u);
  EXPECT_NEAR(result.measurements[0].facts.at("ops/s"), 100e3, 1e-6);
}

TEST_F(Formats, ACaseWithoutATimeIsLeftOutWithWhatWasLookedFor) {
  const auto refused =
      refusal("h.json", R"({"results":[{"command":"a","times":[]},{"command":"b"}]})");
  EXPECT_TRUE(contains(
      refused,
      "no time: the file has no value at times/* and median and mean: 2 cases, the first a"))
      << refused;
}

TEST_F(Formats, Nanobench) {
  const Side side = read("n.json", R"json({"results": [{"title": "t", "name": "hash", "unit": "op",
    "batch": 1, "median(elapsed)": 2.5e-08, "median(instructions)": 12.0}]})json");
  EXPECT_EQ(times_of(side, "hash"), std::vector{2.5e-8});
}

TEST_F(Formats, BenchmarkDotNet) {
  const Side side = read("b.json", R"json({"Title": "T", "HostEnvironmentInfo":
    {"BenchmarkDotNetVersion": "0.14.0", "OsVersion": "Linux", "ProcessorName": "A CPU"},
    "Benchmarks": [{"FullName": "N.T.Sum(n: 10)", "Statistics": {"Median": 50.5, "Mean": 51},
      "Memory": {
  "BytesAllocatedPerOperation" : 24}}]})json");
  EXPECT_DOUBLE_EQ(times_of(side, "N.T.Sum(n: 10)").at(0), 50.5e-9);
  EXPECT_EQ(property(side, "cpu"), "A CPU");
}

TEST_F(Formats, NvbandwidthJsonAndText) {
  const Side whole = read("b.json", R"json({"nvbandwidth": {"CUDA Runtime Version": 12080,
    "Driver Version": "570.1", "git_version": "v0.8", "testcases": [
     {"name": "host_to_device_memcpy_ce", "status": "Passed",
      "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
      "bandwidth_matrix": [["50", "40"]]}]
}})json");
  EXPECT_EQ(times_of(whole, "host_to_device_memcpy_ce/0,1"), std::vector{1.0 / 40});
  EXPECT_EQ(property(whole, "cuda"), "12.8");
  const std::string text = R"(nvbandwidth Version: v0.8
Built from Git version: v0.8

CUDA Runtime Version: 12080
Driver Version: 570.1

Device 0: NVIDIA H100 80GB HBM3 (00000000:18:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     50.00     40.00

SUM host_to_device_memcpy_ce 90.00

Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    200.00
 1    250.00       N/A

SUM device_to_device_memcpy_read_ce 450.00
)";
  const Side side = read("b.log", text);
  ASSERT_EQ(side.cases.size(), 4u);
  EXPECT_EQ(times_of(side, "host_to_device_memcpy_ce/0,1"), std::vector{1.0 / 40});
  EXPECT_EQ(times_of(side, "device_to_device_memcpy_read_ce/1,0"), std::vector{1.0 / 250});
  EXPECT_EQ(property(side, "gpu"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(property(side, "driver"), "570.1");
  EXPECT_EQ(times_of(read("b.log", text, "bandwidth"), "host_to_device_memcpy_ce/0,0"),
            std::vector{1 / 50e9});
}

TEST_F(Formats, NcclTestsLog) {
  const std::string table =
      "#                                          out-of-place                in-place\n"
      "#       size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  "
      "#wrong\n"
      "#        (B)  (elements)               (us)  (GB/s)  (GB/s)        (us)  (GB/s)  (GB/s)\n";
  const std::string log =
      "# nccl version 2.21.5\n"
      "#  Rank  0 Group  0 Pid  7 on   lab device  0 [0x18] NVIDIA H100 80GB HBM3\n"
      "# Collective test starting: all_reduce_perf\n" +
      table +
      "  1024  256  float  sum  -1  100.0  1.0  1.0  0  110.0  0.9  0.9  0\n"
      "# Collective test starting: reduce_scatter_perf\n" +
      table +
      "  1024  256  float  sum  -1  300.0  1.0  1.0  0  310.0  0.9  0.9  0\n"
      "# Avg bus bandwidth : 1.0\n";
  const Side side = read("nccl.log", log);
  ASSERT_EQ(side.cases.size(), 4u);
  const std::string row = "size:1024/type:float/redop:sum/root:-1/out-of-place";
  EXPECT_DOUBLE_EQ(times_of(side, "all_reduce_perf/" + row).at(0), 100e-6);
  EXPECT_DOUBLE_EQ(times_of(side, "reduce_scatter_perf/" + row).at(0), 300e-6);
  EXPECT_EQ(property(side, "gpu"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(property(side, "host"), "lab");
  EXPECT_EQ(property(side, "nccl"), "2.21.5");
  EXPECT_TRUE(side.notes.empty());
  note_of(read("nccl.log", log.substr(0, log.find("  310.0"))),
          "the log is cut off before its '# Avg bus bandwidth'");
  EXPECT_EQ(property(side, "ranks"), "1");
  auto more = log;
  more.insert(log.find("# Collective"),
              "#  Rank  1 Group  0 Pid  8 on lab device  1 [0x2a] NVIDIA H100 80GB HBM3\n");
  EXPECT_EQ(property(read("nccl.log", more), "ranks"), "2");
  EXPECT_TRUE(contains(refusal("nccl.log", log + more), "two runs (ranks 1, then 2)"));
  more.replace(more.find("NVIDIA H100"), 11, "NVIDIA A100");
  EXPECT_TRUE(contains(refusal("nccl.log", log + more), "outputs of two runs (gpu NVIDIA H100"));
  const std::string named = "# Collective test starting: all_reduce_perf\n";
  auto old = log;
  old.erase(old.find(named), named.size());
  old.erase(old.find("# Collective"));
  note_of(read("nccl.log", old), "the log does not name its collective");
}

TEST_F(Formats, GoBenchmarks) {
  const Side side = read("go.txt", R"(goos: linux
goarch: amd64
pkg: example.com/sums
cpu: A CPU
BenchmarkSum/n=10-8   	    1000	      1200 ns/op	  53.30 MB/s	      16 B/op	       1 allocs/op
BenchmarkSum/n=10-8   	    1000	      1300 ns/op	  53.30 MB/s	      16 B/op	       1 allocs/op
BenchmarkNoTime-8     	    1000	         7 hits/op
--- BENCH: BenchmarkSum
PASS
ok  	example.com/sums	3.1s
)");
  ASSERT_EQ(side.cases.size(), 1u);
  const auto times = times_of(side, "sums.Sum/n=10-8");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_DOUBLE_EQ(times[1], 1.3e-6);
  EXPECT_EQ(property(side, "cpu"), "A CPU");
  EXPECT_EQ(property(side, "goarch"), "amd64");
  EXPECT_TRUE(contains(note_of(side, "left out"), "it has no ns/op: sums.NoTime-8"));
}

TEST_F(Formats, OurOwnExportForGoIsReadAgain) {
  const Side side = read("go.txt", "backend: host\nBenchmarkA/b-1 1 1500 ns/op\n");
  EXPECT_DOUBLE_EQ(times_of(side, "A/b-1").at(0), 1.5e-6);
}

TEST_F(Formats, GoogleBenchmarkCsv) {
  const Side side = read("g.csv", R"(2026-05-17T10:00:00+00:00
Running ./sums
Run on (8 X 3000 MHz CPU s)
CPU Caches:
  L1 Data 32 KiB (x4)
name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message
"BM_a/1,2",10,1.5,1.4,us,4e9,,,,
"BM_a/1,2",10,1.6,1.4,us,4e9,,,,
"BM_a/1,2_mean",2,1.55,1.4,us,4e9,,,,
"BM_b",,,,,,,,true,"out of ""luck"""
)");
  EXPECT_EQ(times_of(side, "BM_a/1,2").size(), 2u);
  EXPECT_DOUBLE_EQ(times_of(side, "BM_a/1,2").at(0), 1.5e-6);
  EXPECT_EQ(case_of(side, "BM_b").failed, "out of \"luck\"");
  EXPECT_EQ(property(side, "cpus"), "8");
  EXPECT_EQ(property(side, "date"), "2026-05-17T10:00:00+00:00");
}

TEST_F(Formats, JmhCsvHasTheNamesOfItsJson) {
  const Side side = read("j.csv",
                         "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\","
                         "\"Score Error (99,9%)\",\"Unit\",\"Param: n\"\n"
                         "\"a.B.sum\",\"avgt\",1,3,\"2,500000\",\"0,1\",\"ms/op\",10\n"
                         "\"a.B.all\",\"thrpt\",1,3,500.0,NaN,\"ops/s\",\n"
                         "\"a.B.cut\",\"avgt\",1\n");
  EXPECT_EQ(side.sessions.at(0).format, "jmh-csv");
  EXPECT_EQ(times_of(side, "a.B.sum/n:10"), std::vector{0.0025});
  EXPECT_EQ(times_of(side, "a.B.all"), std::vector{0.002});
  EXPECT_TRUE(contains(note_of(side, "left out, "), "line 4"));
}

TEST_F(Formats, NvbenchCsv) {
  const Side side =
      read("n.csv",
           "Benchmark,Device,Device Name,N (pow2),N,T,Skipped,Samples,CPU Time (sec),"
           "Noise (%),GPU Time (sec),Noise (%),Elem/s (elem/sec),GlobalMem BW (bytes/sec)\n"
           "copy,0,A GPU,2^10,1024,F32,No,100,2e-6,1,1.5e-6,1,3e9,4e9\n"
           "copy,1,A GPU,2^10,1024,F32,No,100,2e-6,1,2.5e-6,1,3e9,4e9\n"
           "copy,0,A GPU,2^40,1099511627776,F32,Yes,,,,,,,\n");
  EXPECT_EQ(times_of(side, "copy/N:1024/T:F32/device:0"), std::vector{1.5e-6});
  EXPECT_EQ(times_of(side, "copy/N:1024/T:F32/device:1"), std::vector{2.5e-6});
  EXPECT_EQ(property(side, "gpu"), "A GPU");
  EXPECT_TRUE(contains(note_of(side, "skipped, no reason given: "), "N:1099511627776"));
}

// The titles as NVBench 2022 writes them for two benchmarks with different axes.
constexpr const char* two_benchmarks =
    "Benchmark,Device,Device Name,N (pow2),N,W,Skipped,Num Elements,Samples,CPU Time (sec),Noise,"
    "GPU Time (sec),Noise,BWUtil,Samples,Batch GPU (sec),Side (pow2),Side,Channels\n";

TEST_F(Formats, TheAxesOfLaterBenchmarksOfNvbenchStandBehindTheMeasurements) {
  const Side side =
      read("two.csv", std::string(two_benchmarks) +
                          "line,0,G,2^4,16,5,No,16,90,3e-6,2,2e-6,1,0.5,95,1e-6,,,\n"
                          "plane,0,G,,,5,No,4,90,3e-6,2,4e-6,1,0.5,95,1e-6,2^1,2,1\n"
                          "plane,0,G,,,5,No,4,90,3e-6,2,5e-6,1,0.5,95,1e-6,2^1,2,3\n"
                          "plane,0,G,,,5,No,64,90,3e-6,2,6e-6,1,0.5,95,1e-6,2^3,8,1\n");
  ASSERT_EQ(side.cases.size(), 4u);
  EXPECT_EQ(times_of(side, "line/N:16/W:5"), std::vector{2e-6});
  EXPECT_EQ(times_of(side, "plane/W:5/Side:2/Channels:3"), std::vector{5e-6});
  EXPECT_EQ(times_of(side, "plane/W:5/Side:8/Channels:1"), std::vector{6e-6});
}

TEST_F(Formats, ColumnsOfOneNameOfNvbenchAreNotMixed) {
  const auto metric = [&](const std::string& name) {
    const Side side = read(
        "one.csv",
        std::string(two_benchmarks) + "line,0,G,2^4,16,5,No,16,90,3e-6,2,2e-6,1,0.5,95,1e-6,,,\n",
        name + ":less");
    return times_of(side, "line/N:16/W:5").at(0);
  };
  EXPECT_EQ(metric("CPU Noise"), 2);
  EXPECT_EQ(metric("GPU Noise"), 1);
  EXPECT_EQ(metric("Samples"), 90);
  EXPECT_EQ(metric("Batch Samples"), 95);
}

TEST_F(Formats, TwoStatesOfNvbenchWithOneNameAreNoRepetitions) {
  const Side side = read("n.csv",
                         "Benchmark,Device,Device Name,N,Skipped,GPU Time (sec)\n"
                         "copy,0,G,8,No,1e-6\ncopy,0,G,8,No,9e-6\ncopy,0,G,9,No,1e-6\n");
  EXPECT_EQ(case_of(side, "copy/N:8").failed, "two benchmarks in the file have this name");
  EXPECT_TRUE(times_of(side, "copy/N:8").empty());
  EXPECT_EQ(times_of(side, "copy/N:9").size(), 1u);
}

TEST_F(Formats, CriterionTakesItsNameFromBesideOrFromItsFolders) {
  const std::string estimates = R"({"mean":{"point_estimate":1200.0,"standard_error":1.0},)"
                                R"("median":{"point_estimate":1100.0,"standard_error":1.0},)"
                                R"("slope":null,"std_dev":{"point_estimate":10.0}})";
  std::filesystem::create_directories(folder_.path("criterion/sum/10/new"));
  Side side = read("criterion/sum/10/new/estimates.json", estimates);
  EXPECT_DOUBLE_EQ(times_of(side, "sum/10").at(0), 1100e-9);
  folder_.write("criterion/sum/10/new/benchmark.json",
                R"({"group_id":"sum","full_id":"sum of/10","throughput":{"Bytes":11}})");
  side = read("criterion/sum/10/new/estimates.json", estimates, "bytes_per_second");
  EXPECT_DOUBLE_EQ(times_of(side, "sum of/10").at(0), 1e-7);
  std::filesystem::create_directories(folder_.path("criterion/sum/10/change"));
  EXPECT_TRUE(contains(refusal("criterion/sum/10/change/estimates.json", estimates),
                       "Criterion's changes, not times"));
}

TEST_F(Formats, AFolderOfCriterionIsOneRunOfItsLastEstimates) {
  const auto add = [&](const std::string& folder, const std::string& directory, double ns) {
    std::filesystem::create_directories(folder_.path(folder));
    folder_.write(
        folder + "/estimates.json",
        R"({"mean":{"point_estimate":1},"median":{"point_estimate":)" + std::to_string(ns) + "}}");
    folder_.write(folder + "/sample.json", "{}");
    folder_.write(folder + "/benchmark.json",
                  R"({"full_id":")" + directory + R"(","directory_name":")" + directory + R"("})");
  };
  for (const char* night : {"nights/1", "nights/2"}) {
    const std::string root = night;
    add(root + "/sum/base", "sum", 9);
    add(root + "/sum/new", "sum", root.back() == '1' ? 10 : 30);
    add(root + "/group/dot/8/new", "group/dot/8", 20);
    std::filesystem::create_directories(folder_.path(root + "/group/report"));
    folder_.write(root + "/group/report/index.html", "<html>");
  }
  const auto files = result_files({folder_.path("nights")}).paths();
  EXPECT_EQ(files, (std::vector{folder_.path("nights/1"), folder_.path("nights/2")}));
  const Side side = read_side({folder_.path("nights/2")});
  ASSERT_EQ(side.sessions.size(), 1u);
  EXPECT_TRUE(side.sessions[0].one_process);
  ASSERT_EQ(side.cases.size(), 2u);
  EXPECT_DOUBLE_EQ(times_of(side, "sum").at(0), 30e-9);
  EXPECT_DOUBLE_EQ(times_of(side, "group/dot/8").at(0), 20e-9);
  EXPECT_TRUE(side.notes.empty()) << side.notes.at(0);
  EXPECT_EQ(read_foreign_result(folder_.path("nights/1")).measurements.size(), 2u);
  EXPECT_TRUE(contains(error_of<BadResult>([&] { read_foreign_result(folder_.path("nights")); }),
                       "is a folder"));
  const auto of_group = read_side({folder_.path("nights/1/group")});
  EXPECT_EQ(of_group.cases.size(), 1u) << "nothing beside the folder that was named";
}

TEST_F(Formats, CargoBench) {
  const Side side =
      read("b.txt",
           "running 3 tests\ntest a::sum ... bench:       1,234.5 ns/iter (+/- 24) = 78 MB/s\n"
           "test For loop   ... bench:          12 ns/iter (+/- 3)\n"
           "test c ... bench:  2835 cycles/iter (+/- 14)\ntest d ... ok\ntest e ... ignored\n");
  ASSERT_EQ(side.cases.size(), 2u);
  note_of(side, "skipped");
  EXPECT_DOUBLE_EQ(
      times_of(read("b.txt", "test a ... bench: 1,000 ns/iter (+/- 2,400)\n", "range"), "a").at(0),
      2400e-9);
  EXPECT_DOUBLE_EQ(times_of(side, "a::sum").at(0), 1234.5e-9);
  EXPECT_DOUBLE_EQ(times_of(side, "For loop").at(0), 12e-9);
  EXPECT_TRUE(contains(note_of(side, "left out"), "'cycles/iter' is not a time: c"));
}

TEST_F(Formats, WordsOfAToolInAnotherOrderAreNotItsOutput) {
  for (const char* text :
       {"step 1 time: 12.5 ms [rank 0]\n", "Benchmark run on 8 CPU cores: 12 ms\n",
        "speedup vs baseline: 2\n", "Mode: fast, Cnt: 3\n", "[I] Sleep time: 0ms\n"}) {
    EXPECT_TRUE(contains(refusal("t.txt", text), "in an unknown format")) << text;
  }
}

TEST_F(Formats, WhatAToolPrintsForPeopleIsRefusedWithTheWayThatWorks) {
  for (const auto& [text, way] :
       {std::pair{"sum    time:   [1.1 us 1.2 us 1.3 us]\n", "name the folder target/criterion"},
        {"Benchmark   Mode  Cnt  Score   Error  Units\n", "-rf json"},
        {"command,mean,stddev,median,user,system,min,max\nsleep 1,1,0,1,0,0,1,1\n",
         "--export-json"},
        {"Benchmark             Time             CPU   Iterations\n", "--benchmark_out=FILE.json"},
        {"|  N  | Samples | CPU Time | Noise | GPU Time |\n", "--json FILE.json"},
        {"  Time (mean \u00b1 \u03c3):     1.2 s\n", "--export-json"},
        {"Name (time in us)   Min   Max  Rounds\n", "--benchmark-json"},
        {"|   ns/op |    op/s |\n", "nanobench"},
        {"| Method | Mean | Error |\n", "--exporters json"},
        {"name  old.txt  new.txt\n      sec/op   sec/op vs base\n",
         "the two files that benchstat compares"},
        {"==PROF== Connected to process 7 (/a)\n", "bench inspect --counters"},
        {"Time (%),Total Time (ns),Instances\n", "nsys export --type sqlite"},
        {"benchmark name   samples   iterations\n", "Catch2"}}) {
    for (const char* name : {"t.txt", "t.log"}) {
      const auto what = refusal(name, std::string("# A log\n") + text);
      EXPECT_TRUE(contains(what, way)) << name << ": " << text << what;
    }
  }
}

TEST_F(Formats, OfARateMoreIsBetterHoweverItsUnitIsWritten) {
  for (const auto& [unit, seconds] : {std::pair{"Hz", 1 / 4.0},
                                      {"kHz", 1 / 4e3},
                                      {"GFLOPS", 1 / 4e9},
                                      {"fps", 1 / 4.0},
                                      {"ops/ms", 1 / 4e3},
                                      {"steps", 0.0},
                                      {"MB", 0.0}}) {
    const auto text =
        run_of("customBiggerIsBetter", std::string(R"({"name":"a","value":4,"unit":")") + unit +
                                           R"("},{"name":"b","value":1,"unit":"s"})");
    const Side side = read("data.js", text);
    ASSERT_EQ(side.cases.size(), seconds > 0 ? 2u : 1u) << unit;
    if (seconds == 0) continue;
    EXPECT_DOUBLE_EQ(times_of(side, "a").at(0), seconds) << unit;
  }
}

TEST_F(Formats, ALoopThatTheCompilerEmptiedHasNoTime) {
  const auto is_empty = [](const Side& side, const char* name) {
    return case_of(side, name).failed ==
           "less than 0.1 ps per iteration: the compiler removed the measured code";
  };
  const auto google = R"({"context":{},"benchmarks":[{"name":"a","real_time":8e-7,"cpu_time":8e-7},
    {"name":"b","real_time":0.25,"cpu_time":0.25}]})";
  Side side = read("g.json", google);
  EXPECT_TRUE(is_empty(side, "a"));
  EXPECT_EQ(times_of(side, "b").size(), 1u);
  side = read("data.js", run_of("googlecpp", R"({"name":"a","value":"8e-7","unit":"ns/iter"})"));
  EXPECT_TRUE(is_empty(side, "a"));
  side =
      read("data.js", run_of("customBiggerIsBetter", R"({"name":"a","value":70,"unit":"TFLOPS"})"));
  EXPECT_EQ(times_of(side, "a").size(), 1u) << "a rate may count less than an iteration";
}

TEST_F(Formats, WhatIsShownHasEveryNumberAndItsUnit) {
  const Result result = read_foreign_result(folder_.write("g.json", R"({"context":{},"benchmarks":[
    {"name":"BM_a/8","real_time":1,"cpu_time":2,"time_unit":"us","items_per_second":8,"misses":4},
    {"name":"BM_a/8","real_time":3,"cpu_time":2,"time_unit":"us","items_per_second":8,"misses":5},
    {"name":"BM_b/8","skipped":true,"skip_message":"too cold"}]})"));
  ASSERT_EQ(result.plan.cases.size(), 2u);
  EXPECT_EQ(result.plan.cases[1].skip, "too cold");
  ASSERT_EQ(result.measurements.size(), 1u) << "repetitions of one process";
  const auto& m = result.measurements[0];
  EXPECT_EQ(m.samples_s.size(), 2u);
  EXPECT_EQ(m.facts, (std::map<std::string, double>{
                         {"cpu_time", 2e-6}, {"items_per_second", 8}, {"misses", 4.5}}));
  const auto& command = result.plan.experiments.at(0).command;
  EXPECT_EQ(unit_of_figure(command, "cpu_time"), Unit::seconds);
  EXPECT_EQ(unit_of_figure(command, "items_per_second"), Unit::per_second);
  EXPECT_EQ(unit_of_figure(command, "misses"), Unit::count);
  EXPECT_EQ(result.environment.producer, "Google Benchmark");
}

}  // namespace
}  // namespace apod::files
