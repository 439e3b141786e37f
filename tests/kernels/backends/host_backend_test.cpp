#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/host/gate.hpp"
#include "kernels/backends/host/memory.hpp"
#include "kernels/backends/host/stream.hpp"

namespace apod {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class HostBackend : public ::testing::Test {
 protected:
  HostBackend() { host::hold_limit = 24h; }

  std::unique_ptr<Backend> backend = Registry::instance().backend(BackendKind::host)->open(0);
  std::unique_ptr<Stream> stream = backend->create_stream("test");
};

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

TEST_F(HostBackend, ZeroBytesAreAValidBuffer) {
  const auto buffer = backend->allocate(0, MemoryKind::device);
  EXPECT_EQ(buffer->bytes(), 0u);
  EXPECT_NE(buffer->data(), nullptr);
  backend->copy(buffer->data(), buffer->data(), 0, *stream);
  backend->fill(buffer->data(), 1, 0, *stream);
  EXPECT_NO_THROW(stream->synchronize());
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

// --- streams

TEST_F(HostBackend, WorkRunsInOrderAndOffTheCallingThread) {
  std::vector<int> order;
  std::thread::id worker;
  for (int i = 0; i < 1000; ++i) {
    host::enqueue(*stream, [&order, &worker, i] {
      order.push_back(i);
      worker = std::this_thread::get_id();
    });
  }
  stream->synchronize();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST_F(HostBackend, EnqueueReturnsBeforeTheWorkIsDone) {
  std::atomic<bool> go{false};
  std::atomic<bool> done{false};
  host::enqueue(*stream, [&] {
    while (!go) std::this_thread::sleep_for(1ms);
    done = true;
  });
  EXPECT_FALSE(done);
  go = true;
  stream->synchronize();
  EXPECT_TRUE(done);
}

TEST_F(HostBackend, StreamsRunAtTheSameTime) {
  // Each waits for the other: in one queue this could never end.
  const auto other = backend->create_stream("other");
  std::atomic<int> there{0};
  std::array<bool, 2> met{};
  const auto meet = [&](std::size_t self) {
    ++there;
    const auto limit = Clock::now() + 2min;
    while (there < 2 && Clock::now() < limit) std::this_thread::sleep_for(1ms);
    met[self] = there == 2;
  };
  host::enqueue(*stream, [&] { meet(0); });
  host::enqueue(*other, [&] { meet(1); });
  backend->synchronize();
  EXPECT_TRUE(met[0] && met[1]);
  EXPECT_NE(stream->handle(), other->handle());
}

TEST_F(HostBackend, TheThreadBearsTheStreamsName) {
  const auto named = backend->create_stream("copy-stream-with-a-long-name");
  std::array<char, 32> name{};
  host::enqueue(*named, [&] { pthread_getname_np(pthread_self(), name.data(), name.size()); });
  named->synchronize();
  EXPECT_STREQ(name.data(), "copy-stream-wit");
}

TEST_F(HostBackend, WhatWorkThrowsIsThrownOnceBySynchronize) {
  bool ran_behind = false;
  host::enqueue(*stream, [] { throw std::runtime_error("boom"); });
  host::enqueue(*stream, [&] { ran_behind = true; });
  try {
    stream->synchronize();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "boom");
  }
  EXPECT_FALSE(ran_behind) << "work behind a failure must not run on what it left";

  bool ran_later = false;
  host::enqueue(*stream, [&] { ran_later = true; });
  EXPECT_NO_THROW(stream->synchronize());
  EXPECT_TRUE(ran_later);
}

TEST_F(HostBackend, BackendSynchronizeWaitsForAllStreamsAndThrowsTheirErrors) {
  const auto other = backend->create_stream("other");
  std::atomic<bool> done{false};
  host::enqueue(*stream, [] { throw std::runtime_error("boom"); });
  host::enqueue(*other, [&] {
    std::this_thread::sleep_for(20ms);
    done = true;
  });
  EXPECT_THROW(backend->synchronize(), std::runtime_error);
  EXPECT_TRUE(done);
  EXPECT_NO_THROW(backend->synchronize());
}

TEST_F(HostBackend, DestructionFinishesTheQueueAndSwallowsErrors) {
  int ran = 0;
  {
    const auto brief = backend->create_stream("brief");
    host::enqueue(*brief, [&] { ++ran; });
    host::enqueue(*brief, [] { throw std::runtime_error("nobody asks"); });
  }
  EXPECT_EQ(ran, 1);
  EXPECT_NO_THROW(backend->synchronize());  // the stream is gone, and its error with it
}

TEST_F(HostBackend, ManyThreadsMayUseOneStream) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  int sum = 0;  // written by the stream's thread only
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        host::enqueue(*stream, [&sum] { ++sum; });
        if (i % 100 == 0) stream->synchronize();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  stream->synchronize();
  EXPECT_EQ(sum, kThreads * kEach);
}

// --- copies, fills, events

TEST_F(HostBackend, CopyAndFillKeepStreamOrder) {
  const auto a = backend->allocate(1000, MemoryKind::pinned);
  const auto b = backend->allocate(1000, MemoryKind::device);
  const auto c = backend->allocate(1000, MemoryKind::pageable);
  std::memset(c->data(), 0, 1000);
  std::memset(a->data(), 1, 1000);
  backend->copy(b->data(), a->data(), 1000, *stream);
  backend->fill(b->data(), 0xab, 10, *stream);
  backend->copy(c->data(), b->data(), 1000, *stream);
  stream->synchronize();
  const auto* out = static_cast<unsigned char*>(c->data());
  EXPECT_EQ(out[9], 0xab);
  EXPECT_EQ(out[10], 1);
  EXPECT_EQ(out[999], 1);
}

TEST_F(HostBackend, FlushCacheRunsOnTheStream) {
  const auto trace = backend->trace([&] { backend->flush_cache(*stream); });
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].kind, Activity::Kind::memset);
  EXPECT_GT(trace.activities[0].bytes, backend->facts().l2_bytes);
}

