// The keys of `measure`: their defaults, and the metrics that `counters` names.

#include <gtest/gtest.h>

#include <array>

#include "benchmarks/plan/config/measure.hpp"
#include "tests/benchmarks/plan/config/loaded.hpp"
#include "tests/support/texts.hpp"

namespace apod::config {
namespace {

std::string with_counters(const std::string& counters, const std::string& expect = "[]") {
  return "schema: 1\nexperiments:\n  - workload: sum\n    measure: {counters: " + counters +
         "}\n    expect: " + expect + "\n";
}

/// A registry whose profiler has one metric, or can't say.
Registry with_profiler(const std::string& unchecked = "") {
  auto registry = test::fake_registry();
  BackendEntry entry;
  entry.kind = BackendKind::cuda;
  entry.check_metric = [unchecked](const std::string& name) {
    return MetricCheck{.known = name == "smsp__inst_executed.sum" && unchecked.empty(),
                       .unchecked = unchecked,
                       .candidates = {"smsp__inst_executed", "lts__t_sectors"}};
  };
  registry.add(std::move(entry));
  return registry;
}

LoadOutcome load_with(const Registry& registry, const std::string& text) {
  return load_text(text, "test.yaml", registry, {BackendKind::cuda, {}});
}

TEST(MetricsOfCounters, AreKeptAndMayBeExpected) {
  const auto outcome =
      load_with(with_profiler(),
                with_counters("[smsp__inst_executed.sum]", "[{smsp__inst_executed.sum: \"> 0\"}]"));
  ASSERT_TRUE(outcome.config) << messages(outcome);
  const auto& measure = outcome.config->experiments.front().measure;
  EXPECT_TRUE(measure.counters);
  EXPECT_EQ(measure.metrics, std::vector<std::string>{"smsp__inst_executed.sum"});
}

TEST(MetricsOfCounters, AnUnknownNameIsRefusedWithItsPlaceAndTheNearest) {
  const auto text = messages(load_with(
      with_profiler(), with_counters("[smsp__inst_executed.sum, smsp__inst_exectued.sum]")));
  EXPECT_TRUE(contains(text, "test.yaml:4:51")) << text;
  EXPECT_TRUE(contains(text, "no chip has a metric 'smsp__inst_exectued.sum'")) << text;
  EXPECT_TRUE(contains(text, "did you mean 'smsp__inst_executed.sum'?")) << text;
}

TEST(MetricsOfCounters, HaveARollUpAndStandOnce) {
  for (const char* name : {"smsp__inst_executed", "inst_executed.sum", "Smsp__x.sum", "a__b..sum",
                           "__b.sum", "a__b.", "dram_bytes"}) {
    const auto text = messages(load(with_counters("[" + std::string(name) + "]")));
    EXPECT_TRUE(contains(text, "is not a metric with a roll-up")) << name << ": " << text;
  }
  const auto twice = messages(load(with_counters("[a__b.sum, a__b.sum]")));
  EXPECT_TRUE(contains(twice, "is listed twice")) << twice;
  EXPECT_TRUE(contains(messages(load(with_counters("maybe"))), "neither true nor false"));
}

TEST(MetricsOfCounters, AnEmptyListIsRefused) {
  const auto text = messages(load(with_counters("[]")));
  EXPECT_TRUE(contains(text, "test.yaml:4:25: 'counters' is an empty list")) << text;
  EXPECT_TRUE(contains(text, "write true for the standard counters")) << text;
}

TEST(MetricsOfCounters, WhatIsNotCountedCanNotBeExpected) {
  const auto text = messages(load(with_counters("true", "[{a__b.sum: \"> 0\"}]")));
  EXPECT_TRUE(contains(text, "'a__b.sum' is not among the counters")) << text;
  EXPECT_TRUE(contains(text, "counters: [a__b.sum]")) << text;
}

TEST(MetricsOfCounters, ARollUpIsKnownWithoutTheProfilersLibrary) {
  for (const auto& registry : {with_profiler("no CUPTI"), test::fake_registry()}) {
    const auto of = [&](const std::string& name) {
      return messages(load_with(registry, with_counters("[" + name + "]")));
    };
    for (const char* known : {"a__b.max", "a__b.max.per_second", "a__b.max_rate", "a__b.pct"}) {
      EXPECT_EQ(of(known), "");
    }
    EXPECT_TRUE(contains(of("a__b.maxx"),
                         "'a__b.maxx' has an unknown roll-up 'maxx' (did you mean 'max'?)"))
        << of("a__b.maxx");
  }
}

TEST(MetricsOfCounters, WhereNobodyKnowsThemTheyPass) {
  const auto outcome = load_with(with_profiler("no CUPTI"), with_counters("[a__b.sum]"));
  EXPECT_TRUE(outcome.config) << messages(outcome);
  EXPECT_TRUE(load(with_counters("[a__b.sum]")).config) << "a build without CUDA";
}

TEST(MeasureKeys, TheHelpNamesTheDefault) {
  const auto numbers = [](const MeasureSpec& m) {
    return std::array<double, 9>{m.precision,         m.max_time_s,        m.warmup_s,
                                 m.timeout_s,         m.budget_s,          1.0 * m.max_processes,
                                 1.0 * m.min_samples, 1.0 * m.max_samples, 1.0 * m.graph_launches};
  };
  std::size_t named = 0;
  for (const auto& key : measure_table()) {
    const std::string help = key.help;
    const auto at = help.find("default ");
    if (at == std::string::npos) continue;
    ++named;
    MeasureSpec measure;
    EXPECT_TRUE(set_measure(measure, key.name, help.substr(at + 8)).value) << key.name;
    EXPECT_EQ(numbers(measure), numbers(MeasureSpec{})) << key.name;
  }
  EXPECT_EQ(named, 9u);
}

}  // namespace
}  // namespace apod::config
