#pragma once

/// \file
/// Builds the runs that tests put into histories.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "benchmarks/judge/history_segments.hpp"
#include "benchmarks/judge/levels.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {

inline std::string day(std::size_t i) {
  return fmt::format("2026-{:02}-{:02}T10:00:00+00:00", 1 + i / 28, 1 + i % 28);
}

/// A run of day `i` in which case "x" took `milliseconds` in its processes.
inline Side run_of(std::size_t i, const std::vector<double>& milliseconds) {
  Side run;
  run.sessions.push_back({fmt::format("run{}.json", i),
                          "apod",
                          {{"date", day(i)}, {"commit", fmt::format("commit{}", i)}}});
  run.cases.push_back(side_case("x", milliseconds));
  return run;
}

/// Three processes 0.2 % apart around `milliseconds`.
inline std::vector<double> three(double milliseconds) {
  return {0.998 * milliseconds, milliseconds, 1.002 * milliseconds};
}

/// A run a day; each wobbles a little around its level, the same way in every run of the test.
inline std::vector<Side> runs_of(const std::vector<double>& milliseconds) {
  std::vector<Side> runs;
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    const double wobble = 1 + 0.001 * (static_cast<double>(i * 7 % 5) - 2);
    runs.push_back(run_of(i, three(milliseconds[i] * wobble)));
  }
  return runs;
}

/// None of them a copy of another.
inline void on_one_date(std::vector<Side>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sessions[0].environment["date"] = day(3);
    runs[i].cases[0].times[0].seconds += 1e-9 * static_cast<double>(i);
  }
}

inline std::vector<double> steps(std::size_t length, const std::vector<double>& levels) {
  std::vector<double> values;
  for (const double level : levels) values.insert(values.end(), length, level);
  return values;
}

inline CaseHistory only(const History& history) {
  EXPECT_EQ(history.cases.size(), 1u);
  return history.cases.empty() ? CaseHistory{} : history.cases.front();
}

inline CaseHistory history_of_levels(const std::vector<double>& milliseconds) {
  return only(history_of(runs_of(milliseconds)));
}

inline std::string notes_of(const History& history) {
  std::string text;
  for (const auto& note : history.notes) text += note + "\n";
  return text;
}

inline std::vector<std::string> files_of(const CaseHistory& c) {
  std::vector<std::string> files;
  for (const auto& point : c.points) files.push_back(point.file);
  return files;
}

}  // namespace apod::judge
