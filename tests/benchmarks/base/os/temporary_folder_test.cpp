#include "tests/kernels/api/temporary_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "benchmarks/base/os/new_file.hpp"

namespace apod::os {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TMPDIR", place_.path().c_str(), 1);
    ::getrlimit(RLIMIT_NOFILE, &files_);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    ::setrlimit(RLIMIT_NOFILE, &files_);
  }

  long count() const { return std::distance(fs::directory_iterator(place_.path()), {}); }

  const apod::TemporaryFolder place_;
  rlimit files_{};
};

TEST_F(TemporaryFolders, GoWithTheirOwner) {
  {
    const TemporaryFolder one;
    const TemporaryFolder other;
    std::ofstream(one.path() + "/file") << "content";
    EXPECT_EQ(fs::status(one.path()).permissions(), fs::perms::owner_all);
    EXPECT_EQ(count(), 2) << "a folder in use is not abandoned";
  }
  EXPECT_EQ(count(), 0);
}

/// More folders, each in the one before and none that can be written to, than a process may open
/// files from then on.
void make_deep(const std::string& path) {
  const std::string name(200, 'd');
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(::mkdirat(folder, name.c_str(), 0700), 0);
    const int next = ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY);
    ::close(::openat(next, "file", O_WRONLY | O_CREAT, 0400));
    ASSERT_EQ(::symlinkat("/", next, "link"), 0);
    if (i > 0) ::fchmod(folder, 0500);
    ::close(folder);
    folder = next;
  }
  ::close(folder);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = 100;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

TEST_F(TemporaryFolders, GoHoweverDeepTheyAre) {
  {
    const TemporaryFolder one;
    make_deep(one.path());
    fs::create_directory(one.path() + "/more");
    make_deep(one.path() + "/more");
  }
  EXPECT_EQ(count(), 0);
}

TEST_F(TemporaryFolders, OfKilledProcessesGoToo) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder left;
    std::ofstream(left.path() + "/file") << "content";
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (int i = 0; i < 500 && count() > 0; ++i) ::usleep(10'000);
  EXPECT_EQ(count(), 0);
}

TEST_F(TemporaryFolders, OfAMachineThatStoppedAreRemovedByTheNext) {
  std::string left;
  {
    const TemporaryFolder folder;
    left = folder.path();
  }
  fs::create_directory(left);
  std::ofstream(left + "/file") << "content";
  fs::create_directory_symlink(place_.path(), left + "link");
  std::ofstream(left + "file") << "content";
  fs::create_directory(place_.path() + "/apod-bench-of-another-host.abcdef");
  const TemporaryFolder next;
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(count(), 4) << "the next one, a link, a file, and a folder that is not ours";
}

TEST_F(TemporaryFolders, ThatCantBeOpenedAreAnError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root opens everything";
  const auto before = ::umask(0700);
  EXPECT_THROW(TemporaryFolder(), std::runtime_error);
  ::umask(before);
  EXPECT_EQ(count(), 0);
}

}  // namespace
}  // namespace apod::os
