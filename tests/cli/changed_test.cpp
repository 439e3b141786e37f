// What changed decides what runs.

#include "tests/cli/faults_test.hpp"
#include "tests/cli/side_by_side.hpp"

namespace apod::test {
namespace {

class ChangedTest : public SideBySideTest {
 protected:
  ChangedTest() { write("x.yaml", copies("[1000, 2000]")); }

  /// A copy of the program in which `from` is replaced by `to`, as long, everywhere.
  void copy(const std::string& name, const std::string& from = "", const std::string& to = "") {
    auto bytes = read_file(APOD_BENCH);
    for (auto at = bytes.find(from); !from.empty() && at != std::string::npos;
         at = bytes.find(from, at + 1)) {
      bytes.replace(at, from.size(), to);
    }
    program(name, bytes);
  }
  Outcome changed(const std::string& more) const {
    const auto run =
        shell("bench compare --base-bin ./a --config ./x.yaml --changed --format json -q " + more);
    // On a loaded machine what runs may be undecided, or come out slower.
    EXPECT_TRUE(Json::accept(run.out)) << run.err;
    return run;
  }
  static std::size_t identical(const Outcome& run) {
    return Json::parse(run.out).at("counts").at("identical");
  }
};

TEST_F(ChangedTest, TwoBuildsOfTheSameSourcesAreIdenticalAndDoNotRun) {
  const auto version = passes("bench --version").out;  // "bench 0.1.0 (1a2b3c4d5e6f)"
  const auto begin = version.find('(') + 1;
  const auto commit = version.substr(begin, version.find(')') - begin);
  ASSERT_GT(commit.size(), 6U);
  copy("a", commit, std::string(commit.size(), 'f'));
  const auto run = changed("--out r.txt --out r.xml");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(identical(run), 2U) << run.out;
  EXPECT_TRUE(holds(read("r.txt"), "NO REGRESSION FOUND in 2 cases; 2 identical",
                    "commit " + std::string(commit.size(), 'f') + " -> " + commit));
  EXPECT_TRUE(holds(read("r.xml"), "tests=\"2\" failures=\"0\" errors=\"0\"", "identical"));
}

TEST_F(ChangedTest, WhereTheHostsCodeDiffersEveryCaseRuns) {
  copy("a", "Compares two results, builds", "Compares two results, buildS");
  const auto run = changed("--blocks 3");
  EXPECT_EQ(identical(run), 0U);
  EXPECT_TRUE(holds(run.out, "every case is measured: the host code differs"));
  EXPECT_EQ(case_of(run, "copy/host/size:1000").at("base_units"), 3);
}

TEST_F(ChangedTest, WhereTheCodeIsNotKnownEveryCaseRuns) {
  builds(fake_bench(), fake_bench());
  const auto run = changed("--new-bin ./b");
  EXPECT_TRUE(
      holds(run.out, "every case is measured: the code of ./a is not known: it is a script"));
  EXPECT_EQ(slots().size(), 20U);
}

class ChangedFaults : public FaultsTest {};

TEST_F(ChangedFaults, ACaseThatFailsInTheLookRunsAndTheOthersDoNot) {
  write("a.yaml", faults("fine, wrong"));
  const auto run = ends(4,
                        "faulty compare --base-bin \"$FAULTY\" --config a.yaml --changed "
                        "--blocks 3 --format json -q");
  const auto counts = Json::parse(run.out).at("counts");
  EXPECT_EQ(counts.at("identical"), 1) << run.out;
  EXPECT_EQ(counts.at("invalid"), 1) << run.out;
  EXPECT_TRUE(
      holds(run.out, "1 case is measured: the machine code could not be recorded", "failed with"));
}

}  // namespace
}  // namespace apod::test
