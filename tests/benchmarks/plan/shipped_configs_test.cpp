// Every file of configs/ against the real families: it loads and expands on both backends.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/expand.hpp"
#include "tests/support/texts.hpp"

namespace apod::plan {
namespace {

const std::string configs = APOD_SOURCE_DIR "/configs";

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(configs)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// On a modest GPU and machine, unless it is told how much memory both have.
Plan plan_of(const std::string& name, BackendKind backend, std::uint64_t device_gib = 16,
             std::uint64_t host_gib = 8) {
  const auto& registry = Registry::instance();
  const auto loaded = config::load_file(configs + "/" + name + ".yaml", registry, {backend, {}});
  for (const auto& diagnostic : loaded.diagnostics) ADD_FAILURE() << to_string(diagnostic);
  if (!loaded.config) return {};
  ExpandOptions options;
  options.device_memory_bytes = device_gib << 30;
  options.host_memory_bytes = host_gib << 30;
  const auto expanded = expand(*loaded.config, registry, options);
  for (const auto& diagnostic : expanded.diagnostics) ADD_FAILURE() << to_string(diagnostic);
  return expanded.plan.value_or(Plan{});
}

double seconds_of(const Plan& plan) {
  return estimate_run(plan, Registry::instance()).least_s;
}

class ShippedConfig : public testing::TestWithParam<std::string> {};

TEST_P(ShippedConfig, RunsWhollyOnTheHost) {
  const auto plan = plan_of(GetParam(), BackendKind::host);
  ASSERT_FALSE(plan.cases.empty());
  EXPECT_FALSE(plan.description.empty());
  for (const auto& c : plan.cases) {
    if (plan.experiment_of(c).kernel) continue;  // there is no other device for them
    EXPECT_EQ(c.backend, BackendKind::host) << c.id;
    EXPECT_EQ(c.skip, "") << c.id;
  }
}

TEST_P(ShippedConfig, RunsWhollyOnCuda) {
  const auto plan = plan_of(GetParam(), BackendKind::cuda);
  ASSERT_FALSE(plan.cases.empty());
  for (const auto& c : plan.cases) {
    if (plan.experiment_of(c).command) {
      EXPECT_EQ(c.skip, "") << c.id;
      continue;
    }
    EXPECT_EQ(c.backend, BackendKind::cuda) << c.id;
    // A host-only build knows the variants by name and says so; a library may be missing anywhere.
    const auto& experiment = plan.experiment_of(c);
    const auto entry = variant_of(Registry::instance(), experiment, c.variant);
    const auto missing = entry->missing ? entry->missing() : "";
    EXPECT_TRUE(c.skip.empty() || c.skip == cuda_not_built || c.skip == missing)
        << c.id << ": " << c.skip;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedConfig, testing::ValuesIn(shipped()),
                         [](const auto& test) { return test.param; });

TEST(ShippedConfigs, AreJoinedByThoseOfTheGpuTests) {
  EXPECT_FALSE(plan_of("../tests/gpu/races", BackendKind::cuda).cases.empty());
  EXPECT_FALSE(plan_of("../tests/gpu/beyond_32_bits", BackendKind::cuda, 80, 64).cases.empty());
}

TEST(ShippedConfigs, AreListedOnTheirPage) {
  std::ifstream file(APOD_SOURCE_DIR "/docs/experiment-files.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_GE(shipped().size(), 14u);
  for (const auto& name : shipped()) {
    EXPECT_TRUE(contains(page, "`" + name + ".yaml`")) << name;
  }
}

TEST(ShippedConfigs, HaveTheCasesThatTheirStudiesNeed) {
  EXPECT_EQ(plan_of("yardstick", BackendKind::cuda).cases.size(), 13u);
  EXPECT_EQ(plan_of("sweep", BackendKind::cuda).cases.size(), 272u);
  const auto streams = plan_of("streams", BackendKind::cuda);
  ASSERT_EQ(streams.cases.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto expected = i == 1 ? std::nullopt : std::optional<std::size_t>(1);
    EXPECT_EQ(streams.cases[i].baseline, expected) << streams.cases[i].id;
  }
}

// Those that measure what a device reaches at best have a config of their own.
TEST(ShippedConfigs, EveryWorkloadIsInSmokeOrInCeilings) {
  std::set<std::string> in_ceilings;
  for (const char* config : {"ceilings", "links"}) {
    for (const auto& experiment : plan_of(config, BackendKind::host).experiments) {
      in_ceilings.insert(experiment.workload);
    }
  }
  std::multiset<std::string> in_smoke;
  for (const auto& experiment : plan_of("smoke", BackendKind::host).experiments) {
    in_smoke.insert(experiment.workload + "/" + std::string(to_string(experiment.scope)));
  }
  for (const auto* family : Registry::instance().families()) {
    const std::string name(family->name());
    if (in_ceilings.count(name) > 0 && in_smoke.count(name + "/kernel") == 0) continue;
    EXPECT_GE(in_smoke.count(name + "/kernel"), 1u) << name;
    EXPECT_GE(in_smoke.count(name + "/end_to_end"), 1u) << name;
  }
}

TEST(ShippedConfigs, AreQuickOnTheHost) {
  EXPECT_LT(seconds_of(plan_of("smoke", BackendKind::host)), 10);
  EXPECT_LT(seconds_of(plan_of("streams", BackendKind::host)), 120);
}

}  // namespace
}  // namespace apod::plan
