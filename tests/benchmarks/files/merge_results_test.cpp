#include "benchmarks/files/merge_results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/files/write_result.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace apod::files {
namespace {

std::string written(const Result& result) {
  std::ostringstream text;
  write_json(text, result);
  return text.str();
}

Measurement measured(const Case& c, int process, double seconds) {
  Measurement m;
  m.case_index = c.index;
  m.case_id = c.id;
  m.process = process;
  m.samples_s = {seconds, seconds * 1.01, seconds * 0.99};
  m.wall_s = 1;
  m.verification.passed = true;
  return m;
}

/// Shard `index` of 3 of a plan of six cases, of which each odd one has the one before it as its
/// baseline; on machine `host`.
Result shard(int index, const std::string& host, double factor = 1) {
  Result result;
  result.plan.name = "study";
  result.plan.experiments.emplace_back().name = "e";
  result.part = {"0123456789abcdef", 6, std::to_string(index) + "/3", 3, {}, {}};
  result.environment.host_name = host;
  result.environment.commit = "abc";
  result.environment.date = "2026-11-24T0" + std::to_string(index) + ":00:00+00:00";
  result.environment.device.name = "G";
  result.environment.device.driver_version = "1";
  result.command_line = {"bench", "--config", "x.yaml", "--shard", result.part.shard};
  for (const int position : {2 * index - 2, 2 * index - 1}) {
    auto& c = result.plan.cases.emplace_back();
    c.index = result.plan.cases.size() - 1;
    c.id = "e/case:" + std::to_string(position);
    if (c.index == 1) c.baseline = 0;
    result.part.positions.push_back(static_cast<std::size_t>(position));
    for (int process = 0; process < 3; ++process) {
      result.measurements.push_back(
          measured(c, process, factor * 1e-3 * (position + 1) * (1 + 0.01 * process)));
    }
  }
  result.findings.resize(2);
  result.findings[1] = {{"memory-bound", Severity::note, "", "of " + host, "", 0}};
  result.expectations = {{1, "rule", "seen", RuleState::met, {}}};
  return result;
}

Merged merged(std::vector<Result> parts, MergeBy by = MergeBy::nothing) {
  Merger merger(by);
  int number = 0;
  for (auto& part : parts) merger.add(std::move(part), "part " + std::to_string(++number));
  return merger.finish();
}

std::string refusal(std::vector<Result> parts, MergeBy by = MergeBy::nothing) {
  try {
    merged(std::move(parts), by);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(MergeResults, TheirContentIsTheSumOfTheParts) {
  const auto sum =
      checksum_of(shard(1, "a")) + checksum_of(shard(2, "b")) + checksum_of(shard(3, "a"));
  EXPECT_EQ(checksum_of(merged({shard(3, "a"), shard(1, "a"), shard(2, "b")}).result), sum);
  EXPECT_NE(checksum_of(merged({shard(3, "a"), shard(1, "a"), shard(2, "b", 1.1)}).result), sum);
}

TEST(MergeResults, GiveTheWholeInAnyOrderAndAnyNumberOfTimes) {
  const auto all = merged({shard(1, "a"), shard(2, "b"), shard(3, "a")});
  EXPECT_EQ(all.missing, 0u);
  EXPECT_EQ(all.pooled, 0u);
  const auto& result = all.result;
  ASSERT_EQ(result.plan.cases.size(), 6u);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.command_line, (std::vector<std::string>{"bench", "--config", "x.yaml"}));
  EXPECT_EQ(result.wall_s, 18);
  const auto summaries = summarize(result);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& c = result.plan.cases[i];
    EXPECT_EQ(c.index, i);
    EXPECT_EQ(c.id, "e/case:" + std::to_string(i));
    EXPECT_EQ(c.baseline, i % 2 == 1 ? std::optional(i - 1) : std::nullopt);
    EXPECT_EQ(summaries[i].status, CaseStatus::measured);
    EXPECT_EQ(summaries[i].value("processes"), 3);
    EXPECT_TRUE(summaries[i].time().has_interval());
    EXPECT_EQ(result.findings[i].size(), i % 2);
  }
  EXPECT_EQ(result.expectations.at(2).case_index, 5u);
  EXPECT_EQ(result.measurements.front().machine, "a G");
  ASSERT_EQ(result.part.machines.size(), 2u);

  const auto text = written(result);
  EXPECT_EQ(written(merged({shard(3, "a"), shard(1, "a"), shard(2, "b")}).result), text);
  EXPECT_EQ(written(merged({shard(3, "a"), shard(3, "a"), shard(2, "b"), shard(1, "a"), result,
                            shard(2, "b")})
                        .result),
            text);
  const auto some = merged({shard(2, "b"), shard(3, "a")}).result;
  EXPECT_EQ(written(merged({some, shard(1, "a")}).result), text);
}

TEST(MergeResults, NameWhatIsMissing) {
  const auto all = merged({shard(1, "a"), shard(3, "a")});
  EXPECT_EQ(all.missing, 2u);
  EXPECT_EQ(all.absent, std::vector<std::string>{"2/3"});
  EXPECT_TRUE(all.result.interrupted);
  EXPECT_EQ(all.result.part.positions, (std::vector<std::size_t>{0, 1, 4, 5}));
  EXPECT_TRUE(all.result.measurements.front().machine.empty()) << "one machine";
}

TEST(MergeResults, AnInterruptedPartIsNotWhole) {
  auto part = shard(2, "b");
  part.interrupted = true;
  auto all = merged({shard(1, "a"), part, shard(3, "a")});
  EXPECT_FALSE(all.is_whole());
  EXPECT_EQ(all.absent, std::vector<std::string>{"2/3"});
  EXPECT_TRUE(all.result.interrupted);
  std::erase_if(part.measurements, [](const auto& m) { return m.case_index == 1; });
  EXPECT_EQ(merged({shard(1, "a"), part, shard(3, "a")}).missing, 1u);
}

TEST(MergeResults, AnInterruptedPartWithAllCasesIsNotWhole) {
  const auto run = [](const std::string& host, bool interrupted) {
    auto result = shard(1, host);
    result.part.shard.clear();
    result.part.shards = 0;
    result.part.positions.clear();
    result.part.cases = 2;
    result.interrupted = interrupted;
    if (interrupted)
      std::erase_if(result.measurements, [](const auto& m) { return m.process > 0; });
    return result;
  };
  for (const auto by : {MergeBy::nothing, MergeBy::host, MergeBy::device}) {
    for (const bool first : {true, false}) {
      const auto all = merged({run("a", first), run("b", !first)}, by);
      EXPECT_EQ(all.missing, 0u);
      EXPECT_FALSE(all.is_whole());
      EXPECT_EQ(all.cut_short, std::vector<std::string>{first ? "a G" : "b G"});
      EXPECT_TRUE(all.result.interrupted);
    }
    EXPECT_TRUE(merged({run("a", false), run("b", false)}, by).is_whole());
    // It went on.
    EXPECT_TRUE(merged({run("a", true), run("a", false), run("b", false)}, by).is_whole());
  }
  const auto still = merged({run("a", true), run("b", false)}).result;
  EXPECT_FALSE(merged({still}).is_whole());
}

TEST(MergeResults, RecordsThatPointNowhereAreRefused) {
  const auto refused = [](const auto& damage) {
    auto part = shard(1, "a");
    damage(part);
    return contains(refusal({part}), "is not a valid shard of the study");
  };
  EXPECT_TRUE(refused([](Result& part) { part.part.shards = 50'000'000; }));
  EXPECT_TRUE(refused([](Result& part) { part.part.shards = -1; }));
  EXPECT_TRUE(refused([](Result& part) { part.part.shard = "x"; }));
  EXPECT_TRUE(refused([](Result& part) { part.part.shard = "4/3"; }));
  EXPECT_TRUE(refused([](Result& part) { part.expectations[0].case_index = 9; }));
  EXPECT_TRUE(refused([](Result& part) { part.plan.experiments.clear(); }));
  EXPECT_TRUE(refused([](Result& part) { part.plan.cases[1].baseline = 7; }));
}

TEST(MergeResults, AreOfOneStudy) {
  auto other = shard(2, "b");
  other.part.plan = "fedcba9876543210";
  EXPECT_EQ(refusal({shard(1, "a"), other}), "its plan differs from the plan of part 1");
  other = shard(2, "b");
  other.plan.config_text += " ";
  EXPECT_EQ(refusal({shard(1, "a"), other}),
            "its experiment file differs from the experiment file of part 1");
  other = shard(2, "b");
  other.environment.commit = "def";
  EXPECT_TRUE(
      contains(refusal({shard(1, "a"), other}), "its build is 'def', but in part 1 it is 'abc'"));
  other = shard(2, "b");
  other.environment.device.driver_version = "2";
  EXPECT_TRUE(contains(refusal({shard(1, "a"), other}),
                       "its driver is '2', but in the earlier files it is '1'"));
  EXPECT_EQ(refusal({shard(1, "a"), other}, MergeBy::host), "");
  other = shard(2, "b");
  other.environment.device.name = "H";
  EXPECT_TRUE(contains(refusal({shard(1, "a"), other}), "--by device"));
  other = shard(2, "b");
  other.part = {};
  EXPECT_TRUE(contains(refusal({other}), "does not say which plan"));
  EXPECT_TRUE(contains(refusal({}), "nothing to merge"));
}

TEST(MergeResults, AShardMayHaveCasesOfTheHostAlone) {
  const auto on_gpu = [](Result part, const std::string& name) {
    part.environment.device.backend = BackendKind::cuda;
    part.environment.device.name = name;
    return part;
  };
  const auto host = shard(1, "a");
  const auto all = merged({host, on_gpu(shard(2, "a"), "H"), on_gpu(shard(3, "a"), "H")});
  EXPECT_EQ(all.result.environment.device.name, "H");
  EXPECT_TRUE(contains(refusal({host, on_gpu(shard(2, "a"), "H"), on_gpu(shard(3, "a"), "I")}),
                       "its device is 'I', but in the earlier files it is 'H'"));
}

TEST(MergeResults, APlaceThatCannotBeIsRefused) {
  for (const std::vector<std::size_t>& positions :
       {std::vector<std::size_t>{0}, {1, 0}, {0, 0}, {0, 6}, {0, 1, 2}}) {
    auto part = shard(1, "a");
    part.part.positions = positions;
    EXPECT_TRUE(contains(refusal({part}), "is not a valid shard of the study"));
  }
  auto part = shard(1, "a");
  part.part.cases = most_cases + 1;
  EXPECT_TRUE(contains(refusal({part}), "is not a valid shard of the study"));
}

TEST(MergeResults, OneMachineMeasuresAProcessOnce) {
  EXPECT_TRUE(contains(refusal({shard(1, "a"), shard(1, "a", 1.1)}),
                       "'e/case:0', process 0, has two different measurements from one machine"));
  auto failed = shard(1, "a", 1.1);
  for (auto& m : failed.measurements) {
    m.failed = "timeout";
    m.samples_s.clear();
  }
  for (const bool first : {true, false}) {
    const auto all = first ? merged({failed, shard(1, "a")}) : merged({shard(1, "a"), failed});
    for (const auto& m : all.result.measurements) EXPECT_EQ(m.failed, "");
  }
}

TEST(MergeResults, OfSeveralMachinesTheIntervalIsBetweenThem) {
  const std::vector<Result> parts{shard(1, "a"), shard(1, "b", 1.1), shard(1, "c", 1.2)};
  const auto all = merged(parts);
  EXPECT_EQ(all.pooled, 2u);
  const auto& result = all.result;
  EXPECT_EQ(result.measurements.size(), 18u);
  const auto summary = summarize(result).at(0);
  EXPECT_EQ(summary.value("processes"), 9);
  EXPECT_NEAR(summary.time().value, 1e-3 * 1.01 * 1.097, 2e-6);
  // Between three machines 10 % apart, not between nine processes: t(0.975, 2) = 4.3.
  EXPECT_GT(summary.time().half_width() / summary.time().value, 0.2);
  EXPECT_TRUE(std::any_of(summary.notes.begin(), summary.notes.end(), [](const auto& note) {
    return contains(note, "measured by 3 machines: the interval includes their differences");
  }));
  EXPECT_EQ(written(merged({parts[2], parts[0], parts[1]}).result), written(result));
  EXPECT_EQ(result.expectations.at(0).state, RuleState::met);
  const auto pair = summarize(result).at(1);
  EXPECT_FALSE(pair.fact("delta")) << "processes of one number are of different machines";
  const TemporaryFolder folder;
  const auto file = folder.path("pooled.json");
  std::ofstream(file) << written(result);
  const auto side = read_side({file});
  EXPECT_TRUE(side.cases.at(0).times.empty());
  EXPECT_TRUE(contains(side.cases.at(0).failed, "measured by several machines"));
}

TEST(MergeResults, ByMachineTheyStandBesideEachOther) {
  const auto all = merged({shard(1, "b", 1.1), shard(1, "a")}, MergeBy::host).result;
  ASSERT_EQ(all.plan.cases.size(), 4u);
  EXPECT_EQ(all.plan.cases[0].id, "e/case:0/host:a");
  EXPECT_EQ(all.plan.cases[1].id, "e/case:0/host:b");
  EXPECT_EQ(to_string(*all.plan.cases[3].params.find("host")), "b");
  EXPECT_EQ(all.plan.cases[3].baseline, 1u);
  EXPECT_TRUE(contains(all.plan.experiments[0].swept.back(), "host"));
  EXPECT_TRUE(contains(refusal({all}), "merged with --by"));
}

TEST(MergeResults, ARuleIsMetWhereEveryMachineMeetsIt) {
  auto a = shard(1, "a");
  auto b = shard(1, "b", 1.1);
  b.expectations[0] = {1, "rule", "seen on b", RuleState::missed, {}};
  const auto both = merged({a, b}).result;
  ASSERT_EQ(both.expectations.size(), 1u);
  EXPECT_EQ(both.expectations[0].state, RuleState::missed);
  EXPECT_EQ(both.expectations[0].observed, "seen on b");
  EXPECT_EQ(written(merged({b, a}).result), written(both));
}

TEST(MergeResults, WhatIsMergedOfSeveralMachinesHasNoPlaceOnAnAxis) {
  const auto both = merged({shard(1, "a"), shard(1, "b", 1.1)}).result;
  EXPECT_TRUE(contains(refusal({both}, MergeBy::host), "merged from 2 hosts"));
  EXPECT_EQ(refusal({both}, MergeBy::device), "") << "one device in two hosts' words";
  const auto one = merged({shard(1, "a"), shard(2, "a")}).result;
  EXPECT_EQ(refusal({one, shard(1, "b")}, MergeBy::host), "");
}

TEST(MergeResults, PeaksAndCeilingsHoldWhereAllHaveThem) {
  const auto kept = [](double other_peak, const char* other_driver, MergeBy by) {
    std::vector<Result> parts{shard(1, "a"), shard(1, "b")};
    for (auto& part : parts) {
      part.environment.device.peak_fp32_flops = 6e13;
      part.ceilings = Ceilings{.gpu = "G", .driver = "1"};
    }
    parts[1].environment.device.peak_fp32_flops = other_peak;
    parts[1].ceilings->driver = other_driver;
    const auto all = merged(parts, by).result;
    return std::pair(all.environment.device.peak_fp32_flops, all.ceilings.has_value());
  };
  EXPECT_EQ(kept(6e13, "1", MergeBy::nothing), std::pair(6e13, true));
  EXPECT_EQ(kept(6e13, "1", MergeBy::host), std::pair(6e13, true));
  EXPECT_EQ(kept(6e13, "2", MergeBy::host), std::pair(6e13, false));
  EXPECT_EQ(kept(7e13, "1", MergeBy::device), std::pair(0.0, true));
}

}  // namespace
}  // namespace apod::files
