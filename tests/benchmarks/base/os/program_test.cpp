#include "benchmarks/base/os/program.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "tests/support/texts.hpp"

namespace apod::os {
namespace {

using namespace std::chrono_literals;

ProgramEnd run_script(const std::string& script, const ProgramOptions& options = {}) {
  return run_program({"/bin/sh", "-c", script}, options);
}

/// Waits until the process is gone; whoever inherits it may take a moment to bury it.
bool ends(pid_t process) {
  std::string state;
  for (int i = 0; i < 500; ++i) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    state.assign(std::istreambuf_iterator<char>(stat), {});
    if (state.empty() || state.find(") Z ") != std::string::npos) return true;
    ::usleep(20'000);
  }
  return false;
}

TEST(Program, IsReadLineByLine) {
  std::vector<std::string> lines;
  const auto end = run_script("echo one; echo; printf 'no end'; echo problem >&2; exit 7",
                              {.on_line = [&](auto line) { lines.emplace_back(line); }});
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "no end"}));
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(last_line(end.errors), "problem");
  EXPECT_FALSE(end.timed_out || end.cancelled);
}

TEST(Program, OfItsErrorsTheLastAreKept) {
  const auto end = run_script("i=0; while [ $i -lt 9999 ]; do echo $i >&2; i=$((i+1)); done");
  EXPECT_EQ(end.errors.size(), 2000U);
  EXPECT_EQ(last_line(end.errors), "9998");
}

TEST(Program, ASignalThatEndsItIsCountedAsShellsDo) {
  EXPECT_EQ(run_script("kill -SEGV $$").exit_code, 128 + SIGSEGV);
}

TEST(Program, HasNoInputAndNothingThatWeIgnore) {
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run_script("cat; kill -PIPE $$; exit 3").exit_code, 128 + SIGPIPE);
  ::signal(SIGPIPE, SIG_DFL);
}

TEST(Program, EndsAtItsTimeoutWithAllThatItStarted) {
  pid_t grandchild = 0;
  const auto end = run_script(
      "/bin/sleep 60 & echo $!; wait",
      {.on_line = [&](auto line) { grandchild = std::stoi(std::string(line)); }, .timeout = 300ms});
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.exit_code, 128 + SIGKILL);
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(ends(grandchild));
}

TEST(Program, MayEndInItsOwnWayWhenItIsCancelled) {
  bool ready = false;
  const auto end =
      run_script("trap 'echo stopping >&2; exit 5' TERM; echo; while :; do sleep 0.01; done",
                 {.on_line = [&](auto) { ready = true; }, .cancelled = [&] { return ready; }});
  EXPECT_TRUE(end.cancelled);
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_EQ(end.errors, "stopping\n");
}

TEST(Program, WhatItsReaderThrowsEndsIt) {
  const ProgramOptions options{.on_line = [](auto) { throw std::out_of_range("enough"); }};
  EXPECT_THROW(run_script("echo line; exec /bin/sleep 60", options), std::out_of_range);
}

TEST(Program, ThatCannotBeStartedIsNamedWithTheReason) {
  const TemporaryFolder folder;
  const auto broken = folder.path() + "/broken";
  std::ofstream(broken) << "\x7f"
                        << "ELF\necho this is not a shell script\n";
  ASSERT_EQ(::chmod(broken.c_str(), 0755), 0);
  const std::vector<std::pair<std::string, std::string>> expected{
      {broken,
       "can't be started: Exec format error (if it is a script, begin it with a line such as "
       "#!/bin/sh)"},
      {folder.path(), "can't be started: Permission denied"},
      {folder.path() + "/absent", "can't be started: No such file or directory"},
      {"absent",
       "can't be started: No such file or directory on the PATH (for a program in this folder, "
       "write ./absent)"}};
  for (const auto& [program, reason] : expected) {
    EXPECT_EQ(error_of([&] { run_program({program}, {}); }), program + ": " + reason);
  }
}

/// The process of the grandchild of a process that starts it in `group` and is killed then.
pid_t grandchild_of_a_killed(Group group) {
  Pipe numbers;
  const pid_t caller = ::fork();
  if (caller == 0) {
    // A shell between us and the grandchild, as with a program that is a script.
    run_program(
        {"/bin/sh", "-c", "/bin/sleep 60 & echo $!; wait"},
        {.on_line = [&](auto line) { write_all(numbers.write.get(), std::string(line) + "\n"); },
         .group = group});
    ::_exit(0);
  }
  LineReader reader(std::move(numbers.read));
  std::optional<std::string> line;
  while (!(line = reader.next())) reader.read_some();
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  return std::stoi(*line);
}

TEST(Program, NothingOfAGuardedOneOutlivesItsCaller) {
  EXPECT_TRUE(ends(grandchild_of_a_killed(Group::guarded)));
}

