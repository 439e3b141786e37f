// What helps in a shell: completion, run by the shells that are here, and the manual page.

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

using ShellHelp = ProgramTest;

TEST_F(ShellHelp, WordsAreCommandsThenFlagsThenTheirChoices) {
  EXPECT_TRUE(holds(passes("bench completion bash -- co").out, "compare\t", "completion\t"));
  const auto flags = passes("bench completion bash -- compare --f").out;
  EXPECT_TRUE(holds(flags, "--format\tFormat", "--fail-on\t", "--filter\t"));
  EXPECT_TRUE(lacks(flags, "--help", "--base"));
  EXPECT_EQ(passes("bench completion zsh -- compare --format j").out, "json\t\njunit\t\n");
  EXPECT_TRUE(holds(passes("bench completion fish -- --set x=1 --back").out, "--backend\t"));
}

TEST_F(ShellHelp, FilesAreLeftToTheShell) {
  EXPECT_EQ(passes("bench completion bash -- compare --out ''").out, "");
  EXPECT_EQ(passes("bench completion bash -- show ''").out, "");
  EXPECT_EQ(passes("bench completion bash -- completion ''").out, "bash\t\nzsh\t\nfish\t\n");
  EXPECT_EQ(passes("bench completion bash -- --config ''").out, "");
}

TEST_F(ShellHelp, AnUnknownShellIsRefused) {
  EXPECT_TRUE(holds(fails("bench completion tcsh").err, "'tcsh' is not one of bash, zsh, fish"));
  EXPECT_TRUE(holds(fails("bench completion").err, "name a shell: bash, zsh or fish"));
}

TEST_F(ShellHelp, BashCompletesByTheScript) {
  write("try.bash",
        "source <(bench completion bash)\n"
        "COMP_WORDS=(bench compare --fai); COMP_CWORD=2; _bench; echo \"${COMPREPLY[*]}\"\n"
        "COMP_WORDS=(bench compare --fail-on ''); COMP_CWORD=3; _bench; echo \"${#COMPREPLY[@]}\"\n"
        "complete -p bench\n");
  EXPECT_EQ(passes("ln -s $BENCH bench; PATH=$PWD:$PATH bash try.bash").out,
            "--fail-on\n3\ncomplete -o default -F _bench bench\n");
}

TEST_F(ShellHelp, ZshTakesItsScript) {
  if (shell("zsh --version").exit_code != 0) GTEST_SKIP() << "no zsh to read it";
  write("try.zsh",
        "autoload -U compinit && compinit -D\nsource <(bench completion zsh)\n"
        "print ${_comps[bench]}\n");
  EXPECT_EQ(passes("ln -s $BENCH bench; PATH=$PWD:$PATH zsh -f try.zsh").out, "_bench\n");
}

TEST_F(ShellHelp, FishCompletesByTheScript) {
  if (shell("fish --version").exit_code != 0) GTEST_SKIP() << "no fish to read it";
  write("try.fish",
        "bench completion fish | source\ncomplete -C 'bench compare --fail-o'\n"
        "complete -C 'bench compare --fail-on r'\n");
  const auto words = passes("ln -s $BENCH bench; HOME=$PWD PATH=$PWD:$PATH fish try.fish").out;
  EXPECT_TRUE(holds(words, "--fail-on\t", "regression"));
}

TEST_F(ShellHelp, TheManualPageHasEveryCommandAndFlag) {
  const auto page = passes("bench man").out;
  EXPECT_TRUE(holds(page, ".TH BENCH 1", ".SS bench compare", ".SS bench man",
                    "\\fB\\-\\-confirm\\fR", "\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fIFILE\\fR"));
  EXPECT_EQ(count(page, "\\fB\\-\\-fail\\-on\\fR"), 3) << "of a run, a submission and a comparison";
  // A minimized Ubuntu has a `man` that only says how to install it.
  if (shell("man --version").out.find("man ") != 0) GTEST_SKIP() << "no man to read it";
  write("bench.1", page);
  const auto read = shell("MANWIDTH=80 man --warnings -l bench.1");
  EXPECT_EQ(read.err, "");
  EXPECT_TRUE(holds(read.out, "--fail-on regression|suspect|inconclusive", "Exit codes: 0 good"));
}

}  // namespace
}  // namespace apod::test
