/// Commands as workloads.

#include "tests/cli/commands.hpp"

#include <chrono>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace apod::test {
namespace {

using Names = std::vector<std::string>;

TEST_F(CommandsTest, RunNothingWithoutTrust) {
  file("command: [touch, ran], setup: [touch, set_up], cleanup: [touch, cleaned]");
  const std::string asked = "bench --config ./x.yaml --out r.json";
  const auto run = ends(4, asked);
  EXPECT_TRUE(holds(run.out, "e/touch", "e sets up: touch set_up", "e runs: touch ran",
                    "e cleans up: touch cleaned", "Nothing was run."));
  EXPECT_TRUE(holds(run.err, "runs commands with your permissions", "--trust"));
  const auto ran_nothing = [&](const std::string& command) {
    for (const auto* made : {"ran", "set_up", "cleaned", "r.json"})
      EXPECT_FALSE(exists(made)) << command;
  };
  for (const auto& command : {asked + " --dry-run --trust",
                              std::string("bench --config ./x.yaml --benchmark_list_tests")}) {
    shell(command);
    ran_nothing(command);
  }
  // What starts bench refuses at once, and likewise.
  for (const std::string command :
       {"bench compare --config ./x.yaml --by variant=a,b -q",
        "bench compare --base-bin \"$BENCH\" --new-bin \"$BENCH\" --config ./x.yaml -q",
        "bench compare --base-bin \"$BENCH\" --config ./x.yaml --changed --set processes=2 -q",
        "bench calibrate --config ./x.yaml --sessions 3 -q --out c.json",
        "bench submit --config ./x.yaml --nodes 1 --print --out r.json"}) {
    const auto refused = ends(4, command);
    EXPECT_TRUE(holds(refused.out, "e/touch", "e runs: touch ran", "Nothing was run."));
    EXPECT_TRUE(holds(refused.err, "./x.yaml runs commands with your permissions", "--trust"));
    EXPECT_EQ(count(refused.err, "\n"), 1) << refused.err;
    ran_nothing(command);
  }
  EXPECT_TRUE(
      holds(passes("bench submit --config ./x.yaml --nodes 1 --print --out r.json --trust").out,
            "#SBATCH", "--trust"));
  passes("APOD_TRUST=1 " + asked + " -q");
  EXPECT_TRUE(exists("ran") && exists("set_up") && exists("cleaned"));
}

TEST_F(CommandsTest, AKeptResultRunsNothing) {
  file("command: [sh, -c, 'echo ran >>runs'], cwd: .");
  runs(0);
  passes("bench --config ./x.yaml --trust --set processes=3 -q --out s.json");
  std::filesystem::remove(path("runs"));
  for (const std::string command :
       {"bench show r.json", "bench --config r.json", "bench compare r.json s.json",
        "bench compare r.json s.json --confirm --base-bin \"$BENCH\" --config ./x.yaml -q",
        "bench history r.json s.json", "bench export r.json --to google"}) {
    shell(command);
    EXPECT_FALSE(exists("runs")) << command;
  }
}

TEST_F(CommandsTest, AreTimedWithTheirAxes) {
  file("command: [sleep, '{seconds}']",
       "    axes: {seconds: [0.01, 0.2]}\n    baseline: {seconds: 0.01}\n"
       "    expect:\n      - {where: {seconds: 0.2}, time: '> 150ms', speedup: '< 1'}\n"
       "      - {user_time: '< 1s', peak_bytes: '> 100kB'}\n",
       "processes: 3");
  const auto run = runs(0);
  EXPECT_TRUE(holds(run.out, "time of the process", "baseline", "(6 met, 0 missed)"));
  EXPECT_EQ(names(), (Names{"e/sleep/seconds:0.01", "e/sleep/seconds:0.2"}));
  const auto facts = facts_of_first();
  for (const auto* fact : {"wall_time", "user_time", "system_time", "peak_bytes"}) {
    EXPECT_TRUE(facts.contains(fact)) << fact;
  }
  EXPECT_EQ(passes("bench show r.json").out.substr(0, 200), run.out.substr(0, 200));
}

TEST_F(CommandsTest, RunUntilTheirPrecisionIsReached) {
  program("app", "#!/bin/sh\necho run >>runs\necho took 5 ms\n");
  file("command: [./app], read: {regex: {time: {match: 'took ([0-9]+) ms', unit: ms}}}", "",
       "precision: 1%");
  runs(0);
  EXPECT_EQ(count(read("runs"), "run"), 3) << "equal times are precise";
  program("app", "#!/bin/sh\necho run >>runs\necho took $(wc -l <runs) ms\n");
  runs(0);
  EXPECT_EQ(count(read("runs"), "run"), 3 + 30);
}

TEST_F(CommandsTest, AreComparedIfTheirTimesAreReadInTheSameWay) {
  program("app", "#!/bin/sh\necho took 5 ms of 9 ms, 7 requests, x 4\n");
  const auto measured = [&](const std::string& words, const std::string& result) {
    file("command: [./app]" + words, "", "processes: 3");
    runs(0);
    std::filesystem::rename(path("r.json"), path(result));
  };
  measured("", "own.json");
  measured(", read: {regex: {requests: {match: '([0-9]+) requests'}}}", "figure.json");
  measured(", read: {regex: {time: {match: 'took ([0-9]+) ms', unit: ms}}}", "took.json");
  measured(", read: {regex: {time: {match: 'of ([0-9]+) ms', unit: ms}}}", "of.json");
  measured(", read: {regex: {time: {match: 'x ([0-9]+)', unit: ms}}}", "ms.json");
  measured(", read: {regex: {time: {match: 'x ([0-9]+)', unit: us}}}", "us.json");
  const std::string unlike = "measured differently: read:";
  EXPECT_FALSE(holds(shell("bench compare own.json figure.json").out, unlike));
  EXPECT_TRUE(holds(ends(4, "bench compare own.json took.json").out, unlike + "process -> "));
  EXPECT_TRUE(holds(ends(4, "bench compare took.json of.json").out,
                    unlike + "regex:took ([0-9]+) ms, ms -> "));
  EXPECT_TRUE(holds(ends(4, "bench compare ms.json us.json").out,
                    unlike + "regex:x ([0-9]+), ms -> read:regex:x ([0-9]+), us"));
}

TEST_F(CommandsTest, GetTheirWordsVariablesAndFoldersWithoutAShell) {
  std::filesystem::create_directory(path("sub"));
  program("sub/app", R"(#!/bin/sh
printf '%s|' "$PWD" "$MODE" "$@" >told
ls "$2" >files
test -f "$2/made" && test ! -e "$2/left"
touch "$2/left"
)");
  file(
      "command: [./app, '$HOME; *', '{scratch}', '{{}}'], cwd: sub, env: {MODE: 'm {mode}'}, "
      "setup: [touch, '{scratch}/made'], cleanup: [sh, -c, 'echo {mode} >>cleaned']",
      "    axes: {mode: fast}\n", "processes: 2");
  runs(0);
  EXPECT_TRUE(holds(read("sub/told"), "/sub|m fast|$HOME; *|/", "|{}|"));
  EXPECT_EQ(read("sub/files"), "made\n") << "each process has an empty folder";
  EXPECT_EQ(read("sub/cleaned"), "fast\nfast\n");
}

TEST_F(CommandsTest, TellNumbersThatBecomeTimesAndFacts) {
  program("app",
          "#!/bin/sh\necho step 2 ms; echo 'rate 3 GB/s, 40 requests' >&2; echo step 4 ms\n");
  file(
      "command: [./app], read: {regex: {time: {match: 'step ([0-9]+) ms', unit: ms}, "
      "bandwidth: {match: 'rate ([0-9.]+) (.B/s)', unit: B/s}, "
      "requests: {match: '([0-9]+) requests'}}}",
      "    expect: [{bandwidth: '== 3GB/s', requests: '== 40', time: '== 3ms', samples: '== "
      "2'}]\n");
  EXPECT_TRUE(holds(runs(0).out, "read from the output (regex)", "3.00 GB/s"));
  EXPECT_EQ(facts_of_first().at("requests"), 40);
  EXPECT_TRUE(holds(passes("bench show r.json --format csv").out, "requests"));
  passes("bench --config ./x.yaml --trust -q --out s.json");
  EXPECT_TRUE(holds(shell("bench compare r.json s.json --metric requests:more").out,
                    "the compared value is 1 / requests, not a time"));
  EXPECT_TRUE(holds(shell("bench compare r.json s.json --metric bandwidth").out,
                    "the time is 1 / bandwidth, in seconds per unit"));
  EXPECT_TRUE(holds(fails("bench compare r.json s.json --metric requests").err,
                    "whether less or more is better"));
  program("app", "#!/bin/sh\necho '{\"runs\": [{\"s\": 0.002}, {\"s\": 0.004}]}' >\"$1\"\n");
  file(
      "command: [./app, '{scratch}/o'], output: '{scratch}/o', "
      "read: {json: {time: {path: 'runs/*/s', unit: s}}}",
      "    expect: [{time: '== 3ms'}]\n");
  runs(0);
}

TEST_F(CommandsTest, PrintLinesOfAnyLength) {
  program("app", R"(#!/bin/bash
word=$(printf '%*s' "$1" '' | tr ' ' x)
echo "[\"$word\", 0.5, \"took 2 ms $word\"]"
)");
  const std::string axis = "    axes: {n: [100, 9000, 1900000]}\n";
  file("command: [./app, '{n}'], read: {json: {time: {path: '1', unit: s}}}",
       axis + "    expect: [{time: '== 0.5s'}]\n");
  runs(0);
  file(
      "command: [./app, '{n}'], success: {match: 'took'}, "
      "read: {regex: {time: {match: 'took ([0-9]+) ms', unit: ms}}}",
      axis + "    expect: [{time: '== 2ms'}]\n");
  runs(0);
}

TEST_F(CommandsTest, ARepeatedCaseIsNamedByAnyValue) {
  file("command: ['true', '{mode}']", "    axes: {mode: [\"a\\tb\", \"it's\\t$HOME\\x01\", c]}\n");
  passes("bench --config ./x.yaml --trust -q --out r.html --out r.json");
  const auto page = read("r.html");
  const std::regex line("bench --config [^<]*--filter [^<]*");
  std::set<std::string> ran;
  for (std::sregex_iterator i(page.begin(), page.end(), line), end; i != end; ++i) {
    auto text = i->str();
    for (const auto& [entity, c] :
         {std::pair{"&#39;", "'"}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}}) {
      text = std::regex_replace(text, std::regex(entity), c);
    }
    write("again.sh", text + " --out again.json\n");
    passes("source again.sh");
    ASSERT_EQ(json("again.json").at("apod_cases").size(), 1U) << text;
    ran.insert(json("again.json").at("apod_cases")[0].at("id"));
  }
  EXPECT_EQ(ran, (std::set<std::string>{"e/true/mode:a\tb", "e/true/mode:it's\t$HOME\x01",
                                        "e/true/mode:c"}));
}

