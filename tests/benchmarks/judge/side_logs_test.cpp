#include "benchmarks/judge/side_logs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/benchmarks/judge/sides.hpp"

namespace apod::judge {
namespace {

Side dated(const std::vector<std::string>& dates) {
  Side side;
  for (const auto& date : dates) {
    auto& session = side.sessions.emplace_back();
    session.file = "s.json";
    if (!date.empty()) session.environment["date"] = date;
  }
  return side;
}

TEST(Days, AGapOfSixHoursBeginsANewOne) {
  const auto days = days_of(dated({"2026-01-02T01:00:00Z", "2026-01-01T22:00:00Z",
                                   "2026-01-01T20:00:00Z", "2026-01-02T09:00:00Z"}));
  EXPECT_EQ(days.count, 2u) << "midnight ends no day";
  EXPECT_EQ(days.of_session, (std::vector<std::uint32_t>{0, 0, 0, 1}));
  EXPECT_EQ(days.undated, 0u);
}

TEST(Days, NoDayIsLongerThanTwelveHours) {
  const auto days = days_of(dated({"2026-01-01T00:00:00Z", "2026-01-01T05:00:00Z",
                                   "2026-01-01T10:00:00Z", "2026-01-01T15:00:00Z"}));
  EXPECT_EQ(days.of_session, (std::vector<std::uint32_t>{0, 0, 0, 1}));
}

TEST(Days, WithoutADateAllMayBeOfOneDayThatIsNoneOfTheOthers) {
  const auto days = days_of(dated({"", "2026-01-01", "no date"}));
  EXPECT_EQ(days.count, 1u);
  EXPECT_EQ(days.undated, 2u);
  EXPECT_EQ(days.of_session, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(days.first, days.last);
}

TEST(LastDigit, IsShownByThreeTimesOrTwoNeighbours) {
  const auto digit = [](const std::vector<double>& seconds) { return last_digit(seconds); };
  EXPECT_NEAR(digit({50e-9, 51e-9}).value(), 1e-9, 1e-15);
  EXPECT_NEAR(digit({60e-9, 60e-9, 62e-9, 63e-9}).value(), 1e-9, 1e-15);
  EXPECT_FALSE(digit({0.1, 0.1, 0.15})) << "two round times that are no neighbours";
  EXPECT_FALSE(digit({1, 2, 3})) << "hours, or written by hand";
  EXPECT_FALSE(digit({1e-3, 1e-3}));
  EXPECT_FALSE(digit({}));
  EXPECT_LT(digit({1.2345678e-3, 1.3456789e-3, 1.4567891e-3}).value_or(0), 1e-9);
}

TEST(SideLogs, RepetitionsOfOneProcessAreOneValue) {
  auto side = dated({"2026-01-01"});
  auto c = side_case("x", {1, 1.1, 1, 1.1});
  const SideLogs processes(c, side, days_of(side));
  EXPECT_EQ(processes.processes, 4u);
  EXPECT_EQ(processes.own.degrees, 3);
  side.sessions[0].one_process = true;
  const SideLogs repetitions(c, side, days_of(side));
  EXPECT_EQ(repetitions.processes, 1u);
  EXPECT_EQ(repetitions.own.degrees, 0);
  EXPECT_NEAR(repetitions.mean, processes.mean, 1e-12);
}

TEST(SideLogs, DaysHoldTheirProcesses) {
  const auto side = dated({"2026-01-01", "2026-01-01T02:00", "2026-01-03"});
  auto c = side_case("x", {1, 1.1});
  c.times.push_back({1.2e-3, 1});
  c.times.push_back({2e-3, 2});
  const SideLogs logs(c, side, days_of(side));
  ASSERT_EQ(logs.days.size(), 2u);
  EXPECT_EQ(logs.days[0].processes, 3u);
  EXPECT_NEAR(logs.days[1].mean, std::log(2e-3), 1e-12);
}

TEST(SideLogs, SessionsOfOneDayTellWhatLiesBetweenThem) {
  const auto side = dated({"2026-01-01T01:00", "2026-01-01T02:00", "2026-01-01T03:00"});
  SideCase c;
  for (std::uint32_t i = 0; i < 3; ++i) c.times.push_back({1e-3 * (1 + 0.1 * i), i});
  const SideLogs alone(c, side, days_of(side));
  EXPECT_EQ(alone.own.degrees, 2) << "one process a session";
  EXPECT_NEAR(std::sqrt(alone.own.variance), 0.0912, 1e-3);
  EXPECT_EQ(alone.between_sessions.variance, 0) << "counted once";
  for (std::uint32_t i = 0; i < 3; ++i) c.times.push_back({1e-3 * (1 + 0.1 * i), i});
  const SideLogs pairs(c, side, days_of(side));
  EXPECT_EQ(pairs.sessions, 3u);
  EXPECT_NEAR(pairs.own.variance, 0, 1e-12);
  EXPECT_NEAR(pairs.between_sessions.variance, alone.own.variance, 1e-9);
}

TEST(SideLogs, OneProcessADayShowsWhatLiesBetweenDays) {
  const auto side = dated({"2026-01-01", "2026-01-02", "2026-01-03"});
  SideCase c;
  for (std::uint32_t i = 0; i < 3; ++i) c.times.push_back({1e-3 * (1 + 0.1 * i), i});
  const SideLogs logs(c, side, days_of(side));
  EXPECT_EQ(logs.own.degrees, 2);
  EXPECT_NEAR(std::sqrt(logs.own.variance), 0.0912, 1e-3);
}

TEST(SideLogs, SessionsThatDifferAsTheirProcessesDoAreNoMore) {
  const auto side = dated({"2026-01-01T01:00", "2026-01-01T02:00"});
  SideCase c;
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (const double factor : {0.9, 1.1}) c.times.push_back({1e-3 * (factor + 0.01 * i), i});
  }
  EXPECT_EQ(SideLogs(c, side, days_of(side)).between_sessions.variance, 0);
}

}  // namespace
}  // namespace apod::judge
