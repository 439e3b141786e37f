#include "kernels/data/array_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace apod {
namespace {

/// A cache of 100 bytes whose arrays hold their key, and a count of how many were made.
struct CountingCache {
  ArrayCache<int> cache{100};
  std::atomic<int> made = 0;

  auto get(int key, std::int64_t bytes) {
    return cache.get(key, bytes, [&] {
      ++made;
      return Floats{static_cast<float>(key)};
    });
  }
};

TEST(CacheOfArrays, MakesAnArrayOnce) {
  CountingCache cache;
  const auto first = cache.get(1, 50);
  const auto again = cache.get(1, 50);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first->front(), 1);
  EXPECT_EQ(cache.get(2, 50)->front(), 2);
  EXPECT_EQ(cache.made, 2);
}

TEST(CacheOfArrays, DropsTheOldestToMakeRoom) {
  CountingCache cache;
  cache.get(1, 40);
  cache.get(2, 60);  // full to the byte
  EXPECT_EQ(cache.made, 2);
  cache.get(1, 40);
  cache.get(2, 60);
  EXPECT_EQ(cache.made, 2) << "both fit";
  cache.get(3, 1);
  cache.get(2, 60);
  EXPECT_EQ(cache.made, 3) << "only the oldest had to go";
  cache.get(1, 40);
  EXPECT_EQ(cache.made, 4);
}

TEST(CacheOfArrays, ReleasesWhatItDropsBeforeItMakesMore) {
  ArrayCache<int> cache(100);
  const std::weak_ptr<const Floats> old = cache.get(1, 100, [] { return Floats{1}; });
  ASSERT_FALSE(old.expired());
  cache.get(2, 100, [&] {
    EXPECT_TRUE(old.expired());
    return Floats{2};
  });
}

TEST(CacheOfArrays, LeavesADroppedArrayToItsUsers) {
  CountingCache cache;
  const auto used = cache.get(1, 100);
  cache.get(2, 100);
  EXPECT_EQ(used->front(), 1);
}

TEST(CacheOfArrays, DoesNotKeepAnArrayAboveItsBound) {
  CountingCache cache;
  cache.get(1, 101);
  cache.get(1, 101);
  EXPECT_EQ(cache.made, 2);
  cache.get(2, 100);
  cache.get(2, 100);
  EXPECT_EQ(cache.made, 3) << "the bound is not used up by what was not kept";
}

TEST(CacheOfArrays, KeepsNothingOfAFailure) {
  CountingCache cache;
  const auto fail = []() -> Floats { throw std::runtime_error("no data"); };
  EXPECT_THROW(cache.cache.get(1, 100, fail), std::runtime_error);
  EXPECT_EQ(cache.get(1, 100)->front(), 1);
  EXPECT_EQ(cache.get(1, 100)->front(), 1);
  EXPECT_EQ(cache.made, 1);
}

TEST(CacheOfArrays, MakesAnArrayOnceForManyThreads) {
  CountingCache cache;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int key = 0; key < 10; ++key) EXPECT_EQ(cache.get(key, 10)->front(), key);
      });
    }
  }
  EXPECT_EQ(cache.made, 10);
}

}  // namespace
}  // namespace apod
