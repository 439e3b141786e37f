// bench tune, on the host and with a command whose time is a formula.

#include "tests/cli/commands.hpp"
#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

class TuneTest : public CommandsTest {
 protected:
  /// Prints 10 ms, more the further tile and threads are from 64 and 8, with 1 % of noise; "faulty"
  /// fails, and "slow" takes longer. A line of `calls` for each process.
  void formula() const {
    program("formula", R"(#!/bin/sh
echo "$1 $2 $3" >>"$5"
[ "$3" = faulty ] && exit 3
[ -e hold ] && sleep 1
exec awk -v t="$1" -v n="$2" -v m="$3" -v text="$4" 'BEGIN {
  for (i = 1; i <= length(text); ++i) h = (h * 31 + index("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", substr(text, i, 1))) % 1000003
  srand(h); for (i = 0; i < 12; ++i) z += rand()
  printf "time %.6f ms, rate %.6f /s\n", (10 + log(t / 64) ^ 2 + 2 * log(n / 8) ^ 2 + (m == "slow")) * exp(0.01 * (z - 6)), 1
}'
)");
    write("tune.yaml",
          "schema: 1\nexperiments:\n  - name: formula\n    workload:\n      command: [" +
              path("formula").string() +
              ", \"{tile}\", \"{threads}\", \"{mode}\", "
              "\"{scratch}\", " +
              path("calls").string() +
              "]\n"
              "      read: {regex: {time: {match: \"time ([0-9.]+) ms\", unit: ms}}}\n"
              "    axes: {tile: [4, 8, 16, 32, 64, 128, 256, 512], "
              "threads: [1, 2, 4, 8, 16, 32], mode: [slow, fast, faulty]}\n"
              "    where: [\"tile * threads <= 4096\"]\n"
              "    baseline: {tile: 16, threads: 2, mode: slow}\n");
  }
};

TEST_F(TuneTest, ADryRunShowsNoWordOfTheFileRaw) {
  write("raw.yaml", R"(schema: 1
experiments:
  - name: t
    workload: {command: [sh, -c, "exit 0", "{w}"]}
    axes: {w: ["\n::error::pwned", "\e]0;title\a"]}
    measure: {processes: 1}
)");
  const auto out = passes("bench tune --config ./raw.yaml --dry-run").out;
  EXPECT_EQ(out.find("\n::error"), std::string::npos) << out;
  EXPECT_EQ(out.find('\033'), std::string::npos) << out;
}

TEST_F(TuneTest, FindsTheBestOfAFormula) {
  formula();
  write("r.hpp", "// mine\n");
  const auto run = passes(
      "bench tune --config ./tune.yaml --trust --budget 20s --seed 3 -q --out r.json --out r.yaml "
      "--out r.hpp --out r.t4.json --out r.html --strategy model");
  EXPECT_TRUE(holds(run.out, "Best: tile 64, threads 8, mode fast", "less time (",
                    "mode slow (default)", "Which axes matter",
                    "--set tile=64 --set threads=8 --set mode=fast", "times: run: exit code 3"));
  EXPECT_TRUE(
      holds(read("r.yaml"), "axes: {tile: 64, threads: 8, mode: \"fast\"}", "against_default: ["));
  EXPECT_TRUE(holds(read("r.html"), "How the search went"));
  // The header is C++ that chooses.
  write("use.cpp",
        "#include \"r.hpp\"\nstatic_assert(tuned::formula::choice().tile == 64);\nint main() {}\n");
  passes("c++ -std=c++17 -fsyntax-only use.cpp");
  // A file of that name that somebody wrote is kept.
  EXPECT_TRUE(exists("r.hpp.old"));
  EXPECT_EQ(read("r.hpp.old"), "// mine\n");
  EXPECT_TRUE(holds(run.err, "r.hpp already existed, with other content; the old file is now"));
  // The measurements are a result like any other.
  EXPECT_TRUE(holds(passes("bench show r.json").out, "tile", "10."));
  const auto t4 = json("r.t4.json");
  std::size_t failed = 0;
  for (const auto& one : t4.at("results")) {
    EXPECT_TRUE(one.at("configuration").contains("tile"));
    const bool correct = one.at("invalidity") == "correct";
    EXPECT_EQ(correct, one.at("configuration").at("mode") != "faulty");
    EXPECT_EQ(one.at("measurements").empty(), !correct);
    failed += correct ? 0 : 1;
  }
  EXPECT_GT(failed, 0U);
  EXPECT_FALSE(exists("r.json.journal"));
}

