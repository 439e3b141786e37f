// The run itself: results, failures that cost one case, interruption, resumption.

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

/// A config of the faults workload with these variants.
std::string faults(const std::string& variants, const std::string& measure = "processes: 1") {
  return "schema: 1\nname: faults\nmeasure: {warmup: 0ms, max_time: 50ms, min_samples: 2, " +
         measure + "}\nexperiments:\n  - workload: faults\n    axes: {variant: [" + variants +
         "], size: 64}\n";
}

/// Raw samples in seconds, by case and process.
using Samples = std::map<std::pair<std::string, int>, std::vector<double>>;

class RunTest : public ProgramTest {
 protected:
  nlohmann::json result(const std::string& name) const {
    return nlohmann::json::parse(read_file(path(name)));
  }

  /// A config of two cases in three processes, the second of which waits while there is `hold`.
  void write_held() const {
    write("a.yaml", faults("held, fine", "processes: 3"));
    write("hold", "");
  }

  /// Waits until the journal of `$!` has `lines`, the first of which is its header.
  static std::string await_journal(int lines) {
    return " while kill -0 $! && ! test \"$(cat faults.json.journal | wc -l)\" -ge " +
           std::to_string(lines) + "; do sleep 0.05; done 2>/dev/null; ";
  }

  /// Starts a held run, sends `signal` once both cases were measured, and waits for the end.
  Outcome stop(const std::string& signal) const {
    write_held();
    const auto run = shell("\"$FAULTY\" --config a.yaml &" + await_journal(3) + "kill -" + signal +
                           " $!; wait $!");
    std::filesystem::remove(path("hold"));
    return run;
  }

  Samples samples_of_result() const {
    Samples samples;
    const auto json = result("faults.json");
    for (const auto& row : json["benchmarks"]) {
      const auto& own = row["apod"];
      samples[{row["name"], own["process"]}] = own["samples_s"].get<std::vector<double>>();
    }
    return samples;
  }

  Samples samples_of_journal() const {
    Samples samples;
    std::istringstream journal(read_file(path("faults.json.journal")));
    std::string line;
    std::getline(journal, line);  // the header
    while (std::getline(journal, line) && !journal.eof()) {
      const auto entry = nlohmann::json::parse(line.substr(2));
      samples[{entry["case_id"], entry["process"]}] = entry["samples_s"].get<std::vector<double>>();
    }
    return samples;
  }

  /// What was measured before must stand in the result as it was, not measured again.
  void expect_kept(const Samples& before) const {
    const auto after = samples_of_result();
    EXPECT_EQ(after.size(), 6U);
    for (const auto& [key, samples] : before) {
      const auto found = after.find(key);
      ASSERT_NE(found, after.end()) << key.first << ", process " << key.second;
      EXPECT_EQ(found->second, samples) << key.first << ", process " << key.second;
    }
  }
};

TEST_F(RunTest, WritesAValidResultBesideTheTable) {
  write("a.yaml", faults("fine"));
  const auto run = shell("faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "1 measured"));
  EXPECT_TRUE(holds(run.out, "Wrote faults.json"));
  const auto json = result("faults.json");
  ASSERT_EQ(json["benchmarks"].size(), 1U);
  EXPECT_EQ(json["benchmarks"][0]["name"], "faults/fine/size:64");
  EXPECT_GT(json["benchmarks"][0]["real_time"].get<double>(), 0);
  EXPECT_FALSE(std::filesystem::exists(path("faults.json.journal")));
}

TEST_F(RunTest, ResultsFolderIsUsedWhereThereIsOne) {
  write("a.yaml", faults("fine"));
  std::filesystem::create_directory(path("results"));
  EXPECT_EQ(shell("faulty --config a.yaml -q").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("results/faults.json")));
}

TEST_F(RunTest, OneRowAProcess) {
  write("a.yaml", faults("fine", "processes: 3"));
  EXPECT_EQ(shell("faulty --config a.yaml").exit_code, 0);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 3U);
  EXPECT_EQ(shell("faulty --config a.yaml --processes 2").exit_code, 0);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 2U);
}

