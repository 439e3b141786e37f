/// The CUDA backend on a real device, through the contract alone: this file compiles in every build
/// and skips with the reason where there is no device.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/api/registry.hpp"

namespace apod {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// The code of the BackendError that `call` throws; a failure when it throws none.
template <class Call>
BackendError::Code code_of(Call&& call) {
  try {
    call();
  } catch (const BackendError& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  ADD_FAILURE() << "no BackendError was thrown";
  return BackendError::Code::other;
}

class CudaBackend : public ::testing::Test {
 protected:
  void SetUp() override {
    entry = Registry::instance().backend(BackendKind::cuda);
    if (entry == nullptr) GTEST_SKIP() << "built without CUDA";
    std::string why;
    devices = entry->devices(why);
    if (devices.empty()) GTEST_SKIP() << why;
    backend = entry->open(0);
    stream = backend->create_stream("test");
  }

  /// Host memory of the given kind, holding 0, 1, 2 ... 250, 0, 1 ...
  std::unique_ptr<Buffer> pattern(std::size_t bytes, MemoryKind kind) {
    auto buffer = backend->allocate(bytes, kind);
    auto* data = static_cast<unsigned char*>(buffer->data());
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i % 251);
    return buffer;
  }

  /// A trace of `work`; skips the test where the machine can't trace.
  void trace_into(Trace& trace, const std::function<void()>& work) {
    trace = backend->trace(work);
    if (trace.activities.empty() && !trace.notes.empty()) GTEST_SKIP() << trace.notes.front();
  }

  const BackendEntry* entry = nullptr;
  std::vector<DeviceFacts> devices;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Stream> stream;
};

/// A problem of the copy family and what one launch of a variant of it needs.
struct CopyLaunch {
  CopyLaunch(Backend& backend, std::int64_t elements)
      : family(Registry::instance().family("copy")),
        variant(Registry::instance().variant("copy", "grid_stride")->make()) {
    params.set("size", elements);
    problem = family->make(params, {.kind = DataSpec::Kind::ones});
    chunk = problem->chunk(0, 1);
    input = backend.allocate(chunk.input_bytes, MemoryKind::device);
    output = backend.allocate(chunk.output_bytes, MemoryKind::device);
  }
  void run(Stream& stream) const { run(stream, input->data()); }
  void run(Stream& stream, const void* from) const {
    variant->compute({.problem = *problem,
                      .params = params,
                      .chunk = chunk,
                      .input = from,
                      .output = output->data(),
                      .stream = stream});
  }
  const Family* family;
  std::unique_ptr<Variant> variant;
  Params params;
  std::unique_ptr<Problem> problem;
  Chunk chunk;
  std::unique_ptr<Buffer> input;
  std::unique_ptr<Buffer> output;
};

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

TEST_F(CudaBackend, FillWritesItsBytesOnly) {
  const auto device = backend->allocate(1024, MemoryKind::device);
  const auto back = backend->allocate(1024, MemoryKind::pinned);
  backend->fill(device->data(), 1, 1024, *stream);
  backend->fill(device->data(), 0xab, 100, *stream);
  backend->copy(back->data(), device->data(), 1024, *stream);
  stream->synchronize();
  const auto* bytes = static_cast<unsigned char*>(back->data());
  EXPECT_EQ(bytes[99], 0xab);
  EXPECT_EQ(bytes[100], 1);
}

TEST_F(CudaBackend, ZeroBytesAreAValidBuffer) {
  for (const auto kind : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device}) {
    const auto buffer = backend->allocate(0, kind);
    EXPECT_EQ(buffer->bytes(), 0u);
    EXPECT_NE(buffer->data(), nullptr);
    backend->copy(buffer->data(), buffer->data(), 0, *stream);
    backend->fill(buffer->data(), 0, 0, *stream);
  }
  EXPECT_NO_THROW(stream->synchronize());
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

// --- events

TEST_F(CudaBackend, EventsMeasureTheStreamsTime) {
  CopyLaunch launch(*backend, 1 << 24);
  const auto start = backend->create_event();
  const auto middle = backend->create_event();
  const auto stop = backend->create_event();
  start->record(*stream);
  launch.run(*stream);
  middle->record(*stream);
  for (int i = 0; i < 10; ++i) launch.run(*stream);
  stop->record(*stream);
  stream->synchronize();
  const auto one = backend->seconds_between(*start, *middle);
  const auto ten = backend->seconds_between(*middle, *stop);
  EXPECT_GT(one, 0);
  EXPECT_GT(ten, 0);
  EXPECT_LT(ten, 10);
  EXPECT_NEAR(backend->seconds_between(*start, *stop), one + ten, 2e-6);
}

TEST_F(CudaBackend, EventsThatWereNotRecordedCannotBeRead) {
  const auto start = backend->create_event();
  const auto stop = backend->create_event();
  code_of([&] { backend->seconds_between(*start, *stop); });
  start->record(*stream);
  stop->record(*stream);
  stream->synchronize();
  EXPECT_NO_THROW(backend->seconds_between(*start, *stop));
}

// --- holding a stream

TEST_F(CudaBackend, BlockHoldsWorkUntilUnblock) {
  const auto device = backend->allocate(64, MemoryKind::device);
  const auto seen = backend->allocate(64, MemoryKind::pinned);
  std::memset(seen->data(), 0, 64);
  const auto* first = static_cast<volatile unsigned char*>(seen->data());
  backend->fill(device->data(), 7, 64, *stream);
  stream->synchronize();

  ASSERT_TRUE(backend->block(*stream));
  backend->copy(seen->data(), device->data(), 64, *stream);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(*first, 0) << "the copy ran while its stream was held";
  EXPECT_TRUE(backend->unblock());
  stream->synchronize();
  EXPECT_EQ(*first, 7);
}

TEST_F(CudaBackend, BlockHidesTheLaunches) {
  CopyLaunch launch(*backend, 256);
  const auto start = backend->create_event();
  const auto stop = backend->create_event();
  const auto seconds = [&](bool held) {
    if (held) {
      EXPECT_TRUE(backend->block(*stream));
    }
    start->record(*stream);
    for (int i = 0; i < 50; ++i) launch.run(*stream);
    stop->record(*stream);
    if (held) {
      EXPECT_TRUE(backend->unblock());
    }
    stream->synchronize();
    return backend->seconds_between(*start, *stop);
  };
  seconds(false);  // loads the kernel, which must not happen behind a hold
  auto held = seconds(true);
  auto plain = seconds(false);
  for (int i = 0; i < 20; ++i) {
    held = std::min(held, seconds(true));
    plain = std::min(plain, seconds(false));
  }
  EXPECT_LT(held, plain);
}

TEST_F(CudaBackend, AHoldEndsByItselfAndUnblockTellsSo) {
  ASSERT_TRUE(backend->block(*stream));
  EXPECT_TRUE(backend->unblock());
  stream->synchronize();

  const auto start = Clock::now();
  ASSERT_TRUE(backend->block(*stream));
  EXPECT_FALSE(backend->block(*stream)) << "one hold at a time";
  stream->synchronize();
  const auto held = Clock::now() - start;
  EXPECT_GE(held, 900ms);
  EXPECT_LT(held, 5s);
  EXPECT_FALSE(backend->unblock());
  EXPECT_FALSE(backend->unblock()) << "there is no hold left";

  ASSERT_TRUE(backend->block(*stream));
  EXPECT_TRUE(backend->unblock()) << "the next hold is not spoiled by the last one";
  stream->synchronize();
}

// --- graphs

TEST_F(CudaBackend, AGraphDoesWhatDirectWorkDoes) {
  const auto source = pattern(4096, MemoryKind::pinned);
  const auto device = backend->allocate(4096, MemoryKind::device);
  const auto direct = backend->allocate(4096, MemoryKind::pinned);
  const auto replayed = backend->allocate(4096, MemoryKind::pinned);
  const auto work = [&](Buffer& target) {
    backend->copy(device->data(), source->data(), 4096, *stream);
    backend->fill(device->data(), 9, 100, *stream);
    backend->copy(target.data(), device->data(), 4096, *stream);
  };
  work(*direct);
  stream->synchronize();

  std::memset(replayed->data(), 0, 4096);
  const auto graph = backend->capture(*stream, [&] { work(*replayed); });
  ASSERT_NE(graph, nullptr);
  stream->synchronize();
  EXPECT_EQ(static_cast<unsigned char*>(replayed->data())[0], 0) << "capturing must not run it";
  for (int i = 0; i < 3; ++i) {
    std::memset(replayed->data(), 0, 4096);
    graph->launch(*stream);
    stream->synchronize();
    EXPECT_EQ(std::memcmp(replayed->data(), direct->data(), 4096), 0);
  }
}

TEST_F(CudaBackend, WhatCannotBeCapturedIsUnsupportedAndTheStreamGoesOn) {
  const auto device = backend->allocate(64, MemoryKind::device);
  const std::vector<std::function<void()>> uncapturable{
      [&] { stream->synchronize(); },
      [&] { backend->synchronize(); },
      [&] { backend->allocate(1 << 20, MemoryKind::device); },
      [&] {  // a refusal that is swallowed must not leave a graph of half the work
        try {
          stream->synchronize();
        } catch (const BackendError&) {
        }
      },
  };
  for (const auto& work : uncapturable) {
    EXPECT_EQ(code_of([&] {
                backend->capture(*stream, [&] {
                  backend->fill(device->data(), 1, 64, *stream);
                  work();
                });
              }),
              BackendError::Code::unsupported);
    backend->fill(device->data(), 2, 64, *stream);
    EXPECT_NO_THROW(stream->synchronize());
  }
  const auto graph =
      backend->capture(*stream, [&] { backend->fill(device->data(), 3, 64, *stream); });
  graph->launch(*stream);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(CudaBackend, AnErrorOfItsOwnPassesThroughACapture) {
  EXPECT_THROW(backend->capture(*stream, [] { throw std::logic_error("no"); }), std::logic_error);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(CudaBackend, AHoldIsRefusedInsideACapture) {
  bool held = true;
  backend->capture(*stream, [&] { held = backend->block(*stream); });
  EXPECT_FALSE(held);
}

// --- traces

TEST_F(CudaBackend, TraceSeesCopiesWithBytesKindsAndStreams) {
  const auto other = backend->create_stream("other");
  const auto pageable = pattern(4096, MemoryKind::pageable);
  const auto pinned = pattern(1 << 20, MemoryKind::pinned);
  const auto device = backend->allocate(1 << 20, MemoryKind::device);
  backend->fill(device->data(), 0, 1 << 20, *stream);  // before the trace: not part of it
  // Three times: each trace attaches anew.
  for (int round = 0; round < 3; ++round) {
    Trace trace;
    trace_into(trace, [&] {
      backend->copy(device->data(), pinned->data(), 1 << 20, *stream);
      backend->copy(pageable->data(), device->data(), 4096, *stream);
      backend->fill(device->data(), 5, 777, *stream);
      stream->synchronize();
      backend->copy(device->data(), pinned->data(), 1 << 19, *other);
    });
    if (IsSkipped()) return;
    EXPECT_TRUE(trace.notes.empty()) << trace.notes.front();
    const auto& seen = trace.activities;
    ASSERT_EQ(seen.size(), 4u) << "round " << round;
    for (const auto& activity : seen) EXPECT_LT(activity.start_ns, activity.end_ns);
    EXPECT_EQ(seen[0].kind, Activity::Kind::copy);
    EXPECT_EQ(seen[0].name, "HtoD");
    EXPECT_EQ(seen[0].bytes, std::uint64_t{1} << 20);
    EXPECT_EQ(seen[0].source, MemoryKind::pinned);
    EXPECT_EQ(seen[0].target, MemoryKind::device);
    EXPECT_EQ(seen[1].name, "DtoH");
    EXPECT_EQ(seen[1].source, MemoryKind::device);
    EXPECT_EQ(seen[1].target, MemoryKind::pageable);
    EXPECT_EQ(seen[2].kind, Activity::Kind::memset);
    EXPECT_EQ(seen[2].bytes, 777u);
    EXPECT_EQ(seen[3].bytes, std::uint64_t{1} << 19);
    EXPECT_EQ(seen[0].stream, seen[2].stream);
    EXPECT_NE(seen[0].stream, seen[3].stream);
  }
}

TEST_F(CudaBackend, TraceSeesKernelsWithTheirLaunch) {
  CopyLaunch launch(*backend, 1 << 20);
  Trace trace;
  trace_into(trace, [&] {
    launch.run(*stream);
    launch.run(*stream);
  });
  if (IsSkipped()) return;
  ASSERT_EQ(trace.activities.size(), 2u);
  const auto& kernel = trace.activities[0];
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
  EXPECT_LE(kernel.end_ns, trace.activities[1].start_ns) << "one stream: one after the other";
}

TEST_F(CudaBackend, TraceSeesTheNodesOfAGraph) {
  CopyLaunch launch(*backend, 1 << 16);
  const auto graph = backend->capture(*stream, [&] {
    launch.run(*stream);
    launch.run(*stream);
  });
  Trace trace;
  trace_into(trace, [&] { graph->launch(*stream); });
  if (IsSkipped()) return;
  EXPECT_EQ(trace.activities.size(), 2u);
}

TEST_F(CudaBackend, FlushCacheWritesAsMuchAsTheL2Holds) {
  backend->flush_cache(*stream);
  Trace trace;
  trace_into(trace, [&] { backend->flush_cache(*stream); });
  if (IsSkipped()) return;
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].kind, Activity::Kind::memset);
  EXPECT_EQ(trace.activities[0].bytes, backend->facts().l2_bytes);
}

TEST_F(CudaBackend, AFailedTraceLeavesTheNextOneClean) {
  const auto device = backend->allocate(64, MemoryKind::device);
  EXPECT_THROW(backend->trace([&] {
    backend->fill(device->data(), 1, 64, *stream);
    throw std::logic_error("no");
  }),
               std::logic_error);
  Trace trace;
  trace_into(trace, [&] { backend->fill(device->data(), 1, 32, *stream); });
  if (IsSkipped()) return;
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].bytes, 32u);
}

TEST_F(CudaBackend, TheProfilerSwitchIsHarmless) {
  EXPECT_NO_THROW(backend->profiler_start());
  EXPECT_NO_THROW(backend->profiler_stop());
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
