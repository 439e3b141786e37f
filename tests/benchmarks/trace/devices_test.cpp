// What several devices did, one by one.

#include "benchmarks/trace/devices.hpp"

#include <gtest/gtest.h>

namespace apod::test {
namespace {

Activity kernel(std::uint32_t device, std::int64_t start_ns, std::int64_t end_ns,
                std::uint32_t correlation) {
  Activity activity;
  activity.device = device;
  activity.start_ns = start_ns;
  activity.end_ns = end_ns;
  activity.correlation = correlation;
  return activity;
}

Trace trace_of_two_devices() {
  Trace trace;
  trace.activities = {kernel(0, 0, 10, 1), kernel(0, 20, 30, 0), kernel(2, 0, 100, 2),
                      kernel(1, 0, 15, 3), kernel(2, 200, 210, 3)};
  for (const std::uint32_t correlation : {0, 1, 2, 3, 4}) {
    trace.calls.push_back({"call", false, 0, 5, 1, correlation});
  }
  return trace;
}

TEST(Devices, TheBusiestIsFirst) {
  EXPECT_EQ(trace::devices_of(trace_of_two_devices()), (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_TRUE(trace::devices_of({}).empty());
}

TEST(Devices, TimesOfDamagedClocksAreAddedToo) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  Trace trace;
  trace.activities = {kernel(0, 0, 10, 1), kernel(1, -far, far, 2), kernel(1, -far, far, 3),
                      kernel(1, -far, far, 4)};
  EXPECT_EQ(trace::devices_of(trace), (std::vector<std::uint32_t>{1, 0}));
}

TEST(Devices, ADeviceHasItsWorkAndTheCallsThatGaveNoneToOthers) {
  const auto correlations = [](std::uint32_t device) {
    std::vector<std::uint32_t> left;
    for (const auto& call : trace::on_device(trace_of_two_devices(), device).calls) {
      left.push_back(call.correlation);
    }
    return left;
  };
  EXPECT_EQ(trace::on_device(trace_of_two_devices(), 0).activities.size(), 2u);
  EXPECT_EQ(correlations(0), (std::vector<std::uint32_t>{0, 1, 4}));
  EXPECT_EQ(correlations(1), (std::vector<std::uint32_t>{0, 3, 4})) << "3 is for two devices";
  EXPECT_EQ(correlations(2), (std::vector<std::uint32_t>{0, 2, 3, 4}));
  EXPECT_TRUE(trace::on_device(trace_of_two_devices(), 7).activities.empty());
}

}  // namespace
}  // namespace apod::test