TEST_F(CommandsTest, FailByThemselvesWithTheReason) {
  const struct {
    std::string workload, says;
  } table[] = {
      {"command: [./nothing]", "run: ./nothing: can't be started: No such file or directory"},
      {"command: [nothing-of-this-name]", "nothing-of-this-name: can't be started: No such file"},
      {"command: [sh, -c, 'echo why >&2; exit 7']", "run: exit code 7; last line: why"},
      {"command: [sh, -c, 'kill -SEGV $$']", "run: exit code 139 (Segmentation fault)"},
      {"command: ['true'], setup: ['false']", "setup: exit code 1"},
      {"command: ['true'], cwd: nowhere",
       "nowhere: the working folder of the command does not exist"},
      {"command: [echo, no], success: {match: yes}",
       "no line of its output matches 'yes' (success: match); last line of output: 'no'"},
      {"command: [echo, no], read: {regex: {time: {match: 'x ([0-9]+)', unit: s}}}",
       "read: time: no line matches"},
      {"command: [echo, no], read: {json: {time: {path: x, unit: s}}}", "the output is not JSON"},
      {"command: [echo, busy 85], read: {regex: {busy: {match: 'busy ([0-9]+)'}}}",
       "read: busy: 85 is not a share between 0 and 1"},
      {"command: ['true'], read: google",
       "the program wrote no result: was it built with Google Benchmark?"},
      {"command: ['true'], output: none, read: {json: {time: {path: x, unit: s}}}",
       "read: none: there is no such file"},
      {"command: [sh, -c, 'mkfifo {scratch}/o'], output: '{scratch}/o', read: {json: {time: {path: "
       "x, unit: s}}}",
       "/o: is not a regular file"},
  };
  for (const auto& [workload, says] : table) {
    file(workload);
    runs(1);
    EXPECT_TRUE(holds(reason(), says)) << workload;
    EXPECT_TRUE(json("r.json").at("benchmarks").empty()) << "it publishes no time";
  }
  file("command: [sh, -c, 'exit 3'], success: {exit: [0, 3]}, cleanup: ['false']");
  EXPECT_TRUE(holds(runs(0).out, "cleanup: exit code 1"));
}

