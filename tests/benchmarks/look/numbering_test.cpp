// Ids of several processes in one recording.

#include "benchmarks/look/numbering.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

namespace apod::look {
namespace {

TEST(Numbering, AStreamKeepsItsNumberUnlessAnotherHasIt) {
  StreamNumbers streams;
  EXPECT_EQ(streams.number(1, 1, 7), 7u);
  EXPECT_EQ(streams.number(1, 1, 1), 1u);
  EXPECT_EQ(streams.number(2, 1, 7), 1007u) << "another process";
  EXPECT_EQ(streams.number(1, 2, 7), 2007u) << "another context";
  EXPECT_EQ(streams.number(1, 1, 1007), 3007u) << "its number was given away";
  EXPECT_EQ(streams.number(2, 1, 7), 1007u) << "it is known";
  EXPECT_EQ(streams.number(1, 1, 7), 7u);
}

TEST(Numbering, ManyStreamsOfOneNumberAreNoWait) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t contexts = 60'000;
  const auto begin = Clock::now();
  StreamNumbers streams;
  std::set<std::uint32_t> numbers;
  for (std::int64_t context = 0; context < contexts; ++context) {
    numbers.insert(streams.number(1, context, 7));
  }
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(contexts));
  // It takes some 50 ms; trying one number after the other took minutes.
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
}

TEST(Numbering, TheFirstProcessKeepsItsCorrelations) {
  CorrelationNumbers numbers;
  EXPECT_EQ(numbers.number(5, 0), 0u) << "unknown stays unknown";
  EXPECT_EQ(numbers.number(5, 12), 12u);
  const auto other = numbers.number(6, 12);
  EXPECT_NE(other, 12u);
  EXPECT_EQ(numbers.number(6, 12), other);
  EXPECT_NE(numbers.number(7, 12), other);
}

}  // namespace
}  // namespace apod::look
