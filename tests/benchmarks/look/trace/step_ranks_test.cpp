// Steps of several devices: communication, the skew of ranks and their clocks.

#include <gtest/gtest.h>

#include <stdexcept>

#include "benchmarks/look/trace/host_time.hpp"
#include "benchmarks/look/trace/step_parts.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "tests/benchmarks/look/trace/program.hpp"

namespace apod::trace {
namespace {

TEST(StepsOfRanks, CommunicationCountsWhereNothingHidesIt) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.range("step " + std::to_string(i), [&] {
      program.launch("big", 4 * ms);
      auto& hidden = program.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 2 * ms);
      hidden.start_ns -= 1 * ms;
      hidden.stream = 9;
    });
  }
  const auto mean = steps_of(program.done(), 0, {}).mean();
  EXPECT_NEAR(mean[StepPart::communication], 2 * milli, near);
  EXPECT_NEAR(mean[StepPart::kernels], 4 * milli, near);
}

TEST(StepsOfRanks, RanksThatStartMinutesApartHaveStepsAndSkewOfTheirOwn) {
  const auto rank = [](std::uint32_t number, std::int64_t begin, std::int64_t work) {
    Program program;
    program.device = number;
    program.thread = number + 1;
    program.now = begin;
    for (int i = 0; i < 5; ++i) {
      program.range("step " + std::to_string(i), [&] {
        program.launch("big", work);
        // The collective ends for both when the slower one has come: 10 ms a step.
        program.launch("ncclDevKernel_AllReduce", 9 * ms - work);
        program.wait();
        program.now = begin + (i + 1) * 10 * ms;
      });
    }
    return program;
  };
  auto both = rank(0, 120'000 * ms, 4 * ms);
  both.join(rank(1, 120'000 * ms, 8 * ms));
  auto late = rank(2, 0, 1 * ms);  // a program that ran two minutes before
  both.join(late);
  const auto trace = both.done();
  std::vector<DeviceSteps> devices;
  for (const std::uint32_t device : {0U, 1U}) {
    devices.push_back({device, steps_of(trace, device, {})});
    EXPECT_EQ(devices.back().steps.found, 5u);
    EXPECT_LT(devices.back().steps.start_s, 1) << "minutes of another program are no start";
  }
  auto two = trace;
  std::erase_if(two.activities, [](const Activity& activity) { return activity.device == 2; });
  Activity download;
  download.kind = Activity::Kind::copy;
  download.device = 1;
  download.start_ns = download.end_ns = devices[1].steps.steady.front().start_ns;
  download.target = MemoryKind::pinned;
  download.bytes = 8000;
  two.activities.push_back(download);
  find_skew(two, devices);
  EXPECT_NEAR(devices[0].steps.skew_s, 4 * milli, near);
  EXPECT_EQ(devices[0].steps.last_device, 1u);
  EXPECT_EQ(devices[1].steps.skew_s, 0);
  const auto steady = static_cast<double>(devices[1].steps.steady.size());
  EXPECT_NEAR(devices[0].steps.others_bytes, 8000 / steady, 1e-6);
  EXPECT_EQ(devices[1].steps.others_bytes, 0);
}

TEST(StepsOfRanks, AnotherNodesClockIsSetRightByTheCollectives) {
  const auto rank = [](std::uint32_t number, std::int64_t clock, std::int64_t work) {
    Program program;
    program.device = number;
    program.thread = number + 1;
    for (int i = 0; i < 5; ++i) {
      program.now = clock + i * 10 * ms;
      program.range("step " + std::to_string(i), [&] {
        program.launch("big", work);
        program.launch("ncclDevKernel_AllReduce", 9 * ms - work);
        program.wait();
      });
    }
    return program;
  };
  auto both = rank(0, 0, 4 * ms);
  both.join(rank(1, 300'000 * ms, 8 * ms));
  const auto trace = both.done();
  std::vector<DeviceSteps> devices;
  for (const std::uint32_t device : {0U, 1U}) {
    devices.push_back({device, steps_of(trace, device, {})});
  }
  const auto offsets = find_skew(trace, devices);
  ASSERT_EQ(offsets.size(), 1u);
  EXPECT_EQ(offsets[0].device, 1u);
  EXPECT_EQ(offsets[0].ns, 300'000 * ms);
  EXPECT_NEAR(devices[0].steps.skew_s, 4 * milli, near) << "and not the whole collective";
  EXPECT_EQ(devices[1].steps.skew_s, 0);
}

/// The clock of the second device, as the collectives of five steps show it.
std::vector<ClockOffset> clocks_of(const std::string& collective, std::int64_t later,
                                   int first_of_second = 0) {
  const auto rank = [&](std::uint32_t number, std::int64_t begin, int first) {
    Program program;
    program.device = number;
    program.thread = number + 1;
    for (int i = first; i < first + 5; ++i) {
      program.now = begin + i * 10 * ms;
      program.range("step " + std::to_string(i), [&] {
        program.launch("big", 4 * ms);
        program.launch(collective, 1 * ms);
        program.wait();
      });
    }
    return program;
  };
  auto both = rank(0, 0, 0);
  both.join(rank(1, later, first_of_second));
  const auto trace = both.done();
  std::vector<DeviceSteps> devices;
  for (const std::uint32_t device : {0U, 1U})
    devices.push_back({device, steps_of(trace, device, {})});
  return find_skew(trace, devices);
}

TEST(StepsOfRanks, OnlyCollectivesThatEndTogetherTellTheClock) {
  EXPECT_EQ(clocks_of("ncclDevKernel_AllGather_RING_LL", 3 * ms).size(), 1u);
  EXPECT_EQ(clocks_of("ncclKernel_ReduceScatter", 3 * ms).size(), 1u);
  EXPECT_EQ(clocks_of("ncclDevKernel_Broadcast_RING_LL", 3 * ms).size(), 0u)
      << "its root may end early";
  EXPECT_EQ(clocks_of("ncclDevKernel_SendRecv", 3 * ms).size(), 0u);
}

TEST(StepsOfRanks, CollectivesThatARecordingLacksAreNoOtherClock) {
  EXPECT_EQ(clocks_of("ncclDevKernel_AllReduce", 0, 1).size(), 0u) << "each overlaps with another";
}

}  // namespace
}  // namespace apod::trace