/// Every fault costs its own case and says what happened and where; the others are measured.
struct Fault {
  const char* variant;
  const char* stage;
  const char* reason;
};
void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.variant;
}
class FaultTest : public RunTest, public ::testing::WithParamInterface<Fault> {};
TEST_P(FaultTest, CostsOneCase) {
  const auto& fault = GetParam();
  write("a.yaml", faults(std::string("fine, ") + fault.variant + ", slow", "processes: 2"));
  // Under AddressSanitizer a crash stays the signal that it is elsewhere.
  const auto run = shell("ASAN_OPTIONS=handle_segv=0 faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.out, fault.reason));
  EXPECT_TRUE(holds(run.out, "2 measured"));
  const auto json = result("faults.json");
  EXPECT_EQ(json["benchmarks"].size(), 4U) << "two cases in two processes";
  ASSERT_EQ(json["apod_failed"].size(), 1U);
  EXPECT_EQ(json["apod_failed"][0]["stage"], fault.stage);
  for (const auto& row : json["benchmarks"]) {
    EXPECT_FALSE(holds(row["name"].get<std::string>(), fault.variant)) << "it publishes no time";
  }
}
INSTANTIATE_TEST_SUITE_P(
    Faults, FaultTest,
    ::testing::Values(Fault{"wrong", "verify", "wrong answer"},
                      Fault{"crash", "verify", "signal 11"},
                      Fault{"abort", "verify", "the last that was heard of it"},
                      Fault{"exit", "verify", "exit code 7"},
                      Fault{"throws", "verify", "thrown by the variant"},
                      Fault{"throws_on_stream", "verify", "thrown on the stream"},
                      Fault{"memory", "setup", "memory"}),
    [](const auto& fault) { return fault.param.variant; });

TEST_F(RunTest, HangEndsAtItsTimeout) {
  // The limit is the hanging case's own: a busy machine may take a second for what is fine.
  write("a.yaml", faults("fine") +
                      "  - name: hanging\n    workload: faults\n    measure: {timeout: 1s}\n"
                      "    axes: {variant: hang, size: 64}\n");
  const auto run = shell("faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.out, "no end after 1 s"));
  EXPECT_TRUE(holds(run.out, "1 measured"));
}

TEST_F(RunTest, TheTimeoutOfTheCommandLineWins) {
  write("a.yaml", faults("hang", "timeout: 1000s"));
  const auto run = shell("faulty --config a.yaml --processes 1 --timeout 1s");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.out, "no end after 1 s"));
}

TEST_F(RunTest, WhatAKernelPrintsStaysOutOfStandardOutput) {
  write("a.yaml", faults("chatter"));
  const auto run = shell("faulty --config a.yaml --benchmark_format=json -q");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["benchmarks"].size(), 1U);
}

TEST_F(RunTest, InProcessSurvivesWhatIsNoCrash) {
  write("a.yaml", faults("throws, fine, wrong"));
  const auto run = shell("faulty --config a.yaml --in-process");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.out, "1 measured"));
}

TEST_F(RunTest, InterruptedRunIsValidAndResumes) {
  const auto run = stop("INT");
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_TRUE(holds(run.out, "--resume"));
  EXPECT_TRUE(result("faults.json")["context"]["apod"]["interrupted"].get<bool>());
  const auto before = samples_of_result();
  EXPECT_GE(before.size(), 2U);
  EXPECT_LT(before.size(), 6U);
  ASSERT_TRUE(std::filesystem::exists(path("faults.json.journal")));
  EXPECT_EQ(samples_of_journal(), before);

  const auto rest = shell("faulty --config a.yaml --resume");
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 6U);
  expect_kept(before);
  EXPECT_FALSE(std::filesystem::exists(path("faults.json.journal")));
}

TEST_F(RunTest, KilledRunResumesFromItsJournal) {
  stop("KILL");
  EXPECT_FALSE(std::filesystem::exists(path("faults.json"))) << "no half a result";
  const auto before = samples_of_journal();
  EXPECT_GE(before.size(), 2U);
  EXPECT_LT(before.size(), 6U);
  EXPECT_EQ(shell("faulty --config a.yaml --resume").exit_code, 0);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 6U);
  expect_kept(before);
}

TEST_F(RunTest, ResumeGoesOnFromBeforeTheDamage) {
  stop("KILL");
  const auto before = samples_of_journal();
  write("faults.json.journal", read_file(path("faults.json.journal")) + "M {\"case_");
  EXPECT_EQ(shell("faulty --config a.yaml --resume").exit_code, 0);
  expect_kept(before);
}

TEST_F(RunTest, ResumeRefusesAnotherPlan) {
  stop("INT");
  const auto run = shell("faulty --config a.yaml --set size=128 --resume");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "another plan"));
}

TEST_F(RunTest, TwoRunsDoNotShareAJournal) {
  write_held();
  const auto run = shell("\"$FAULTY\" --config a.yaml -q &" + await_journal(3) +
                         "faulty --config a.yaml -q; second=$?; kill -INT $!; wait $!; first=$?;"
                         " test $second -eq 1 && test $first -eq 130");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.err, "in use by another run"));
}

TEST_F(RunTest, ResumeWithNothingToResume) {
  write("a.yaml", faults("fine"));
  const auto run = shell("faulty --config a.yaml --resume");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "no journal to resume"));
}

