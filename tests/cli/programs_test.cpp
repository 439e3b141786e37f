/// The axis `programs`: peers that run beside the process that measures, and that never outlive it.

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

/// Shell functions: `left` counts the processes of the program under test that work in this folder,
/// `gone` waits until there are none, `beside` until there are so many, and `children` are those of
/// a process.
const std::string counting =
    "left() { n=0; for p in /proc/[0-9]*; do"
    " [ $p/exe -ef \"$FAULTY\" ] && [ $p/cwd -ef . ] && n=$((n + 1)); done; echo $n; };"
    " gone() { for i in $(seq 100); do [ $(left) = 0 ] && return; sleep 0.1; done;"
    " echo \"$(left) processes are left\"; return 99; };"
    " children() { grep -lsx $'PPid:\\t'$1 /proc/[0-9]*/status | cut -d/ -f3; };"
    " beside() { while kill -0 $1 && [ $(left) -lt $2 ]; do sleep 0.05; done; } 2>/dev/null; ";

class Programs : public FaultsTest {
 protected:
  static std::string config(
      const std::string& variants, const std::string& programs,
      const std::string& measure = "max_time: 50ms, min_samples: 2, timeout: 20s") {
    return "schema: 1\nname: faults\nmeasure: {warmup: 0ms, processes: 1, " + measure +
           "}\nexperiments:\n  - workload: faults\n    axes: {variant: [" + variants +
           "], size: 64, programs: " + programs + "}\n";
  }
  /// Runs `command`, and then sees that no process is left.
  Outcome run(const std::string& command) const {
    return shell(counting + command + "; code=$?; gone || exit; exit $code");
  }
  std::string reason() const { return result("faults.json")["apod_failed"][0]["failed"]; }
  std::string stage() const { return result("faults.json")["apod_failed"][0]["stage"]; }
};

TEST_F(Programs, StandInTheNamesAndSayWhatTheOthersDid) {
  write("a.yaml", config("fine", "[1, 2, 3]"));
  const auto outcome = run("faulty --config a.yaml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  std::set<std::string> names;
  const auto json = result("faults.json");
  for (const auto& row : json["benchmarks"]) {
    const std::string name = row["name"];
    names.insert(name);
    const auto& facts = row["apod"]["facts"];
    const bool alone = name.back() == '1';
    EXPECT_EQ(facts.contains("peer_runs"), !alone) << name;
    EXPECT_EQ(facts.contains("peer_time"), !alone) << name;
    if (alone) continue;
    EXPECT_GT(facts["peer_runs"], 2) << name;
    EXPECT_GT(facts["peer_time"], 0) << name;
    EXPECT_EQ(row["apod"]["stage"], "verify") << name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"faults/fine/size:64/programs:1",
                                          "faults/fine/size:64/programs:2",
                                          "faults/fine/size:64/programs:3"}));
}

TEST_F(Programs, RunEndToEndTracedAndInProcess) {
  write("a.yaml",
        "schema: 1\nname: faults\nmeasure: {warmup: 0ms, max_time: 50ms, min_samples: 2, "
        "processes: 2, trace: true}\nexperiments:\n  - workload: faults\n    scope: end_to_end\n"
        "    axes: {variant: fine, size: 64, streams: 2, threads: 2, programs: 2}\n"
        "    expect: [{peer_runs: \"> 0\", distinct_streams: 2}]\n");
  for (const std::string mode : {"", " --in-process"}) {
    const auto outcome = run("faulty --config a.yaml" + mode);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
    EXPECT_TRUE(result("faults.json")["benchmarks"][0]["apod"]["facts"].contains("busy")) << mode;
  }
}

