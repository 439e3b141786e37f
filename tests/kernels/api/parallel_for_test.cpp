#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/data/data.hpp"

namespace apod {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const std::int64_t count : {1, 2, 3, 7, 64, 1000, 12345}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    parallel_for(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1) << "of " << count;
  }
}

TEST(ParallelFor, CallsNothingForNoIndex) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{-1}}) {
    parallel_for(count, [&](std::int64_t, std::int64_t) { ADD_FAILURE() << count; });
  }
}

TEST(ParallelFor, CutsTheLargestRangeWithoutOverflow) {
  constexpr auto count = std::numeric_limits<std::int64_t>::max();
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  parallel_for(count, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::sort(parts.begin(), parts.end());
  std::int64_t next = 0;
  for (const auto& [begin, end] : parts) {
    EXPECT_EQ(begin, next);
    EXPECT_LT(begin, end);
    next = end;
  }
  EXPECT_EQ(next, count);
}

TEST(ParallelFor, PassesOnWhatABodyThrowsOnceAllAreDone) {
  std::atomic<int> started = 0;
  std::atomic<int> finished = 0;
  const auto body = [&](std::int64_t, std::int64_t) {
    ++started;
    std::this_thread::sleep_for(std::chrono::milliseconds(started * 5));
    ++finished;
    throw std::runtime_error("row 7 is wrong");
  };
  EXPECT_THROW(parallel_for(1000, body), std::runtime_error);
  EXPECT_EQ(finished, started);
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<std::int64_t> sum = 0;
  parallel_for(10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      parallel_for(100, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
    }
  });
  EXPECT_EQ(sum, 1000);
}

}  // namespace
}  // namespace apod