TEST_F(CommandsTest, TellWhatTheyThemselvesWrote) {
  const std::string row =
      "echo '{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[{\"name\":\"BM\",\"run_type\":"
      "\"iteration\",\"iterations\":1,\"real_time\":5,\"cpu_time\":5,\"time_unit\":\"ns\"}]}' >";
  program("before", "#!/bin/sh\n" + row + "$1/bench-result.json\n");
  for (const std::string reads : {"google", "nvbench"}) {
    file("setup: [./before, '{scratch}'], command: ['true'], read: " + reads);
    runs(1);
    EXPECT_TRUE(holds(reason(), "the program did not write this file"));
  }
  // What one process leaves, another does not find, whatever may be removed of it.
  program("app",
          "#!/bin/sh\nfor w; do case $w in --benchmark_out=*) out=${w#*=};; esac; done\n"
          "[ -e $out ] || " +
              row +
              "$out\n"
              "d=$(dirname $out); echo $d >>folders; mkdir $d/locked; touch $d/locked/f; "
              "chmod 555 $d/locked $d\n");
  file("command: [./app], read: google", "", "processes: 3");
  runs(0);
  EXPECT_EQ(shell("sort -u folders | wc -l").out, "3\n");
  EXPECT_EQ(shell("ls $(cat folders) 2>/dev/null").out, "");
}

