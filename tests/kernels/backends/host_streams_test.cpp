/// The host backend: streams, events, holds and graphs.

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/kernels/backends/host_backend.hpp"

namespace apod {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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
  EXPECT_EQ(error_of([&] { stream->synchronize(); }), "boom");
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

// --- events

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

TEST_F(HostBackend, OneHoldAtATime) {
  EXPECT_FALSE(backend->unblock()) << "nothing is held yet";
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

}  // namespace
}  // namespace apod
