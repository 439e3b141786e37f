// The sizes and rates of collectives.

#include <gtest/gtest.h>

#include <functional>

#include "benchmarks/look/trace/step_parts.hpp"
#include "tests/benchmarks/look/trace/program.hpp"

namespace apod::trace {
namespace {

constexpr std::int64_t megabyte = 1'000'000;

/// A rank that makes some calls of NCCL in each of six steps.
struct Rank {
  Program program;

  explicit Rank(std::uint32_t device) {
    program.device = device;
    program.thread = 10 + device;
  }
  void call(const std::string& name, std::uint64_t bytes, std::int64_t length = 0,
            std::uint64_t communicator = 1) {
    const auto from = program.now;
    program.think(1 * us);
    if (length > 0) program.launch("ncclDevKernel_" + name, length);
    program.think(1 * us);
    program.trace.ranges.push_back(
        {"NCCL", name, from, program.now, program.thread, bytes, communicator});
  }
  template <class Body>
  void steps(const Body& body) {
    for (int i = 0; i < 6; ++i) {
      program.range("step " + std::to_string(i), [&] {
        program.launch("work", 100 * us);
        body();
        program.wait();
      });
    }
  }
};

std::vector<Collective> collectives_in(const std::vector<Rank>& ranks) {
  Program all;
  for (const auto& rank : ranks) all.join(rank.program);
  const auto trace = all.done();
  return measured_collectives(trace, 0, steps_of(trace, 0, {}));
}

/// The one of ranks that make the same calls.
Collective only(std::size_t ranks, const std::function<void(Rank&)>& calls) {
  std::vector<Rank> all;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    auto& rank = all.emplace_back(i);
    rank.steps([&] { calls(rank); });
  }
  const auto found = collectives_in(all);
  EXPECT_EQ(found.size(), 1);
  return found.empty() ? Collective{} : found.front();
}

TEST(Collectives, TheTimeIsThatOfTheLastRank) {
  Rank early(0);
  early.steps([&] { early.call("ncclAllReduce", 8 * megabyte, 400 * us); });
  Rank late(1);
  late.steps([&] { late.call("ncclAllReduce", 8 * megabyte, 100 * us); });
  const auto found = collectives_in({early, late});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].name, "all-reduce");
  EXPECT_EQ(found[0].ranks, 2);
  EXPECT_EQ(found[0].time.count, 5) << "of the steady steps";
  EXPECT_DOUBLE_EQ(found[0].time.mean_s(), 100e-6);
  EXPECT_DOUBLE_EQ(found[0].bytes, 8e6);
  EXPECT_DOUBLE_EQ(found[0].bus_bytes_per_s, 80e9);
}

TEST(Collectives, AreRatedAsNcclTestsDoes) {
  const auto rate_of = [](const char* name) {
    const auto one = only(4, [&](Rank& rank) { rank.call(name, 1 * megabyte, 100 * us); });
    return std::pair(one.bytes / 1e6, one.bus_bytes_per_s / 1e10);
  };
  const auto expect = [&](const char* name, double megabytes, double rate) {
    const auto [bytes, bus] = rate_of(name);
    EXPECT_DOUBLE_EQ(bytes, megabytes) << name;
    EXPECT_DOUBLE_EQ(bus, rate) << name;
  };
  expect("ncclAllReduce", 1, 1.5);
  expect("ncclBroadcast", 1, 1);
  expect("ncclReduce", 1, 1);
  expect("ncclSend", 1, 1);
  // NCCL tells the part of one rank of these.
  for (const char* name :
       {"ncclAllGather", "ncclReduceScatter", "ncclAlltoAll", "ncclGather", "ncclScatter"}) {
    expect(name, 4, 3);
  }
}

TEST(Collectives, OfOneRankCountTheRanksThatAreTold) {
  Rank rank(0);
  rank.steps([&] { rank.call("ncclAllReduce", 1 * megabyte, 100 * us); });
  EXPECT_TRUE(collectives_in({rank}).empty());
  for (auto& range : rank.program.trace.ranges) range.ranks = 4;
  const auto found = collectives_in({rank});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].ranks, 4);
  EXPECT_DOUBLE_EQ(found[0].bus_bytes_per_s, 15e9);
}

TEST(Collectives, TheCallsOfAGroupAddUp) {
  const auto group = only(2, [](Rank& rank) {
    rank.call("ncclGroupStart", 0);
    rank.call("ncclAllReduce", 1 * megabyte);
    rank.call("ncclAllReduce", 2 * megabyte);
    rank.call("ncclGroupEnd", 0, 100 * us);
  });
  EXPECT_EQ(group.name, "all-reduce");
  EXPECT_DOUBLE_EQ(group.bytes, 3e6);
  EXPECT_DOUBLE_EQ(group.bus_bytes_per_s, 30e9);
  const auto both_ways = only(2, [](Rank& rank) {
    rank.call("ncclSend", 2 * megabyte);
    rank.call("ncclRecv", 1 * megabyte);
    rank.call("ncclGroupEnd", 0, 100 * us);
  });
  EXPECT_EQ(both_ways.name, "receive + send");
  EXPECT_DOUBLE_EQ(both_ways.bytes, 2e6) << "of the larger direction";
  EXPECT_DOUBLE_EQ(both_ways.bus_bytes_per_s, 20e9);
}