TEST_F(HostBackend, EventsMeasureTheStreamsTime) {
  const auto start = backend->create_event();
  const auto stop = backend->create_event();
  start->record(*stream);
  host::enqueue(*stream, [] { std::this_thread::sleep_for(20ms); });
  stop->record(*stream);
  stream->synchronize();
  EXPECT_GE(backend->seconds_between(*start, *stop), 0.020);
  EXPECT_LT(backend->seconds_between(*stop, *start), 0);
}

TEST_F(HostBackend, EventsThatAreNotDoneCannotBeRead) {
  const auto start = backend->create_event();
  const auto stop = backend->create_event();
  EXPECT_EQ(code_of([&] { backend->seconds_between(*start, *stop); }), BackendError::Code::other);
  start->record(*stream);
  stop->record(*stream);
  stream->synchronize();
  EXPECT_NO_THROW(backend->seconds_between(*start, *stop));

  // Recorded anew: the old time must not be taken for the new one.
  ASSERT_TRUE(backend->block(*stream));
  stop->record(*stream);
  EXPECT_EQ(code_of([&] { backend->seconds_between(*start, *stop); }), BackendError::Code::other);
  EXPECT_TRUE(backend->unblock());
  stream->synchronize();
  EXPECT_NO_THROW(backend->seconds_between(*start, *stop));
}

TEST_F(HostBackend, AnEventMayGoBeforeItsStreamGetsThere) {
  ASSERT_TRUE(backend->block(*stream));
  backend->create_event()->record(*stream);
  EXPECT_TRUE(backend->unblock());
  EXPECT_NO_THROW(stream->synchronize());
}

// --- holding a stream

TEST_F(HostBackend, BlockHoldsWorkUntilUnblock) {
  std::atomic<bool> ran{false};
  ASSERT_TRUE(backend->block(*stream));
  host::enqueue(*stream, [&] { ran = true; });
  std::this_thread::sleep_for(30ms);
  EXPECT_FALSE(ran);
  EXPECT_TRUE(backend->unblock());
  stream->synchronize();
  EXPECT_TRUE(ran);
}

TEST_F(HostBackend, OneHoldAtATime) {
  ASSERT_TRUE(backend->block(*stream));
  EXPECT_FALSE(backend->block(*stream));
  EXPECT_TRUE(backend->unblock());
  EXPECT_FALSE(backend->unblock()) << "there is no hold left";
}

