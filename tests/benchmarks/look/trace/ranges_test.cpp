#include "benchmarks/look/trace/ranges.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace apod::trace {
namespace {

const std::vector<std::string> profiler_variables{
    "NVTX_INJECTION64_PATH",
    "CUDA_INJECTION64_PATH",
    "NSYS_PROFILING_SESSION_ID",
    "NV_NSIGHT_INJECTION_TRANSPORT_TYPE",
    "NV_NSIGHT_INJECTION_PORT_BASE",
    "NV_COMPUTE_PROFILER_PERFWORKS_DIR",
    "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN",
};

TEST(ProfilerAttached, FollowsTheEnvironmentThatToolsSet) {
  for (const auto& name : profiler_variables) unsetenv(name.c_str());
  EXPECT_FALSE(profiler_attached());
  for (const auto& name : profiler_variables) {
    setenv(name.c_str(), "1", 1);
    EXPECT_TRUE(profiler_attached()) << name;
    setenv(name.c_str(), "", 1);
    EXPECT_FALSE(profiler_attached()) << name << " is empty";
    unsetenv(name.c_str());
  }
}

TEST(NameThread, CutsWhatTheSystemWouldRefuse) {
  std::string seen;
  std::thread([&seen] {
    name_thread("a name of more than fifteen letters");
    char text[64] = "";
    pthread_getname_np(pthread_self(), text, sizeof text);
    seen = text;
  }).join();
  EXPECT_EQ(seen, "a name of more ");
}

TEST(PhaseTimers, AddUpByNameInOrderOfFirstUse) {
  PhaseTimers timers;
  timers.add("setup", 2);
  timers.add("sample", 0.5);
  timers.add("sample", 0.25);
  timers.add("sample", 1);
  timers.add("setup", 1);
  ASSERT_EQ(timers.times().size(), 2u);
  const NamedTime& setup = timers.times()[0];
  EXPECT_EQ(setup.name, "setup");
  EXPECT_EQ(setup.time.count, 2u);
  EXPECT_EQ(setup.time.total_s, 3);
  const NamedTime& sample = timers.times()[1];
  EXPECT_EQ(sample.name, "sample");
  EXPECT_EQ(sample.time.count, 3u);
  EXPECT_EQ(sample.time.total_s, 1.75);
  EXPECT_EQ(sample.time.min_s, 0.25);
  EXPECT_EQ(sample.time.max_s, 1);
  PhaseTimers thread;
  thread.add("compute", 5);
  thread.add("sample", 4);
  timers.add(thread);
  ASSERT_EQ(timers.times().size(), 3u);
  EXPECT_EQ(timers.times()[1].time.count, 4u);
  EXPECT_EQ(timers.times()[1].time.total_s, 5.75);
  EXPECT_EQ(timers.times()[1].time.min_s, 0.25);
  EXPECT_EQ(timers.times()[1].time.max_s, 4);
  EXPECT_EQ(timers.times()[2].name, "compute");
}

TEST(Phase, TimesItsScope) {
  PhaseTimers timers;
  {
    Phase outer(timers, "outer", Color::setup);
    Phase inner(timers, "inner", Color::verify, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(timers.times().size(), 2u);
  EXPECT_EQ(timers.times()[0].name, "inner");  // it ends first
  EXPECT_GE(timers.times()[0].time.total_s, 0.005);
  EXPECT_GE(timers.times()[1].time.total_s, timers.times()[0].time.total_s);
}

}  // namespace
}  // namespace apod::trace