TEST_F(TuneTest, CountsTheSpaceAndRunsNothing) {
  formula();
  const auto run = passes("bench tune --config ./tune.yaml --dry-run");
  EXPECT_TRUE(holds(run.out, "Tuned: tile, threads, mode", "135 of 144 configurations are valid",
                    "the default is tile 16, threads 2, mode slow",
                    "where: tile * threads <= 4096 leaves out 9 of 144"));
  EXPECT_FALSE(exists("calls"));
  EXPECT_TRUE(holds(ends(4, "bench tune --config ./tune.yaml -q").err, "add --trust"));
  EXPECT_FALSE(exists("calls"));
}

TEST_F(TuneTest, GoesOnWhereItWasStopped) {
  formula();
  const std::string line = "bench tune --config ./tune.yaml --trust --budget 15s -q --out r.json ";
  ends(130,
       "set -m; \"$BENCH\" tune --config ./tune.yaml --trust --budget 15s --seed 3 -q --out "
       "r.json & for i in $(seq 400); do [ -e calls ] && [ $(wc -l <calls) -gt 20 ] && break; "
       "sleep 0.05; done; kill -INT $!; wait $!");
  EXPECT_TRUE(exists("r.json.journal"));
  const auto before = count(read("calls"), "\n");
  const auto safe = count(read("r.json.journal"), " M {");
  EXPECT_GE(safe, 20);
  const auto run = passes(line + "--resume");
  EXPECT_TRUE(holds(run.err, "kept " + std::to_string(safe) + " measurements"));
  EXPECT_TRUE(holds(run.out, "Best: tile 64, threads 8, mode fast"));
  // What was kept is in the result, and was not measured again.
  const auto result = json("r.json");
  const auto measured = result.at("benchmarks").size() + result.at("apod_failed").size();
  EXPECT_EQ(static_cast<std::size_t>(count(read("calls"), "\n") - before),
            measured - static_cast<std::size_t>(safe));
}

TEST_F(TuneTest, ShowsTheFrontOfTwoObjectives) {
  // Each step of `speed` saves time and costs the more; `waste` makes both worse.
  write("front.yaml",
        "schema: 1\nexperiments:\n  - name: front\n    workload:\n"
        "      command: [awk, -v, \"s={speed}\", -v, \"w={waste}\", 'BEGIN {{ print \"time \" (10 "
        "/ s) * "
        "(1 + w) \" ms, cost \" s * (1 + w) }}']\n"
        "      read: {regex: {time: {match: \"time ([0-9.]+) ms\", unit: ms}, cost: {match: \"cost "
        "([0-9.]+)\"}}}\n"
        "    axes: {speed: [1, 2, 4], waste: [0, 1, 2]}\n");
  const auto run = passes(
      "bench tune --config ./front.yaml --trust --objective time,cost --budget 20s --seed 1 -q "
      "--out r.json");
  EXPECT_TRUE(holds(run.out, "tuned for time and cost", "Best: speed 4, waste 0",
                    "Pareto front of the two objectives"));
  const auto front = run.out.substr(run.out.find("Pareto front of the two objectives"));
  EXPECT_TRUE(holds(front, "speed 1, waste 0", "speed 4, waste 0"));
  EXPECT_TRUE(lacks(front, "waste 1", "waste 2"));
}

