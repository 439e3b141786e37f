#include "benchmarks/base/os/trusted.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <ostream>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/turns.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::os {
namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody = 12345;

class Trusted : public ::testing::Test {
 protected:
  Trusted() {
    fs::create_directories(path("a/b"));
    temporary_.write("a/b/f", "x");
    ::chmod(path("a").c_str(), 0755);
    ::chmod(path("a/b").c_str(), 0755);
    ::chmod(path("a/b/f").c_str(), 0644);
  }
  std::string path(const std::string& name) const {
    return (fs::canonical(temporary_.path()) / name).string();
  }
  /// Links to a file of ours, made by another user. Only the administrator can give them away.
  void link_of_somebody(const std::string& name) const {
    fs::create_symlink(path("a/b/f"), path(name));
    ASSERT_EQ(::lchown(path(name).c_str(), somebody, somebody), 0);
  }

  const apod::TemporaryFolder temporary_;
};

TEST_F(Trusted, IsWhatNobodyElseCanHavePutThere) {
  EXPECT_EQ(why_untrusted(path("a/b/f")), "");
  EXPECT_EQ(why_untrusted(path("a/../a/./b")), "");
  for (const mode_t mode : {0777, 0773}) {
    for (const char* open : {"a", "a/b", "a/b/f"}) {
      ::chmod(path(open).c_str(), mode);
      EXPECT_EQ(why_untrusted(path("a/b/f")), "other users can write to " + path(open));
      ::chmod(path(open).c_str(), 0755);
    }
  }
  EXPECT_NE(why_untrusted(path("a/b/absent")), "");
}

TEST_F(Trusted, ASharedFolderMayBeOnTheWayAndIsNoPlaceItself) {
  ::chmod(path("a").c_str(), 01777);
  EXPECT_EQ(why_untrusted(path("a/b/f")), "");
  EXPECT_EQ(why_untrusted(path("a")), "other users can write to " + path("a"));
  // Others can give a file or a link of ours a second name there.
  std::ofstream(path("a/g")) << "x";
  fs::create_symlink("b/f", path("a/l"));
  for (const char* name : {"a/g", "a/l"}) {
    EXPECT_EQ(why_untrusted(path(name)), "other users can write to " + path("a"));
  }
}

TEST_F(Trusted, ALinkLeadsNoFurtherThanItsTarget) {
  fs::create_directory_symlink("a/b", path("l"));
  EXPECT_EQ(why_untrusted(path("l/f")), "");
  ::chmod(path("a/b").c_str(), 0777);
  EXPECT_EQ(why_untrusted(path("l/f")), "other users can write to " + path("a/b"));
  fs::create_symlink("m", path("m"));
  EXPECT_NE(why_untrusted(path("m")), "");
}

TEST_F(Trusted, AGroupOfSeveralIsSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other groups";
  ASSERT_EQ(::chown(path("a/b").c_str(), 0, somebody), 0);
  ::chmod(path("a/b").c_str(), 0775);
  EXPECT_EQ(why_untrusted(path("a/b/f")), "other users can write to " + path("a/b"));
}

TEST_F(Trusted, AUserWhomAnAccessListNamesIsSomebodyElse) {
  // user::rw-, user:12345:rw-, group::r--, mask::rw-, other::r-- (acl(5)): the mode says rw-rw-r--.
  struct Entry {
    std::uint16_t kind, permissions;
    std::uint32_t id;
  };
  struct List {
    std::uint32_t version = 2;
    std::array<Entry, 5> entries{{{1, 6, UINT32_MAX},
                                  {2, 6, somebody},
                                  {4, 4, UINT32_MAX},
                                  {16, 6, UINT32_MAX},
                                  {32, 4, UINT32_MAX}}};
  } list;
  const auto file = path("a/b/f");
  if (::setxattr(file.c_str(), "system.posix_acl_access", &list, sizeof list, 0) != 0) {
    GTEST_SKIP() << "the file system has no access lists";
  }
  EXPECT_EQ(why_untrusted(file), "other users can write to " + file);
  ASSERT_EQ(::removexattr(file.c_str(), "system.posix_acl_access"), 0);
  ::chmod(file.c_str(), 0644);
  EXPECT_EQ(why_untrusted(file), "");
}

TEST_F(Trusted, WhatBelongsToAnotherUserIsNot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other users";
  for (const char* name : {"a", "a/b", "a/b/f"}) {
    ASSERT_EQ(::chown(path(name).c_str(), somebody, somebody), 0);
    EXPECT_EQ(why_untrusted(path("a/b/f")), path(name) + " belongs to another user");
    EXPECT_TRUE(is_of_another(path(name)));
    ASSERT_EQ(::chown(path(name).c_str(), 0, 0), 0);
    EXPECT_FALSE(is_of_another(path(name)));
  }
}