TEST_F(HostBackend, AHoldEndsByItselfAndUnblockTellsSo) {
  host::hold_limit = 20ms;
  const auto start = Clock::now();
  ASSERT_TRUE(backend->block(*stream));
  stream->synchronize();
  EXPECT_GE(Clock::now() - start, 20ms);
  EXPECT_FALSE(backend->unblock());
  EXPECT_FALSE(backend->unblock()) << "there is no hold left";

  host::hold_limit = 24h;
  ASSERT_TRUE(backend->block(*stream));
  EXPECT_TRUE(backend->unblock()) << "the next hold is not spoiled by the last one";
  stream->synchronize();
}

TEST_F(HostBackend, UnblockWithoutBlockIsFalse) {
  EXPECT_FALSE(backend->unblock());
}

// --- graphs

TEST_F(HostBackend, CaptureRecordsWithoutRunningAndLaunchRepeats) {
  const auto buffer = backend->allocate(16, MemoryKind::device);
  std::memset(buffer->data(), 0, 16);
  auto* bytes = static_cast<unsigned char*>(buffer->data());
  int runs = 0;
  const auto graph = backend->capture(*stream, [&] {
    backend->fill(buffer->data(), 7, 8, *stream);
    host::enqueue(*stream, [&runs, bytes] {
      ++runs;
      bytes[0] = static_cast<unsigned char>(bytes[0] + 1);
    });
  });
  ASSERT_NE(graph, nullptr);
  stream->synchronize();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(bytes[1], 0);
  for (int i = 0; i < 3; ++i) graph->launch(*stream);
  stream->synchronize();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(bytes[0], 8);
  EXPECT_EQ(bytes[1], 7);

  const auto other = backend->create_stream("other");
  graph->launch(*other);
  other->synchronize();
  EXPECT_EQ(runs, 4);
}

TEST_F(HostBackend, AGraphsErrorComesFromItsStream) {
  const auto graph = backend->capture(
      *stream, [&] { host::enqueue(*stream, [] { throw std::runtime_error("inside"); }); });
  graph->launch(*stream);
  EXPECT_THROW(stream->synchronize(), std::runtime_error);
}

TEST_F(HostBackend, WaitingWorkCannotBeCapturedAndTheStreamGoesOn) {
  EXPECT_EQ(code_of([&] { backend->capture(*stream, [&] { stream->synchronize(); }); }),
            BackendError::Code::unsupported);
  EXPECT_EQ(code_of([&] { backend->capture(*stream, [&] { backend->synchronize(); }); }),
            BackendError::Code::unsupported);
  // Even work that hides the refusal leaves no graph that lacks half of it.
  EXPECT_EQ(code_of([&] {
              backend->capture(*stream, [&] {
                try {
                  stream->synchronize();
                } catch (const BackendError&) {
                }
              });
            }),
            BackendError::Code::unsupported);
  bool ran = false;
  host::enqueue(*stream, [&] { ran = true; });
  stream->synchronize();
  EXPECT_TRUE(ran);
}

