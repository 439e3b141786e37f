/// The counters' metrics, asked of the profiler's own library, which needs no GPU for it: does each
/// chip know them, and in how many passes can they be counted?

#include "kernels/backends/cuda/counters/metric_host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace apod::cuda {
namespace {

class Metrics : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      library_ = &ProfilerLibrary::instance();
    } catch (const CountersUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }

  const ProfilerLibrary* library_ = nullptr;
};

TEST_P(Metrics, AreAllKnownAndFitFewPasses) {
  std::unique_ptr<MetricHost> metrics;
  try {
    metrics = std::make_unique<MetricHost>(*library_, GetParam());
  } catch (const CountersUnavailable& unavailable) {
    ASSERT_NE(std::string(unavailable.what()).find("does not know the device's chip"),
              std::string::npos)
        << unavailable.what();
    GTEST_SKIP() << "this toolkit does not know the chip yet, or no longer";
  }
  EXPECT_TRUE(metrics->missing().empty()) << metrics->missing().front();
  EXPECT_EQ(metrics->names().size(), kMetrics.size());
  EXPECT_FALSE(metrics->config().empty());
  EXPECT_GE(metrics->passes(), 1u);
  const std::string chip = GetParam();
  const bool has_few_counters = chip == "TU102" || chip == "GA100" || chip == "GB202";
  EXPECT_LE(metrics->passes(), has_few_counters ? 5u : 4u);
  RecordProperty("passes", static_cast<int>(metrics->passes()));
}

INSTANTIATE_TEST_SUITE_P(Chip, Metrics,
                         ::testing::Values("TU102", "GA100", "GA102", "AD102", "GH100", "GB100",
                                           "GB202"),
                         [](const auto& chip) { return std::string(chip.param); });

class ProfilerHost : public Metrics {};

TEST_P(ProfilerHost, AChipThatNobodyKnowsIsSaidToBeOne) {
  try {
    const MetricHost metrics(*library_, GetParam());
    FAIL() << "it was taken for a chip";
  } catch (const CountersUnavailable& unavailable) {
    EXPECT_NE(std::string(unavailable.what()).find("does not know the device's chip"),
              std::string::npos)
        << unavailable.what();
  }
}

class MetricNames : public Metrics {};

TEST_P(MetricNames, AreLookedUpWithoutADevice) {
  const auto like = [&](const char* name) {
    return MetricHost::names_like(*library_, GetParam(), name);
  };
  EXPECT_TRUE(like("smsp__inst_executed.sum").empty());
  const auto with_roll_up = like("smsp__inst_executed.summ");
  EXPECT_NE(std::find(with_roll_up.begin(), with_roll_up.end(), "smsp__inst_executed.sum"),
            with_roll_up.end())
      << with_roll_up.size() << " " << (with_roll_up.empty() ? "" : with_roll_up.front());
  const auto of_the_chip = like("smsp__inst_execute.sum");
  EXPECT_NE(std::find(of_the_chip.begin(), of_the_chip.end(), "smsp__inst_executed"),
            of_the_chip.end())
      << of_the_chip.size() << " " << (of_the_chip.empty() ? "" : of_the_chip.front());
}

TEST_P(MetricNames, AreScheduledBesideTheCounters) {
  MetricHost metrics(*library_, GetParam(), {}, {"smsp__inst_executed.sum", "smsp__no_such.sum"});
  EXPECT_EQ(metrics.names().size(), kMetrics.size() + 1);
  EXPECT_STREQ(metrics.names().back(), "smsp__inst_executed.sum");
  EXPECT_EQ(metrics.missing(), std::vector<std::string>{"smsp__no_such.sum"});
}

INSTANTIATE_TEST_SUITE_P(Chip, MetricNames, ::testing::Values("GH100", "AD102"),
                         [](const auto& chip) { return std::string(chip.param); });

INSTANTIATE_TEST_SUITE_P(Chip, ProfilerHost, ::testing::Values("GX999", ""),
                         [](const auto& chip) { return chip.index == 0 ? "Unknown" : "Empty"; });

}  // namespace
}  // namespace apod::cuda
