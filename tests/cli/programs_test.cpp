/// The axis `programs`: peers that run beside the process that measures, and that never outlive it.

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
  static std::string config(const std::string& variants, const std::string& programs,
                            const std::string& timeout = "20s",
                            const std::string& budget = "max_time: 50ms, min_samples: 2") {
    return faults(variants, "processes: 1, timeout: " + timeout, ", programs: " + programs, budget);
  }
  /// Runs `command`, which has to end with this code and leave no process.
  Outcome run(int exit_code, const std::string& command) const {
    return ends(exit_code, counting + command + "; code=$?; gone || exit; exit $code");
  }
  std::string reason() const { return json("faults.json")["apod_failed"][0]["failed"]; }
  std::string stage() const { return json("faults.json")["apod_failed"][0]["stage"]; }
};

TEST_F(Programs, StandInTheNamesAndSayWhatTheOthersDid) {
  // Long enough for a peer to have its turn on a busy machine.
  write("a.yaml", config("fine", "[1, 2, 3]", "20s", "max_time: 1s, min_samples: 2000"));
  run(0, "faulty --config a.yaml");
  std::set<std::string> names;
  for (const auto& row : rows()) {
    const std::string name = row["name"];
    names.insert(name);
    const auto& facts = row["apod"]["facts"];
    const bool alone = name.back() == '1';
    EXPECT_EQ(facts.contains("peer_runs"), !alone) << name;
    EXPECT_EQ(facts.contains("peer_time"), !alone) << name;
    if (alone) continue;
    EXPECT_GT(facts["peer_runs"], 0) << name;
    EXPECT_GT(facts["peer_time"], 0) << name;
    EXPECT_EQ(row["apod"]["stage"], "verify") << name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"faults/fine/size:64/programs:1",
                                          "faults/fine/size:64/programs:2",
                                          "faults/fine/size:64/programs:3"}));
}

TEST_F(Programs, RunEndToEndTracedAndInProcess) {
  write("a.yaml",
        faults("fine", "processes: 2, trace: true", ", streams: 2, threads: 2, programs: 2") +
            "    scope: end_to_end\n    expect: [{peer_runs: \"> 0\", distinct_streams: 2}]\n");
  for (const std::string mode : {"", " --in-process"}) {
    run(0, "faulty --config a.yaml" + mode);
    EXPECT_TRUE(rows()[0]["apod"]["facts"].contains("busy")) << mode;
  }
}

TEST_F(Programs, ThatPrintGoOn) {
  // Peers that waited for somebody to read what they print would be no load any more.
  write("a.yaml", config("loud", "2", "20s", "max_time: 1s, min_samples: 20000"));
  run(0, "faulty --config a.yaml");
  // A pipe holds 64 KiB, which is four of its runs.
  EXPECT_GT(rows()[0]["apod"]["facts"]["peer_runs"], 12);
}

TEST_F(Programs, APeerThatCrashesFailsTheCaseWithItsLastWords) {
  for (const std::string when : {"", "_later"}) {
    write("a.yaml", config("peer_aborts" + when, "3", "20s", "max_time: 5s, precision: 0.0001%"));
    run(1, "rm -f first_process; faulty --config a.yaml");
    EXPECT_TRUE(
        holds(reason(), "peer program ",
              " of 2: the process was ended by signal 6 (Aborted); last line: a peer is no more"));
    EXPECT_EQ(rows().size(), 0U);
  }
}

TEST_F(Programs, APeerThatHangsFailsTheCaseInTime) {
  write("a.yaml", config("peer_hangs", "2", "3s", "max_time: 1s"));
  run(1, "faulty --config a.yaml");
  EXPECT_EQ(reason(),
            "peer program 1 of 1: did not begin its run before the timeout (measure: timeout); it "
            "was still in verify");
  EXPECT_EQ(stage(), "peers");

  write("a.yaml", config("peer_hangs_later", "2"));
  run(1, "rm first_process; faulty --config a.yaml");
  EXPECT_EQ(reason(), "peer program 1 of 1: still running after the request to stop");
}

TEST_F(Programs, APeerWithAWrongAnswerFailsTheCase) {
  write("a.yaml", config("peer_wrong", "2"));
  run(1, "faulty --config a.yaml");
  EXPECT_EQ(reason(), "peer program 1 of 1: wrong answer: not what went in (in verify)");
}

TEST_F(Programs, AWrongAnswerOfItsOwnStartsNoPeers) {
  write("a.yaml", config("wrong", "2"));
  run(1, "faulty --config a.yaml");
  EXPECT_EQ(reason(), "wrong answer: not what went in");
}

TEST_F(Programs, ThatCannotBeStartedFailTheCase) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer needs descriptors of its own to look at memory";
#endif
  write("a.yaml", config("fine", "[1, 20]"));
  run(1, "(ulimit -n 30; faulty --config a.yaml)");
  EXPECT_TRUE(holds(reason(), " of 19: can't "));
  EXPECT_EQ(rows().size(), 1U);
}

/// Runs with peers that are met while they run.
class ProgramsStopped : public Programs {
 protected:
  ProgramsStopped() {
    write("a.yaml", config("slow", "3", "90s", "max_time: 60s, min_samples: 20000"));
  }
  /// Does `commands` when bench, a worker and two peers are there; bench ends with this code.
  Outcome stop(int exit_code, const std::string& commands) const {
    return run(exit_code,
               "set -m; \"$FAULTY\" --config a.yaml & beside $! 4; " + commands + "; wait $!");
  }
};

TEST_F(ProgramsStopped, ByCtrlC) {
  stop(130, "kill -INT $!");
  std::filesystem::remove(path("faults.json.journal"));
  stop(130, "kill -INT -- -$!");
}

TEST_F(ProgramsStopped, ByAKillOfBench) {
  stop(128 + 9, "kill -KILL $!");
}

TEST_F(ProgramsStopped, ByAKillOfTheProcessThatMeasures) {
  stop(1, "kill -KILL $(children $!)");
  EXPECT_TRUE(holds(reason(), "the worker process was ended by signal 9"));
}

TEST_F(ProgramsStopped, ByAKillOfAPeer) {
  stop(1, "kill -KILL $(children $(children $!))");
  EXPECT_TRUE(holds(reason(), " of 2: the process was ended by signal 9 (Killed)"));
}

TEST_F(ProgramsStopped, InProcess) {
  const std::string begin = "set -m; \"$FAULTY\" --config a.yaml --in-process & beside $! 3; ";
  run(128 + 9, begin + "kill -KILL $!; wait $!");
  run(130, begin + "kill -INT $!; wait $!");
}

}  // namespace
}  // namespace apod::test
