#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>
#include <string>

#include "benchmarks/run/pipeline.hpp"
#include "tests/support/texts.hpp"

namespace apod::run {
namespace {

const auto nothing = [] {};

TEST(LaunchThreads, WorkAtTheSameTime) {
  LaunchThreads threads(4, nothing);
  for (int round = 0; round < 100; ++round) {
    std::latch all(4);  // would never open if one waited for another's end
    threads.run([&](std::size_t) { all.arrive_and_wait(); });
  }
}

TEST(LaunchThreads, AreTheSameEachTimeAndNotTheCaller) {
  LaunchThreads threads(3, nothing);
  std::array<std::thread::id, 3> first, again;
  threads.run([&](std::size_t number) { first[number] = std::this_thread::get_id(); });
  threads.run([&](std::size_t number) { again[number] = std::this_thread::get_id(); });
  EXPECT_EQ(first, again);
  std::set<std::thread::id> ids(first.begin(), first.end());
  ids.insert(std::this_thread::get_id());
  EXPECT_EQ(ids.size(), 4U);
}

TEST(LaunchThreads, EnterFirstAndHaveNames) {
  std::atomic<int> entered = 0;
  LaunchThreads threads(2, [&] { ++entered; });
  EXPECT_EQ(entered, 2);
  std::array<std::string, 2> names;
  threads.run([&](std::size_t number) {
    std::array<char, 16> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    names[number] = text.data();
  });
  EXPECT_EQ(names, (std::array<std::string, 2>{"launcher 0", "launcher 1"}));
}

TEST(LaunchThreads, TheCallerGetsTheErrorWhenAllAreDone) {
  LaunchThreads threads(3, nothing);
  std::atomic<int> done = 0;
  const auto message = [&](const std::function<void(std::size_t)>& work) {
    return error_of([&] { threads.run(work); });
  };
  EXPECT_EQ(message([&](std::size_t number) {
              if (number > 0) throw std::runtime_error("of " + std::to_string(number));
              ++done;
            }),
            "of 1");
  EXPECT_EQ(done, 1) << "the one that was well finished";
  EXPECT_EQ(message([&](std::size_t) { ++done; }), "") << "and the error is not kept";
  EXPECT_EQ(done, 4);
}

TEST(LaunchThreads, OneThatCannotEnterLeavesNoneBehind) {
  EXPECT_THROW(LaunchThreads(4, [] { throw std::runtime_error("no device"); }), std::runtime_error);
}

}  // namespace
}  // namespace apod::run
