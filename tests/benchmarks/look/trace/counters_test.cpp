#include "benchmarks/look/trace/counters.hpp"

#include <gtest/gtest.h>

#include "benchmarks/base/facts.hpp"

namespace apod::trace {
namespace {

using Values = std::map<std::string, double>;

KernelCounters launch(const char* name, Values values, std::uint32_t blocks = 1) {
  return {name, {blocks, 1, 1}, {32, 1, 1}, std::move(values)};
}

/// Two launches of one kernel and one of another, shorter one.
Counters three_launches() {
  return {{launch("long", {{"duration", 3e-6},
                           {"dram_bytes_read", 100},
                           {"dram_bytes_written", 10},
                           {"dram_throughput", 0.8},
                           {"ffma", 64},
                           {"fadd", 0},
                           {"fmul", 0}}),
           launch("short", {{"duration", 1e-6},
                            {"dram_bytes_read", 30},
                            {"dram_bytes_written", 0},
                            {"dram_throughput", 0.1},
                            {"dadd", 5},
                            {"dmul", 0},
                            {"dfma", 2}}),
           launch("long", {{"duration", 4e-6},
                           {"dram_bytes_read", 300},
                           {"dram_bytes_written", 30},
                           {"dram_throughput", 0.8},
                           {"ffma", 66},
                           {"fadd", 1},
                           {"fmul", 1}})},
          {}};
}

TEST(CounterProfile, HasTheMeanOverEqualLaunches) {
  const auto profile = profile_of(three_launches());
  ASSERT_EQ(profile.kernels.size(), 2u);
  const auto& first = profile.kernels[0];
  EXPECT_EQ(first.name, "long");
  EXPECT_EQ(first.grid, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(first.block, (std::array<std::uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(first.time.count, 2u);
  EXPECT_DOUBLE_EQ(first.time.total_s, 7e-6);
  EXPECT_DOUBLE_EQ(first.counters.at("dram_bytes_read"), 200);
  EXPECT_DOUBLE_EQ(first.counters.at("ffma"), 65);
  EXPECT_EQ(first.counters.count("dadd"), 0u);
  EXPECT_DOUBLE_EQ(profile.kernels[1].counters.at("dadd"), 5);
}

TEST(CounterProfile, OtherGridsAreOtherEntries) {
  const auto profile =
      profile_of(Counters{{launch("k", {{"ffma", 1}}, 1), launch("k", {{"ffma", 3}}, 2)}, {}});
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_DOUBLE_EQ(profile.kernels[0].counters.at("ffma"), 1);
  EXPECT_DOUBLE_EQ(profile.kernels[1].counters.at("ffma"), 3);
}

TEST(CounterProfile, AMeanIsOverTheLaunchesThatHaveTheCounter) {
  const auto profile = profile_of(Counters{
      {launch("k", {{"l2_hit_rate", 0.5}}), launch("k", {}), launch("k", {{"l2_hit_rate", 0.7}})},
      {}});
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_EQ(profile.kernels[0].time.count, 3u);
  EXPECT_DOUBLE_EQ(profile.kernels[0].counters.at("l2_hit_rate"), 0.6);
}

TEST(CounterFacts, AreSumsAndMeansByTime) {
  const auto facts = facts_of(three_launches());
  EXPECT_DOUBLE_EQ(facts.at("dram_bytes"), 470);
  EXPECT_DOUBLE_EQ(facts.at("fp32_instructions"), 132);
  EXPECT_DOUBLE_EQ(facts.at("fp64_instructions"), 7);
  EXPECT_DOUBLE_EQ(facts.at("dram_throughput"), (7 * 0.8 + 1 * 0.1) / 8);
  EXPECT_EQ(facts.count("achieved_occupancy"), 0u) << "no kernel has it";
  EXPECT_EQ(facts.count("load_efficiency"), 0u);
  EXPECT_EQ(facts.count("tensor_instructions"), 0u);
}

TEST(CounterFacts, EfficiencyIsBytesAskedForOfBytesFetched) {
  Counters counters{
      {launch("coalesced", {{"global_load_bytes", 128},
                            {"global_load_sectors", 4},
                            {"global_store_sectors", 0},
                            {"global_store_bytes", 0},
                            {"l2_hit_rate", 1}}),
       launch("strided",
              {{"global_load_bytes", 128}, {"global_load_sectors", 12}, {"l2_hit_rate", 0}})},
      {}};
  const auto facts = facts_of(counters);
  EXPECT_DOUBLE_EQ(facts.at("load_efficiency"), 0.5);
  EXPECT_EQ(facts.count("store_efficiency"), 0u) << "nothing was stored";
  EXPECT_DOUBLE_EQ(facts.at("l2_hit_rate"), 0.25) << "by sectors";
}

TEST(CounterFacts, AMetricsRollUpSaysHowLaunchesAreJoined) {
  const Counters counters{{launch("k", {{"duration", 3},
                                        {"a__b.sum", 10},
                                        {"a__b.min", 2},
                                        {"a__b.max", 5},
                                        {"a__c.ratio", 1}}),
                           launch("k", {{"duration", 1},
                                        {"a__b.sum", 20},
                                        {"a__b.min", 1},
                                        {"a__b.max", 4},
                                        {"a__c.ratio", 5}})},
                          {}};
  const auto facts = facts_of(counters);
  EXPECT_EQ(facts.at("a__b.sum"), 30);
  EXPECT_EQ(facts.at("a__b.min"), 1);
  EXPECT_EQ(facts.at("a__b.max"), 5);
  EXPECT_EQ(facts.at("a__c.ratio"), 2) << "by duration";
}

TEST(CounterFacts, OfNothingAreNone) {
  EXPECT_TRUE(facts_of(Counters{}).empty());
  EXPECT_TRUE(facts_of(Counters{{launch("k", {})}, {}}).empty());
  EXPECT_TRUE(profile_of(Counters{{}, {"nothing counted: why"}}).kernels.empty());
}

TEST(CounterFacts, AreAllKnownAsSuch) {
  Values all;
  for (const auto& counter : known_counters) all[std::string(counter.name)] = 1;
  const auto facts = facts_of(Counters{{launch("k", all)}, {}});
  for (const auto& [name, value] : facts) {
    const auto* info = find_fact(name);
    ASSERT_NE(info, nullptr) << name;
    EXPECT_EQ(info->needs, FactNeeds::counters) << name;
  }
  for (const auto& info : known_facts()) {
    EXPECT_EQ(facts.count(std::string(info.name)), info.needs == FactNeeds::counters ? 1u : 0u)
        << info.name;
  }
}

TEST(JoinCounters, GivesTracedKernelsTheirCounters) {
  Profile traced;
  traced.kernels.resize(2);
  traced.kernels[0].name = "short";
  traced.kernels[0].grid = {1, 1, 1};
  traced.kernels[0].block = {32, 1, 1};
  traced.kernels[0].registers_per_thread = 40;
  traced.kernels[0].time.add(5);
  traced.kernels[1] = traced.kernels[0];
  traced.kernels[1].grid = {7, 1, 1};
  join_counters(profile_of(three_launches()), traced);
  ASSERT_EQ(traced.kernels.size(), 3u);
  EXPECT_DOUBLE_EQ(traced.kernels[0].counters.at("dadd"), 5);
  EXPECT_EQ(traced.kernels[0].registers_per_thread, 40u);
  EXPECT_DOUBLE_EQ(traced.kernels[0].time.total_s, 5) << "the traced time";
  EXPECT_TRUE(traced.kernels[1].counters.empty()) << "of another grid";
  EXPECT_EQ(traced.kernels[2].name, "long") << "not traced, and yet counted";
}

}  // namespace
}  // namespace apod::trace
