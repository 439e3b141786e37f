/// The CUDA backend: facts, memory and copies, errors.

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/backend_contract.hpp"

namespace apod {
namespace {

using Clock = std::chrono::steady_clock;

INSTANTIATE_TYPED_TEST_SUITE_P(Cuda, BackendContract, CudaBackend);

// --- facts

TEST_F(CudaBackend, TheListAgreesWithTheOpenedDevice) {
  const auto facts = backend->facts();
  EXPECT_EQ(devices[0].index, 0);
  EXPECT_EQ(facts.index, 0);
  EXPECT_EQ(devices[0].uuid, facts.uuid);
  EXPECT_EQ(devices[0].name, facts.name);
  EXPECT_EQ(devices[0].driver_version, facts.driver_version);
  EXPECT_EQ(devices[0].compute_capability, facts.compute_capability);
  EXPECT_EQ(facts.uuid.rfind("GPU-", 0), 0u) << facts.uuid;
  EXPECT_FALSE(facts.driver_version.empty());
}

TEST_F(CudaBackend, FactsAreSane) {
  const auto facts = backend->facts();
  EXPECT_EQ(facts.backend, BackendKind::cuda);
  EXPECT_FALSE(facts.runtime_version.empty());
  EXPECT_GT(facts.multiprocessors, 0);
  EXPECT_GE(facts.max_threads_per_multiprocessor, 1024);
  EXPECT_GT(facts.memory_bytes, std::uint64_t{1} << 30);
  EXPECT_GT(facts.memory_free_bytes, 0u);
  EXPECT_LE(facts.memory_free_bytes, facts.memory_bytes);
  EXPECT_GT(facts.l2_bytes, std::uint64_t{256} << 10);
  EXPECT_GT(facts.max_sm_clock_mhz, 500);
  EXPECT_GT(facts.power_limit_w, 10);
  EXPECT_GT(facts.peak_memory_bytes_per_s, 1e11);
  EXPECT_LT(facts.peak_memory_bytes_per_s, 3e13);
  EXPECT_GT(facts.peak_fp32_flops, 1e12);
  EXPECT_LT(facts.peak_fp32_flops, 1e15);
  EXPECT_LE(facts.peak_fp64_flops, facts.peak_fp32_flops);
}

TEST_F(CudaBackend, ClockIsWithinTheDevicesLimits) {
  CopyLaunch launch(*backend, 1 << 24);
  for (int i = 0; i < 100; ++i) launch.run(*stream);
  const auto reading = backend->clock();
  stream->synchronize();
  ASSERT_TRUE(reading.valid);
  EXPECT_GT(reading.sm_mhz, 100);
  EXPECT_LE(reading.sm_mhz, backend->facts().max_sm_clock_mhz);
  if (reading.throttled) {
    EXPECT_FALSE(reading.reason.empty());
  }
}

TEST_F(CudaBackend, ClockIsCheapEnoughToReadBesideSamples) {
  backend->clock();
  constexpr int kReadings = 20;
  const auto start = Clock::now();
  for (int i = 0; i < kReadings; ++i) ASSERT_TRUE(backend->clock().valid);
  const std::chrono::duration<double, std::micro> each = (Clock::now() - start) / kReadings;
  RecordProperty("microseconds_per_reading", std::to_string(each.count()));
  EXPECT_LT(each.count(), 5000);
}

TEST_F(CudaBackend, AHoldTellsTheClockOfWhatStoodBehindIt) {
  CopyLaunch launch(*backend, 1 << 26);
  launch.run(*stream);
  const auto clock_of = [&](int launches) {
    EXPECT_TRUE(backend->block(*stream));
    for (int i = 0; i < launches; ++i) launch.run(*stream);
    EXPECT_TRUE(backend->unblock());
    stream->synchronize();
    return backend->held_clock_mhz();
  };
  for (int i = 0; i < 200; ++i) clock_of(10);  // an idle device has to wake up
  const double mhz = clock_of(10);
  EXPECT_LE(mhz, 1.01 * backend->facts().max_sm_clock_mhz) << "a step above happens: 1995 of 1980";
  EXPECT_NEAR(clock_of(10), mhz, 0.05 * mhz);
  EXPECT_EQ(clock_of(0), 0) << "too short for the timer";
  // The driver's own reading is a mean over some time.
  EXPECT_NEAR(backend->clock().sm_mhz, mhz, 0.1 * mhz);
}

TEST_F(CudaBackend, EnergyGrowsBesideTheWork) {
  const auto begin = Clock::now();
  const double before = backend->energy();
  CopyLaunch launch(*backend, 1 << 26);
  while (Clock::now() - begin < std::chrono::seconds(1)) {
    launch.run(*stream);
    stream->synchronize();
  }
  const double watts =
      (backend->energy() - before) / std::chrono::duration<double>(Clock::now() - begin).count();
  EXPECT_GT(watts, 10);
  EXPECT_LT(watts, 2 * backend->facts().power_limit_w);
  const double power = backend->clock().power_w;
  EXPECT_GT(power, 10);
}

TEST_F(CudaBackend, DevicesThatAreNotThereCannotBeOpened) {
  EXPECT_EQ(code_of([&] { entry->open(-1); }), BackendError::Code::unsupported);
  EXPECT_EQ(code_of([&] { entry->open(4096); }), BackendError::Code::unsupported);
}

// --- memory and copies

TEST_F(CudaBackend, CopiesOfAllKindsRoundTrip) {
  constexpr std::size_t kBytes = 1'000'003;
  const auto source = pattern(kBytes, MemoryKind::pageable);
  for (const auto from : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device}) {
    for (const auto to : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device}) {
      const auto a = backend->allocate(kBytes, from);
      const auto b = backend->allocate(kBytes, to);
      const auto back = backend->allocate(kBytes, MemoryKind::pageable);
      std::memset(back->data(), 0xff, kBytes);
      EXPECT_EQ(a->bytes(), kBytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->data()) % 256, 0u);
      backend->copy(a->data(), source->data(), kBytes, *stream);
      backend->copy(b->data(), a->data(), kBytes, *stream);
      backend->copy(back->data(), b->data(), kBytes, *stream);
      stream->synchronize();
      EXPECT_EQ(std::memcmp(back->data(), source->data(), kBytes), 0)
          << to_string(from) << " to " << to_string(to);
    }
  }
}

