#pragma once

/// \file
/// Small sides of a comparison, written by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"
#include "benchmarks/judge/compare.hpp"
#include "tests/support/texts.hpp"

namespace apod::judge {

/// A case whose processes took `milliseconds`, all in one session.
inline SideCase side_case(std::string name, const std::vector<double>& milliseconds,
                          std::uint32_t session = 0) {
  SideCase c;
  c.name = std::move(name);
  for (const double ms : milliseconds) c.times.push_back({ms * 1e-3, session});
  return c;
}

inline Side side_of(std::vector<SideCase> cases) {
  Side side;
  side.label = "side";
  side.sessions.push_back({"side.json", "apod", {{"gpu", "G"}, {"driver", "1.0"}}});
  side.cases = std::move(cases);
  return side;
}

/// Twelve times around `milliseconds` with a relative standard deviation of `spread`: quantiles of
/// a normal distribution, so that every run of a test sees the same.
inline std::vector<double> around(double milliseconds, double spread) {
  std::vector<double> times;
  for (const double z :
       {-1.73, -1.15, -0.81, -0.54, -0.32, -0.10, 0.10, 0.32, 0.54, 0.81, 1.15, 1.73}) {
    times.push_back(milliseconds * std::exp(z * spread));
  }
  return times;
}

/// Nights of three processes whose levels are given, ms.
inline Side nights(const std::vector<double>& levels, int first_day = 1) {
  Side side = side_of({});
  side.sessions.clear();
  SideCase c;
  c.name = "x";
  for (std::size_t i = 0; i < levels.size(); ++i) {
    auto& session = side.sessions.emplace_back();
    session.format = "google";
    const auto day = static_cast<std::size_t>(first_day) + i - 1;
    session.environment["date"] = "2026-0" + std::to_string(1 + day / 28) + "-" +
                                  (day % 28 < 9 ? "0" : "") + std::to_string(1 + day % 28) +
                                  "T02:00:00Z";
    for (const double factor : {0.999, 1.0, 1.001}) {
      c.times.push_back({levels[i] * factor * 1e-3, static_cast<std::uint32_t>(i)});
    }
  }
  side.cases = {c};
  return side;
}

inline bool has_note(const Comparison& comparison, const std::string& text) {
  return std::any_of(comparison.notes.begin(), comparison.notes.end(),
                     [&](const auto& note) { return contains(note, text); });
}

inline std::vector<std::string> names_of(const Side& side) {
  std::vector<std::string> names;
  for (const auto& c : side.cases) names.push_back(c.name);
  return names;
}

/// Levels of nights that differ by 0.4 % at most, ms.
inline const std::vector<double> ten_nights{1.0,   1.004, 0.996, 1.003, 0.997,
                                            1.002, 0.998, 1.001, 0.999, 1.0};

inline CaseComparison the_case(const Comparison& comparison) {
  EXPECT_EQ(comparison.cases.size(), 1u);
  return comparison.cases.empty() ? CaseComparison{} : comparison.cases.front();
}

}  // namespace apod::judge
