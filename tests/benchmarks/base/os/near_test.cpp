#include "benchmarks/base/os/near.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "benchmarks/base/os/new_file.hpp"

namespace apod::os {
namespace {

/// Tables of a device at 0000:18:00.0.
class Near : public testing::Test {
 protected:
  void table(const std::string& name, const std::string& text) {
    const auto device = folder_.path() + "/0000:18:00.0";
    std::filesystem::create_directories(device);
    std::ofstream(device + "/" + name) << text << '\n';
  }
  std::optional<Place> place(const std::string& pci = "0000:18:00.0") const {
    return place_near(pci, folder_.path());
  }

  TemporaryFolder folder_;
};

TEST_F(Near, IsWhatTheKernelsTablesSay) {
  table("local_cpulist", "0-31,64-95");
  table("numa_node", "1");
  ASSERT_TRUE(place());
  EXPECT_EQ(place()->text(), "processors 0-31,64-95, node 1");
  table("numa_node", "-1");  // a machine of one node, or one that does not tell
  EXPECT_EQ(place()->text(), "processors 0-31,64-95");
}

TEST_F(Near, IsUnknownWhereTheyDontTell) {
  EXPECT_FALSE(place());
  EXPECT_FALSE(place(""));
  table("numa_node", "0");
  for (const char* text : {"", "0-", "-1", "3-1", "0;1", "0,", "0-99999999", "all"}) {
    table("local_cpulist", text);
    EXPECT_FALSE(place()) << text;
  }
  table("local_cpulist", "0");
  EXPECT_TRUE(place());
  EXPECT_FALSE(place("../0000:18:00.0"));
}

/// The processors that this thread may use.
int processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof(set), &set), 0);
  return CPU_COUNT(&set);
}

/// In a thread of its own, for it stays there.
template <class Work>
void in_a_thread(Work work) {
  std::thread(work).join();
}

TEST_F(Near, AThreadStaysThereAndSoDoThoseThatItStarts) {
  const int before = processors();
  in_a_thread([] {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof(set), &set);
    int first = 0;
    while (CPU_ISSET(first, &set) == 0) ++first;
    // Those that it may not use are left out.
    const auto pinned = pin_to({std::to_string(first) + ",16000-16001"});
    ASSERT_TRUE(pinned);
    EXPECT_EQ(pinned->text(), "processors " + std::to_string(first));
    EXPECT_EQ(processors(), 1);
    in_a_thread([] { EXPECT_EQ(processors(), 1); });
  });
  EXPECT_EQ(processors(), before);
}

TEST_F(Near, WhereItMayUseNoneOfThemAllIsAsBefore) {
  in_a_thread([] {
    const int before = processors();
    EXPECT_FALSE(pin_to({"16000"}));
    EXPECT_FALSE(pin_to({"nonsense"}));
    EXPECT_EQ(processors(), before);
  });
}

}  // namespace
}  // namespace apod::os
