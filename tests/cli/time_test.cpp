/// Programs that are timed or compared without a file: `bench time ./app`, `bench ./old ./new`.

#include <string>

#include "tests/cli/commands.hpp"

namespace apod::test {
namespace {

class TimeTest : public CommandsTest {
 protected:
  /// Says what it was called with, and prints a time.
  void app(const std::string& name = "app", const std::string& more = "") const {
    program(name, "#!/bin/bash\necho \"$0 $*\" >>calls\n" + more +
                      "\necho \"took $((${1:-1} * 10)).5 ms\"\n");
  }
  /// What the printed experiment is, which runs by itself as it ran here.
  std::string printed(const std::string& flags) const {
    const auto run =
        passes("bench time -q --processes 3 " + flags + " >kept.yaml && cat kept.yaml");
    EXPECT_TRUE(holds(run.err, " measured in ")) << flags;
    EXPECT_TRUE(lacks(run.err, "Wrote", "/tmp/.apod")) << flags;
    const auto again = passes("bench kept.yaml --trust -q --out kept.json");
    EXPECT_TRUE(holds(again.out, " measured in ")) << flags;
    return run.out;
  }
};

TEST_F(TimeTest, AnyProgramWithValuesForItsArguments) {
  app();
  const auto text = printed("'./app {n} \"a b\"' --set n=1e1,20 --set precision=20%");
  EXPECT_EQ(text,
            "schema: 1\nname: app\nexperiments:\n  - name: app\n    workload:\n"
            "      command: [\"./app\", \"{n}\", \"a b\"]\n    axes: {n: [1e1, 20]}\n"
            "    measure: {precision: 20%}\n");
  EXPECT_TRUE(holds(read("calls"), "./app 10 a b", "./app 20 a b"));
  EXPECT_EQ(json("kept.json").at("apod_cases")[1].at("id"), "app/app/n:20");
  EXPECT_TRUE(holds(printed("-- ./app 7 --set"), "command: [\"./app\", \"7\", \"--set\"]"));
}

TEST_F(TimeTest, ATimeThatTheProgramPrints) {
  app();
  const auto text = printed("'./app {n}' --set n=2 --regex 'took ([0-9.]+) ms'");
  EXPECT_TRUE(holds(text, "time: {match: \"took ([0-9.]+) ms\", unit: ms}"));
  EXPECT_EQ(json("kept.json").at("benchmarks")[0].at("real_time"), 20.5e6);
  program("bare", "#!/bin/sh\necho t=12\n");
  EXPECT_TRUE(holds(printed("./bare --regex 't=([0-9]+)' --unit us"), "unit: us}"));
  EXPECT_EQ(json("kept.json").at("benchmarks")[0].at("real_time"), 12e3);
  EXPECT_TRUE(holds(printed("./app --regex 'took ([0-9.]+)\\s* ?ms'"), "unit: ms}"));
  EXPECT_TRUE(holds(printed("./app --regex 'took ([0-9.]+) (m?s)'"), "unit: s}"));
  EXPECT_EQ(json("kept.json").at("benchmarks")[0].at("real_time"), 10.5e6) << "by its own unit";
  const auto never = fails("bench time ./app --regex 'tok ([0-9.]+) ms' -q --processes 1");
  EXPECT_TRUE(holds(never.err, "no line matches 'tok ([0-9.]+) ms'; last line of output:"));
}

TEST_F(TimeTest, AResultIsKeptWhereAFileIsNamed) {
  app();
  EXPECT_TRUE(holds(passes("bench time ./app --processes 1 -q -o r.json").err, "Wrote r.json"));
  EXPECT_EQ(json("r.json").at("apod_cases").size(), 1U);
  EXPECT_TRUE(lacks(passes("bench show r.json").out, "/tmp/.apod"));
}

TEST_F(TimeTest, TheBenchmarksOfAGoogleBenchmarkProgram) {
  google_program("old", "2000", ": --benchmark_list_tests");
  google_program("new", "4000", ": --benchmark_list_tests");
  const auto run = passes("bench time ./old --processes 1 -q -o r.json");
  EXPECT_TRUE(holds(run.out, "\"--benchmark_min_time=0.1\"", "read: google"));
  EXPECT_TRUE(holds(run.err, "the program uses Google Benchmark, so each benchmark is a case"));
  EXPECT_EQ(names(), (std::vector<std::string>{"old/old/BM_a/8", "old/old/BM_b<int>/8"}));
  const auto both = ends(3, "bench ./old ./new --seed 7 -q --format json");
  EXPECT_EQ(Json::parse(both.out).at("cases").size(), 2U);
  EXPECT_TRUE(
      holds(shell("bench time ./old --read process --processes 1 -q").out, "command: [\"./old\"]"));
}

TEST_F(TimeTest, TwoProgramsAreComparedSideBySide) {
  app("old", "sleep 0.01");
  app("new app", "sleep 0.06");
  const auto run = ends(3, "bench ./old './new app' --seed 7 -q");
  EXPECT_TRUE(holds(run.out, "REGRESSION: 1 of 1 case slower", "base: ./old", "new: './new app'"));
  shell("bench './old 1' './old 2' --blocks 3 --seed 7 -q");
  EXPECT_TRUE(holds(read("calls"), "./old 2"));
  // Two builds of this program run an experiment.
  write("x.yaml", copies("1000"));
  EXPECT_TRUE(
      holds(shell("bench $BENCH $BENCH --config ./x.yaml --blocks 3 --seed 7 -q").out, "small"));
}

TEST_F(TimeTest, AProblemNamesALineOfTheExperiment) {
  const auto said = [&](const std::string& set) {
    return fails("bench time true --set " + set).err;
  };
  EXPECT_TRUE(said("max_processes=1")
                  .starts_with("in the experiment, measure: {max_processes: 1}: "
                               "max_processes (1) is below the minimum"));
  EXPECT_TRUE(said("processes=1 --set processes=2")
                  .starts_with("in the experiment, measure: {processes: 1, processes: 2}: "
                               "key 'processes' is given twice"));
}

TEST_F(TimeTest, AnInterruptedRunIsContinued) {
  program("slow", "#!/bin/sh\necho >>calls\n[ -e go ] || [ $(wc -l <calls) -lt 3 ] || sleep 60\n");
  const std::string line = "bench time ./slow --set processes=4 -q ";
  const std::string stop =
      "& for i in $(seq 400); do [ -e calls ] && [ $(wc -l <calls) -gt 2 ] && break; sleep 0.05; "
      "done; kill -INT $!; wait $!";
  const auto started = "set -m; \"$BENCH\"" + line.substr(5);
  EXPECT_TRUE(holds(ends(130, started + "-o r.json " + stop).err, "continue with --resume"));
  write("go", "");
  EXPECT_TRUE(holds(passes(line + "-o r.json --resume").err, "kept "));
  std::filesystem::remove(path("go"));
  std::filesystem::remove(path("calls"));
  EXPECT_TRUE(lacks(ends(130, started + stop).err, "are kept")) << "nothing stays without --out";
}

TEST_F(TimeTest, SaysThatItWaitsForACommandThatDoesNotEnd) {
  program("stuck", "#!/bin/bash\ntrap '' TERM\necho $$ >pid\nwhile :; do sleep 0.1; done\n");
  const auto run = shell(
      "set -m; \"$BENCH\" time ./stuck --processes 1 -q 2>said & for i in $(seq 400); do [ -s pid "
      "] "
      "&& break; sleep 0.05; done; kill -INT $!; for i in $(seq 200); do grep -q again said && "
      "break; sleep 0.05; done; kill -INT $!; wait $!; echo code $?");
  EXPECT_TRUE(holds(run.out, "code 130"));
  EXPECT_TRUE(
      holds(read("said"), "bench: waiting for the running case to end (Ctrl-C again ends it now)"));
  passes("for i in $(seq 100); do kill -0 $(cat pid) 2>kill || exit 0; sleep 0.05; done; exit 1");
}

TEST_F(TimeTest, SaysWhatIsWrongWithACommand) {
  app();
  write("plain", "no program");
  program("bad", "#!/no/such/shell\n");
  EXPECT_TRUE(holds(fails("bench time ./bad -q --processes 1").err,
                    "./bad: can't be started: its interpreter, which its first line names"));
  program("broken", "#!/bin/sh\necho oops >&2\nexit 7\n");
  EXPECT_TRUE(
      holds(fails("bench time ./broken -q --processes 1").err, "exit code 7; last line: oops"));
  expect_refused({{"", "nothing to time: name a command: bench time './app {n}'"},
                  {"./none", "./none: there is no such file"},
                  {"none", "none: there is no such program on the PATH"},
                  {"app", "app: there is no such program on the PATH (write ./app)"},
                  {"plain", "plain: there is no such program on the PATH\n"},
                  {"./plain", "./plain: is not executable"},
                  {"/", "/: is a folder"},
                  {"./app 3", "needs one command: quote it: bench time './app 3'"},
                  {"'./app | cat'", "bench runs it without a shell, so '|' would be an argument"},
                  {"'a \"b'", "has an unclosed quote"},
                  {"'./app {n}'", "{n} has no value: add --set n=1,2"},
                  {"'./app {n'", "has an unmatched brace"},
                  {"./app --set n=1", "--set n: the command has no {n}"},
                  {"'./app {n}' --set n=", "is not of the form NAME=VALUE"},
                  {"./app --set precision=1", "--set precision=1: '1' has no unit"},
                  {"./app --regex took", "must have one group around the number"},
                  {"./app --regex '('", "--regex: '(' is not a valid regular expression"},
                  {"./app --regex 'took ([0-9.]+)'", "and then its unit of time"},
                  {"./app --regex 'took ([0-9.]+) cm' --unit cm", "--unit: 'cm' is not one of"},
                  {"./app --unit ms", "--unit needs --regex: add --regex, or leave out --unit"},
                  {"./app --regex 'took ([0-9.]+) ms' --read google", "can't be combined"}},
                 "bench time ");
}

TEST_F(TimeTest, WaitsForNoPipe) {
  const auto run = shell("mkfifo app; chmod +x app; timeout 20 bench time --dry-run ./app");
  EXPECT_NE(run.exit_code, 124) << run.err;
}

TEST_F(TimeTest, AProgramIsComparedWithItself) {
  program("old", "#!/bin/sh\nexit 0\n");
  const auto run = shell("bench ./old ./old -q --budget 2s --seed 7");
  EXPECT_TRUE(holds(run.out, "base: ./old\n", "new: ./old\n")) << run.err;
}

TEST_F(TimeTest, SaysThatItKeepsNothing) {
  app();
  const auto run = passes("bench time ./app --processes 1");
  EXPECT_TRUE(holds(run.err, "the experiment as printed, ",
                    "No file was written: to keep the result, add --out app.json"));
  EXPECT_TRUE(lacks(run.err, "app.yaml"));
}

TEST_F(TimeTest, SaysWhatIsWrongWithTwoPrograms) {
  app("old");
  app("new");
  write("plain", "no program");
  program("broken", "#!/bin/sh\nexit 7\n");
  EXPECT_TRUE(holds(ends(4, "bench ./old ./broken -q --seed 7").out, "failed with ./broken",
                    "exit code 7"));
  expect_refused(
      {{"./old", "bench time ./old times a program; bench ./old ./new compares two"},
       {"./old --set n=1", "bench time ./old times a program"},
       {"./old ./none", "bench: ./none: there is no such file\n"},
       {"./none ./new", "bench: ./none: there is no such file\n"},
       {"./old plain", "bench: plain: there is no such program on the PATH\n"},
       {"./old \"./new 'x\"", "bench: './new 'x' has an unclosed quote"},
       {"./old ./new --by n=1,2", "programs that are not bench and --by can't be combined"},
       {". ", "unexpected argument: . (a folder: bench compare and bench history read"},
       {"./none ./neither", "there is no such file"},
       {"./old ./plain", "./plain: is not executable"},
       {"tiem ./old", "did you mean 'time'?"},
       {"'time ./old 1'", "write bench time './old 1'"},
       {"'inspect ./old'", "write bench inspect ./old"},
       {"./old ./new ./old", "unexpected argument: ./old (name two programs"},
       {"'./old | cat' ./new", "bench: './old | cat': bench runs it without a shell"},
       {"./plain ./plain", "name an experiment .yaml"},
       {"-- ./old", "bench time -- COMMAND times a program"}},
      "bench ");
}

}  // namespace
}  // namespace apod::test
