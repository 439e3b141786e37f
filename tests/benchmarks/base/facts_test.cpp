#include "benchmarks/base/facts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace apod {
namespace {

TEST(KnownFacts, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const auto& fact : known_facts()) {
    EXPECT_TRUE(names.emplace(fact.name).second) << fact.name;
    EXPECT_EQ(find_fact(fact.name), &fact);
    EXPECT_FALSE(fact.help.empty()) << fact.name;
  }
}

TEST(KnownFacts, HaveTheUnitThatTheirHelpNames) {
  for (const auto& fact : known_facts()) {
    EXPECT_EQ(fact.unit == Unit::seconds, fact.help.ends_with(", s")) << fact.name;
    EXPECT_EQ(fact.unit == Unit::joules, fact.help.ends_with(", J")) << fact.name;
    EXPECT_EQ(fact.unit == Unit::watts, fact.help.ends_with(", W")) << fact.name;
    EXPECT_EQ(fact.unit == Unit::bytes, fact.name.ends_with("bytes")) << fact.name;
    EXPECT_TRUE(!fact.help.starts_with("share of ") || fact.unit == Unit::share) << fact.name;
    EXPECT_EQ(fact.matters.kind == LeastChange::Kind::none, fact.label.empty()) << fact.name;
  }
}

TEST(Matters, FromTheLeastChangeOn) {
  const auto matter = [](const char* name, double before, double after) {
    return matters(*find_fact(name), before, after);
  };
  EXPECT_TRUE(matter("registers", 32, 33));
  EXPECT_FALSE(matter("registers", 32, 32));
  EXPECT_TRUE(matter("overlap", 0.5, 0.56));
  EXPECT_FALSE(matter("overlap", 0.5, 0.54));
  EXPECT_TRUE(matter("sm_clock", 1980, 1900));
  EXPECT_FALSE(matter("sm_clock", 1980, 1970));
  EXPECT_FALSE(matter("time", 1, 2)) << "is what a comparison explains, and explains nothing";
}

TEST(FindFact, KnowsNoOthers) {
  EXPECT_EQ(find_fact("tim"), nullptr);
  EXPECT_EQ(find_fact(""), nullptr);
  EXPECT_EQ(find_fact("samples_low"), nullptr) << "has no interval";
}

TEST(FindFact, KnowsTheEndsOfIntervals) {
  ASSERT_NE(find_fact("time_low"), nullptr);
  EXPECT_EQ(find_fact("time_low")->unit, Unit::seconds);
  EXPECT_EQ(find_fact("time_low")->needs, FactNeeds::processes);
  EXPECT_EQ(find_fact("energy_high")->needs, FactNeeds::energy);
}

}  // namespace
}  // namespace apod
