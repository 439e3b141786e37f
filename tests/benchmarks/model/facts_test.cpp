#include "benchmarks/model/facts.hpp"

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
    EXPECT_EQ(fact.unit == Unit::bytes, fact.name.ends_with("bytes")) << fact.name;
    EXPECT_TRUE(!fact.help.starts_with("share of ") || fact.unit == Unit::share) << fact.name;
    EXPECT_EQ(fact.matters.kind == LeastChange::Kind::none, fact.label.empty()) << fact.name;
  }
}

TEST(WriteFact, HasTheUnitAndFourDigitsButCountsAndBytesInFull) {
  struct Example {
    Unit unit;
    double value;
    std::string text;
  };
  for (const auto& [unit, value, text] :
       {Example{Unit::count, 123456789, "123456789"}, Example{Unit::count, 3.51234, "3.512"},
        Example{Unit::ratio, 1.23456e-7, "1.235e-07"}, Example{Unit::share, 0.123456789, "12.35 %"},
        Example{Unit::share, 1, "100 %"}, Example{Unit::seconds, 1.5e-6, "1.5 us"},
        Example{Unit::seconds, 0, "0 s"}, Example{Unit::seconds, 90, "90 s"},
        Example{Unit::bytes, 100, "100 B"}, Example{Unit::bytes, 419430400, "419.4304 MB"},
        Example{Unit::bytes_per_second, 4.55e12, "4.55 TB/s"},
        Example{Unit::flop_per_second, 6.28e13, "62.8 TFLOP/s"},
        Example{Unit::megahertz, 1980, "1980 MHz"}}) {
    EXPECT_EQ(write_fact(unit, value), text);
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
}

}  // namespace
}  // namespace apod
