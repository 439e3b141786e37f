/// The parts of the counters that are plain C++ and need neither toolkit nor GPU.

#include "kernels/api/counters.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "kernels/backends/cuda/counters/metrics.hpp"
#include "kernels/backends/cuda/counters/refusal.hpp"

namespace apod::cuda {
namespace {

TEST(Metrics, EachCounterHasOneAndInItsUnit) {
  std::set<std::string_view> counters;
  for (const auto& metric : kMetrics) {
    EXPECT_TRUE(counters.insert(metric.counter).second) << metric.counter << " twice";
  }
  ASSERT_EQ(counters.size(), known_counters.size());
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    const auto& counter = known_counters[i];
    EXPECT_EQ(counters.count(counter.name), 1u) << counter.name;
    for (const auto& metric : kMetrics) {
      if (metric.counter != counter.name) continue;
      const bool percents = metric.name.find("pct") != std::string_view::npos;
      EXPECT_EQ(percents, counter.unit == "share") << metric.name;
      EXPECT_EQ(metric.scale, percents ? 0.01 : counter.unit == "s" ? 1e-9 : 1) << metric.name;
    }
  }
}

TEST(Metrics, EveryNameHasItsRollUp) {
  for (const auto& metric : kMetrics) {
    for (const auto name : {metric.name, metric.newer}) {
      if (name.empty()) continue;
      const auto dot = name.find('.');
      ASSERT_NE(dot, std::string_view::npos) << name;
      EXPECT_GT(name.size(), dot + 1) << name;
    }
  }
}

TEST(Counters, AreAllExplained) {
  std::ifstream file(std::string(APOD_SOURCE_DIR) + "/docs/inspecting.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const auto& counter : known_counters) {
    EXPECT_NE(page.find("`" + std::string(counter.name) + "`"), std::string::npos) << counter.name;
  }
}

TEST(Refusal, NamesTheRemedyOrWhatElseMayStandInTheWay) {
  const auto text = refusal("cuptiRangeProfilerEnable", 35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  for (const char* part : {"NVreg_RestrictProfilingToAdminUsers=0", "--cap-add SYS_ADMIN", "root",
                           "cuptiRangeProfilerEnable: CUPTI error 35"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one sentence";
  for (const auto& [code, part] : {std::pair{39, "another profiler"},
                                   {26, "another program"},
                                   {46, "newer CUDA toolkit"},
                                   {43, "MIG"}}) {
    EXPECT_NE(refusal("c", code, "MIG").find(part), std::string::npos) << code;
  }
  EXPECT_EQ(refusal("c", 999, "CUPTI_ERROR_UNKNOWN"), "CUPTI_ERROR_UNKNOWN (c: CUPTI error 999)");
  EXPECT_EQ(refusal("c", 12345, ""), "unknown error (c: CUPTI error 12345)");
}

}  // namespace
}  // namespace apod::cuda
