// What every command of bench has in common: help, hints, files that are kept, readers that leave,
// and text that does a terminal no harm.

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class FrameTest : public ProgramTest {
 protected:
  FrameTest() {
    write("a.yaml", copies("[64, 128]"));
    write("base.json", google("BM_a", {1000, 1001, 1002}));
    write("slow.json", google("BM_a", {1300, 1301, 1302}));
    write("a.xyz", "");
  }
};

TEST_F(FrameTest, AMessageIsNotAsLongAsTheFileItIsAbout) {
  write("long.csv", std::string(500'000, 'a') + "\nA\n");
  write("long.yaml",
        "{schema: 1, experiments: [{workload: {command: ['true', '{n}']}, cases: long.csv}]}");
  const auto run = shell("bench --config long.yaml --dry-run");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "long.yaml: axis 'aaa", "2 problems; nothing was run"));
  EXPECT_LT(run.err.size(), 10'000u);
}

TEST_F(FrameTest, EveryCommandExplainsItselfAndKnowsWhatWasMeant) {
  EXPECT_TRUE(holds(passes("bench --help").out, "measure        try time new", "bench ./old ./new ",
                    "judge          compare", "--explain", "--help-all"));
  const auto all = passes("bench --help-all");
  EXPECT_TRUE(holds(all.out, "--config", "--list", "--dry-run", "--set", "--filter", "--backend",
                    "--device", "--processes", "--timeout", "--seed", "--resume", "--in-process",
                    "--profile", "--profile-runs", "--out", "--format", "--timers", "--quiet",
                    "--color", "--version", "Exit codes"));
  for (const std::string name : {"show", "time", "compare", "calibrate", "ceilings", "history",
                                 "inspect", "export", "sass"}) {
    EXPECT_TRUE(holds(all.out, "\n  " + name + " "));
    EXPECT_TRUE(
        holds(passes("bench " + name + " --help-all").out, "Usage: bench " + name, "Exit codes"));
    expect_refused(
        {{"bench " + name + " --hellp",
          "bench " + name + ": unexpected argument: --hellp (did you mean '--help'?)\nbench " +
              name + " --help shows the flags.\n"}});
  }
  EXPECT_TRUE(holds(shell("bench inspect --help-all").out, "altseq")) << "the columns of a table";
  EXPECT_TRUE(holds(passes("bench --version").out, "bench 0."));
}

// With fewer usual flags than were named, one of them has no such name.
TEST_F(FrameTest, TheHelpOfEachCommandFitsAScreen) {
  constexpr int lines = 40;
  constexpr std::size_t columns = 120;
  const auto all = passes("bench --help-all").out;
  std::istringstream commands(all.substr(all.find("Subcommands")));
  std::string line;
  std::getline(commands, line);
  int seen = 0;
  for (std::string name = ""; seen == 0 || (std::getline(commands, line) && !line.empty());
       ++seen) {
    if (seen > 0) name = line.substr(2, line.find(' ', 2) - 2) + " ";
    for (const std::string flag : {"--help", "--help-all"}) {
      const auto help = passes("bench " + name + flag).out;
      if (flag == "--help") {
        EXPECT_LE(std::count(help.begin(), help.end(), '\n'), lines) << name;
      }
      std::istringstream parts(help);
      for (std::string part; std::getline(parts, part);) EXPECT_LE(part.size(), columns) << part;
    }
  }
  EXPECT_GT(seen, 15);
  for (const std::string name : {"compare", "inspect", "bisect", "tune", "submit"}) {
    const auto help = passes("bench " + name + " --help").out;
    const auto flags = help.substr(help.find("\nFlags:\n"));
    std::size_t shown = 0;
    for (auto at = flags.find("\n  -"); at != std::string::npos; at = flags.find("\n  -", at + 1)) {
      ++shown;
    }
    EXPECT_EQ(shown, 10u) << help;
    EXPECT_TRUE(holds(help, "Examples:\n  bench " + name, "bench " + name + " --help-all shows"));
  }
}

TEST_F(FrameTest, WhatCannotBeMeantIsRefusedWithAHint) {
  expect_refused({
      {"bench", "name an experiment (.yaml), a kernel (.cu) or two programs"},
      {"bench --confg a.yaml", "did you mean '--config'?"},
      {"bench comapre a.json b.json",
       "bench: unexpected argument: comapre a.json b.json (did you mean 'compare'?)\n"},
      {"bench --dry-run a.yaml", "did you mean '--config a.yaml'?"},
      {"bench a.xyz",
       "bench: unexpected argument: a.xyz (name an experiment .yaml, a kernel .cu, a result .json "
       "or two programs)"},
      {"bench help", "bench --help lists the commands"},
      {"bench tune a.yaml", "did you mean '--config a.yaml'?"},
      {"bench merge all.json a.json b.json --out c.json",
       "the first file that you name is the output"},
      {"bench absent.json", "absent.json: there is no such file"},
      {"bench --config a.yaml --backend cudaa",
       "--backend: 'cudaa' is not one of auto, host, cuda (did you mean 'cuda'?)"},
      {"bench compare base.json slow.json --treshold 2%", "did you mean '--threshold'?"},
      {"bench a.yaml --processes", "bench: --processes: needs a value (--processes N)\n"},
      {"bench a.yaml --out", "--out: needs a value (--out FILE)\n"},
      {"bench show", "nothing to show: name result files"},
      {"bench export base.json", "--to is missing"},
      {"bench export base.json --to xml", "not one of google, bmf"},
      {"bench export --to go", "name result files"},
      {"bench history", "name result files"},
      {"bench history base.json --filter '('", "'(' is not a valid regular expression"},
      {"bench calibrate", "name an experiment with --config FILE"},
      {"bench calibrate --config a.yaml --sessions 1", "not a whole number from 2 to 1000"},
      {"bench calibrate --config a.yaml --backend gpu", "'gpu' is not one of auto, host, cuda"},
      {"bench ceilings --flag", "bench ceilings --help"},
      {"bench ceilings --config absent.yaml", "absent.yaml"},
      {"bench sass --kernel '['", "'[' is not a valid regular expression"},
      {"bench sass a b", "unexpected argument: b"},
      {"bench inspect", "nothing to inspect"},
      {"bench compare --config a.yaml --by nosuch=1,2",
       "nothing was measured\n  | --by: nosuch=1,2: no experiment has the axis"},
      {"bench --list copyy", "'copyy' is not one of "},
      {"bench --list copyy", "(did you mean 'copy'?)"},
  });
}

TEST_F(FrameTest, AFileAloneIsRunTriedOrShown) {
  EXPECT_TRUE(holds(passes("bench a.yaml --dry-run").out, "size:64", "size:128"));
  EXPECT_EQ(passes("bench base.json").out, passes("bench show base.json").out);
  write("k.cu", "int main() {}");
  // A message names a command only where the user did.
  const std::string why = shell("bench k.cu --dry-run").err;
  EXPECT_TRUE(why.starts_with("bench: there is no __global__") ||
              why.starts_with("bench: this build has no CUDA"))
      << why;
  EXPECT_EQ(shell("bench try k.cu --dry-run").err, "bench try" + why.substr(5));
  const auto screen = passes("bench --help").out;
  for (const char* name : {"try", "tune", "compare", "report", "submit", "schema"}) {
    EXPECT_TRUE(holds(screen, std::string(" ") + name));
  }
}

// An unset variable of a shell is no wish to go without.
TEST_F(FrameTest, NoWordAndNoValueIsEmpty) {
  const std::string why = "empty argument (check for an unset shell variable)\n";
  for (const std::string command :
       {"--config a.yaml -q --out", "--config a.yaml --only", "--config a.yaml --trace-out",
        "--config", "--config a.yaml --dry-run --filter", "--config a.yaml --set",
        "--config a.yaml --seed", "--config a.yaml --backend", "--list", "--list --filter",
        "export base.json --to go --out", "export base.json --to", "ceilings --out",
        "compare base.json slow.json --out", "compare --config a.yaml --by size=1,2 --set",
        "history base.json --filter", "sass --kernel", "submit --config a.yaml --print --having"}) {
    const auto flag = command.substr(command.rfind("--"));
    for (const auto& line : {command + " ''", command + " '' -q", command + "= -q"}) {
      expect_refused({{"bench " + line, flag + ": " + why}});
    }
  }
  for (const std::string flag : {"-o ''", "-qo ''", "-qo '' -q"}) {
    expect_refused({{"bench --config a.yaml --dry-run " + flag, "--out: " + why}});
  }
  for (const std::string command :
       {"show", "report", "plot", "history", "export --to go", "calibrate", "merge out.json",
        "status", "compare base.json", "sass", "try", "new kernel", "inspect", "completion",
        "show --timers", "show a.json --", "compare --quiet", "submit --print"}) {
    expect_refused({{"bench " + command + " ''",
                     "bench " + command.substr(0, command.find(' ')) + ": " + why}});
  }
}

// `timeout`: CLI11 never ends where an empty word comes before a flag of a group.
TEST_F(FrameTest, AnEmptyWordOfBenchItselfIsRefusedWhereverItStands) {
  for (const std::string line :
       {"''", "'' --config a.yaml --dry-run", "--config a.yaml '' --dry-run",
        "--quiet '' --config a.yaml --dry-run", "--config a.yaml --dry-run ''",
        "--config a.yaml --dry-run -oq.json ''", "--config a.yaml --dry-run -- ''",
        "--dry-run -- '' --config a.yaml", "--list copy ''"}) {
    expect_refused({{"timeout 20 $BENCH " + line, "bench: empty argument"}});
  }
}

TEST_F(FrameTest, ASwitchTakesNoValue) {
  for (const std::string line :
       {"--dry-run= --config a.yaml", "--config a.yaml --dry-run=", "--list --dry-run=",
        "--config a.yaml --dry-run=true", "--config a.yaml --dry-run=false"}) {
    expect_refused({{"timeout 20 $BENCH " + line, "bench: --dry-run: takes no value\n"}});
  }
  expect_refused(
      {{"bench show --timers= base.json", "--timers: takes no value"},
       {"bench inspect --csv= base.json", "--csv: takes no value"},
       {"bench compare --config a.yaml --by size=1,2 --trust=false", "--trust: takes no value"},
       {"bench --version=", "--version: takes no value"},
       {"bench --config a.yaml --dry-rum= x", "did you mean '--dry-run'?"}});
}

TEST_F(FrameTest, AValueMayLookLikeAFlag) {
  expect_refused({{"bench --config a.yaml --dry-run --filter --dry-run=", "--dry-run="},
                  {"bench --config a.yaml --dry-run --set --", "--set: '--' is not KEY=VALUE"}});
  passes("bench --config a.yaml --dry-run --filter '--|size|x='");
  passes("bench completion bash -- ''");
}

TEST_F(FrameTest, WhatIsReadIsNeverReplacedAndWhatCannotBeWrittenIsFoundFirst) {
  const auto base = read("base.json");
  const auto config = read("a.yaml");
  std::filesystem::create_symlink(path("base.json"), path("link.json"));
  std::filesystem::create_directory(path("folder"));
  const std::string is_read = "is one of the input files";
  expect_refused({
      {"bench compare base.json slow.json -o base.json", "--out: base.json: " + is_read},
      {"bench compare base.json slow.json -o link.json", is_read},
      {"bench compare slow.json base.json -o ./base.json", is_read},
      {"bench compare base.json slow.json -o n.json -o ./n.json", "is named twice"},
      {"bench compare base.json slow.json -o r.pdf", "r.pdf"},
      {"bench compare base.json slow.json -o missing/r.json", "missing"},
      {"bench compare base.json slow.json -o folder", "folder"},
      {"bench export base.json --to google -o base.json", is_read},
      {"bench export . --to google -o base.json", is_read},
      {"bench history base.json slow.json -o base.json", is_read},
      {"bench history base.json slow.json -o r.xml", "r.xml"},
      {"bench calibrate --config a.yaml -o a.yaml", is_read},
      {"bench calibrate --config a.yaml -o slow.json", "exists and is not a calibration"},
      {"bench ceilings --backend host --config a.yaml --out a.yaml", is_read},
      {"bench ceilings --backend host --config a.yaml -o x.csv",
       "--out: x.csv: the name must end in .json"},
      {"bench ceilings --backend host --config a.yaml -o -",
       "--out: -: the name must end in .json"},
      {"bench ceilings --backend host --config a.yaml -o no/such/c.json", "no/such"},
      {"bench --config a.yaml --out missing/r.json", "missing"},
      {"bench --config a.yaml --out base.json/r.json", "base.json/r.json"},
      {"bench --config a.yaml --out .", "--out: "},
      {"bench --config a.yaml --out r.pdf", "r.pdf"},
      {"bench --config a.yaml --out r", "--out: 'r': no format has this extension"},
  });
  EXPECT_EQ(read("base.json"), base);
  EXPECT_EQ(read("a.yaml"), config);
  EXPECT_FALSE(exists("r.pdf"));
}

TEST_F(FrameTest, AReaderThatLeavesIsNoErrorAndChangesNoVerdict) {
  // `true` leaves before anything is printed; some of these print more than a pipe holds, too.
  const std::vector<std::pair<std::string, int>> commands{
      {"bench --list", 0},
      {"bench --config a.yaml --dry-run", 0},
      {"bench --config a.yaml -q --backend host -o r.json", 0},
      {"bench compare base.json slow.json --threshold 1% -o r.txt", 4},
      {"bench export base.json --to go", 0},
      {"bench history base.json slow.json -o r.csv", 0},
  };
  for (const auto& [command, exit_code] : commands) {
    const auto run =
        ends(exit_code, "{ sleep 0.1; " + command + "; } | true; exit ${PIPESTATUS[0]}");
    EXPECT_EQ(run.err, "") << command;
  }
  for (const char* file : {"r.json", "r.txt", "r.csv"}) EXPECT_NE(read(file), "") << file;
}

TEST_F(FrameTest, AHistoryIsShownAgainAsItWas) {
  const auto run = passes("bench history base.json slow.json -o h.json -o h.csv --format json");
  EXPECT_EQ(read("h.json"), run.out);
  EXPECT_EQ(shell("bench show h.json --format csv").out, read("h.csv"));
  EXPECT_EQ(shell("bench show h.json").out, shell("bench history base.json slow.json").out);
}

TEST_F(FrameTest, OutputThatIsLostIsAnError) {
  for (const std::string command :
       {"bench --list", "bench --config a.yaml --dry-run", "bench compare base.json slow.json",
        "bench export base.json --to go", "bench history base.json slow.json"}) {
    for (const std::string gone : {" >/dev/full", " >&-"}) {
      expect_refused({{command + gone, "standard output could not be written"}});
    }
  }
}

TEST_F(FrameTest, NoTextOfAFileReachesTheTerminalRaw) {
  const std::string hostile = "\x1b]0;x\x07\xc2\x9b[31m\n::error::x";
  write("evil.json", google("BM_" + hostile, {1000, 1001}));
  write("evil2.json", google("BM_" + hostile, {1300, 1301}));
  write("evil.yaml",
        "schema: 1\nname: small\ndescription: \"a\\e]0;x\\a\\x9b\\n::error::x\"\n"
        "experiments:\n  - {workload: copy, axes: {variant: host, size: 64}}\n");
  write("word.yaml",
        "schema: 1\nexperiments:\n  - {workload: \"co\\e[31m\\n::error::x\\x9b\", axes: {}}\n");
  for (const std::string command :
       {"bench --config evil.yaml --dry-run", "bench --config word.yaml --dry-run",
        "bench compare evil.json evil2.json", "bench history evil.json evil2.json",
        "bench history evil.json --filter nothing", "bench compare evil.json base.json",
        "bench export evil.json --to google -o x.json", "bench $'\\e[31m'",
        "bench --config $'\\e[31m'", "bench compare $'\\e[31m\\n::error::' base.json"}) {
    const auto run = shell(command);
    EXPECT_TRUE(lacks(run.out + run.err, "\x1b", "\x07", "\xc2\x9b", "\n::error")) << command;
  }
}

TEST_F(FrameTest, TheListFitsAndNamesWhatThereIsOnce) {
  const auto screen = passes("bench --list");
  EXPECT_LE(count(screen.out, "\n"), 60);
  EXPECT_TRUE(holds(screen.out, "streams.yaml", "reduction", "--list WORKLOAD", "--list facts"));
  EXPECT_TRUE(lacks(screen.out, "grid_stride", "host_memory"));
  EXPECT_TRUE(holds(passes("bench --list facts").out, "peak_bytes", "low-occupancy"));
  const auto run = passes("bench --list all");
  EXPECT_TRUE(holds(run.out, "reduction", "normalize", "convolution", "copy", "grid_stride",
                    "warp_shuffle", "cub", "thrust", "memcpy_async", "register_tile",
                    "direct_double", "compute_repeats", "distinct_streams", "streams.yaml",
                    "smoke.yaml"));
  EXPECT_EQ(count(run.out, "\n  host_memory "), 1) << "an axis of every workload";
  EXPECT_TRUE(lacks(run.out, "seed"));
  std::istringstream lines(run.out + screen.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;

  const auto one = passes("bench --list copy");
  // Axes of a variant alone are the family's; a build without CUDA knows only that there is one.
  const bool built = one.out.find("cuda  (not in this build") == std::string::npos;
  EXPECT_EQ(count(one.out, "threads in a block (variant grid_stride)"), built ? 1 : 0);
  EXPECT_TRUE(holds(one.out, "memcpy_async", "host_memory"));
  EXPECT_TRUE(lacks(one.out, "convolution", "distinct_streams ", "smoke.yaml"));
}

}  // namespace
}  // namespace apod::test
