#include "benchmarks/base/run_properties.hpp"

#include <gtest/gtest.h>

#include <set>

#include "benchmarks/base/result.hpp"

namespace apod {
namespace {

using Texts = std::map<std::string, std::string>;

TEST(RunProperties, EachHasOneNameAndATextAndWhatIsDecisiveComesFirst) {
  std::set<std::string_view> names;
  bool decisive = true;
  for (const auto& known : run_properties()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
    EXPECT_NE(known.text, nullptr) << known.name;
    EXPECT_TRUE(decisive || known.differs != Differs::decisive) << known.name;
    decisive = known.differs == Differs::decisive;
  }
  EXPECT_TRUE(is_decisive("driver"));
  EXPECT_FALSE(is_decisive("commit"));
  EXPECT_FALSE(is_decisive("queue")) << "a name that a file made up";
}

TEST(RunProperties, WhatAnotherProgramSaysIsSaidAgain) {
  Result run{.environment = {.producer = "a program"}};
  EXPECT_TRUE(properties_of(run).empty()) << "no backend that nobody named";
  const Texts said{{"gpu", "A GPU"},  {"driver", "581.1"}, {"cuda", "13.0"},
                   {"cpu", "A CPU"},  {"cpus", "8"},       {"host", "lab"},
                   {"commit", "abc"}, {"ecc", "on"},       {"queue", "night"}};
  for (const auto& [name, text] : said) take_property(run, name, text);
  take_property(run, "os", "");
  auto expected = said;
  expected["backend"] = "cuda";
  EXPECT_EQ(properties_of(run), expected);
}

TEST(RunProperties, ANumberThatIsNoneIsNotTaken) {
  Result run{.environment = {.producer = "a program"}};
  for (const char* text : {"-1", "1e300", "many", "nan"}) take_property(run, "cpus", text);
  EXPECT_TRUE(properties_of(run).empty());
}

}  // namespace
}  // namespace apod
