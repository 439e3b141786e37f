/// `bench bisect`, in repositories of git that are made here.

#include <string>

#include "tests/cli/commands.hpp"
#include "tests/cli/side_by_side.hpp"

namespace apod::test {
namespace {

/// What writes Google Benchmark's JSON: one case, whose time comes from the file `level` (ns), with
/// a little noise. Its commits are of eight days.
class BisectTest : public CommandsTest {
 protected:
  BisectTest() {
    passes(
        "mkdir r tmp && cd r && git init -q -b main . && git config user.name 'Ann Author' && "
        "git config user.email ann@example.org && git config commit.gpgsign false");
    program("r/program", R"(#!/bin/bash
for word; do
  case $word in --benchmark_out=*) out=${word#*=} ;; esac
done
calls=$((1 + $(cat calls 2>/dev/null || echo 0)))
echo $calls >calls
ns=$(awk "BEGIN { print $(cat level) * (1 + 0.001 * (($calls * 7) % 5 - 2)) }")
echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[{\"name\":\"BM_a\",\"run_type\":\"iteration\",\"iterations\":1,\"real_time\":$ns,\"cpu_time\":$ns,\"time_unit\":\"ns\"}]}" >"$out"
)");
  }

  /// Commits `level` of each, "commit 1" the first.
  void commits(const std::vector<int>& levels) const {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      write("r/level", std::to_string(levels[i]));
      commit("commit " + std::to_string(i + 1));
    }
  }
  void commit(const std::string& subject) const {
    passes("cd r && git add -A . && git commit -q --allow-empty -m '" + subject + "'");
  }
  Outcome bisect(int exit_code, const std::string& arguments,
                 const std::string& what = "--cmd ./program --read google") const {
    return ends(exit_code, "export TMPDIR=$PWD/tmp; cd r && bench bisect -q --seed 7 --blocks 3 " +
                               what + " " + arguments);
  }
  /// Everything of the repository that a user would miss.
  std::string state() const {
    return passes(
               "cd r && git status --porcelain && git rev-parse HEAD && git branch -a && "
               "git worktree list && sha1sum .git/index .git/config && ls -A .git ../tmp")
        .out;
  }
};

TEST_F(BisectTest, FindsTheCommitAndLeavesTheRepositoryAlone) {
  commits({2000, 2000, 2000, 2000, 2000, 2200, 2200, 2200});
  write("r/level", "9999");
  const auto before = state();
  auto run = bisect(0, "--good HEAD~7");
  EXPECT_TRUE(holds(run.out, "FOUND: ", "made google/program/BM_a slower by 1", "commit 6",
                    "Ann Author <ann@example.org>", "search: ", " blocks, each with two commits",
                    "confirmation: 3 block",
                    "bench bisect -q --seed 7 --blocks 3 --cmd ./program --read google --good "));
  EXPECT_TRUE(lacks(run.out, "1 regression"));
  EXPECT_EQ(state(), before) << "what is not committed stays, and nothing is left in TMPDIR";
  // The command that shows it again.
  const auto at = run.out.find("--good ");
  const auto again = run.out.substr(at, run.out.find('\n', at) - at);
  EXPECT_TRUE(holds(bisect(0, again).out, "commit 6"));
  run = ends(0,
             "cd r && bench bisect --good HEAD~7 --blocks 3 --cmd ./program --read google "
             "--out ../r.json --out ../r.md");
  EXPECT_TRUE(
      holds(run.err, "bench measures only commits", " bad: slower by 1", " good: ", "[commit "));
  EXPECT_TRUE(holds(passes("bench show r.json").out, "REGRESSION: 1 of 1 case", "FOUND: "));
  EXPECT_TRUE(holds(read("r.md"), "FOUND: ", "Ann Author"));
}

TEST_F(BisectTest, TellsTwoRegressionsApart) {
  commits({2000, 2000, 2200, 2200, 2200, 2200, 2420, 2420});
  const auto run = bisect(0, "--good HEAD~7");
  EXPECT_TRUE(holds(run.out, "commit 3", "commit 7", "and 1 more"));
}

TEST_F(BisectTest, SkipsAndNamesWhatDoesNotBuildOrRun) {
  program("r/build.sh", "#!/bin/sh\necho compiling\ncp program built\n");
  commits({2000, 2000, 2000});
  program("r/build.sh", "#!/bin/sh\necho 'no such header'\nexit 3\n");
  commit("does not build");
  program("r/build.sh", "#!/bin/sh\nsleep 60\n");
  commit("hangs");
  program("r/build.sh", "#!/bin/sh\ncp program built\n");
  write("r/level", "nonsense");
  commit("does not run");
  write("r/level", "2200");
  commit("slower");
  commit("last");
  const auto run =
      bisect(0, "--good HEAD~7 --build ./build.sh --build-limit 1s", "--cmd ./built --read google");
  EXPECT_TRUE(holds(run.out, "one of the commits ", " (all but the last were skipped)",
                    "does not build", "exit code 3", "did not end within 1", "does not run",
                    "slower"));
  // An end that does not build.
  const auto bad = bisect(1, "--good HEAD~4 --build ./build.sh", "--cmd ./built --read google");
  EXPECT_TRUE(holds(bad.err, "--good ", "does not build", "no such header"));
  EXPECT_TRUE(holds(bisect(1, "--good HEAD~7", "--cmd ./built").err, "there is no ./built",
                    "if a command builds it, add --build COMMAND"));
}

/// The folder of the ninth commit has been given to others when it is wanted again.
TEST_F(BisectTest, SkipsWhatDoesNotBuildAgain) {
  program("r/build.sh",
          "#!/bin/sh\ncp program built\n[ $(cat level) = 2001 ] || exit 0\n"
          "[ -e " +
              path("was_built").string() +
              " ] && echo 'no network' && exit 3\n"
              ": >" +
              path("was_built").string() + "\n");
  commits({2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2001, 2200, 2200, 2200, 2200, 2200, 2200,
           2200, 2200});
  const auto run = bisect(0, "--good HEAD~16 --build ./build.sh", "--cmd ./built --read google");
  EXPECT_TRUE(holds(run.out, "one of the commits ", " (all but the last were skipped)", "commit 10",
                    "commit 9", "does not build: ./build.sh: exit code 3", "no network"));
}

TEST_F(BisectTest, SaysWhyThereIsNothingToFind) {
  commits({2000, 2000, 2020, 2020});
  EXPECT_TRUE(holds(bisect(4, "--good HEAD~3").out, "NOTHING TO FIND", "less than the threshold"));
  EXPECT_TRUE(holds(bisect(0, "--good HEAD~3 --threshold 0.5%").out, "commit 3"));
  commits({1500});
  const auto faster = bisect(4, "--good HEAD~4 --out ../r.json");
  EXPECT_TRUE(holds(faster.out, "faster by 2", "swap --good and --bad"));
  EXPECT_TRUE(holds(shell("bench show r.json").out, "swap --good and --bad"));
}

TEST_F(BisectTest, FollowsTheClearestOfSeveralCases) {
  write("x.yaml", "schema: 1\n");
  program("r/bench", fake_bench("2000"));
  commits({1, 2, 3});
  program("r/bench", fake_bench("2400"));
  commits({4, 5});
  const auto run = bisect(0, "--good HEAD~4 --build true", "--config ../x.yaml --bin bench");
  EXPECT_TRUE(holds(run.out, "made e/v/size:9/streams:1 slower by 2", "commit 1",
                    "1 case of 2 is slower at the bad commit"));
  EXPECT_TRUE(holds(bisect(4, "--good HEAD~4 --build true --case e/v/size:8/streams:1",
                           "--config ../x.yaml --bin bench")
                        .out,
                    "NOTHING TO FIND"));
  EXPECT_TRUE(holds(bisect(1, "--good HEAD~4 --build true --case e/v/size:7/streams:1",
                           "--config ../x.yaml --bin bench")
                        .err,
                    "--case e/v/size:7/streams:1: the good commit does not have this case",
                    "did you mean"));
  EXPECT_TRUE(
      holds(bisect(1, "--good HEAD~4", "--config ../x.yaml").err, "--build COMMAND is missing"));
}

TEST_F(BisectTest, TheSameCodeIsNotMeasured) {
  write("x.yaml", copies("8"));
  passes("ln -s \"$BENCH\" r/bench");
  commits({1, 2, 3});
  const auto run =
      bisect(4, "--good HEAD~2 --build true --changed", "--config ../x.yaml --bin bench");
  EXPECT_TRUE(
      holds(run.out, "have the same machine code", "search: 0 blocks, each with two commits"));
}

TEST_F(BisectTest, EndsInGoodOrderWhenItIsAskedTo) {
  program("r/build.sh", "#!/bin/sh\n: >\"$PWD/../../started\"\nsleep 60\n");
  commits({2000, 2000, 2200});
  const auto before = state();
  const auto run = ends(130,
                        "export TMPDIR=$PWD/tmp; cd r; \"$BENCH\" bisect -q --good HEAD~2 --build "
                        "./build.sh --cmd ./program --read google & pid=$!\n"
                        "until [ -e ../tmp/started ]; do sleep 0.05; done\n"
                        "kill -TERM $pid; wait $pid; code=$?; rm ../tmp/started; exit $code");
  EXPECT_TRUE(holds(run.out, "INTERRUPTED: the first slow commit comes after "));
  EXPECT_EQ(state(), before);
}

TEST_F(BisectTest, RefusesWhatItCantSearch) {
  commits({2000, 2000});
  passes("cd r && git checkout -q -b side HEAD~1 && git commit -q --allow-empty -m side");
  const std::string begin = "cd r && bench bisect --cmd ./program --read google ";
  expect_refused(
      {{"", "--good REV is missing"},
       {"--good v9.9", "--good v9.9: there is no such commit"},
       {"--good HEAD~1 --bad -x", "--bad -x: there is no such commit"},
       {"--good HEAD --bad side", "are the same commit"},
       {"--good main --bad side", "is not an ancestor of --bad side (both descend from "},
       {"--good HEAD~1 --threshold 0", "--threshold"},
       {"--good HEAD~1 --threshold 3", "--threshold"},
       {"--good HEAD~1 --build \"make 'x\"", "'make 'x' has an unclosed quote"},
       {"--good HEAD~1 --config x.yaml", "use only one"},
       {"--good HEAD~1 --changed", "--changed needs --config"},
       {"--good HEAD~1 --build no-such-builder", "no-such-builder"}},
      begin);
  EXPECT_TRUE(holds(fails("bench bisect --good A --cmd true").err, "git finds no repository"));
  EXPECT_TRUE(
      holds(fails("cd r && PATH= \"$BENCH\" bisect --good A --cmd true").err, "git was not found"));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a repository to another user";
  passes("chown -R 54321 r");
  EXPECT_TRUE(holds(fails("export GIT_CONFIG_GLOBAL=/dev/null; " + begin + "--good HEAD~1").err,
                    "belongs to another user, so git does not read it", "safe.directory"));
}

TEST_F(BisectTest, CompareHasTheExitCodesOfGitBisectRun) {
  program("r/test.sh",
          "#!/bin/sh\nexec \"$BENCH\" compare --base-cmd 'env -C ../good ./program' --new-cmd "
          "./program --read google --blocks 3 -q --exit-codes git\n");
  commits({2000, 2000, 2000, 2200, 2200});
  const auto run = passes(
      "export BENCH; cp -r r good && (cd good && git checkout -q HEAD~4) && cd r && "
      "git bisect start HEAD HEAD~4 && git bisect run ./test.sh");
  EXPECT_TRUE(holds(run.out, "is the first bad commit", "commit 4"));
  ends(125, "bench compare --base-cmd false --new-cmd true --exit-codes git -q");
  ends(125, "bench compare --base-bin ./no-such --config x.yaml --exit-codes git -q");
  ends(125, "bench compare no-such.json new.json --exit-codes=git");
  ends(125, "bench compare base.json new.json --exit-codes git --no-such-flag");
}

}  // namespace
}  // namespace apod::test
