#include "tests/studies/situations.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/judge/blocks.hpp"
#include "benchmarks/judge/calibrate.hpp"
#include "benchmarks/judge/compare.hpp"
#include "tests/studies/share.hpp"

namespace apod::simulation {
namespace {

constexpr double session_deviation = 0.005;
constexpr double process_deviation = 0.004;
constexpr double tick_s = 32e-9;

/// How sessions and processes vary.
struct Kind {
  const char* name;
  double shared = 0;     ///< share of the variance between sessions that all cases have in common
  bool tails = false;    ///< sessions: Student's t with 3 degrees
  double nights = 0;     ///< correlation of a session with the one before
  double in_a_row = 0;   ///< correlation of a process with the one before
  double modes = 0;      ///< processes run in one of two modes, so far apart ...
  int every = 1;         ///< ... in every so many cases
  double uneven = 0;     ///< standard deviation over the cases of ln of their deviations
  double new_noise = 1;  ///< the new side's processes vary so many times as much
  bool ticks = false;    ///< times of 4 to 9 us, multiples of the tick
  double session = session_deviation;
  double process = process_deviation;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {.name = "independent"},
      {.name = "half of it shared", .shared = 0.5},
      {.name = "uneven cases", .uneven = 0.6},
      {.name = "sessions of t(3)", .tails = true},
      {.name = "the same, uneven", .tails = true, .uneven = 0.6},
      {.name = "nights of AR(0.8)", .nights = 0.8},
      {.name = "processes of AR(0.8)", .in_a_row = 0.8},
      {.name = "modes 1 % apart", .modes = 0.01},
      {.name = "modes 9 % apart", .modes = 0.09},
      {.name = "modes 20 % apart", .modes = 0.2},
      {.name = "the same in each sixth case", .modes = 0.2, .every = 6},
      {.name = "new side 5 times noisier", .new_noise = 5, .session = 0, .process = 0.001},
      {.name = "ticks of 32 ns", .ticks = true, .session = 0, .process = 0.001},
  };
  return all;
}

/// A site that measures a suite of cases, session after session.
class Site {
 public:
  /// On the new side the first `slowed` cases are slower.
  Site(const Kind& kind, int cases, std::uint64_t seed, std::size_t slowed = 1)
      : kind_(kind), random_(seed), slowed_(slowed) {
    for (int i = 0; i < cases; ++i) {
      cases_.push_back({std::exp(kind.uneven * normal_(random_)),
                        std::exp(kind.uneven * normal_(random_)),
                        std::log(4e-6 + 5e-6 * uniform_(random_)), effect()});
    }
    shared_ = effect();
  }

  /// Goes on to another day: every case meets a new state of the machine.
  void next(double deviation) {
    shared_ = next_effect(shared_);
    for (auto& c : cases_) c.state = next_effect(c.state);
    for (auto& c : cases_) {
      c.level = deviation * c.session *
                (std::sqrt(kind_.shared) * shared_ + std::sqrt(1 - kind_.shared) * c.state);
    }
  }

  /// Measures all cases once. `hours` is when; the slowed ones are slower by `slowdown`.
  void measure(Side& side, int processes, double hours, double slowdown, bool is_new,
               double deviation = 0) {
    const auto session = static_cast<std::uint32_t>(side.sessions.size());
    auto& of_session = side.sessions.emplace_back();
    of_session.file = fmt::format("{}{}.json", is_new ? "new" : "base", session);
    of_session.format = "apod";
    of_session.environment["date"] =
        fmt::format("2026-{:02}-{:02}T{:02}:00:00Z", 1 + static_cast<int>(hours / 24) / 28,
                    1 + static_cast<int>(hours / 24) % 28, static_cast<int>(hours) % 24);
    side.cases.resize(cases_.size());
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      auto& c = side.cases[i];
      c.name = std::to_string(i);
      if (kind_.ticks) c.tick_s = tick_s;
      const double level = cases_[i].level + deviation * normal_(random_) + slowness(i, slowdown);
      double before = normal_(random_);
      for (int p = 0; p < processes; ++p) {
        c.times.push_back({seconds(i, level + process(i, is_new, before)), session});
      }
    }
  }

  /// ln s of one process of case `i`, side by side.
  double visit(std::size_t i, double slowdown) {
    double before = normal_(random_);
    return process(i, false, before) + slowness(i, slowdown);
  }

 private:
  struct Case {
    double session;  ///< factors of its deviations
    double process;
    double ln_s;
    double state;
    double level = 0;
  };

  double slowness(std::size_t i, double slowdown) const {
    return i < slowed_ ? std::log1p(slowdown) : 0;
  }
  double effect() { return kind_.tails ? student_(random_) / std::sqrt(3.0) : normal_(random_); }
  double next_effect(double before) {
    return kind_.nights * before + std::sqrt(1 - kind_.nights * kind_.nights) * effect();
  }
  double process(std::size_t i, bool is_new, double& before) {
    before =
        kind_.in_a_row * before + std::sqrt(1 - kind_.in_a_row * kind_.in_a_row) * normal_(random_);
    const bool has_modes = kind_.modes > 0 && i % static_cast<std::size_t>(kind_.every) == 0;
    if (has_modes) {
      return 0.002 * before + (uniform_(random_) < 0.5 ? std::log1p(kind_.modes) : 0);
    }
    return kind_.process * cases_[i].process * (is_new ? kind_.new_noise : 1) * before;
  }
  double seconds(std::size_t i, double ln) const {
    const double s = std::exp(cases_[i].ln_s + ln);
    return kind_.ticks ? std::round(s / tick_s) * tick_s : s;
  }

