#include "benchmarks/run/other_load.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace apod::run {
namespace {

TEST(OtherLoad, IsWhatThisProcessDidNotUse) {
  OtherLoad load(ProcessorTimes{100, 5000, 10});
  // Two seconds, five of processor time, of which one and a half are ours.
  EXPECT_DOUBLE_EQ(*load.look(ProcessorTimes{102, 5005, 11.5}), 1.75);
}

TEST(OtherLoad, LooksBackHalfASecondAtLeast) {
  OtherLoad load(ProcessorTimes{0, 0, 0});
  EXPECT_FALSE(load.look(ProcessorTimes{0.05, 1, 0}));  // too short to say
  EXPECT_DOUBLE_EQ(*load.look(ProcessorTimes{0.2, 1, 0}), 5);
  EXPECT_DOUBLE_EQ(*load.look(ProcessorTimes{0.5, 1, 0}), 2);
  // From 0.5 s on: the looks before it are forgotten.
  EXPECT_DOUBLE_EQ(*load.look(ProcessorTimes{1, 2, 0}), 2);
}

TEST(OtherLoad, ComparesWithTheLastLookWhereThatIsLongAgo) {
  OtherLoad load(ProcessorTimes{0, 0, 0});
  load.look(ProcessorTimes{10, 40, 0});
  EXPECT_DOUBLE_EQ(*load.look(ProcessorTimes{20, 40, 0}), 0);
}

TEST(OtherLoad, IsNeverNegative) {
  OtherLoad load(ProcessorTimes{0, 0, 0});
  EXPECT_DOUBLE_EQ(*load.look(ProcessorTimes{1, 0.99, 1}), 0);
}

TEST(OtherLoad, SaysNothingWhereNothingCanBeRead) {
  EXPECT_FALSE(OtherLoad(std::nullopt).look(ProcessorTimes{1, 1, 1}));
  EXPECT_FALSE(OtherLoad(ProcessorTimes{}).look(std::nullopt));
}

TEST(OtherLoad, CountsThisProcessAsBusyAndAsItsOwn) {
  const auto before = read_processor_times();
  if (!before) GTEST_SKIP() << "no /proc/stat here";
  while (read_processor_times()->own < before->own + 0.2) {
  }
  const auto after = read_processor_times();
  // The kernel counts in hundredths of a second on each processor.
  EXPECT_GE(after->busy - before->busy, after->own - before->own - 0.1);
  EXPECT_GE(after->now - before->now, 0.2);
}

TEST(OthersOnGpu, AreNeitherThisProcessNorItsPeers) {
  EXPECT_EQ(others_on_gpu(1, 0), 0U);
  EXPECT_EQ(others_on_gpu(3, 0), 2U);
  EXPECT_EQ(others_on_gpu(4, 2), 1U);
  EXPECT_EQ(others_on_gpu(2, 3), 0U) << "peers that the driver does not show";
}

TEST(ProcessorTimesOfThisProcess, HoldThoseOfProcessesThatItStarted) {
  const auto before = read_processor_times();
  if (!before) GTEST_SKIP() << "no /proc/stat";
  const auto with_running = read_processor_times(1000);
  EXPECT_GE(with_running->own, before->own + 1000);
  EXPECT_LT(with_running->own, before->own + 1001);
  // One that works, by what it does and not by the clock, and is waited for stays among them.
  ASSERT_EQ(std::system("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"), 0);
  EXPECT_GT(read_processor_times()->own, before->own + 0.01);
}

}  // namespace
}  // namespace apod::run
