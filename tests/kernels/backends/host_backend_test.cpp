/// The host backend: facts, memory and copies.

#include "tests/kernels/backends/host_backend.hpp"

#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

#include "kernels/backends/host/memory.hpp"
#include "tests/kernels/backend_contract.hpp"

namespace apod {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Host, BackendContract, HostBackend);

TEST_F(HostBackend, IsRegisteredWithOneDevice) {
  const auto* entry = Registry::instance().backend(BackendKind::host);
  std::string why;
  const auto devices = entry->devices(why);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_TRUE(why.empty());
  EXPECT_EQ(devices[0].backend, BackendKind::host);
  EXPECT_EQ(code_of([&] { entry->open(1); }), BackendError::Code::unsupported);
  EXPECT_EQ(code_of([&] { entry->open(-1); }), BackendError::Code::unsupported);
}

TEST_F(HostBackend, FactsAreSaneAndPeaksAreNotGuessed) {
  const auto facts = backend->facts();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_EQ(facts.name.find('\n'), std::string::npos);
  EXPECT_EQ(facts.multiprocessors, static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_GT(facts.memory_bytes, std::uint64_t{64} << 20);
  EXPECT_GT(facts.memory_free_bytes, 0u);
  EXPECT_LE(facts.memory_free_bytes, facts.memory_bytes);
  EXPECT_EQ(facts.peak_memory_bytes_per_s, 0);
  EXPECT_EQ(facts.peak_fp32_flops, 0);
  EXPECT_EQ(facts.peak_transfer_bytes_per_s, 0);
}

TEST_F(HostBackend, ClockIsPlausibleOrNotValid) {
  const auto reading = backend->clock();
  if (reading.valid) {
    EXPECT_GT(reading.sm_mhz, 100);
    EXPECT_LT(reading.sm_mhz, 10000);
  } else {
    EXPECT_EQ(reading.sm_mhz, 0);
  }
}

// --- memory

TEST_F(HostBackend, BuffersAreAlignedAndWritable) {
  for (const auto kind : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device}) {
    for (const std::size_t bytes : {1, 255, 4096, 1'000'001}) {
      const auto buffer = backend->allocate(bytes, kind);
      EXPECT_EQ(buffer->bytes(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 256, 0u);
      std::memset(buffer->data(), 0x5a, bytes);
      EXPECT_EQ(static_cast<unsigned char*>(buffer->data())[bytes - 1], 0x5a);
    }
  }
}

TEST_F(HostBackend, AbsurdSizesAreOutOfMemoryAndTheProcessGoesOn) {
  const auto more_than_there_is = static_cast<std::size_t>(backend->facts().memory_bytes) + 1;
  for (const auto bytes : {more_than_there_is, std::numeric_limits<std::size_t>::max(),
                           std::numeric_limits<std::size_t>::max() - 4096}) {
    for (const auto kind : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device}) {
      EXPECT_EQ(code_of([&] { backend->allocate(bytes, kind); }),
                BackendError::Code::out_of_memory);
    }
  }
  EXPECT_EQ(backend->allocate(1024, MemoryKind::pinned)->bytes(), 1024u);
}

TEST_F(HostBackend, PinnedMemoryThatCannotBeLockedIsNoted) {
  const bool lockable = host::Memory(std::size_t{1} << 20, MemoryKind::pinned).locked();
  const auto buffer = backend->allocate(std::size_t{1} << 20, MemoryKind::pinned);
  bool noted = false;
  for (const auto& note : backend->facts().notes) {
    noted = noted || note.find("not locked") != std::string::npos;
  }
  EXPECT_EQ(noted, !lockable);
}

TEST_F(HostBackend, FlushCacheRunsOnTheStream) {
  const auto trace_of = [&](CacheMode mode) {
    return backend->trace([&] { backend->flush_cache(*stream, mode); }).activities;
  };
  const auto written = trace_of(CacheMode::flushed);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].kind, Activity::Kind::memset);
  EXPECT_GT(written[0].bytes, backend->facts().l2_bytes);
  const auto read = trace_of(CacheMode::cold);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].kind, Activity::Kind::kernel);
  EXPECT_TRUE(trace_of(CacheMode::hot).empty());
}

}  // namespace
}  // namespace apod