TEST_F(Trusted, WhoeverOwnsTheNamedFileMayHavePutOthersNearIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other users";
  temporary_.write("a/b/named", "x");
  for (const char* name : {"a", "a/b", "a/b/f"}) {
    ASSERT_EQ(::chown(path(name).c_str(), somebody, somebody), 0);
  }
  EXPECT_NE(why_untrusted(path("a/b/f"), path("a/b/named")), "");
  ASSERT_EQ(::chown(path("a/b/named").c_str(), somebody, somebody), 0);
  EXPECT_EQ(why_untrusted(path("a/b/f"), path("a/b/named")), "");
}

TEST_F(Trusted, WhoeverTookANameThatNobodyGaveOwnsNothingOfOurs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other users";
  ASSERT_EQ(::chown(path("a/b/f").c_str(), somebody, somebody), 0);
  const auto owner_of = [&](const Destination& to) {
    write_atomically(to, [](std::ostream& out) { out << "new"; });
    struct stat about {};
    EXPECT_EQ(::stat(to.path().c_str(), &about), 0);
    return about.st_uid;
  };
  EXPECT_EQ(owner_of(Destination::named(path("a/b/f"))), 0u) << "the folder is ours";
  ASSERT_EQ(::chown(path("a/b/f").c_str(), somebody, somebody), 0);
  EXPECT_EQ(owner_of(Destination::derived(path("a/b/f"))), 0u);
  ASSERT_EQ(::chown(path("a/b").c_str(), somebody, somebody), 0);
  ASSERT_EQ(::chown(path("a/b/f").c_str(), somebody, somebody), 0);
  EXPECT_EQ(owner_of(Destination::named(path("a/b/f"))), somebody) << "as sudo bench should";
}

TEST_F(Trusted, ALinkOfAnotherUserLeadsNoWriteElsewhere) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give links to other users";
  ::chmod(path("a").c_str(), 01777);
  link_of_somebody("a/r.txt");
  EXPECT_EQ(foreign_link(path("a/r.txt")), path("a/r.txt"));
  for (const auto& write :
       {+[](const std::string& to) { check_writable(Destination::named(to), 1); },
        +[](const std::string& to) {
          write_atomically(Destination::named(to), [](std::ostream& out) { out << "new"; });
        }}) {
    EXPECT_THROW(write(path("a/r.txt")), std::runtime_error);
    EXPECT_EQ(content_of(path("a/b/f")), "x");
  }
  // A link of ours leads to what it names, and so does one to a link of ours.
  fs::create_symlink("b/f", path("a/mine"));
  write_atomically(Destination::named(path("a/mine")), [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(content_of(path("a/b/f")), "new");
  EXPECT_TRUE(fs::is_symlink(path("a/mine")));
}

TEST_F(Trusted, AFileOfAnotherUserInASharedFolderIsRefusedBeforeItIsWritten) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const auto why = [&] {
    std::string said;
    EXPECT_EQ(::seteuid(somebody), 0);
    try {
      check_writable(Destination::named(path("a/f")), 1);
    } catch (const std::exception& error) {
      said = error.what();
    }
    EXPECT_EQ(::seteuid(0), 0);
    return said;
  };
  std::ofstream(path("a/f")) << "x";
  ::chmod(path("a/f").c_str(), 0666);
  ::chmod(path("a").c_str(), 01777);
  ::chmod(path("").c_str(), 0755);
  EXPECT_NE(why().find("in a sticky folder"), std::string::npos);
  ::chmod(path("a").c_str(), 0777);
  EXPECT_EQ(why(), "");
  ::chmod(path("a").c_str(), 01777);
  ASSERT_EQ(::chown(path("a/f").c_str(), somebody, somebody), 0);
  EXPECT_EQ(why(), "") << "his own file";
  ASSERT_EQ(::chown(path("a/f").c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(path("a").c_str(), somebody, somebody), 0);
  EXPECT_EQ(why(), "") << "his own folder";
}

TEST_F(Trusted, ADerivedNameLeadsNoWriteElsewhere) {
  fs::create_symlink("b/f", path("a/mine"));
  fs::create_symlink("b/absent", path("a/dangling"));
  ASSERT_EQ(::mkfifo(path("a/pipe").c_str(), 0600), 0);
  for (const char* name : {"a/mine", "a/dangling", "a/pipe"}) {
    const auto to = Destination::derived(path(name));
    EXPECT_THROW(check_writable(to, 1), std::runtime_error) << name;
    EXPECT_THROW(write_atomically(to, [](std::ostream& out) { out << "new"; }), std::runtime_error)
        << name;
  }
  EXPECT_EQ(content_of(path("a/b/f")), "x");
  EXPECT_FALSE(fs::exists(path("a/b/absent")));
  write_atomically(Destination::derived(path("a/b/f")), [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(content_of(path("a/b/f")), "new");
}

TEST_F(Trusted, AJournalOfAnotherUserIsNotTakenUp) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to other users";
  ASSERT_EQ(::chown(path("a/b/f").c_str(), somebody, somebody), 0);
  EXPECT_THROW(claim(path("a/b/f")), std::runtime_error);
}

}  // namespace
}  // namespace apod::os
