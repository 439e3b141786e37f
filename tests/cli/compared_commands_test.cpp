/// Commands side by side.

#include <string>

#include "tests/cli/commands.hpp"

namespace apod::test {
namespace {

TEST_F(CommandsTest, OfAnyKindAreComparedSideBySide) {
  google_program("base");
  google_program("new", "4000");
  const auto run = ends(3,
                        "bench compare --base-bin ./base --new-cmd './new --more \"a b\"' "
                        "--read google --seed 7 -q --format json");
  const auto cases = Json::parse(run.out).at("cases");
  ASSERT_EQ(cases.size(), 2U);
  for (const auto& c : cases) {
    const bool slow = c.at("name") == "google/program/BM_b<int>/8";
    EXPECT_EQ(c.at("verdict"), slow ? "regression" : "unchanged") << c.at("name");
  }
  const auto calls = read("calls");
  EXPECT_TRUE(holds(calls, "./new --more a b --benchmark_min_time=0.1 --benchmark_out="));
  EXPECT_GE(count(calls, "--benchmark_filter=^(BM_b<int>/8)$"), 48) << "12 blocks confirm it alone";
  ends(3, "bench compare --base-cmd 'sleep 0.01' --new-cmd 'sleep 0.05' --seed 7 -q");
  ends(4, "bench compare --base-cmd 'false' --new-cmd 'true' --seed 7 -q");
  EXPECT_TRUE(holds(fails("bench compare --base-cmd /no/such --new-cmd true -q").err,
                    "bench compare: /no/such: there is no such file"));
  EXPECT_TRUE(holds(fails("bench compare --base-cmd true --new-cmd no-such-program -q").err,
                    "bench compare: no-such-program: there is no such program on the PATH"));
  expect_refused({{"--base-cmd a", "--new-cmd COMMAND is missing"},
                  {"--base-cmd \"a 'b\" --new-cmd c", "has an unclosed quote"},
                  {"--base-cmd a --new-cmd b --config x.yaml", "and --config can't be combined"},
                  {"--base-cmd a --base-bin b --new-cmd c", "can't be combined"},
                  {"--base-cmd a --new-cmd b --by n=1,2", "and --by can't be combined"}},
                 "bench compare ");
}

TEST_F(CommandsTest, OfGoogleBenchmarkRunShortEnoughForTheBudget) {
  google_program("app");
  for (const auto& [budget, seconds] :
       {std::pair{"2s", "0.042"}, {"1s", "0.021"}, {"2m", "0.1"}, {"20ms", "0.001"}}) {
    shell(std::string("rm -f calls; bench ./app ./app --blocks 3 --seed 7 -q --read google "
                      "--budget ") +
          budget);
    EXPECT_TRUE(holds(read("calls"), std::string("--benchmark_min_time=") + seconds + " "))
        << budget;
  }
  // The first block runs both, the other two only one.
  shell("rm -f calls; bench ./app ./app --blocks 3 -q --read google --budget 1s --filter BM_a");
  EXPECT_TRUE(holds(read("calls"), "--benchmark_min_time=0.031 "));
  EXPECT_EQ(count(read("calls"), "list_tests"), 2) << "of equal commands: with and without names";
  shell(
      "rm -f calls; bench './app --benchmark_min_time=1' './app --benchmark_min_time=2' --blocks 3 "
      "-q --read google --budget 1s");
  EXPECT_EQ(count(read("calls"), "list_tests"), 0) << "the answer would not be used";
  google_program("talks", "2000", "printf 'loading\\nthe data\\n'");
  passes("sed 's#BM_a/8#BM a/8#' app >blank && chmod +x blank");
  for (const auto* const name : {"talks", "blank"}) {
    const std::string app = std::string(" ./") + name;
    shell("rm -f calls; bench" + app + app + " --blocks 3 -q --read google --budget 1s");
    EXPECT_TRUE(holds(read("calls"), "--benchmark_min_time=0.021 ")) << name;
  }
  google_program("late", "2000", "case $* in *list_tests*) sleep 1.6 ;; esac");
  const auto late = shell("bench ./late ./late --blocks 3 --read google --budget 3s");
  EXPECT_TRUE(holds(late.out, "more than the budget of 3")) << "the listing takes some of it";
  EXPECT_TRUE(holds(late.err, "the comparison takes at least ")) << "said after the first block";
  google_program("broken", "2000", "case $* in *list_tests*) exit 1 ;; esac");
  shell("bench ./broken ./broken --blocks 3 -q --read google --budget 1s");
  EXPECT_TRUE(holds(read("calls"), "./broken --benchmark_min_time=0.042 ")) << "counts as one case";
}

TEST_F(CommandsTest, ThatAreComparedHaveCausesFromTraces) {
  // A bench beside the library and with a GPU: what CUDA would have it record was recorded before.
  passes("mkdir b && cp \"$FAULTY\" b/bench && : >b/libapodinspect.so");
  const auto recorded = [&](const std::string& name, const std::string& seconds,
                            const std::string& recording) {
    write(name, "sleep " + seconds +
                    "\n[ -z \"$APOD_INSPECT_FOLDER\" ] || cp '" APOD_SOURCE_DIR
                    "/tests/data/inspect/parts/" +
                    recording + "'/*.parts \"$APOD_INSPECT_FOLDER\"\n");
  };
  recorded("old.sh", "0.01", "ranges_window");
  recorded("new.sh", "0.05", "network_window");
  const auto run = ends(3,
                        "PRETENDED_GPUS=one b/bench compare --base-cmd 'sh old.sh' --new-cmd 'sh "
                        "new.sh' --blocks 8 --seed 7 -q");
  EXPECT_TRUE(holds(run.out, "different kernels: scale ->", "kernels run 30 -> 53",
                    "copies run 3 -> 2", "copies with pageable memory ", "kernel scale: "));
}

TEST_F(CommandsTest, OfWhichOneCaseChangedHaveItsCausesAlone) {
  passes("mkdir b && cp \"$FAULTY\" b/bench && : >b/libapodinspect.so");
  const auto records = [](const std::string& recording) {
    return "[ -z \"$APOD_INSPECT_FOLDER\" ] || { echo \"traced $*\" >>calls; cp '" APOD_SOURCE_DIR
           "/tests/data/inspect/parts/" +
           recording + "'/*.parts \"$APOD_INSPECT_FOLDER\"; }";
  };
  google_program("old", "2000", records("ranges_window"));
  google_program("new", "2600", records("network_window"));
  const auto run = ends(3,
                        "PRETENDED_GPUS=one b/bench compare --base-bin ./old --new-bin ./new "
                        "--read google --blocks 4 --seed 7 -q");
  EXPECT_TRUE(holds(run.out, "BM_b<int>/8", "different kernels: scale ->", "kernels run 30 -> 53",
                    "time during which a kernel runs ", "kernel scale: "));
  EXPECT_EQ(count(run.out, "different kernels"), 1);
  const auto calls = read("calls");
  EXPECT_EQ(count(calls, "traced "), 2) << calls;
  EXPECT_EQ(count(calls, "traced --benchmark_min_time=0.1 --benchmark_out"), 2) << calls;
}

TEST_F(CommandsTest, OfAFileAreComparedByTheirAxes) {
  file("command: [sleep, '{seconds}']", "    axes: {seconds: [0.01, 0.05]}\n");
  const auto run = ends(3,
                        "bench compare --config ./x.yaml --trust --by seconds=0.01,0.05 --seed 7 "
                        "-q --format json");
  EXPECT_EQ(Json::parse(run.out).at("cases")[0].at("verdict"), "regression");
}

TEST_F(CommandsTest, MeetOverValuesThatArePaths) {
  file("command: [test, -d, '{dir}']", "    axes: {dir: [/tmp, /usr/lib]}\n");
  const auto run = shell(
      "bench compare --config ./x.yaml --trust --by dir=/tmp,/usr/lib --blocks 3 -q --format json");
  EXPECT_EQ(Json::parse(run.out).at("cases")[0].at("name"), "e/test [dir /tmp -> /usr/lib]")
      << run.err;
}

}  // namespace
}  // namespace apod::test
