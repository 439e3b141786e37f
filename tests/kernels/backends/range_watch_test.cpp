// When the window of an NVTX range opens and closes.

#include "kernels/backends/cuda/injected/range_watch.hpp"

#include <gtest/gtest.h>

namespace apod::cuda {
namespace {

TEST(RangeWatch, TheFirstOfANameOpensAndItsOwnEndCloses) {
  RangeWatch watch("step");
  EXPECT_EQ(watch.push(1, nullptr, "other"), RangeEvent::none);
  EXPECT_EQ(watch.push(1, nullptr, "step"), RangeEvent::begins);
  EXPECT_EQ(watch.push(1, nullptr, "step"), RangeEvent::none) << "one within it";
  EXPECT_EQ(watch.pop(1, nullptr), RangeEvent::none);
  EXPECT_EQ(watch.pop(1, nullptr), RangeEvent::ends);
  EXPECT_EQ(watch.pop(1, nullptr), RangeEvent::none) << "of what was around it";
  EXPECT_EQ(watch.push(1, nullptr, "step"), RangeEvent::none) << "once is all";
}

TEST(RangeWatch, OtherThreadsAndDomainsHaveStacksOfTheirOwn) {
  RangeWatch watch("step");
  const int domain = 0;
  EXPECT_EQ(watch.push(1, &domain, "step"), RangeEvent::begins);
  EXPECT_EQ(watch.pop(2, &domain), RangeEvent::none);
  EXPECT_EQ(watch.pop(1, nullptr), RangeEvent::none);
  EXPECT_EQ(watch.push(2, &domain, "a"), RangeEvent::none);
  EXPECT_EQ(watch.pop(1, &domain), RangeEvent::ends);
}

TEST(RangeWatch, AnIndexCountsRangesOfTheName) {
  RangeWatch watch("step/2");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(watch.push(1, nullptr, "step"), RangeEvent::none);
    EXPECT_EQ(watch.pop(1, nullptr), RangeEvent::none);
  }
  EXPECT_EQ(watch.push(1, nullptr, "step"), RangeEvent::begins);
}

TEST(RangeWatch, ANameThatEndsLikeAnIndexIsItself) {
  RangeWatch watch("epoch 1/2");
  EXPECT_EQ(watch.push(1, nullptr, "epoch 1/2"), RangeEvent::begins);
  RangeWatch plain("a/b");
  EXPECT_EQ(plain.push(1, nullptr, "a"), RangeEvent::none);
  EXPECT_EQ(plain.push(1, nullptr, "a/b"), RangeEvent::begins);
}

TEST(RangeWatch, StartedRangesEndByTheirId) {
  RangeWatch watch("load");
  EXPECT_EQ(watch.start(5, "load"), RangeEvent::begins);
  EXPECT_EQ(watch.pop(1, nullptr), RangeEvent::none);
  EXPECT_EQ(watch.end(4), RangeEvent::none);
  EXPECT_EQ(watch.end(5), RangeEvent::ends);
}

}  // namespace
}  // namespace apod::cuda