TEST_F(Programs, ThatPrintGoOn) {
  // Peers that waited for somebody to read what they print would be no load any more.
  write("a.yaml", config("loud", "2", "max_time: 1s, min_samples: 20000, timeout: 20s"));
  const auto outcome = run("faulty --config a.yaml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // A pipe holds 64 KiB, which is four of its runs.
  EXPECT_GT(result("faults.json")["benchmarks"][0]["apod"]["facts"]["peer_runs"], 12);
}

TEST_F(Programs, APeerThatCrashesFailsTheCaseWithItsLastWords) {
  for (const std::string when : {"", "_later"}) {
    write("a.yaml", config("peer_aborts" + when, "3", "max_time: 5s, precision: 0.0001%"));
    const auto outcome = run("rm -f first_process; faulty --config a.yaml");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(holds(reason(), "peer program "));
    EXPECT_TRUE(
        holds(reason(),
              " of 2: the process was ended by signal 6 (Aborted); it said: a peer is no more"));
    EXPECT_EQ(result("faults.json")["benchmarks"].size(), 0U);
  }
}

TEST_F(Programs, APeerThatHangsFailsTheCaseInTime) {
  write("a.yaml", config("peer_hangs", "2", "max_time: 1s, timeout: 3s"));
  auto outcome = run("faulty --config a.yaml");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(reason(), "peer program 1 of 1: not running in time (measure: timeout), but in verify");
  EXPECT_EQ(stage(), "peers");

  write("a.yaml", config("peer_hangs_later", "2"));
  outcome = run("rm first_process; faulty --config a.yaml");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(reason(), "peer program 1 of 1: told to stop, and still running");
}

TEST_F(Programs, APeerWithAWrongAnswerFailsTheCase) {
  write("a.yaml", config("peer_wrong", "2"));
  EXPECT_EQ(run("faulty --config a.yaml").exit_code, 1);
  EXPECT_EQ(reason(), "peer program 1 of 1: wrong answer: not what went in (in verify)");
}

TEST_F(Programs, AWrongAnswerOfItsOwnStartsNoPeers) {
  write("a.yaml", config("wrong", "2"));
  EXPECT_EQ(run("faulty --config a.yaml").exit_code, 1);
  EXPECT_EQ(reason(), "wrong answer: not what went in");
}

TEST_F(Programs, ThatCannotBeStartedFailTheCase) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer needs descriptors of its own to look at memory";
#endif
  write("a.yaml", config("fine", "[1, 20]"));
  const auto outcome = run("(ulimit -n 30; faulty --config a.yaml)");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(holds(reason(), " of 19: can't "));
  EXPECT_EQ(result("faults.json")["benchmarks"].size(), 1U);
}

/// Runs with peers that are met while they run.
class ProgramsStopped : public Programs {
 protected:
  ProgramsStopped() {
    write("a.yaml", config("slow", "3", "max_time: 60s, min_samples: 20000, timeout: 90s"));
  }
  /// Does `commands` when bench, a worker and two peers are there.
  Outcome stop(const std::string& commands) const {
    return run("set -m; \"$FAULTY\" --config a.yaml & beside $! 4; " + commands + "; wait $!");
  }
};

TEST_F(ProgramsStopped, ByCtrlC) {
  for (const char* whom : {"$!", "-- -$!"}) {
    const auto outcome = stop(std::string("kill -INT ") + whom);
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    std::filesystem::remove(path("faults.json.journal"));
  }
}

TEST_F(ProgramsStopped, ByAKillOfBench) {
  EXPECT_EQ(stop("kill -KILL $!").exit_code, 128 + 9);
}

TEST_F(ProgramsStopped, ByAKillOfTheProcessThatMeasures) {
  const auto outcome = stop("kill -KILL $(children $!)");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(holds(reason(), "the worker process was ended by signal 9"));
}

TEST_F(ProgramsStopped, ByAKillOfAPeer) {
  const auto outcome = stop("kill -KILL $(children $(children $!))");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(holds(reason(), " of 2: the process was ended by signal 9 (Killed)"));
}

TEST_F(ProgramsStopped, InProcess) {
  const std::string begin = "set -m; \"$FAULTY\" --config a.yaml --in-process & beside $! 3; ";
  EXPECT_EQ(run(begin + "kill -KILL $!; wait $!").exit_code, 128 + 9);
  EXPECT_EQ(run(begin + "kill -INT $!; wait $!").exit_code, 130);
}

}  // namespace
}  // namespace apod::test
