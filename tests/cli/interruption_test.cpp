// Signals, kills, and how a run goes on from its journal.

#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

/// Raw samples in seconds, by case and process.
using Samples = std::map<std::pair<std::string, int>, std::vector<double>>;

class InterruptionTest : public FaultsTest {
 protected:
  /// A config of two cases in three processes, the second of which waits while there is `hold`.
  void write_held() const {
    write("a.yaml", faults("held, fine", "processes: 3"));
    write("hold", "");
  }

  /// Starts a held run, does `commands` once both cases were measured, and waits for the end, with
  /// this code. $! is the run, and its process group.
  Outcome stop_by(const std::string& commands, int exit_code = 130,
                  const std::string& flags = "") const {
    write_held();
    const auto run = ends(exit_code, "set -m; \"$FAULTY\" --config a.yaml" + flags + " &" +
                                         await_journal(3) + commands + "; wait $!");
    std::filesystem::remove(path("hold"));
    return run;
  }
  Outcome interrupt() const { return stop_by("kill -INT $!"); }
  Outcome kill(const std::string& flags = "") const {
    return stop_by("kill -KILL $!", 128 + 9, flags);
  }

  Samples samples_of_result() const {
    Samples samples;
    const auto file = json("faults.json");
    for (const auto& row : file["benchmarks"]) {
      const auto& own = row["apod"];
      samples[{row["name"], own["process"]}] = own["samples_s"].get<std::vector<double>>();
    }
    return samples;
  }

  Samples samples_of_journal() const {
    Samples samples;
    std::istringstream journal(read("faults.json.journal"));
    std::string line;
    std::getline(journal, line);  // the header
    while (std::getline(journal, line) && !journal.eof()) {
      const auto entry = Json::parse(line.substr(line.find('{')));
      samples[{entry["case_id"], entry["process"]}] = entry["samples_s"].get<std::vector<double>>();
    }
    return samples;
  }

