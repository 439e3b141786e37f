/// The CUDA backend: what a trace sees of the device.

#include <cstring>
#include <string>

#include "tests/gpu/cuda_backend.hpp"

namespace apod {
namespace {

TEST_F(CudaBackend, TraceSeesCopiesWithBytesKindsAndStreams) {
  const auto other = backend->create_stream("other");
  const auto pageable = pattern(4096, MemoryKind::pageable);
  const auto pinned = pattern(1 << 20, MemoryKind::pinned);
  const auto device = backend->allocate(1 << 20, MemoryKind::device);
  backend->fill(device->data(), 0, 1 << 20, *stream);  // before the trace: not part of it
  // Three times: each trace attaches anew.
  for (int round = 0; round < 3; ++round) {
    trace([&] {
      backend->copy(device->data(), pinned->data(), 1 << 20, *stream);
      backend->copy(pageable->data(), device->data(), 4096, *stream);
      backend->fill(device->data(), 5, 777, *stream);
      stream->synchronize();
      backend->copy(device->data(), pinned->data(), 1 << 19, *other);
    });
    if (IsSkipped()) return;
    const auto& all = seen.activities;
    ASSERT_EQ(all.size(), 4u) << "round " << round;
    for (const auto& activity : all) EXPECT_LT(activity.start_ns, activity.end_ns);
    EXPECT_EQ(all[0].kind, Activity::Kind::copy);
    EXPECT_EQ(all[0].name, "HtoD");
    EXPECT_EQ(all[0].bytes, std::uint64_t{1} << 20);
    EXPECT_EQ(all[0].source, MemoryKind::pinned);
    EXPECT_EQ(all[0].target, MemoryKind::device);
    EXPECT_EQ(all[1].name, "DtoH");
    EXPECT_EQ(all[1].source, MemoryKind::device);
    EXPECT_EQ(all[1].target, MemoryKind::pageable);
    EXPECT_EQ(all[2].kind, Activity::Kind::memset);
    EXPECT_EQ(all[2].bytes, 777u);
    EXPECT_EQ(all[3].bytes, std::uint64_t{1} << 19);
    EXPECT_EQ(all[0].stream, all[2].stream);
    EXPECT_NE(all[0].stream, all[3].stream);
  }
}

TEST_F(CudaBackend, TraceSeesKernelsWithTheirLaunch) {
  CopyLaunch launch(*backend, 1 << 20);
  trace([&] {
    launch.run(*stream);
    launch.run(*stream);
  });
  if (IsSkipped()) return;
  ASSERT_EQ(seen.activities.size(), 2u);
  const auto& kernel = seen.activities[0];
  EXPECT_EQ(kernel.kind, Activity::Kind::kernel);
  EXPECT_NE(kernel.name.find("copy_grid_stride(float const*"), std::string::npos) << kernel.name;
  EXPECT_EQ(kernel.block[0], 256u);
  EXPECT_EQ(kernel.grid[0], 1280u) << "the launch that copy/grid_stride states";
  EXPECT_EQ(kernel.grid[1], 1u);
  EXPECT_GT(kernel.registers_per_thread, 0u);
  EXPECT_EQ(kernel.static_shared_bytes + kernel.dynamic_shared_bytes, 0u);
  const auto most = static_cast<unsigned>(backend->facts().max_threads_per_multiprocessor) / 256;
  EXPECT_GE(kernel.resident_blocks, 1u);
  EXPECT_LE(kernel.resident_blocks, most);
  EXPECT_LE(kernel.end_ns, seen.activities[1].start_ns) << "one stream: one after the other";
}

TEST_F(CudaBackend, TraceSeesTheNodesOfAGraph) {
  CopyLaunch launch(*backend, 1 << 16);
  const auto graph = backend->capture(*stream, [&] {
    launch.run(*stream);
    launch.run(*stream);
  });
  trace([&] { graph->launch(*stream); });
  if (IsSkipped()) return;
  EXPECT_EQ(seen.activities.size(), 2u);
}

TEST_F(CudaBackend, FlushCacheWritesAsMuchAsTheL2HoldsOrReadsWithoutWriting) {
  backend->flush_cache(*stream, CacheMode::cold);  // allocates
  trace([&] {
    backend->flush_cache(*stream, CacheMode::flushed);
    backend->flush_cache(*stream, CacheMode::cold);
    backend->flush_cache(*stream, CacheMode::hot);
  });
  if (IsSkipped()) return;
  ASSERT_EQ(seen.activities.size(), 2u);
  EXPECT_EQ(seen.activities[0].kind, Activity::Kind::memset);
  EXPECT_EQ(seen.activities[0].bytes, backend->facts().l2_bytes);
  EXPECT_EQ(seen.activities[1].kind, Activity::Kind::kernel);
}

TEST_F(CudaBackend, AFailedTraceLeavesTheNextOneClean) {
  const auto device = backend->allocate(64, MemoryKind::device);
  EXPECT_THROW(backend->trace([&] {
    backend->fill(device->data(), 1, 64, *stream);
    throw std::logic_error("no");
  }),
               std::logic_error);
  trace([&] { backend->fill(device->data(), 1, 32, *stream); });
  if (IsSkipped()) return;
  ASSERT_EQ(seen.activities.size(), 1u);
  EXPECT_EQ(seen.activities[0].bytes, 32u);
}

}  // namespace
}  // namespace apod