TEST_F(HostBackend, AnErrorWhileCapturingEndsTheCapture) {
  EXPECT_THROW(backend->capture(*stream, [] { throw std::logic_error("no"); }), std::logic_error);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(HostBackend, NeitherHoldsNorGraphsGoIntoAGraph) {
  const auto inner = backend->capture(*stream, [] {});
  bool held = true;
  EXPECT_EQ(code_of([&] {
              backend->capture(*stream, [&] {
                held = backend->block(*stream);
                inner->launch(*stream);
              });
            }),
            BackendError::Code::unsupported);
  EXPECT_FALSE(held);
}

// --- traces

TEST_F(HostBackend, TraceSeesOperationsWithTheirFacts) {
  const auto other = backend->create_stream("other");
  const auto pageable = backend->allocate(4000, MemoryKind::pageable);
  const auto pinned = backend->allocate(4000, MemoryKind::pinned);
  const auto device = backend->allocate(4000, MemoryKind::device);
  std::memset(pageable->data(), 0, 4000);
  host::enqueue(
      *stream, [] {}, "before");
  const auto trace = backend->trace([&] {
    backend->copy(device->data(), pageable->data(), 1000, *stream);
    host::enqueue(
        *stream, [] { std::this_thread::sleep_for(2ms); }, "my_kernel");
    backend->copy(static_cast<char*>(pinned->data()) + 100,
                  static_cast<char*>(device->data()) + 3999, 1, *stream);
    backend->fill(device->data(), 0, 300, *stream);
    backend->synchronize();
    backend->copy(device->data(), device->data(), 0, *other);
    host::enqueue(
        *other, [] {}, "elsewhere");
  });
  const auto& seen = trace.activities;
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_TRUE(trace.notes.empty());
  for (const auto& activity : seen) {
    EXPECT_GT(activity.start_ns, 0);
    EXPECT_LE(activity.start_ns, activity.end_ns);
  }
  EXPECT_EQ(seen[0].kind, Activity::Kind::copy);
  EXPECT_EQ(seen[0].name, "HtoD");
  EXPECT_EQ(seen[0].bytes, 1000u);
  EXPECT_EQ(seen[0].source, MemoryKind::pageable);
  EXPECT_EQ(seen[0].target, MemoryKind::device);
  EXPECT_EQ(seen[1].kind, Activity::Kind::kernel);
  EXPECT_EQ(seen[1].name, "my_kernel");
  EXPECT_GE(seen[1].end_ns - seen[1].start_ns, 2'000'000);
  EXPECT_EQ(seen[2].name, "DtoH");
  EXPECT_EQ(seen[2].source, MemoryKind::device);
  EXPECT_EQ(seen[2].target, MemoryKind::pinned);
  EXPECT_EQ(seen[3].kind, Activity::Kind::memset);
  EXPECT_EQ(seen[3].bytes, 300u);
  EXPECT_EQ(seen[4].name, "elsewhere");
  EXPECT_EQ(seen[0].stream, seen[3].stream);
  EXPECT_NE(seen[0].stream, seen[4].stream);
}

TEST_F(HostBackend, MemoryThatWasFreedIsNoLongerTheBackends) {
  constexpr std::size_t kBytes = 4096;
  const void* gone = backend->allocate(kBytes, MemoryKind::device)->data();
  // The allocator hands the same place out again, but not to the backend.
  std::vector<std::unique_ptr<void, decltype(&std::free)>> plain;
  while (plain.size() < 100 && (plain.empty() || plain.back().get() != gone)) {
    plain.emplace_back(std::aligned_alloc(kBytes, kBytes), &std::free);
  }
  void* again = plain.back().get();
  if (again != gone) GTEST_SKIP() << "this allocator does not reuse the place soon";
  std::memset(again, 0, kBytes);
  std::array<char, 64> target{};
  const auto trace = backend->trace([&] { backend->copy(target.data(), again, 64, *stream); });
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].name, "HtoH");
  EXPECT_EQ(trace.activities[0].source, MemoryKind::pageable);
}

TEST_F(HostBackend, TraceSeesEveryNodeOfAGraph) {
  const auto graph = backend->capture(*stream, [&] {
    host::enqueue(
        *stream, [] {}, "one");
    host::enqueue(
        *stream, [] {}, "two");
  });
  const auto trace = backend->trace([&] {
    graph->launch(*stream);
    graph->launch(*stream);
  });
  ASSERT_EQ(trace.activities.size(), 4u);
  EXPECT_EQ(trace.activities[0].name, "one");
  EXPECT_EQ(trace.activities[3].name, "two");
}

TEST_F(HostBackend, AFailedTraceLeavesTheNextOneClean) {
  EXPECT_THROW(backend->trace([&] {
    host::enqueue(
        *stream, [] {}, "first");
    host::enqueue(
        *stream, [] { throw std::runtime_error("boom"); }, "second");
  }),
               std::runtime_error);
  EXPECT_EQ(code_of([&] { backend->trace([&] { backend->trace([] {}); }); }),
            BackendError::Code::other);
  const auto trace = backend->trace([&] {
    host::enqueue(
        *stream, [] {}, "third");
  });
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].name, "third");
}

TEST_F(HostBackend, TracesOfSeveralStreamsLoseNothing) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(backend->create_stream("s"));
  const auto trace = backend->trace([&] {
    for (int i = 0; i < 200; ++i) {
      for (auto& each : streams)
        host::enqueue(
            *each, [] {}, "k");
    }
  });
  std::set<std::uint32_t> numbers;
  for (const auto& activity : trace.activities) numbers.insert(activity.stream);
  EXPECT_EQ(trace.activities.size(), 800u);
  EXPECT_EQ(numbers.size(), 4u);
}

TEST_F(HostBackend, TheProfilerSwitchIsHarmless) {
  EXPECT_NO_THROW(backend->profiler_start());
  EXPECT_NO_THROW(backend->profiler_stop());
}

}  // namespace
}  // namespace apod
