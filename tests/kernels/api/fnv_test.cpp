#include "kernels/data/fnv.hpp"

#include <gtest/gtest.h>

namespace apod {
namespace {

TEST(Fnv1a, GivesThePublishedValues) {
  // The test vectors of draft-eastlake-fnv.
  EXPECT_EQ(Fnv1a().add("").value(), 0xcbf29ce484222325ULL);
  EXPECT_EQ(Fnv1a().add("a").value(), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(Fnv1a().add("foobar").value(), 0x85944171f73967e8ULL);
  EXPECT_EQ(Fnv1a().add("foo").add("bar").value(), Fnv1a().add("foobar").value());
}

TEST(Fnv1a, ASetOfHashesHasOne) {
  EXPECT_EQ(combined({7}), 7u) << "a single one stands for itself";
  EXPECT_EQ(combined({7, 9}), combined({9, 7}));
  EXPECT_NE(combined({7, 9}), combined({7, 8}));
  EXPECT_NE(combined({7, 9}), combined({7, 8, 9}));
}

TEST(Fnv1a, IsWrittenWithSixteenDigits) {
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0xaf63dc4c8601ec8cULL), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace apod