  const Kind& kind_;
  std::mt19937_64 random_;
  std::size_t slowed_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> student_{3};
  std::uniform_real_distribution<double> uniform_;
  std::vector<Case> cases_;
  double shared_ = 0;
};

constexpr double day = 24;

CompareOptions options_of(const Kind& kind) {
  CompareOptions options;
  if (kind.ticks) options.threshold = 0.005;
  return options;
}

/// `base` nights of `processes` against one more.
Comparison nights(Site& site, const Kind& kind, int base_nights, int base_processes,
                  int new_processes, double slowdown) {
  Side base;
  Side after;
  for (int i = 0; i <= base_nights; ++i) {
    site.next(kind.session);
    const bool last = i == base_nights;
    site.measure(last ? after : base, last ? new_processes : base_processes, i * day,
                 last ? slowdown : 0, last);
  }
  return judge::compare_sides(base, after, options_of(kind));
}

/// Folders of a day each, whose sessions hardly differ.
Comparison days(Site& site, const Kind& kind, int sessions, double slowdown) {
  Side base;
  Side after;
  for (auto* side : {&base, &after}) {
    site.next(kind.session);
    const bool is_new = side == &after;
    for (int i = 0; i < sessions; ++i) {
      site.measure(*side, 3, (is_new ? day : 0) + i, is_new ? slowdown : 0, is_new,
                   kind.session / 5);
    }
  }
  return judge::compare_sides(base, after, options_of(kind));
}

/// One file a side with a calibration of ten sessions: of ten days, or of one.
Comparison calibrated(Site& site, const Kind& kind, bool of_one_day, double slowdown) {
  Side sessions;
  site.next(kind.session);
  for (int i = 0; i < 10; ++i) {
    if (!of_one_day) site.next(kind.session);
    site.measure(sessions, 5, i * (of_one_day ? 1 : day), 0, false,
                 of_one_day ? kind.session / 5 : 0);
  }
  auto options = options_of(kind);
  const auto calibration = judge::calibrate(sessions, options.alpha);
  const auto spreads = judge::known_spreads(calibration);
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    options.known_spreads[calibration.cases[i].name] = spreads[i];
  }
  Side base;
  Side after;
  site.next(kind.session);
  site.measure(base, 5, 20 * day, 0, false);
  site.next(kind.session);
  site.measure(after, 5, 21 * day, slowdown, true);
  return judge::compare_sides(base, after, options);
}

/// Two files of three processes, and what looks suspicious measured again side by side.
Comparison confirmed(Site& site, const Kind& kind, double slowdown) {
  const auto options = options_of(kind);
  const auto files = nights(site, kind, 1, 3, 3, slowdown);
  std::vector<judge::BlockCase> suspects;
  for (std::size_t i = 0; i < files.cases.size(); ++i) {
    const auto& c = files.cases[i];
    if (!judge::may_have_changed(c.p, std::log1p(c.change), c.threshold)) continue;
    auto& suspect = suspects.emplace_back();
    suspect.name = c.name;
    for (int b = 0; b < judge::confirmation_blocks; ++b) {
      suspect.confirmation.push_back({{site.visit(i, 0), site.visit(i, 0)},
                                      {site.visit(i, slowdown), site.visit(i, slowdown)}});
    }
  }
  return judge::judge_blocks(suspects, options);
}

struct Situation {
  const char* name;
  std::function<Comparison(Site&, const Kind&, double)> compare;
};

/// `base_nights` of so many processes against one more.
Situation of_nights(const char* name, int base_nights, int base_processes, int new_processes) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return nights(site, kind, base_nights, base_processes, new_processes, slowdown);
          }};
}

Situation of_days(const char* name, int sessions) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return days(site, kind, sessions, slowdown);
          }};
}

Situation with_calibration(const char* name, bool of_one_day) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return calibrated(site, kind, of_one_day, slowdown);
          }};
}

const std::vector<Situation>& situations() {
  static const std::vector<Situation> all{
      of_nights("Two files of 3 processes, nothing else known", 1, 3, 3),
      of_nights("A file of 3 processes and one of 2", 1, 3, 2),
      of_nights("Two files of 5 processes", 1, 5, 5),
      of_days("Two folders of 3 files, each folder of one day", 3),
      of_days("Two folders of 5 files, each folder of one day", 5),
      of_nights("Ten nights of 5 processes against one file", 10, 5, 5),
      of_nights("Thirty nights of 5 processes against one file", 30, 5, 5),
      with_calibration("Two files of 5 processes with a calibration of ten days", false),
      with_calibration("Two files of different days with a calibration of one day", true),
      {"Two files of 3 processes, suspects confirmed side by side", confirmed},
  };
  return all;
}

