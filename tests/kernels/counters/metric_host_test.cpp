/// The counters' metrics, asked of the profiler's own library, which needs no GPU for it: does each
/// chip know them, and in how many passes can they be counted?

#include "kernels/backends/cuda/counters/metric_host.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

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
  EXPECT_LE(metrics->passes(), chip == "TU102" || chip == "GA100" ? 4u : 3u);
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

INSTANTIATE_TEST_SUITE_P(Chip, ProfilerHost, ::testing::Values("GX999", ""),
                         [](const auto& chip) { return chip.index == 0 ? "Unknown" : "Empty"; });

}  // namespace
}  // namespace apod::cuda
