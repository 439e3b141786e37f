// What several devices did, one by one.

#include <gtest/gtest.h>

#include "benchmarks/look/trace/window.hpp"
#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

Activity on(std::uint32_t device, Activity activity) {
  activity.device = device;
  return activity;
}

Trace trace_of_two_devices() {
  Trace trace;
  trace.activities = {on(0, kernel(0, 10, 1, 1)), on(0, kernel(20, 30, 1, 0)),
                      on(2, kernel(0, 100, 1, 2)), on(1, kernel(0, 15, 1, 3)),
                      on(2, kernel(200, 210, 1, 3))};
  for (const std::uint32_t correlation : {0, 1, 2, 3, 4}) {
    trace.calls.push_back({"call", false, 0, 5, 1, correlation});
  }
  return trace;
}

TEST(Devices, TheBusiestIsFirst) {
  EXPECT_EQ(devices_of(trace_of_two_devices()), (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_TRUE(devices_of({}).empty());
}

TEST(Devices, TimesOfDamagedClocksAreAddedToo) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  Trace trace;
  trace.activities = {on(0, kernel(0, 10, 1, 1)), on(1, kernel(-far, far, 1, 2)),
                      on(1, kernel(-far, far, 1, 3)), on(1, kernel(-far, far, 1, 4))};
  EXPECT_EQ(devices_of(trace), (std::vector<std::uint32_t>{1, 0}));
}

TEST(Devices, ADeviceHasItsWorkAndTheCallsThatGaveNoneToOthers) {
  const auto correlations = [](std::uint32_t device) {
    std::vector<std::uint32_t> left;
    for (const auto& call : on_device(trace_of_two_devices(), device).calls) {
      left.push_back(call.correlation);
    }
    return left;
  };
  EXPECT_EQ(on_device(trace_of_two_devices(), 0).activities.size(), 2u);
  EXPECT_EQ(correlations(0), (std::vector<std::uint32_t>{0, 1, 4}));
  EXPECT_EQ(correlations(1), (std::vector<std::uint32_t>{0, 3, 4})) << "3 is for two devices";
  EXPECT_EQ(correlations(2), (std::vector<std::uint32_t>{0, 2, 3, 4}));
  EXPECT_TRUE(on_device(trace_of_two_devices(), 7).activities.empty());
}

}  // namespace
}  // namespace apod::trace
