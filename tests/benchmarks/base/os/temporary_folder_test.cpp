#include "tests/kernels/api/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
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
  void SetUp() override { ::setenv("TMPDIR", place_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  long count() const { return std::distance(fs::directory_iterator(place_.path()), {}); }

  const apod::TemporaryFolder place_;
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
