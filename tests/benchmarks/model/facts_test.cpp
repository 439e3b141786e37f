#include "benchmarks/model/facts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace apod {
namespace {

TEST(KnownFacts, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const auto& fact : known_facts()) {
    EXPECT_TRUE(names.insert(fact.name).second) << fact.name;
    EXPECT_EQ(find_fact(fact.name), &fact);
    EXPECT_FALSE(fact.help.empty()) << fact.name;
  }
}

TEST(KnownFacts, HaveTheUnitThatTheirHelpNames) {
  for (const auto& fact : known_facts()) {
    EXPECT_EQ(fact.unit == Unit::seconds, fact.help.ends_with(", s")) << fact.name;
    EXPECT_EQ(fact.unit == Unit::bytes, fact.name.ends_with("_bytes")) << fact.name;
    const bool is_share = fact.help.starts_with("share of ");
    EXPECT_TRUE(!is_share || fact.unit == Unit::ratio) << fact.name;
  }
  EXPECT_EQ(find_fact("bandwidth")->unit, Unit::bytes_per_second);
  EXPECT_EQ(find_fact("flops")->unit, Unit::flop_per_second);
  EXPECT_EQ(find_fact("sm_clock")->unit, Unit::megahertz);
  EXPECT_EQ(find_fact("distinct_streams")->unit, Unit::count);
}

TEST(KnownFacts, ComparedOnesNeedABaseline) {
  for (const auto& fact : known_facts()) {
    EXPECT_EQ(fact.needs_baseline, fact.name == "speedup" || fact.name == "delta") << fact.name;
  }
}

TEST(FindFact, KnowsNoOthers) {
  EXPECT_EQ(find_fact("tim"), nullptr);
  EXPECT_EQ(find_fact(""), nullptr);
}

}  // namespace
}  // namespace apod
