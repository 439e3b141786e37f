// Rules about what the host calls.

#include "tests/benchmarks/inspect/evidence.hpp"

namespace apod::inspect {
namespace {

TEST_F(FindingsTest, AllocationsOfDeviceMemoryAreKnownByTheirNames) {
  foreign = true;
  facts = {{"span", 1e-2}, {"busy", 0.5}};
  add_kernel("k", 5e-3, 100);
  const auto found = [&](const char* name) {
    profile.calls.clear();
    add_call(name, 2e-3, 100);
    profile.calls.back().among_kernels = profile.calls.back().time;
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
    EXPECT_FALSE(found(name)) << name << " is the host's memory";
  }
}

}  // namespace
}  // namespace apod::inspect
