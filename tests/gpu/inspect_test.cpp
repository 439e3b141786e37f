// What the library sees of a program on a GPU: of this one, run again.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "benchmarks/run/inspected_program.hpp"
#include "tests/gpu/cuda_backend.hpp"

namespace apod {
namespace {

std::string library() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"libapodinspect.so", "../benchmarks/libapodinspect.so"}) {
    if (std::filesystem::exists(folder / place)) return (folder / place).string();
  }
  return {};
}

using InspectedWork = CudaBackend;

/// What the other test looks at.
TEST_F(InspectedWork, DISABLED_CopiesAndReads) {
  const auto host = pattern(1 << 20, MemoryKind::pinned);
  const auto device = backend->allocate(1 << 20, MemoryKind::device);
  backend->copy(device->data(), host->data(), 1 << 20, *stream);
  backend->flush_cache(*stream, CacheMode::cold);
  stream->synchronize();
}

TEST(InspectedOnGpu, EveryKernelHasItsCallItsCodeAndItsDevice) {
  if (library().empty()) GTEST_SKIP() << "no libapodinspect.so";
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto recording =
      run::run_inspected({.words = {self, "--gtest_filter=InspectedWork.DISABLED_CopiesAndReads",
                                    "--gtest_also_run_disabled_tests"},
                          .library = library()});
  ASSERT_EQ(recording.exit_code, 0);
  EXPECT_EQ(recording.trace.notes, std::vector<std::string>{});
  ASSERT_FALSE(recording.devices.empty());
  EXPECT_FALSE(recording.devices[0].name.empty());
  const auto& trace = recording.trace;
  const auto count = [&](Activity::Kind kind) {
    return std::count_if(trace.activities.begin(), trace.activities.end(),
                         [&](const auto& activity) { return activity.kind == kind; });
  };
  EXPECT_GT(count(Activity::Kind::kernel), 0);
  EXPECT_GT(count(Activity::Kind::copy), 0);
  for (const auto& activity : trace.activities) {
    EXPECT_LT(activity.start_ns, activity.end_ns) << activity.name;
    EXPECT_TRUE(std::any_of(trace.calls.begin(), trace.calls.end(), [&](const auto& call) {
      return call.correlation == activity.correlation;
    })) << activity.name;
    if (activity.kind != Activity::Kind::kernel) continue;
    EXPECT_NE(activity.code, 0U) << activity.name;
    EXPECT_GT(activity.resident_blocks, 0U) << activity.name;
  }
}

}  // namespace
}  // namespace apod