TEST(Collectives, WhatAGraphLaunchesIsInNoGroup) {
  const auto group = only(2, [](Rank& rank) {
    rank.call("ncclGroupStart", 0);
    rank.call("ncclAllReduce", 5 * megabyte);
    rank.call("ncclGroupEnd", 0);
    rank.program.launch("ncclDevKernel_AllReduce", 300 * us);
    rank.call("ncclGroupStart", 0);
    rank.call("ncclGroupStart", 0);
    rank.call("ncclAllReduce", 1 * megabyte);
    rank.call("ncclGroupEnd", 0);
    rank.call("ncclGroupEnd", 0, 100 * us);
  });
  EXPECT_DOUBLE_EQ(group.bytes, 1e6);
  EXPECT_DOUBLE_EQ(group.bus_bytes_per_s, 10e9);
}

TEST(Collectives, AThreadMayCallForSeveralDevices) {
  Rank host(0);
  host.steps([&] {
    for (int i = 0; i < 2; ++i) host.call("ncclAllReduce", 1 * megabyte);
    const auto from = host.program.now;
    for (const std::uint32_t device : {0, 1}) {
      host.program.device = device;
      host.program.launch("ncclDevKernel_AllReduce", 100 * us);
    }
    host.program.device = 0;
    host.program.think(1 * us);
    host.program.trace.ranges.push_back(
        {"NCCL", "ncclGroupEnd", from, host.program.now, host.program.thread});
  });
  const auto found = collectives_in({host});
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].ranks, 2);
  EXPECT_DOUBLE_EQ(found[0].bytes, 1e6) << "of each device";
}

TEST(Collectives, OfAnotherCommunicatorAreOthers) {
  std::vector<Rank> ranks;
  for (std::uint32_t i = 0; i < 4; ++i) {
    auto& rank = ranks.emplace_back(i);
    rank.steps([&] { rank.call("ncclAllReduce", 1 * megabyte, 100 * us, 1 + i / 2); });
  }
  const auto found = collectives_in(ranks);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].ranks, 2);
}

TEST(Collectives, ARankWhoseRecordingLacksACallStillCounts) {
  std::vector<Rank> ranks;
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto& rank = ranks.emplace_back(i);
    int calls = 0;
    rank.steps([&] {
      const bool is_lost = i == 2 && calls++ == 3;
      rank.call("ncclAllGather", is_lost ? 0 : 1 * megabyte, 100 * us);
    });
  }
  const auto found = collectives_in(ranks);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].ranks, 3);
  EXPECT_DOUBLE_EQ(found[0].bytes, 3e6);
}

TEST(Collectives, FourDevicesWithoutACommunicatorMayBeTwoOfTwo) {
  for (const std::size_t devices : {3, 4}) {
    std::vector<Rank> ranks;
    for (std::uint32_t i = 0; i < devices; ++i) {
      auto& rank = ranks.emplace_back(i);
      rank.steps([&] { rank.call("ncclAllReduce", 1 * megabyte, 100 * us, 0); });
    }
    EXPECT_EQ(collectives_in(ranks).size(), devices == 3 ? 1 : 0);
  }
}

TEST(Collectives, OfAThreadThatSendsForSeveralDevicesNothingIsSaid) {
  Rank host(0);
  host.steps([&] {
    host.call("ncclSend", 1 * megabyte);
    host.call("ncclRecv", 1 * megabyte);
    const auto from = host.program.now;
    for (const std::uint32_t device : {0, 1}) {
      host.program.device = device;
      host.program.launch("ncclDevKernel_SendRecv", 100 * us);
    }
    host.program.device = 0;
    host.program.think(1 * us);
    host.program.trace.ranges.push_back(
        {"NCCL", "ncclGroupEnd", from, host.program.now, host.program.thread});
  });
  EXPECT_TRUE(collectives_in({host}).empty());
}

TEST(Collectives, WithoutASizeOrASecondRankNothingIsSaid) {
  Rank rank(0);
  rank.steps([&] { rank.call("ncclAllReduce", 1 * megabyte, 100 * us); });
  EXPECT_TRUE(collectives_in({rank}).empty());
  std::vector<Rank> silent{Rank(0), Rank(1)};
  for (auto& one : silent) one.steps([&] { one.call("ncclAllReduce", 0, 100 * us); });
  EXPECT_TRUE(collectives_in(silent).empty());
  std::vector<Rank> unknown{Rank(0), Rank(1)};
  for (auto& one : unknown) one.steps([&] { one.call("ncclPutSignal", 9, 100 * us); });
  EXPECT_TRUE(collectives_in(unknown).empty());
}

TEST(Collectives, OneWaitsOnlyForItsOwnCommunicator) {
  std::vector<Rank> ranks;
  for (std::uint32_t i = 0; i < 4; ++i) {
    auto& rank = ranks.emplace_back(i);
    rank.steps([&] {
      if (i > 1) rank.program.think(200 * us);
      rank.call("ncclAllReduce", 1 * megabyte, 200 * us, i / 2 + 1);
      if (i < 2) rank.program.think(400 * us);  // steps of all are as long
    });
  }
  Program all;
  for (const auto& rank : ranks) all.join(rank.program);
  const auto trace = all.done();
  std::vector<DeviceSteps> devices;
  for (std::uint32_t i = 0; i < 4; ++i) devices.push_back({i, steps_of(trace, i, {})});
  EXPECT_TRUE(find_skew(trace, devices).empty());
  for (const auto& [device, steps] : devices) EXPECT_EQ(steps.skew_s, 0) << device;
}

TEST(Collectives, CallsOfNcclAreNoSteps) {
  Rank rank(0);
  for (int i = 0; i < 6; ++i) {
    rank.call("ncclAllReduce", 1 * megabyte, 100 * us);
    rank.call("ncclBroadcast", 1 * megabyte, 100 * us);
    rank.program.wait();
  }
  const auto steps = steps_of(rank.program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.found, 6U);
}

}  // namespace
}  // namespace apod::trace
