
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "benchmarks/base/os/new_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::os {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void write(const fs::path& path, const std::string& text) {
    write_atomically(Destination::named(path.string()), [&](std::ostream& out) { out << text; });
  }

  const apod::TemporaryFolder temporary_;
  const fs::path folder_ = fs::canonical(temporary_.path());
};

TEST_F(AtomicFile, WritesANewFileAsTheUmaskAsks) {
  const mode_t old = ::umask(027);
  write(path("a.json"), "hello\n");
  ::umask(old);
  EXPECT_EQ(content_of(path("a.json")), "hello\n");
  EXPECT_EQ(files(), 1u) << "nothing else is left behind";
  struct stat status {};
  ASSERT_EQ(::stat(path("a.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(AtomicFile, ReplacesAFileWholeAndKeepsItsPermissions) {
  write(path("a"), "old");
  ASSERT_EQ(::chmod(path("a").c_str(), 04604), 0);
  std::ifstream reader(path("a"));
  const std::string more_than_a_buffer(1'000'003, 'x');
  write(path("a"), more_than_a_buffer);
  EXPECT_EQ(content_of(path("a")), more_than_a_buffer);
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old") << "by whoever opened it before";
  struct stat status {};
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0604u) << "and no set-user-ID bit";
}

TEST_F(AtomicFile, ReplacesTheTargetOfALinkAndNotTheLink) {
  fs::create_directory(path("real"));
  write(path("real/a"), "old");
  fs::create_symlink("real/a", path("link"));
  fs::create_symlink("link", path("second"));
  fs::create_symlink("later", path("dangling"));
  write(path("second"), "new");
  write(path("dangling"), "new");
  EXPECT_EQ(content_of(path("later")), "new");
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_TRUE(fs::is_symlink(path("second")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content_of(path("real/a")), "new");
}

TEST_F(AtomicFile, KeepsTheOldContentWhenTheNewCanNotBeMade) {
  write(path("a"), "old");
  const auto throws = [](std::ostream& out) {
    out << "half";
    throw std::out_of_range("body");
  };
  EXPECT_THROW(write_atomically(Destination::named(path("a").string()), throws), std::out_of_range);
  const auto fails = [](std::ostream& out) { out.setstate(std::ios::failbit); };
  EXPECT_THROW(write_atomically(Destination::named(path("a").string()), fails), std::runtime_error);
  EXPECT_EQ(content_of(path("a")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, AKilledWriterLeavesNothingBehind) {
  if (const Descriptor file(::open(folder_.c_str(), O_WRONLY | O_TMPFILE)); !file) {
    GTEST_SKIP() << "every file has a name here";
  }
  const pid_t writer = ::fork();
  if (writer == 0) {
    write_atomically(Destination::named(path("a").string()), [](std::ostream& out) {
      out << std::string(100'000, 'x');
      ::kill(::getpid(), SIGKILL);
    });
  }
  ::waitpid(writer, nullptr, 0);
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, SaysThatTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string text(100'000, 'x');
  EXPECT_TRUE(contains(error_of([&] { write("/dev/full", text); }), "No space left on device"));
  EXPECT_NE(error_of([&] { write("/dev/full", "x"); }), "") << "found by the last flush";
}

TEST_F(AtomicFile, AFullDiskLeavesTheOldFileWhole) {
  const fs::path disk = path("disk");
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "no file system can be mounted here";
  }
  const std::string text(1'000'000, 'x');
  std::string error;
  std::string checked;
  try {
    write(disk / "a", "old");
    checked =
        error_of([&] { check_writable(Destination::named((disk / "a").string()), text.size()); });
    error = error_of([&] { write(disk / "a", text); });
  } catch (const std::runtime_error& unexpected) {
    ADD_FAILURE() << unexpected.what();
  }
  const std::string kept = content_of(disk / "a");
  const auto left = std::distance(fs::directory_iterator(disk), fs::directory_iterator());
  EXPECT_EQ(::umount2(disk.c_str(), MNT_DETACH), 0);
  EXPECT_TRUE(contains(checked, "977 KiB are needed"));
  EXPECT_TRUE(contains(error, "No space left on device"));
  EXPECT_EQ(kept, "old");
  EXPECT_EQ(left, 1) << "the half-written file is gone";
}

TEST_F(AtomicFile, RewritesAFileThatIsAMountOfItsOwn) {
  write(path("outside"), "old and long");
  write(path("inside"), "");
  if (::mount(path("outside").c_str(), path("inside").c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "no file can be mounted here";
  }
  const std::string error = error_of([&] { write(path("inside"), "new"); });
  EXPECT_EQ(::umount2(path("inside").c_str(), MNT_DETACH), 0);
  EXPECT_EQ(error, "");
  EXPECT_EQ(content_of(path("outside")), "new");
  EXPECT_EQ(files(), 2u);
}

TEST_F(AtomicFile, WritesAPipeInPlace) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::fstream reader(path("pipe"), std::ios::in | std::ios::out);  // holds both ends open
  EXPECT_NO_THROW(check_writable(Destination::named(path("pipe").string()), 1));
  write(path("pipe"), "through\n");
  std::string line;
  std::getline(reader, line);
  EXPECT_EQ(line, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(AtomicFile, RefusesASocketBeforeAnythingIsWritten) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path("socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(error_of([&] {
                check_writable(Destination::named(path("socket").string()), 1);
              }).ends_with("it is a socket"));
}

TEST_F(AtomicFile, AnOpenFileIsWrittenInPlace) {
  // As /dev/stdout is when a shell sent it to a file: the shell's file must get the text.
  std::ofstream(path("a")) << "before ";
  FILE* file = std::fopen(path("a").c_str(), "a");
  ASSERT_NE(file, nullptr);
  write("/proc/self/fd/" + std::to_string(::fileno(file)), "after");
  std::fclose(file);
  EXPECT_EQ(content_of(path("a")), "before after");
}

TEST_F(AtomicFile, RefusesWhatCanNotBeWritten) {
  write(path("file"), "");
  fs::create_symlink("loop", path("loop"));
  const std::vector<std::pair<std::string, std::string>> refused{
      {"", "the name is empty"},
      {folder_.string(), "it is a directory"},
      {path("none/a").string(), "does not exist (make it with: mkdir -p"},
      {path("none/").string(), "does not exist"},
      {path("file/a").string(), "not a folder"},
      {path("loop").string(), "levels of symbolic links"},
      {path(std::string(300, 'n')).string(), "name too long"},
  };
  for (const auto& [name, why] : refused) {
    const std::string checked = error_of([&] { check_writable(Destination::named(name), 1); });
    const std::string written = error_of([&] { write(name, "x"); });
    EXPECT_TRUE(contains(checked, "cannot write '" + name + "'"));
    for (const std::string& message : {checked, written}) {
      EXPECT_TRUE(contains(message, why)) << name << ": " << message;
    }
  }
  EXPECT_EQ(files(), 2u);
}

TEST_F(AtomicFile, ACheckKnowsTheRoomOnTheDiskAndLeavesNothingBehind) {
  const auto name = path("a").string();
  const auto error =
      error_of([&] { check_writable(Destination::named(name), std::uint64_t{1} << 62); });
  EXPECT_TRUE(contains(error, "4.00 EiB are needed"));
  check_writable(Destination::named(name), 1024);
  EXPECT_EQ(files(), 0u);
  write(name, "old");
  check_writable(Destination::named(name), 1024);
  EXPECT_EQ(content_of(name), "old");
}

TEST_F(AtomicFile, RefusesAWriteProtectedFileAndFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write(path("a"), "old");
  ASSERT_EQ(::chmod(path("a").c_str(), 0444), 0);
  EXPECT_NE(error_of([&] { check_writable(Destination::named(path("a").string()), 1); }), "");
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  EXPECT_NE(error_of([&] { check_writable(Destination::named(path("b").string()), 1); }), "");
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

}  // namespace
}  // namespace apod::os