TEST(Child, IsKilledWithItsCaller) {
  Pipe numbers;
  const pid_t caller = ::fork();
  if (caller == 0) {
    const Child child({.words = {"/bin/sleep", "60"}});
    write_all(numbers.write.get(), "started\n");
    ::pause();
  }
  LineReader reader(std::move(numbers.read));
  while (!reader.next()) reader.read_some();
  std::ifstream children("/proc/" + std::to_string(caller) + "/task/" + std::to_string(caller) +
                         "/children");
  pid_t child = 0;
  children >> child;
  ASSERT_GT(child, 0);
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  EXPECT_TRUE(ends(child));
}

TEST(Child, GetsTheDescriptorsAndTheEnvironmentThatItIsGiven) {
  ::setenv("HIDDEN_ONE", "1", 1);
  ::setenv("SHOWN_ONE", "2", 1);
  Pipe output;
  Child child({.words = {"sh", "-c", "echo \"$HIDDEN_ONE,$SHOWN_ONE,$0\" >&7", "name"},
               .file = "/bin/sh",
               .descriptors = {{output.write.get(), 7}},
               .hidden_prefix = "HIDDEN_"});
  output.write.close();
  LineReader reader(std::move(output.read));
  while (reader.open()) reader.read_some();
  EXPECT_EQ(reader.next(), ",2,name");
}

TEST(Program, StartsInItsFolderWithItsVariables) {
  ::setenv("APOD_TEST_OURS", "ours", 1);
  std::vector<std::string> lines;
  run_script("pwd; echo $APOD_TEST_OURS $APOD_TEST_ITS; echo last >&2",
             {.on_line = [&](auto line) { lines.emplace_back(line); },
              .lines = Lines::both,
              .variables = {{"APOD_TEST_OURS", "another"}, {"APOD_TEST_ITS", "its"}},
              .folder = "/"});
  EXPECT_EQ(lines, (std::vector<std::string>{"/", "another its", "last"}));
}

TEST(Program, ItsErrorsAloneMayBeTheLines) {
  std::vector<std::string> lines;
  const auto end =
      run_script("echo out; echo error >&2; exit 3",
                 {.on_line = [&](auto line) { lines.emplace_back(line); }, .lines = Lines::errors});
  EXPECT_EQ(lines, std::vector<std::string>{"error"});
  EXPECT_EQ(end.exit_code, 3);
}

TEST(Program, TellsWhatItUsed) {
  const auto end = run_script("sleep 0.2; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  EXPECT_GE(end.usage.wall_s, 0.2);
  EXPECT_GT(end.usage.user_s, 0.0);
  EXPECT_LT(end.usage.user_s + end.usage.system_s, end.usage.wall_s);
  EXPECT_GT(end.usage.peak_bytes, 1e5);
}

// The end of a program is seen at once, though something else holds its output open.
TEST(Program, ItsTimeEndsWithIt) {
  double least_s = 1;
  for (int i = 0; i < 10; ++i) {
    const auto end = run_script("setsid sleep 1 & exit 0", {.on_line = [](auto) {}});
    least_s = std::min(least_s, end.usage.wall_s);
  }
  EXPECT_LT(least_s, 0.05);
}

TEST(Orphans, AreEndedThoughTheyHaveLeftTheirGroup) {
  Orphans orphans;
  pid_t left = 0;
  run_script("setsid sleep 60 & echo $!; exit 0",
             {.on_line = [&](auto line) { left = std::stoi(std::string(line)); }});
  ASSERT_GT(left, 0);
  EXPECT_EQ(orphans.end(), 1U);
  EXPECT_TRUE(ends(left));
  EXPECT_EQ(orphans.end(), 0U);
}

TEST(Orphans, AreNotThoseThatEndByThemselvesNorOurOwn) {
  Child ours({.words = {"/bin/sleep", "60"}});
  Orphans orphans;
  run_script("(exit 3) & wait; exit 0");
  EXPECT_EQ(orphans.end(), 0U);
  EXPECT_FALSE(ours.status());
}

TEST(PipeReader, ALineWithoutAnEndComesInPieces) {
  Pipe pipe;
  LineReader reader(std::move(pipe.read), 4);
  write_all(pipe.write.get(), "whole one\n12345");
  reader.read_some();
  EXPECT_EQ(reader.next(), "whole one");
  EXPECT_EQ(reader.next(), "12345");
  write_all(pipe.write.get(), "6789");
  pipe.write.close();
  while (reader.open()) reader.read_some();
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.rest(), "6789");
}

TEST(PipeReader, TheLastLineIsOneWithSomethingInIt) {
  EXPECT_EQ(last_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(last_line("one"), "one");
  EXPECT_EQ(last_line("\n"), "");
}

}  // namespace
}  // namespace apod::os
