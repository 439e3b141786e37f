#include <gtest/gtest.h>

#include "benchmarks/base/library_kernels.hpp"

namespace apod::test {
namespace {

TEST(KernelName, AShapeEndsWithTheLastSideThatIsNotOne) {
  EXPECT_EQ(shape({128, 1, 1}), "128");
  EXPECT_EQ(shape({16, 8, 1}), "16x8");
  EXPECT_EQ(shape({16, 1, 4}), "16x1x4");
  EXPECT_EQ(shape({1, 1, 1}), "1");
}

}  // namespace
}  // namespace apod::test
