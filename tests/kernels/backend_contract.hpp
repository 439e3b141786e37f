#pragma once

/// \file
/// What every backend does alike. A fixture of one has `backend` and `stream`.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels/api/backend.hpp"
#include "tests/support/error_code.hpp"

namespace apod {

template <class Fixture>
class BackendContract : public Fixture {};
TYPED_TEST_SUITE_P(BackendContract);

TYPED_TEST_P(BackendContract, ZeroBytesAreAValidBuffer) {
  auto& tested = *this->backend;
  for (const auto kind : {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device}) {
    const auto buffer = tested.allocate(0, kind);
    EXPECT_EQ(buffer->bytes(), 0u);
    EXPECT_NE(buffer->data(), nullptr);
    tested.copy(buffer->data(), buffer->data(), 0, *this->stream);
    tested.fill(buffer->data(), 1, 0, *this->stream);
  }
  EXPECT_NO_THROW(this->stream->synchronize());
}

TYPED_TEST_P(BackendContract, CopyAndFillKeepStreamOrder) {
  auto& tested = *this->backend;
  const auto source = tested.allocate(1000, MemoryKind::pinned);
  const auto device = tested.allocate(1000, MemoryKind::device);
  const auto back = tested.allocate(1000, MemoryKind::pageable);
  std::memset(back->data(), 0, 1000);
  std::memset(source->data(), 1, 1000);
  tested.copy(device->data(), source->data(), 1000, *this->stream);
  tested.fill(device->data(), 0xab, 10, *this->stream);
  tested.copy(back->data(), device->data(), 1000, *this->stream);
  this->stream->synchronize();
  const auto* bytes = static_cast<unsigned char*>(back->data());
  EXPECT_EQ(bytes[9], 0xab);
  EXPECT_EQ(bytes[10], 1);
  EXPECT_EQ(bytes[999], 1);
}

TYPED_TEST_P(BackendContract, UploadAndDownloadKeepStreamOrderAndWait) {
  auto& tested = *this->backend;
  // The last in pieces, of which none is full at the end.
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1000}, (std::size_t{80} << 20) + 4321}) {
    std::vector<unsigned char> source(bytes);
    for (std::size_t i = 0; i < bytes; ++i) source[i] = static_cast<unsigned char>(i % 251);
    std::vector<unsigned char> back(bytes, 0xff);
    const auto device = tested.allocate(bytes, MemoryKind::device);
    for (int time = 0; time < 2; ++time) {
      tested.fill(device->data(), 0xab, bytes, *this->stream);
      tested.upload(device->data(), source.data(), bytes, *this->stream);
      tested.fill(device->data(), 0xcd, bytes / 1000, *this->stream);
      tested.download(back.data(), device->data(), bytes, *this->stream);
      std::fill_n(source.begin(), bytes / 1000, 0xcd);
      EXPECT_TRUE(back == source) << bytes;
    }
  }
}

TYPED_TEST_P(BackendContract, BlockHoldsWorkUntilUnblock) {
  auto& tested = *this->backend;
  const auto device = tested.allocate(64, MemoryKind::device);
  const auto landed = tested.allocate(64, MemoryKind::pinned);
  std::memset(landed->data(), 0, 64);
  const auto* first = static_cast<volatile unsigned char*>(landed->data());
  tested.fill(device->data(), 7, 64, *this->stream);
  this->stream->synchronize();

  ASSERT_TRUE(tested.block(*this->stream));
  tested.copy(landed->data(), device->data(), 64, *this->stream);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(*first, 0) << "the copy ran while its stream was held";
  EXPECT_TRUE(tested.unblock());
  this->stream->synchronize();
  EXPECT_EQ(*first, 7);
}

TYPED_TEST_P(BackendContract, WaitingWorkCannotBeCapturedAndTheStreamGoesOn) {
  auto& tested = *this->backend;
  auto& queue = *this->stream;
  const auto device = tested.allocate(64, MemoryKind::device);
  const std::function<void()> uncapturable[] = {
      [&] { queue.synchronize(); }, [&] { tested.synchronize(); },
      // A refusal that is swallowed must not leave a graph of half the work.
      [&] { code_of([&] { queue.synchronize(); }); }};
  for (const auto& work : uncapturable) {
    EXPECT_EQ(code_of([&] {
                tested.capture(queue, [&] {
                  tested.fill(device->data(), 1, 64, queue);
                  work();
                });
              }),
              BackendError::Code::unsupported);
    tested.fill(device->data(), 2, 64, queue);
    EXPECT_NO_THROW(queue.synchronize());
  }
  const auto graph = tested.capture(queue, [&] { tested.fill(device->data(), 3, 64, queue); });
  graph->launch(queue);
  EXPECT_NO_THROW(queue.synchronize());
}

TYPED_TEST_P(BackendContract, AnErrorOfItsOwnPassesThroughACapture) {
  EXPECT_THROW(this->backend->capture(*this->stream, [] { throw std::logic_error("no"); }),
               std::logic_error);
  EXPECT_NO_THROW(this->stream->synchronize());
}

TYPED_TEST_P(BackendContract, TheProfilerSwitchIsHarmless) {
  EXPECT_NO_THROW(this->backend->profiler_start());
  EXPECT_NO_THROW(this->backend->profiler_stop());
}

REGISTER_TYPED_TEST_SUITE_P(BackendContract, ZeroBytesAreAValidBuffer, CopyAndFillKeepStreamOrder,
                            UploadAndDownloadKeepStreamOrderAndWait, BlockHoldsWorkUntilUnblock,
                            WaitingWorkCannotBeCapturedAndTheStreamGoesOn,
                            AnErrorOfItsOwnPassesThroughACapture, TheProfilerSwitchIsHarmless);

}  // namespace apod
