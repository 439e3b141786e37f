#include "benchmarks/base/siblings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/benchmarks/base/summaries.hpp"

namespace apod {
namespace {

/// Cases of several devices, three processes each, with a spread of 0.2 %.
class Siblings : public Summaries {
 protected:
  void add(const std::string& name, const std::string& device, double seconds) {
    auto& c = add_case();
    c.id = "study/" + name + "/device:" + device;
    c.params.set("device", device);
    const auto index = c.index;
    for (int process = 0; process < 3; ++process) {
      measure(index, process, {seconds * (1 + 0.002 * (process - 1))});
    }
  }
  /// `cases` of each device, whose times are `factor` as long.
  void add_all(const std::map<std::string, double>& factors, int cases) {
    for (int i = 0; i < cases; ++i) {
      for (const auto& [device, factor] : factors) {
        add("size:" + std::to_string(i), device, std::pow(10, i - 6) * factor);
      }
    }
  }
  std::vector<Sibling> judged() { return siblings(summarize(result_)); }
};

TEST_F(Siblings, OneIsSlowerByWhatItIs) {
  add_all({{"GPU-a", 1}, {"GPU-b", 1.002}, {"GPU-c", 1.05}, {"GPU-d", 0.999}}, 4);
  const auto all = judged();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2].device, "GPU-c");
  EXPECT_EQ(all[2].standing, Standing::slower);
  EXPECT_NEAR(all[2].apart.value, 0.05, 1e-6);  // the median of the others is 1
  EXPECT_NEAR(all[2].others_apart, 0.002 + 0.0015, 0.002);
  EXPECT_EQ(all[2].cases, 4U);
  for (const std::size_t i : {0U, 1U, 3U}) EXPECT_EQ(all[i].standing, Standing::alike) << i;
}

TEST_F(Siblings, OneIsFaster) {
  add_all({{"GPU-a", 1}, {"GPU-b", 0.9}, {"GPU-c", 1}}, 3);
  const auto all = judged();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].standing, Standing::faster);
}

TEST_F(Siblings, DifferencesBelowOnePercentDoNotMatter) {
  add_all({{"GPU-a", 1}, {"GPU-b", 1.009}, {"GPU-c", 1}}, 5);
  for (const auto& one : judged()) EXPECT_EQ(one.standing, Standing::alike) << one.device;
}

TEST_F(Siblings, OneSlowCaseOfFourDecidesNothing) {
  add_all({{"GPU-a", 1}, {"GPU-b", 1}, {"GPU-c", 1}}, 3);
  for (const char* device : {"GPU-a", "GPU-b"}) add("odd", device, 1);
  add("odd", "GPU-c", 1.3);
  for (const auto& one : judged()) EXPECT_EQ(one.standing, Standing::alike) << one.device;
}

TEST_F(Siblings, TwoDevicesOrTwoCasesAreTooFew) {
  add_all({{"GPU-a", 1}, {"GPU-b", 2}}, 5);
  EXPECT_TRUE(judged().empty());
  result_.plan.cases.clear();
  result_.measurements.clear();
  add_all({{"GPU-a", 1}, {"GPU-b", 2}, {"GPU-c", 1}}, 2);
  EXPECT_TRUE(judged().empty());
}

TEST_F(Siblings, TimesThatAreNotSteadyDoNotCount) {
  add_all({{"GPU-a", 1}, {"GPU-b", 1}, {"GPU-c", 1}}, 3);
  for (const char* device : {"GPU-a", "GPU-b", "GPU-c"}) {
    auto& c = add_case();
    c.id = std::string("study/wild/device:") + device;
    c.params.set("device", std::string(device));
    const auto index = c.index;
    for (int process = 0; process < 3; ++process) measure(index, process, {1.0 + process});
  }
  for (const auto& one : judged()) EXPECT_EQ(one.cases, 3U);
}

}  // namespace
}  // namespace apod
