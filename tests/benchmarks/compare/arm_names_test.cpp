#include "benchmarks/compare/arm_names.hpp"

#include <gtest/gtest.h>

namespace apod {
namespace {

using compare::common_name;

TEST(CommonName, LosesTheValueOfTheAxis) {
  EXPECT_EQ(common_name("e/host/size:8/streams:4", "streams", "4"), "e/host/size:8");
  EXPECT_EQ(common_name("e/host/size:8/streams:4/x:1", "size", "8"), "e/host/streams:4/x:1");
}

TEST(CommonName, TheVariantIsTheWordOfItsOwn) {
  EXPECT_EQ(common_name("e/host/size:8", "variant", "host"), "e/size:8");
  EXPECT_EQ(common_name("host/host/size:8", "variant", "host"), "host/size:8")
      << "the experiment may be called like the variant";
}

TEST(CommonName, StaysWithoutAnAxisOrWhereItIsNotNamed) {
  EXPECT_EQ(common_name("e/host/size:8", "", ""), "e/host/size:8");
  EXPECT_EQ(common_name("e/host/size:8", "streams", "4"), "e/host/size:8");
  EXPECT_EQ(common_name("", "streams", "4"), "");
}

}  // namespace
}  // namespace apod
