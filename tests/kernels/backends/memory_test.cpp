#include "kernels/backends/host/memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::host {
namespace {

/// The files of a machine that has 8,000 KiB left; those of its cgroup are the test's.
class AvailableMemory : public ::testing::Test {
 protected:
  AvailableMemory() {
    write("proc/meminfo", "MemTotal: 16000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(machine_.path(name)).parent_path());
    machine_.write(name, text);
  }
  std::uint64_t available() const { return available_memory_bytes(machine_.path()); }

  TemporaryFolder machine_;
};

TEST_F(AvailableMemory, IsTheMachinesWithoutALimit) {
  EXPECT_EQ(available(), 8000u * 1024);
  write("sys/fs/cgroup/memory.max", "max\n");
  write("sys/fs/cgroup/memory.current", "5000000\n");
  EXPECT_EQ(available(), 8000u * 1024);
}

TEST_F(AvailableMemory, IsWhatTheCgroupHasLeft) {
  write("sys/fs/cgroup/memory.max", "5000000\n");
  write("sys/fs/cgroup/memory.current", "2000000\n");
  EXPECT_EQ(available(), 3'000'000u);
  write("sys/fs/cgroup/memory.max", "50000000\n");
  EXPECT_EQ(available(), 8000u * 1024) << "no more than the machine has";
  write("sys/fs/cgroup/memory.current", "60000000\n");
  EXPECT_EQ(available(), 0u) << "the limit was lowered below what is used";
}

TEST_F(AvailableMemory, CountsCachedFilesAsFree) {
  write("sys/fs/cgroup/memory.max", "5000000\n");
  write("sys/fs/cgroup/memory.current", "5000000\n");
  write("sys/fs/cgroup/memory.stat",
        "anon 1000000\nfile 4000000\ninactive_anon 7\n"
        "active_file 1500000\ninactive_file 500000\n");
  EXPECT_EQ(available(), 2'000'000u);
  write("sys/fs/cgroup/memory.stat", "active_file 4000000\ninactive_file 4000000\n");
  EXPECT_EQ(available(), 5'000'000u) << "the figures are not taken at one moment";
}

TEST_F(AvailableMemory, KnowsTheFirstVersionOfCgroups) {
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "4000000\n");
  EXPECT_EQ(available(), 1'000'000u);
  write("sys/fs/cgroup/memory/memory.stat",
        "cache 9\nactive_file 1\ntotal_active_file 1000000\ntotal_inactive_file 2000000\n");
  EXPECT_EQ(available(), 4'000'000u);
}

}  // namespace
}  // namespace apod::host
