#include "benchmarks/judge/side_text.hpp"

#include <gtest/gtest.h>

#include "tests/benchmarks/judge/sides.hpp"

namespace apod::judge {
namespace {

/// A side with a session for each date, of which each case has `times` processes.
Side dated_side(const std::vector<std::string>& dates, std::size_t times = 3) {
  Side side;
  SideCase c;
  c.name = "x";
  for (const auto& date : dates) {
    SideSession session;
    session.file = "run" + std::to_string(side.sessions.size()) + ".json";
    if (!date.empty()) session.environment["date"] = date;
    for (std::size_t i = 0; i < times; ++i) {
      c.times.push_back({1, static_cast<std::uint32_t>(side.sessions.size())});
    }
    side.sessions.push_back(session);
  }
  side.cases.push_back(c);
  return side;
}

TEST(NotesOfFiles, WordsThatFilesShareAreOneNote) {
  auto base = dated_side({"", ""});
  auto after = dated_side({""});
  after.sessions[0].file = "new.json";
  base.notes = {"run0.json: a debug build", "run1.json: a debug build", "one row is left out"};
  after.notes = {"new.json: a debug build", "new.json: no date"};
  EXPECT_EQ(notes_of_files({&base, &after}),
            (std::vector<std::string>{"a debug build (in 3 files, the first run0.json)",
                                      "one row is left out", "new.json: no date"}));
}

TEST(NotesOfFiles, NotesThatDifferInTheirNumberOfCasesAreOne) {
  auto side = dated_side({"", "", ""});
  side.notes = {"run0.json: no ns/op: 8 cases, the first a",
                "run1.json: no ns/op: 9 cases, the first a", "run2.json: no ns/op: b"};
  EXPECT_EQ(
      notes_of_files({&side}),
      (std::vector<std::string>{"no ns/op: 8 cases, the first a (in 2 files, the first run0.json)",
                                "run2.json: no ns/op: b"}));
}

TEST(NotesOfFiles, RunsOfOneFileAreNoFiles) {
  auto side = dated_side({"", ""});
  for (auto& session : side.sessions) session.file = "data.js";
  side.notes = {"data.js: no time", "data.js: no time"};
  EXPECT_EQ(notes_of_files({&side}),
            std::vector<std::string>{"data.js: no time (in 2 of its runs)"});
}

TEST(SpanText, CountsDaysAndBoards) {
  auto side = dated_side({"2026-05-10T10:00:00+00:00", "2026-05-01T10:00:00+00:00"});
  EXPECT_EQ(span_text(side), "2 sessions from 2 days");
  side.sessions[0].environment["gpu_uuid"] = "GPU-1";
  side.sessions[1].environment["gpu_uuid"] = "GPU-1";
  EXPECT_EQ(span_text(side), "2 sessions from 2 days on 1 board");
  side.sessions[1].environment["gpu_uuid"] = "GPU-2";
  EXPECT_EQ(span_text(side), "2 sessions from 2 days on 2 boards");
}

TEST(SpanText, SaysThatOneDayHasNoDifferencesBetweenDays) {
  EXPECT_EQ(span_text(dated_side({"2026-05-01T10:12:00+00:00", "2026-05-01T10:00:00+00:00"})),
            "all 2 sessions are within 12 min 00 s: their spread does not include differences "
            "between days");
}

TEST(SpanText, ANightsRestMakesTwoDays) {
  EXPECT_EQ(span_text(dated_side({"2026-05-01T22:00:00+00:00", "2026-05-02T08:00:00+00:00"})),
            "2 sessions from 2 days");
}

TEST(SpanText, SaysWhereThereIsNoDate) {
  EXPECT_EQ(span_text(dated_side({"2026-05-01T10:12:00+00:00", ""})),
            "the spread between the 2 sessions is unknown: run1.json has no date");
}

TEST(ReplicatesText, TellsProcessesFromRepetitions) {
  auto side = dated_side({"", ""});
  EXPECT_FALSE(has_repetitions(side));
  EXPECT_EQ(replicates_text(side), "6 processes");
  for (auto& session : side.sessions) session.one_process = true;
  EXPECT_TRUE(has_repetitions(side));
  EXPECT_EQ(replicates_text(side), "3 repetitions of each of 2 processes");
  side.cases[0].times.pop_back();
  EXPECT_EQ(replicates_text(side), "2 to 3 repetitions of each of 2 processes");
  auto one = dated_side({""}, 10);
  one.sessions[0].one_process = true;
  EXPECT_EQ(replicates_text(one), "10 repetitions of one process");
  EXPECT_EQ(replicates_text(dated_side({""}, 1)), "1 process");
  auto single = dated_side({""}, 1);
  single.sessions[0].one_process = true;
  EXPECT_EQ(replicates_text(single), "1 run");
  EXPECT_EQ(replicates_text({}), "no process");
}

TEST(ReplicatesText, NamesBothWhereFilesDiffer) {
  auto side = dated_side({"", ""}, 5);
  side.sessions[1].one_process = true;
  EXPECT_EQ(replicates_text(side), "5 processes and 5 repetitions of one process");
}

TEST(Machines, ThatDifferAreNamed) {
  auto side = dated_side({"", ""});
  side.sessions[0].environment = {{"driver", "570"}, {"commit", "a"}, {"host", "h"}};
  side.sessions[1].environment = {{"driver", "580"}, {"commit", "b"}, {"host", "i"}};
  EXPECT_EQ(differing_machines(side), std::vector<std::string>{"driver 570, 580"});
  EXPECT_EQ(count_builds(side), 2u);
  side.sessions[1].environment["driver"] = "570";
  EXPECT_TRUE(differing_machines(side).empty());
}

}  // namespace
}  // namespace apod::judge
