// Rules about what the host calls.

#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST_F(FindingsTest, AllocationsOfDeviceMemoryAreKnownByTheirNames) {
  facts = {{"span", 1e-2}, {"busy", 0.5}};
  asked.time_s = 1e-2;
  add_kernel("k", 5e-3, 100);
  const auto found = [&](const char* name) {
    profile.calls.clear();
    add_call(name, 2e-3, 100);
    return find("allocation-in-loop").has_value();
  };
  for (const char* name :
       {"cudaMalloc", "cudaMallocManaged", "cudaMallocPitch", "cudaMalloc3D", "cudaFree",
        "cudaFreeArray", "cuMemAlloc", "cuMemAllocManaged", "cuMemAllocPitch", "cuMemFree"}) {
    EXPECT_TRUE(found(name)) << name;
  }
  for (const char* name : {"cudaMallocAsync", "cudaMallocFromPoolAsync", "cudaFreeAsync",
                           "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync"}) {
    EXPECT_FALSE(found(name)) << name << " is made for loops";
  }
  for (const char* name : {"cudaMallocHost", "cudaFreeHost", "cuMemAllocHost", "cuMemFreeHost"}) {
    EXPECT_TRUE(found(name)) << name << " is slower still";
  }
}

TEST_F(FindingsTest, AllocationInLoop) {
  facts["span"] = 1e-3;
  add_kernel("k", 0.5e-3);
  add_call("cudaMalloc", 0.2e-3, 1);
  add_call("cudaFree", 0.1e-3, 1);
  asked.time_s = 2e-3;
  const auto found = find("allocation-in-loop");
  ASSERT_TRUE(found);
  EXPECT_TRUE(contains(found->evidence, "cudaMalloc 1 time, cudaFree 1 time"));
  EXPECT_NEAR(found->gain, 0.15, 1e-9) << "of the time that it takes untraced";
  asked.end_to_end = false;
  EXPECT_EQ(find("allocation-in-loop")->gain, 0) << "not in the time";
  foreign = true;
  EXPECT_FALSE(find("allocation-in-loop")) << "its steps tell";
}

TEST_F(FindingsTest, AllocationFromAPoolIsNoFinding) {
  facts["span"] = 1e-3;
  add_kernel("k", 0.5e-3, 100);
  add_call("cudaMallocAsync", 0.5e-3, 100);
  EXPECT_FALSE(find("allocation-in-loop"));
}

TEST_F(FindingsTest, JitAtStartByOverheadsOrByCalls) {
  facts["span"] = 1;
  foreign = true;
  add_call("cuModuleLoadData", 0.2, 3);
  EXPECT_NEAR(find("jit-at-start")->gain, 0.2 / 1.2, 1e-9);
  profile.overheads["compiler"] = tally(0.15, 3);
  EXPECT_NEAR(find("jit-at-start")->gain, 0.15 / 1.15, 1e-9) << "the calls did the same";
  profile.overheads = {{"lazy function loading", tally(0.25, 3)}};
  EXPECT_NEAR(find("jit-at-start")->gain, 0.2, 1e-9);
  profile.overheads.clear();
  profile.calls.front().time = tally(0.01, 3);
  profile.overheads["buffer flush"] = tally(0.5, 3);
  EXPECT_FALSE(find("jit-at-start"));
}

TEST_F(FindingsTest, ThrottledSamplesAreAWarning) {
  facts = {{"throttled", 5}, {"samples", 95}, {"sm_clock", 1755}};
  device.max_sm_clock_mhz = 1980;
  const auto found = find("throttled");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence,
            "5 samples were taken while the device was throttled for heat or power, at a mean "
            "clock of 1755 MHz of 1980");
  facts["samples"] = 10000;
  EXPECT_FALSE(find("throttled"));
}

}  // namespace
}  // namespace apod::look