TEST_F(TuneTest, RefusesWhatCanNotBeSearched) {
  formula();
  const std::string tune = "tune --config ./tune.yaml --trust -q ";
  expect_refused(
      {{tune + "--budget 10ms", "--budget: 10 ms is too short: measuring the first case took"},
       {tune + "--strategy random", "--strategy"},
       {tune + "--known tune.yaml", "--known tune.yaml: "},
       {tune + "--objective enregy", "did you mean 'energy'?"},
       {tune + "--objective energy", "can only be measured for a kernel on a GPU"},
       {tune + "--objective overlap", "a search can't use this fact"},
       {tune + "--for size", "the experiment has no such axis"},
       {tune + "--set tile=4 --set threads=1 --set mode=slow", "nothing to tune"},
       {tune + "--out x.png", "the name must end in .json"},
       {"tune", "name an experiment with --config FILE"}},
      "bench ");
  write("none.yaml",
        "schema: 1\nexperiments:\n  - workload: {command: [echo, \"{a}\"]}\n    axes: {a: "
        "[1, 2]}\n    where: [\"a > 2\"]\n");
  expect_refused({{"tune --config ./none.yaml --trust -q", "has no valid configuration"}},
                 "bench ");
  const auto hundred = std::string("{from: 1, to: 100, step: \"+1\"}");
  write("large.yaml",
        "schema: 1\nexperiments:\n  - workload: {command: [echo, \"{a}{b}{c}{d}{e}{f}\"]}\n"
        "    axes: {a: " +
            hundred + ", b: " + hundred + ", c: " + hundred + ", d: " + hundred +
            ", e: " + hundred + ", f: " + hundred + "}\n");
  expect_refused({{"tune --config ./large.yaml --trust -q --dry-run", "1e+12 combinations"}},
                 "bench ");
  write("fail.yaml",
        "schema: 1\nexperiments:\n  - workload: {command: [\"false\", \"{a}\"]}\n    axes: "
        "{a: [1, 2, 3]}\n");
  EXPECT_TRUE(
      holds(fails("bench tune --config ./fail.yaml --trust -q --budget 5s --out f.json").out,
            "Every configuration that was tried failed", "exit code 1"));
}

/// A wrong answer never wins, however fast it is.
TEST_F(TuneTest, VerifiesWhatItLooksAt) {
  write("a.yaml", faults("slow, wrong, fine, wrong_later"));
  const std::string line = "faulty tune --config ./a.yaml -q --budget 60s --seed 1 --out f.json";
  EXPECT_TRUE(holds(passes(line).out, "variant fine", "verify: wrong answer"));
  write("a.yaml", faults("wrong, wrong_later"));
  EXPECT_TRUE(
      holds(fails(line).out, "Every configuration that was tried failed", "verify: wrong answer"));
}

TEST_F(TuneTest, HasTheBestOfEachShapeAndOneForAll) {
  // The host's sum end to end: sizes are shapes, streams and threads are tuned.
  write(
      "shapes.yaml",
      "schema: 1\nmeasure: {cache: hot, warmup: 0ms, max_time: 5ms, min_samples: 3}\nexperiments:\n"
      "  - workload: reduction\n    scope: end_to_end\n"
      "    axes: {variant: host, size: [1000, 100000], streams: [1, 2, 4], order: [by_chunk, "
      "uploads_first]}\n    baseline: {streams: 1}\n");
  const auto run = passes(
      "bench tune --config ./shapes.yaml --backend host --budget 40s --portable --seed 1 -q --out "
      "r.hpp");
  EXPECT_TRUE(holds(run.out, "Tuned: streams, order; the best for each size", "size 1000",
                    "size 100000", "For all shapes",
                    "loss against the shape's best configuration"));
  write("use.cpp",
        "#include \"r.hpp\"\nusing namespace tuned::reduction;\n"
        "static_assert(sizeof choices / sizeof *choices == 2);\n"
        "static_assert(&choice(2000) == &choices[0] && &choice(90000) == &choices[1]);\nint main() "
        "{}\n");
  passes("c++ -std=c++17 -fsyntax-only use.cpp");
}