TEST_F(RunTest, MissedExpectationIsThree) {
  write("a.yaml", faults("fine") + "    expect:\n      - {distinct_streams: \"== 2\"}\n");
  const auto run = shell("faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(holds(run.out, "distinct_streams"));
  EXPECT_FALSE(result("faults.json")["apod_expectations"][0]["met"].get<bool>());
}

TEST_F(RunTest, NothingMeasuredIsFour) {
  write("a.yaml",
        "schema: 1\nexperiments:\n  - {workload: copy, axes: {variant: grid_stride, size: 64}}\n");
  const auto run = shell("bench --config a.yaml --backend host");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(holds(run.out, "skipped"));
}

TEST_F(RunTest, OrderIsThatOfTheSeed) {
  write("a.yaml", faults("fine, chatter"));
  // The rows of a result stand in the order in which they were measured.
  const auto order = [&](int seed) {
    const auto run =
        shell("faulty --config a.yaml --set size=64,128,192,256 --seed " + std::to_string(seed));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const auto json = result("faults.json");
    EXPECT_EQ(json["context"]["apod"]["order_seed"], seed);
    std::vector<std::string> names;
    for (const auto& row : json["benchmarks"]) names.push_back(row["name"]);
    return names;
  };
  const auto first = order(17);
  EXPECT_EQ(first.size(), 8U);
  EXPECT_EQ(order(17), first);
  EXPECT_NE(order(18), first);
}

TEST_F(RunTest, TimersCountEveryPhase) {
  write("a.yaml", faults("fine"));
  const auto run = shell("faulty --config a.yaml --timers");
  for (const char* phase : {"setup", "verify", "warm-up", "sample"}) {
    EXPECT_TRUE(holds(run.out, phase));
  }
}

TEST_F(RunTest, ProfileRunsAFixedFewTimes) {
  write("a.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config a.yaml --profile --profile-runs 4").exit_code, 0);
  EXPECT_EQ(result("faults.profile.json")["benchmarks"][0]["iterations"], 4);
  EXPECT_FALSE(std::filesystem::exists(path("faults.json"))) << "a profile replaces no study";
}

TEST_F(RunTest, EnvironmentOfGoogleBenchmarkChangesNothing) {
  write("a.yaml", faults("fine"));
  const auto run = shell(
      "BENCHMARK_REPETITIONS=3 BENCHMARK_OUT=stray faulty --config a.yaml --set max_samples=50");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LE(result("faults.json")["benchmarks"][0]["iterations"].get<int>(), 50);
  EXPECT_FALSE(std::filesystem::exists(path("stray")));
}

TEST_F(RunTest, FullStandardOutputIsAFailureAndLosesNoFile) {
  write("a.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config a.yaml -q --format json > /dev/full").exit_code, 1);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U);
}

TEST_F(RunTest, InterruptedAtOnceKeepsTheOldResult) {
  write("a.yaml", faults("fine"));
  EXPECT_EQ(shell("faulty --config a.yaml").exit_code, 0);
  write("b.yaml", faults("hang"));
  const auto run =
      shell("\"$FAULTY\" --config b.yaml &" + await_journal(1) + "kill -INT $!; wait $!");
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U) << "not overwritten by nothing";
}

TEST_F(RunTest, UnfinishedJournalIsKeptAside) {
  write("a.yaml", faults("fine"));
  write("faults.json.journal", "what an earlier run left");
  const auto run = shell("faulty --config a.yaml");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.err, ".journal.old"));
  EXPECT_TRUE(holds(read_file(path("faults.json.journal.old")), "what an earlier run left"));
}

TEST_F(RunTest, FlagsThatContradictEachOther) {
  write("a.yaml", faults("fine"));
  for (const char* flags : {"--profile --resume", "--resume --seed 3", "--in-process --processes 2",
                            "--in-process --timeout 5s"}) {
    const auto run = shell(std::string("faulty --config a.yaml ") + flags);
    EXPECT_EQ(run.exit_code, 1) << flags;
    EXPECT_FALSE(run.err.empty()) << flags;
    EXPECT_FALSE(std::filesystem::exists(path("faults.json"))) << flags;
  }
}

TEST_F(RunTest, AnAttachedProfilerKeepsTheRunInOneProcess) {
  write("a.yaml", faults("fine", "processes: 3"));
  EXPECT_EQ(shell("NSYS_PROFILING_SESSION_ID=1 faulty --config a.yaml").exit_code, 0);
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U);
}

TEST_F(RunTest, SmokeConfigRunsByItsBareName) {
  const auto run = shell("bench --config smoke.yaml --backend host --out smoke.json");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(result("smoke.json")["apod_failed"].size(), 0U);
}

}  // namespace
}  // namespace apod::test