/// False regressions, or the slowed case found, of so many suites.
Share share_of(const Situation& situation, const Kind& kind, int cases, double slowdown, int suites,
               std::uint64_t seed) {
  Share share;
  for (int i = 0; i < suites; ++i) {
    Site site(kind, cases, seed * 1'000'003 + static_cast<std::uint64_t>(i) * 7919);
    const auto comparison = situation.compare(site, kind, slowdown);
    bool hit = false;
    for (const auto& c : comparison.cases) {
      const bool counts = slowdown == 0 || c.name == "0";
      hit = hit || (counts && c.verdict == Verdict::regression);
    }
    if (slowdown == 0 && comparison.common) {
      hit = hit || comparison.common->verdict == Verdict::regression;
    }
    share.hits += hit ? 1 : 0;
    ++share.trials;
  }
  return share;
}

std::string percent(const Share& share) {
  return fmt::format("{:.1f}", 100.0 * share.hits / share.trials);
}

/// Of suites of 100 cases, so many of which got slower by a tenth: the share of these that are
/// found, and of suites with a verdict of a change on another case.
std::string many_slowed(const Situation& situation, const Kind& kind, std::size_t slowed,
                        int suites, std::uint64_t seed) {
  constexpr int cases = 100;
  Share found;
  Share wrong;
  for (int i = 0; i < suites; ++i) {
    Site site(kind, cases, seed * 1'000'003 + static_cast<std::uint64_t>(i) * 7919, slowed);
    const auto comparison = situation.compare(site, kind, 0.1);
    bool is_wrong = false;
    for (const auto& c : comparison.cases) {
      if (std::stoul(c.name) < slowed) {
        found.hits += c.verdict == Verdict::regression ? 1 : 0;
        ++found.trials;
      } else if (c.verdict == Verdict::regression || c.verdict == Verdict::improvement) {
        is_wrong = true;
      }
    }
    wrong.hits += is_wrong ? 1 : 0;
    ++wrong.trials;
  }
  return percent(found) + ", " + percent(wrong);
}

}  // namespace

void print_situations(int suites, std::uint64_t seed, const std::string& situation_like,
                      const std::string& kind_like) {
  fmt::print(
      "\nFiles as people have them: sessions spread by {} %, processes by {} %. {} suites each, of "
      "1000 cases {}\n",
      100 * session_deviation, 100 * process_deviation, suites, std::max(1, suites / 8));
  for (const auto& situation : situations()) {
    if (std::string(situation.name).find(situation_like) == std::string::npos) continue;
    fmt::print(
        "\n**{}**\n\n| machine | false suites of 6 cases, % | 20 | 100 | 1000 | found at 2 %, % | "
        "5 % "
        "| "
        "10 % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        situation.name);
    for (const auto& kind : kinds()) {
      if (std::string(kind.name).find(kind_like) == std::string::npos) continue;
      fmt::print("| {} |", kind.name);
      for (const int cases : {6, 20, 100, 1000}) {
        const int few = cases == 1000 ? std::max(1, suites / 8) : suites;
        fmt::print(" {} |", percent(share_of(situation, kind, cases, 0, few, seed)));
      }
      for (const double slowdown : {0.02, 0.05, 0.1}) {
        fmt::print(" {} |", percent(share_of(situation, kind, 100, slowdown, suites / 2, seed)));
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
}

void print_large(int suites, std::uint64_t seed, const std::string& situation_like,
                 const std::string& kind_like) {
  constexpr int cases = 1000;
  const auto is_heavy = [&](const Kind& kind) {
    return kind.tails && std::string(kind.name).find(kind_like) != std::string::npos;
  };
  fmt::print("\nFalse suites of {} cases, of {} each, %\n\n| files |", cases, suites);
  std::string line = "\n| --- |";
  for (const auto& kind : kinds()) {
    if (!is_heavy(kind)) continue;
    fmt::print(" {} |", kind.name);
    line += " --- |";
  }
  fmt::print("{}\n", line);
  for (const auto& situation : situations()) {
    if (std::string(situation.name).find(situation_like) == std::string::npos) continue;
    fmt::print("| {} |", situation.name);
    for (const auto& kind : kinds()) {
      if (!is_heavy(kind)) continue;
      fmt::print(" {} |", share_of(situation, kind, cases, 0, suites, seed).text());
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

void print_many_slowed(int suites, std::uint64_t seed) {
  constexpr std::array<std::size_t, 6> counts{3, 10, 25, 40, 55, 70};
  fmt::print(
      "\nMany of 100 cases slower by 10 %: found, suites with another change, %\n\n| files |");
  for (const auto count : counts) fmt::print(" {} cases |", count);
  fmt::print("\n| --- |{}\n", fmt::join(std::vector<std::string>(counts.size(), " ---: |"), ""));
  for (const auto& situation : situations()) {
    fmt::print("| {} |", situation.name);
    for (const auto count : counts) {
      fmt::print(" {} |", many_slowed(situation, kinds().front(), count, suites / 2, seed));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace apod::simulation