TEST_F(CommandsTest, ReadNoFileThatAnotherProcessLeft) {
  const std::string took =
      ", output: o, read: {regex: {time: {match: 'took ([0-9]+) ms', unit: ms}}}";
  file("command: [sh, -c, '[ {n} = 3 ] || echo took {n} ms > o']" + took,
       "    axes: {n: [1, 2, 3]}\n");
  write("o", "took 9 ms\n");
  runs(1);
  const auto result = json("r.json");
  ASSERT_EQ(result.at("benchmarks").size(), 2U);
  EXPECT_TRUE(
      holds(result.at("apod_failed")[0].at("failed"),
            "o: the program did not write this file in this run; bench does not read older files"));
  EXPECT_TRUE(exists("o")) << "it is the user's";
  // What a setup wrote is not what is measured.
  file("command: ['true'], setup: [sh, -c, 'echo took 4 ms > o']" + took);
  runs(1);
  EXPECT_TRUE(holds(reason(), "o: the program did not write this file"));
  file("command: [touch, o]" + took);
  runs(1);
  EXPECT_TRUE(holds(reason(), "o: the program did not write this file"));
  file("command: [sh, -c, 'echo took 3 ms >> o']" + took);
  runs(1);
  EXPECT_TRUE(holds(reason(),
                    "o: the program appended to a file that existed before the run, and bench "
                    "can't read such a file: delete the file before the run"));
  // The same bytes, again and again, and as fast as processes start.
  for (const std::string write : {"cp -p old o", "ln -f old o"}) {
    passes("echo took 5 ms > old; cp old o");
    file("command: [sh, -c, '" + write + "']" + took, "", "processes: 1");
    runs(0);
  }
  file("command: [sh, -c, 'echo took 5 ms > o']" + took, "", "processes: 50");
  runs(0);
}

