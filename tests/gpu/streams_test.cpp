/// The CUDA backend: events, holds and graphs.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/gpu/cuda_backend.hpp"

namespace apod {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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

TEST_F(CudaBackend, AnAllocationCannotBeCapturedAndTheStreamGoesOn) {
  EXPECT_EQ(code_of([&] {
              backend->capture(*stream, [&] { backend->allocate(1 << 20, MemoryKind::device); });
            }),
            BackendError::Code::unsupported);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(CudaBackend, AHoldIsRefusedInsideACapture) {
  bool held = true;
  backend->capture(*stream, [&] { held = backend->block(*stream); });
  EXPECT_FALSE(held);
}

}  // namespace
}  // namespace apod