/// What the report says to run is what is run.
TEST_F(TuneTest, PrintsFlagsThatChooseARowOfAZip) {
  write("zip.yaml",
        "schema: 1\nexperiments:\n  - name: zip\n    workload:\n"
        "      command: [awk, -v, \"a={a}\", -v, \"b={b}\", -v, \"c={c}\", 'BEGIN {{ print \"time "
        "\" a "
        "+ b + c \" ms\" }}']\n"
        "      read: {regex: {time: {match: \"time ([0-9.]+) ms\", unit: ms}}}\n"
        "    zip: [{a: [40, 10, 30], b: [20, 20, 30]}]\n    axes: {c: [9, 1, 5]}\n");
  const auto run =
      passes("bench tune --config ./zip.yaml --trust --budget 15s --seed 1 -q --out r.json");
  EXPECT_TRUE(holds(run.out, "Best: c 1, a, b 10, 20"));
  const std::string flags = "--set c=1 --set a=10 --set b=20";
  EXPECT_TRUE(holds(run.out, flags));
  const auto again = passes("bench --config ./zip.yaml --trust -q --out one.json " + flags);
  EXPECT_EQ(json("one.json").at("apod_cases").size(), 1U);
  EXPECT_TRUE(holds(fails("bench --config ./zip.yaml --trust -q --set a=11 --set c=1").err,
                    "'a' is zipped"));
}

TEST_F(TuneTest, JoinsTheSearchesOfTwoParts) {
  formula();
  const std::string line = "bench tune --config ./tune.yaml --trust --budget 15s --seed 3 -q ";
  EXPECT_TRUE(holds(passes(line + "--shard 1/2 --out a.json").out, "Part 1/2 of the space"));
  passes(line + "--shard 2/2 --out b.json");
  const auto parts = count(read("calls"), "\n");
  const auto whole = passes(line + "--known a.json --known b.json --out r.json");
  EXPECT_TRUE(holds(whole.out, "Best: tile 64, threads 8, mode fast"));
  EXPECT_GT(parts, 60);
  // A result of another machine is refused by its name.
  auto other = read("a.json");
  const auto cpu = json("a.json").at("context").at("apod").at("cpu_model").get<std::string>();
  for (auto at = other.find(cpu); at != std::string::npos; at = other.find(cpu)) {
    other.replace(at, cpu.size(), "Z80");
  }
  write("z80.json", other);
  EXPECT_TRUE(holds(fails(line + "--known z80.json --out s.json").err,
                    "--known z80.json: was measured on Z80, but this is " + cpu));
}

TEST_F(TuneTest, ReadsATuningProblemOfOtherAutotuners) {
  write("vector_add.cu",
        "extern \"C\" __global__ void vector_add(float* c, const float* a, int n) {\n"
        "  int i = blockIdx.x * block_size_x + threadIdx.x;\n  if (i < n) c[i] = a[i];\n}\n");
  const std::string t1 =
      R"({"ConfigurationSpace": {"TuningParameters": [
  {"Name": "block_size_x", "Type": "int", "Values": "[32*i for i in range(1, 33)]", "Default": 512},
  {"Name": "twice", "Type": "int", "Values": "[1, 2]", "Default": 1}],
 "Conditions": [{"Parameters": ["block_size_x"], "Expression": "block_size_x * 2**twice <= 1024"}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "vector_add", "KernelFile": "vector_add.cu",
  "CompilerOptions": ["-std=c++17"], "ProblemSize": 100000, "GridDivX": ["block_size_x"],
  "GlobalSize": {"X": "1"}, "LocalSize": {"X": "block_size_x", "Y": "1", "Z": "1"},
  "Arguments": [
   {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 100000},
   {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "Size": "ProblemSize[0]"},
   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "AccessType": "ReadOnly", "FillValue": 100000}]}})";
  write("t1.json", t1);
  const auto here = shell("bench tune --config ./t1.json --dry-run");
  if (here.err.find("this build has no CUDA backend") != std::string::npos)
    GTEST_SKIP() << here.err;
  EXPECT_TRUE(holds(passes("bench tune --config ./t1.json --dry-run").out,
                    "Tuned: BLOCK_SIZE_X, TWICE", "24 of 64 configurations are valid",
                    "the default is BLOCK_SIZE_X 512, TWICE 1"));
  auto bad = t1;
  bad.replace(bad.find("\"CUDA\""), 6, "\"OpenCL\"");
  write("bad.json", bad);
  EXPECT_TRUE(holds(fails("bench tune --config ./bad.json --dry-run").err,
                    "bad.json: can't be read: KernelSpecification: Language OpenCL can't be run"));
}

}  // namespace
}  // namespace apod::test