TEST_F(CommandsTest, ThatHangOrPrintWithoutEndAreEnded) {
  file("command: [sh, -c, 'sleep 60 & sleep 60']", "", "processes: 1, timeout: 300ms");
  const auto begin = std::chrono::steady_clock::now();
  runs(1);
  EXPECT_TRUE(holds(reason(), "run: did not end within 300 ms (measure: timeout)"));
  file(
      "command: ['yes', a line that is printed again and again], "
      "read: {regex: {time: {match: 'x([0-9])', unit: s}}}");
  runs(1);
  EXPECT_TRUE(holds(reason(), "the command printed more than 4 MiB"));
  file("command: [head, -c, 1G, /dev/zero]");
  runs(0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
}

TEST_F(CommandsTest, LeaveNoProcessesBehind) {
  program("app", "#!/bin/sh\nsetsid sleep 61 & echo $! >left\nsleep 62 & echo $! >>left\n");
  file("command: [./app]");
  EXPECT_TRUE(holds(runs(0).out, "the command left processes running; bench ended them"));
  EXPECT_NE(read("left"), "");
  EXPECT_EQ(shell("for pid in $(<left); do kill -0 $pid && echo alive; done").out, "");
}

TEST_F(CommandsTest, AnInterruptedRunCleansUpAndResumes) {
  program("app", R"(#!/bin/bash
echo run >>runs
[[ $(wc -l <runs) = 2 && ! -e go ]] && { touch begun; sleep 60; }
exit 0
)");
  file("command: [./app, '{n}'], cleanup: [sh, -c, 'echo {n} >>cleaned']",
       "    axes: {n: [1, 2]}\n");
  ends(130,
       "\"$BENCH\" --config ./x.yaml --trust -q --out r.json & pid=$!; "
       "until [[ -e begun ]]; do sleep 0.05; done; kill -INT $pid; wait $pid");
  EXPECT_EQ(read("cleaned").size(), 4U) << "of what was interrupted too";
  write("go", "");
  runs(0, "--resume");
  EXPECT_EQ(count(read("runs"), "run"), 3) << "what was measured is not measured again";
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(CommandsTest, TellCasesThatAreKnownLater) {
  google_program("base");
  google_program("new", "4000");
  file("command: ['./{variant}'], read: google",
       "    axes: {variant: [base, new]}\n    baseline: {variant: base}\n"
       "    expect:\n      - {where: {case: 'BM_b<int>/8', variant: new}, speedup: '< 0.6'}\n",
       "processes: 3");
  EXPECT_TRUE(holds(passes("bench --config ./x.yaml --dry-run").out, "e/base", "e/new",
                    "e finds its cases when it runs (google)"));
  EXPECT_TRUE(holds(runs(0).out, "(1 met, 0 missed)"));
  EXPECT_EQ(names(),
            (Names{"e/base/BM_a/8", "e/base/BM_b<int>/8", "e/new/BM_a/8", "e/new/BM_b<int>/8"}));
  runs(0, "--filter new/BM_a");
  EXPECT_EQ(names(), (Names{"e/base/BM_a/8", "e/new/BM_a/8"}));
  write("ids", "e/new/BM_b<int>/8\n");
  std::filesystem::remove(path("calls"));
  runs(0, "--only ids --processes 1");
  EXPECT_EQ(names(), (Names{"e/base/BM_b<int>/8", "e/new/BM_b<int>/8"}));
  EXPECT_EQ(count(read("calls"), "--benchmark_filter=^(BM_b<int>/8)$"), 2);
  write("ids", "e/other/BM_a\n");
  EXPECT_TRUE(holds(fails("bench --config ./x.yaml --trust --only ids").err,
                    "'e/other/BM_a' is not the id of a case"));
}

TEST_F(CommandsTest, OfNcclTestsAndNvbandwidthAreRead) {
  program("nccl", R"(#!/bin/sh
echo '# size count type redop root time algbw busbw #wrong time algbw busbw #wrong'
echo '# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)'
echo ' 1048576 262144 float sum -1 50.00 20.97 36.70 0 40.00 26.21 45.87 0'
echo 'NCCL INFO on the other stream' >&2
)");
  file("command: [./nccl], read: nccl-tests", "    expect: [{bus_bandwidth: '> 30GB/s'}]\n");
  EXPECT_TRUE(holds(runs(0).out, "(2 met, 0 missed)"));
  EXPECT_EQ(names(), (Names{"e/nccl/size:1048576/type:float/redop:sum/root:-1/out-of-place",
                            "e/nccl/size:1048576/type:float/redop:sum/root:-1/in-place"}));
  program("bw", R"sh(#!/bin/sh
test "$1" = --json && echo '{"nvbandwidth": {"testcases": [{"name": "h2d", "status": "Passed",
"bandwidth_description": "CPU(row) -> GPU(column) bandwidth (GB/s)", "bandwidth_matrix": [["50"]]}]}}'
)sh");
  file("command: [./bw], read: nvbandwidth", "    expect: [{bandwidth: '== 50GB/s'}]\n");
  runs(0);
  EXPECT_EQ(names(), Names{"e/bw/h2d/0,0"});
}