TEST_F(CudaBackend, OutOfMemoryIsToldAndTheProcessGoesOn) {
  const auto too_much = 2 * static_cast<std::size_t>(backend->facts().memory_bytes);
  constexpr auto kAbsurd = std::numeric_limits<std::size_t>::max() / 2;
  for (const auto bytes : {too_much, kAbsurd}) {
    EXPECT_EQ(code_of([&] { backend->allocate(bytes, MemoryKind::device); }),
              BackendError::Code::out_of_memory);
  }
  for (const auto kind : {MemoryKind::pinned, MemoryKind::pageable}) {
    EXPECT_EQ(code_of([&] { backend->allocate(kAbsurd, kind); }),
              BackendError::Code::out_of_memory);
  }
  const auto buffer = backend->allocate(1 << 20, MemoryKind::device);
  backend->fill(buffer->data(), 0, buffer->bytes(), *stream);
  EXPECT_NO_THROW(stream->synchronize());
}

// --- errors of device code

TEST_F(CudaBackend, AnIllegalAddressIsStickyAndDestructorsNeitherThrowNorHang) {
  // In a process of its own: the context is lost, and every later test would fail with it.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  backend.reset();
  EXPECT_EXIT(
      {
        auto lost = entry->open(0);
        auto code = BackendError::Code::other;
        {
          const auto queue = lost->create_stream("lost");
          const auto event = lost->create_event();
          CopyLaunch launch(*lost, 1 << 16);
          const auto pinned = lost->allocate(64, MemoryKind::pinned);
          launch.run(*queue, nullptr);
          event->record(*queue);
          try {
            queue->synchronize();
          } catch (const BackendError& error) {
            code = error.code();
          }
        }
        lost.reset();
        std::_Exit(code == BackendError::Code::sticky ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace apod
