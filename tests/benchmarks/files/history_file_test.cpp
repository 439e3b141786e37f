#include <gtest/gtest.h>

#include <sstream>

#include "benchmarks/files/small_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {
namespace {

History some_history() {
  History history;
  history.runs = 2;
  history.notes = {"b.json has no date"};
  CaseHistory& one = history.cases.emplace_back();
  one.name = "sum/\"cub\"";
  one.points = {{"a.json", "2026-03-01", "1a2b3c", {1e-6, 0.9e-6, 1.1e-6}, 3, false, "", 0},
                {"b.json", "", "", {2e-6}, 1, true, "", 1},
                {"c.json", "", "", {}, 0, false, "the sum is wrong", 0}};
  one.segments = {{1e-6, 0, {}, "", {}}, {2e-6, 1, 1.0, "driver 1 -> 2", {{"driver", "newer"}}}};
  return history;
}

std::string json_of(const History& history) {
  std::ostringstream text;
  write_history_json(text, history);
  return text.str();
}

TEST(HistoryFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const auto text = json_of(some_history());
  const History back = read_history(folder.write("h.json", text));
  EXPECT_EQ(json_of(back), text);
  EXPECT_EQ(back.runs, 2U);
  EXPECT_EQ(back.notes, some_history().notes);
  EXPECT_EQ(back.cases.at(0).segments.at(1).causes.at(0).text, "newer");
}

TEST(HistoryFile, WhatDoesNotFitTogetherIsRefused) {
  const auto refusal = [](const History& history) {
    const TemporaryFolder folder;
    return error_of([&] { read_history(folder.write("h.json", json_of(history))); });
  };
  auto history = some_history();
  history.cases[0].points[1].segment = 2;
  EXPECT_EQ(refusal(history), "cases[0]: sum/\"cub\": a point belongs to no segment");
  history = some_history();
  history.cases[0].points[0].time_s.value = -1;
  EXPECT_EQ(refusal(history), "cases[0]: sum/\"cub\": a time is not positive");
  history = some_history();
  history.cases[0].segments[0].level_s = 5e-6;
  EXPECT_EQ(refusal(history),
            "cases[0]: sum/\"cub\": damaged: a 'level_s' is outside the times of its segment");
  history = some_history();
  history.cases[0].segments[1].change = -0.9;
  EXPECT_EQ(refusal(history), "cases[0]: sum/\"cub\": a change does not fit any earlier level");
}

}  // namespace
}  // namespace apod::files