TEST_F(CommandsTest, ARuleAboutACaseThatIsNotFoundIsMissed) {
  google_program("app");
  file("command: [./app], read: google", "    expect: [{where: {case: BM_c}, time: '< 1s'}]\n");
  EXPECT_TRUE(holds(runs(3).out, "the rule selects no measured case"));
}

TEST_F(CommandsTest, TheShippedOneRuns) {
  passes("bench --config any_command.yaml --trust --processes 1 -q --set lines=1000 --out r.json");
  const auto result = json("r.json");
  for (const auto& c : result.at("apod_cases")) EXPECT_EQ(c.at("status"), "measured");
}

TEST_F(CommandsTest, AnswerTheQuestionOfTheirStudy) {
  program("app", "#!/bin/sh\n[ $1 -lt 9 ] || exit 7\necho took $1 ms\n");
  const auto asks = [&](const std::string& answer) {
    file("command: [./app, '{n}'], read: {regex: {time: {match: 'took ([0-9]+) ms', unit: ms}}}",
         "    axes: {n: [1, 4, 6, 9]}\n    baseline: {n: 1}\n    answer: " + answer + "\n",
         "processes: 3");
  };
  asks("{n: 4}");
  // Not of the failed case, which comes first, nor of another that is faster.
  const auto run = runs(1).out;
  EXPECT_TRUE(
      holds(run, "\nanswer\n  1 of 4 cases failed; the first is e/app/n:9", "\n  n = 4 takes "));
  EXPECT_TRUE(lacks(run, "n = 6 takes"));
  passes("bench report r.json --out p.html");
  const auto page = passes("sed 's/\\xc2\\xa0/ /g' p.html").out;  // where a line may not end
  EXPECT_TRUE(holds(page, "1 of 4 cases failed", "n = 4 takes "));
  EXPECT_TRUE(lacks(page, "n = 6 takes"));
  asks("all");
  EXPECT_TRUE(holds(runs(1).out, "\n  n = 4 takes ", "\n  n = 6 takes ",
                    "\n  Not answered: n = 9 against n = 1: e/app/n:9: run: exit code 7"));
}

}  // namespace
}  // namespace apod::test
