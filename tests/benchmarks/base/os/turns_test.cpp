#include "benchmarks/base/os/turns.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "benchmarks/base/os/new_file.hpp"

namespace apod::os {
namespace {

/// Locks are of processes, so others are forked.
class TurnsTest : public testing::Test {
 protected:
  TurnsTest() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~TurnsTest() override { ::unsetenv("TMPDIR"); }

  /// Whether another process gets a turn within 0.3 s.
  static bool other_gets(bool alone) {
    return wait_for(start([alone] {
      Turns turns("study");
      return turns.take(alone, soon());
    }));
  }
  static pid_t start(const std::function<bool()>& work) {
    const pid_t process = ::fork();
    if (process == 0) ::_exit(work() ? 0 : 1);
    return process;
  }
  static bool wait_for(pid_t process) {
    int status = -1;
    ::waitpid(process, &status, 0);
    return status == 0;
  }
  /// True from 0.3 s on.
  static std::function<bool()> soon() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    return [end] { return std::chrono::steady_clock::now() > end; };
  }
  static std::function<bool()> never() {
    return [] { return false; };
  }

  TemporaryFolder folder_;
};

TEST_F(TurnsTest, AreManyAtOnceOrOneAlone) {
  Turns turns("study");
  ASSERT_TRUE(turns.take(false, never()));
  EXPECT_TRUE(other_gets(false));
  EXPECT_FALSE(other_gets(true));
  turns.give_back();
  EXPECT_TRUE(other_gets(true));
  ASSERT_TRUE(turns.take(true, never()));
  EXPECT_FALSE(other_gets(false));
  EXPECT_FALSE(other_gets(true));
}

TEST_F(TurnsTest, WhoWaitsToBeAloneIsNotOvertaken) {
  Turns turns("study");
  ASSERT_TRUE(turns.take(false, never()));
  const pid_t waits = start([] {
    Turns own("study");
    return own.take(true, [] { return false; });
  });
  // Others get in until it stands in the door.
  bool overtaken = true;
  for (int i = 0; overtaken && i < 30; ++i) overtaken = other_gets(false);
  EXPECT_FALSE(overtaken);
  turns.give_back();
  EXPECT_TRUE(wait_for(waits));
}

TEST_F(TurnsTest, OfAProcessThatDiedHoldNobodyUp) {
  const pid_t dies = start([] {
    Turns own("study");
    if (own.take(true, [] { return false; })) ::raise(SIGKILL);
    return false;
  });
  EXPECT_FALSE(wait_for(dies));
  EXPECT_TRUE(other_gets(true));
}

TEST_F(TurnsTest, LeaveNothingBehindAndAreTheUsersOwn) {
  { Turns turns("study"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  const auto path = folder_.path() + "/bench-" + std::to_string(::geteuid()) + "-study.turns";
  std::filesystem::create_symlink("/etc/passwd", path);
  EXPECT_THROW(Turns("study"), std::runtime_error);
  ::setenv("TMPDIR", "/proc", 1);
  EXPECT_THROW(Turns("study"), std::runtime_error);
}

}  // namespace
}  // namespace apod::os
