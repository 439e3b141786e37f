#include "benchmarks/compare/arm_names.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace apod {
namespace {

using compare::common_name;
using compare::filter_of;

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

TEST(FilterOf, MatchesTheseIdsAndNoOther) {
  const std::regex filter(filter_of({"e/a+b/size:8", "e/c.d/[x]"}));
  EXPECT_TRUE(std::regex_search("e/a+b/size:8", filter));
  EXPECT_TRUE(std::regex_search("e/c.d/[x]", filter));
  EXPECT_FALSE(std::regex_search("e/a+b/size:80", filter));
  EXPECT_FALSE(std::regex_search("e/cXd/[x]", filter));
}

TEST(FilterOf, GivesUpWhereItWouldBeTooLong) {
  EXPECT_TRUE(filter_of(std::vector<std::string>(2000, "a/quite/long/case/id")).empty());
}

}  // namespace
}  // namespace apod