  /// What a resumption says of what was measured before.
  static std::string kept(const Samples& before) {
    return "kept " + std::to_string(before.size()) + " measurements from the interrupted run";
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

TEST_F(InterruptionTest, InterruptedRunIsValidAndResumes) {
  const auto run = interrupt();
  EXPECT_TRUE(holds(run.out, "--resume"));
  EXPECT_TRUE(json("faults.json")["context"]["apod"]["interrupted"].get<bool>());
  const auto before = samples_of_result();
  EXPECT_GE(before.size(), 2U);
  EXPECT_LT(before.size(), 6U);
  ASSERT_TRUE(exists("faults.json.journal"));
  EXPECT_EQ(samples_of_journal(), before);

  EXPECT_TRUE(holds(passes("faulty --config a.yaml --resume").err, kept(before) + '\n'));
  EXPECT_EQ(rows().size(), 6U);
  expect_kept(before);
  EXPECT_FALSE(exists("faults.json.journal"));
}

TEST_F(InterruptionTest, AGoodTraceIsNotReplacedByOneOfNothing) {
  write_held();
  for (const std::string name : {"t.json", "k.csv", "k.txt"}) {
    write("hold", "");
    write(name, "good");
    const auto run = ends(130, "set -m; \"$FAULTY\" --config a.yaml --explain --trace-out " + name +
                                   " &" + await_journal(3) + "kill -INT $!; wait $!");
    EXPECT_EQ(read(name), "good");
    EXPECT_TRUE(holds(run.out, "No case was traced: " + name + " was not written"));
    EXPECT_TRUE(lacks(run.out, "Wrote " + name));
    for (const auto* file : {"hold", "was_held", "faults.json.journal"}) {
      std::filesystem::remove(path(file));
    }
  }
}

TEST_F(InterruptionTest, ResumeGoesOnFromBeforeTheDamage) {
  kill();
  EXPECT_FALSE(exists("faults.json")) << "no half a result";
  const auto before = samples_of_journal();
  EXPECT_GE(before.size(), 2U);
  EXPECT_LT(before.size(), 6U);
  const auto journal = read("faults.json.journal");
  write("faults.json.journal", journal + "M {\"case_");
  EXPECT_TRUE(holds(passes("faulty --config a.yaml --resume").err,
                    kept(before) + "; the journal has 1 damaged line"));
  expect_kept(before);
  // A line in the middle hides the good ones after it.
  write("faults.json.journal", journal.substr(0, journal.find('\n') + 1) + "M [\nM [\n");
  EXPECT_TRUE(holds(shell("faulty --config a.yaml --resume").err,
                    kept({}) + "; the journal has 2 damaged lines"));
}

TEST_F(InterruptionTest, ResumeRefusesAnotherPlan) {
  interrupt();
  EXPECT_TRUE(holds(
      fails("faulty --config a.yaml --set max_time=80ms --resume").err,
      "can't be resumed: the journal differs from this run in the measure settings (max_time); "));
  EXPECT_TRUE(holds(fails("faulty --config a.yaml --set size=128 --resume").err,
                    "can't be resumed: the journal differs from this run in the cases; ",
                    "--config a.yaml"));
  EXPECT_TRUE(exists("faults.json.journal")) << "and leaves it alone";
}

TEST_F(InterruptionTest, InterruptedAtOnceKeepsTheOldResult) {
  passes("faulty --config a.yaml");
  write("b.yaml", faults("hang"));
  ends(130, "\"$FAULTY\" --config b.yaml &" + await_journal(1) + "kill -INT $!; wait $!");
  EXPECT_EQ(rows().size(), 1U) << "not overwritten by nothing";
}

TEST_F(InterruptionTest, ResumeOfAFinishedRunSaysThatThereIsNothingLeft) {
  passes("faulty --config a.yaml -q");
  const auto run = fails("faulty --config a.yaml --resume");
  EXPECT_TRUE(holds(run.err, "faults.json exists: that run is finished"));
  EXPECT_EQ(rows().size(), 1U) << "the result stays";
}

TEST_F(InterruptionTest, TwoSignalsInOneGoAreOne) {
  // A terminal and timeout(1) send one each; the first asks for an orderly end.
  const auto run = stop_by("kill -INT $!; kill -TERM $!");
  EXPECT_TRUE(holds(run.out, "Interrupted")) << "it had the time to say so";
  EXPECT_TRUE(json("faults.json")["context"]["apod"]["interrupted"].get<bool>());
}

TEST_F(InterruptionTest, WithoutAJournalNoResumptionIsPromised) {
  write("a.yaml", faults("held, wrong", "processes: 2"));
  write("hold", "");
  std::filesystem::create_symlink("/dev/null", path("null.json"));
  const auto run = shell("\"$FAULTY\" --config a.yaml --out null.json 2>progress &" +
                         await("grep -q 'failed in verify' progress") + "kill -INT $!; wait $!");
  std::filesystem::remove(path("hold"));
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_TRUE(holds(run.out, "Interrupted: finished measurements are kept.\n"));
}

TEST_F(InterruptionTest, ASignalToTheWholeGroupFailsNoCase) {
  for (const char* signal : {"INT", "TERM"}) {
    stop_by(std::string("kill -") + signal + " -- -$!");
    const auto file = json("faults.json");
    EXPECT_EQ(file["apod_failed"].size(), 0U) << "the case in hand is not blamed for " << signal;
    EXPECT_GE(file["benchmarks"].size(), 2U);
    std::filesystem::remove(path("faults.json.journal"));
    std::filesystem::remove(path("was_held"));
  }
}

TEST_F(InterruptionTest, ALaterSignalEndsAtOnce) {
  write("a.yaml", faults("hang"));
  // In this process nothing can stop the kernel that hangs, so only the signal itself ends the run;
  // before the kernel began, the first one would.
  ends(128 + 15, "set -m; \"$FAULTY\" --config a.yaml --in-process &" + await("test -f hangs") +
                     "while kill -TERM $! 2>/dev/null; do sleep 0.3; done; wait $!");
  EXPECT_FALSE(exists("faults.json"));
}

TEST_F(InterruptionTest, TheJournalStaysLockedUntilTheResultIsWritten) {
  // The second output is a pipe that nobody reads yet: the run is over, and its writing is not.
  const auto run = passes(
      "mkfifo slow; ln -s slow slow.csv; \"$FAULTY\" --config a.yaml -q -o r.json -o slow.csv &" +
      await("test -f r.json") +
      "faulty --config a.yaml -q -o r.json; second=$?; timeout 60 cat slow >read.csv; wait $! && "
      "test $second -eq 1");
  EXPECT_TRUE(holds(run.err, "r.json.journal: is in use by another run"));
  EXPECT_TRUE(holds(read("read.csv"), "faults/fine"));
  EXPECT_FALSE(exists("r.json.journal"));
}

TEST_F(InterruptionTest, NoOutputOfARunIsWrittenByAnother) {
  write_held();
  write("b.yaml", faults("fine"));
  write("b.json.journal", "what an earlier run left");
  const auto run = passes(
      "\"$FAULTY\" --config a.yaml -q -o faults.json -o t.md --explain --trace-out t.json &" +
      await_journal(3) +
      "for out in '-o b.json -o faults.json' '-o b.json -o t.md' '-o t.md' '-o t.json'"
      " '-o b.json --explain --trace-out t.json' '--profile -o t.md'; do"
      " faulty --config b.yaml -q $out; echo \"refused: $?\"; done;"
      " kill -INT $!; wait $!; test $? -eq 130");
  EXPECT_EQ(count(run.out, "refused: 1"), 6) << run.out;
  EXPECT_TRUE(holds(run.err, "faults.json.journal: is in use by another run",
                    "t.md.journal: is in use by another run",
                    "t.json.journal: is in use by another run"));
  EXPECT_FALSE(exists("b.json"));
  EXPECT_EQ(read("b.json.journal"), "what an earlier run left") << "and it is no .old";
  EXPECT_TRUE(exists("faults.json.journal")) << "to be resumed";
  EXPECT_FALSE(exists("t.md.journal"));
  EXPECT_FALSE(exists("t.json.journal"));
}

TEST_F(InterruptionTest, AJournalBesideAnotherOutputStaysAsItIs) {
  write("r.json.journal", "what an earlier run left");
  passes("faulty --config a.yaml -q -o r.md -o r.json");
  EXPECT_TRUE(exists("r.json"));
  EXPECT_EQ(read("r.json.journal"), "what an earlier run left");
  EXPECT_FALSE(exists("r.md.journal"));
}

TEST_F(InterruptionTest, AJournalKeptAsideIsResumedAsTheMessageSays) {
  kill();
  const auto before = samples_of_journal();
  // Another run takes the name; what it says of the first one's journal works as it stands.
  auto run = passes("faulty --config a.yaml -q --set size=128 --processes 1");
  const std::string move = "mv faults.json.journal.old faults.json.journal";
  EXPECT_TRUE(holds(run.err, "its journal is now faults.json.journal.old (", move + ","));
  run = passes(move + " && faulty --config a.yaml --resume");
  expect_kept(before);
}

TEST_F(InterruptionTest, WithoutWorkersARunEndsAndKeepsWhatItHas) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer needs descriptors of its own to look at memory";
#endif
  kill(" --backend host");  // where a GPU is opened, eight descriptors are too few
  const auto before = samples_of_journal();
  // Beside the standard three there is one descriptor for the journal and four for pipes to a
  // worker, which takes six.
  EXPECT_TRUE(holds(
      fails("(for f in /proc/$BASHPID/fd/*; do n=${f##*/}; ((n < 3)) || eval \"exec $n>&-\"; done;"
            " ulimit -n 8; faulty --config a.yaml --backend host --resume)")
          .err,
      "can't create a pipe", "continue with --resume"));
  EXPECT_FALSE(exists("faults.json"));
  passes("faulty --config a.yaml --backend host --resume");
  expect_kept(before);
}

TEST_F(InterruptionTest, OfAFullDiskItIsSaidWhatItHolds) {
  write("a.yaml", faults("fine, slow", "processes: 6"));
  auto run = fails(
      "\"$FAULTY\" --config a.yaml & until test -s faults.json.journal; do sleep 0.01; done;"
      " prlimit --pid $! --fsize=6144; wait $!");
  EXPECT_TRUE(holds(run.err, "can't write the journal: File too large",
                    "the result can't be written either, so the run ends"));
  const auto before = samples_of_journal();
  EXPECT_GE(before.size(), 1U);
  EXPECT_TRUE(holds(run.out, "File too large; the journal has " + std::to_string(before.size()) +
                                 " of " + std::to_string(before.size() + 1) + " measurements"));
  EXPECT_FALSE(exists("faults.json"));
  run = passes("faulty --config a.yaml --resume");
  EXPECT_TRUE(holds(run.err, kept(before)));
  EXPECT_FALSE(exists("faults.json.journal"));
}

TEST_F(InterruptionTest, AWorkingFolderThatIsGoneIsSaid) {
  const auto run = fails("mkdir gone && cd gone && rmdir ../gone && bench --list");
  EXPECT_EQ(run.err,
            "bench: the working folder can't be used: No such file or directory (cd to a folder "
            "that exists)\n");
}

}  // namespace
}  // namespace apod::test
