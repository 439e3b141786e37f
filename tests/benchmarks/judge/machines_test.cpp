#include "benchmarks/judge/machines.hpp"

#include <gtest/gtest.h>

#include "benchmarks/judge/history_segments.hpp"
#include "tests/benchmarks/judge/sides.hpp"

namespace apod::judge {
namespace {

/// Thirty nights on three hosts in turn, which are so many times as slow.
Side hosts_in_turn(const std::vector<double>& factors) {
  std::vector<double> levels;
  for (const double night : ten_nights) {
    for (const double factor : factors) levels.push_back(night * factor);
  }
  Side side = nights(levels);
  for (std::size_t i = 0; i < side.sessions.size(); ++i) {
    side.sessions[i].environment["host"] = "host" + std::to_string(i % factors.size());
  }
  return side;
}

Side night_on(const std::string& host, double level) {
  Side side = nights({level}, 31);
  side.sessions[0].environment["host"] = host;
  return side;
}

TEST(Hosts, ThatTakeTurnsAndDifferAreApart) {
  const Side differ = hosts_in_turn({1, 1.5, 3});
  EXPECT_EQ(hosts_of({&differ}), Hosts::apart);
  const Side alike = hosts_in_turn({1, 1, 1});
  EXPECT_EQ(hosts_of({&alike}), Hosts::alike);
  Side replaced = nights({1, 1.001, 1, 1.001, 1, 1.001, 2, 2.001, 2, 2.001, 2, 2.001});
  for (std::size_t i = 0; i < 12; ++i) {
    replaced.sessions[i].environment["host"] = i < 6 ? "old" : "new";
  }
  EXPECT_EQ(hosts_of({&replaced}), Hosts::alike) << "no turns";
}

TEST(Hosts, AreFollowedApartInComparisons) {
  const Side base = hosts_in_turn({1, 1.5, 3});
  const auto same = compare_sides(base, night_on("host2", 3), {});
  EXPECT_EQ(the_case(same).verdict, Verdict::within_noise);
  EXPECT_NEAR(the_case(same).change.value, 0, 0.01);
  EXPECT_TRUE(has_note(same,
                       "20 of 30 files of the base come from another kind of machine and are "
                       "left out (host host0 -> host2)"));
  EXPECT_EQ(the_case(compare_sides(base, night_on("host0", 3), {})).verdict, Verdict::suspect);
  const auto new_host = compare_sides(base, night_on("host9", 1.5), {});
  EXPECT_FALSE(has_note(new_host, "left out")) << "the base has none of its nights";
}

TEST(Hosts, AreFollowedApartInHistories) {
  const Side all = hosts_in_turn({1, 1.5, 3});
  std::vector<Side> runs;
  for (std::size_t i = 0; i < all.sessions.size(); ++i) {
    std::vector<bool> out(all.sessions.size(), true);
    out[i] = false;
    runs.push_back(without(all, out));
    runs.back().sessions[0].file = std::to_string(i) + ".json";
  }
  // The second gets slower by 30 % from its sixth run on.
  for (std::size_t i = 16; i < runs.size(); i += 3) {
    for (auto& time : runs[i].cases[0].times) time.seconds *= 1.3;
  }
  const auto history = history_of(runs);
  const auto& c = history.cases[0];
  ASSERT_EQ(c.segments.size(), 4u);
  EXPECT_EQ(c.segments[1].epoch_difference, "host host0 -> host1");
  EXPECT_EQ(c.changes(), 1u);
  EXPECT_NEAR(*c.segments[3].change, 0.3, 0.01);
  EXPECT_NEAR(c.last_segment()->level_s, 3e-3, 1e-5);
}

TEST(Copies, OfARunAreLeftOutInWhateverLayout) {
  Side base = nights(ten_nights);
  base.sessions.push_back(base.sessions[9]);
  base.sessions[10].file = "copy.json";
  for (std::size_t i = 0; i < 3; ++i) {
    auto time = base.cases[0].times[27 + i];
    time.session = 10;
    base.cases[0].times.push_back(time);
  }
  const Side after = nights({1.0}, 11);
  const auto comparison = compare_sides(base, after, {});
  EXPECT_EQ(the_case(comparison).base_units, 10u);
  EXPECT_TRUE(
      has_note(comparison, "left out: 1 file with the same date and measured times as another"));
  base.cases[0].times.back().seconds *= 1.0001;
  EXPECT_EQ(the_case(compare_sides(base, after, {})).base_units, 11u) << "another time";
  EXPECT_TRUE(has_note(compare_sides(after, after, {}), "they are the same run"));
}

}  // namespace
}  // namespace apod::judge
