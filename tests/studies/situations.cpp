#include "tests/studies/situations.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  double tick_s = 0;     ///< times of 4 to 9 us, multiples of it
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
      {.name = "ticks of 32 ns", .tick_s = 32e-9, .session = 0, .process = 0.001},
      {.name = "ticks of 100 ns", .tick_s = 100e-9, .process = 0.001},
      {.name = "sessions of 2 %", .session = 0.02},
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
      c.tick_s = kind_.tick_s;
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
    return kind_.tick_s > 0 ? std::round(s / kind_.tick_s) * kind_.tick_s : s;
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
  if (kind.tick_s > 0) options.threshold = 0.005;
  return options;
}

/// `base` nights of `processes` against some more.
Comparison nights(Site& site, const Kind& kind, int base_nights, int base_processes,
                  int new_processes, double slowdown, int new_nights = 1) {
  Side base;
  Side after;
  for (int i = 0; i < base_nights + new_nights; ++i) {
    site.next(kind.session);
    const bool last = i >= base_nights;
    site.measure(last ? after : base, last ? new_processes : base_processes, i * day,
                 last ? slowdown : 0, last);
  }
  return judge::compare_sides(base, after, options_of(kind));
}

/// Folders of a day each, whose sessions hardly differ.
Comparison days(Site& site, const Kind& kind, int sessions, int processes, double slowdown) {
  Side base;
  Side after;
  for (auto* side : {&base, &after}) {
    site.next(kind.session);
    const bool is_new = side == &after;
    for (int i = 0; i < sessions; ++i) {
      site.measure(*side, processes, (is_new ? day : 0) + i, is_new ? slowdown : 0, is_new,
                   kind.session / 5);
    }
  }
  return judge::compare_sides(base, after, options_of(kind));
}

/// Files of one day against one more of it, which differ as much as those of two days do.
Comparison runs_of_a_day(Site& site, const Kind& kind, int base_runs, int processes,
                         double slowdown) {
  Side base;
  Side after;
  for (int i = 0; i <= base_runs; ++i) {
    const bool last = i == base_runs;
    site.next(kind.session);
    site.measure(last ? after : base, processes, i, last ? slowdown : 0, last);
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
    if (!judge::may_have_changed(1, std::log1p(c.change.value), c.threshold)) continue;
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
Situation of_nights(const char* name, int base_nights, int base_processes, int new_processes,
                    int new_nights = 1) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return nights(site, kind, base_nights, base_processes, new_processes, slowdown,
                          new_nights);
          }};
}

Situation of_days(const char* name, int sessions, int processes) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return days(site, kind, sessions, processes, slowdown);
          }};
}

Situation of_runs(const char* name, int base_runs, int processes) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return runs_of_a_day(site, kind, base_runs, processes, slowdown);
          }};
}

Situation with_calibration(const char* name, bool of_one_day) {
  return {name, [=](Site& site, const Kind& kind, double slowdown) {
            return calibrated(site, kind, of_one_day, slowdown);
          }};
}

const std::vector<Situation>& situations() {
  static const std::vector<Situation> all{
      of_nights("Two files of one process", 1, 1, 1),
      of_nights("Two files of 3 processes", 1, 3, 3),
      of_days("Two folders of 3 files of one process, each folder of one day", 3, 1),
      of_days("Two folders of 3 files of 3 processes, each folder of one day", 3, 3),
      of_runs("Three files of 3 processes against one of the same day", 3, 3),
      of_runs("Four files of one process against one of the same day", 4, 1),
      of_nights("Ten nights of 5 processes against one file", 10, 5, 5),
      of_nights("Thirty nights of one process against one file", 30, 1, 1),
      of_nights("Thirty nights of one process against two", 30, 1, 1, 2),
      with_calibration("Two files of 5 processes with a calibration of ten days", false),
      with_calibration("Two files of different days with a calibration of one day", true),
      {"Two files of 3 processes, confirmed side by side", confirmed},
  };
  return all;
}

/// What became of so many suites.
struct Outcome {
  Share wrong;    ///< a regression or an improvement where nothing changed
  Share suspect;  ///< a suspect where nothing changed
  Share found;    ///< the slowed case is a regression or a suspect
  Share sure;     ///< the slowed case is a regression
};

Outcome outcome_of(const Situation& situation, const Kind& kind, int cases, double slowdown,
                   int suites, std::uint64_t seed) {
  Outcome outcome;
  const auto count = [](Share& share, bool hit) {
    share.hits += hit ? 1 : 0;
    ++share.trials;
  };
  for (int i = 0; i < suites; ++i) {
    Site site(kind, cases, seed * 1'000'003 + static_cast<std::uint64_t>(i) * 7919);
    const auto comparison = situation.compare(site, kind, slowdown);
    const auto slowed = std::find_if(comparison.cases.begin(), comparison.cases.end(),
                                     [](const auto& c) { return c.name == "0"; });
    const bool is_there = slowdown > 0 && slowed != comparison.cases.end();
    const bool sure = is_there && slowed->verdict == Verdict::regression;
    const bool suspect = is_there && slowed->verdict == Verdict::suspect;
    count(outcome.sure, sure);
    count(outcome.found, sure || suspect);
    const auto others = comparison.count(Verdict::regression) +
                        comparison.count(Verdict::improvement) - (sure ? 1 : 0);
    count(outcome.wrong,
          others > 0 || (comparison.common && is_change(comparison.common->verdict) &&
                         comparison.common->verdict != Verdict::suspect));
    count(outcome.suspect, comparison.has_suspect() && !suspect);
  }
  return outcome;
}

std::string percent(const Share& share) {
  return fmt::format("{:.1f}", 100.0 * share.hits / share.trials);
}

}  // namespace

void print_situations(int suites, std::uint64_t seed, const std::string& situation_like,
                      const std::string& kind_like) {
  fmt::print(
      "\nFiles as people have them: sessions spread by {} %, processes by {} %. {} suites each\n",
      100 * session_deviation, 100 * process_deviation, suites);
  for (const auto& situation : situations()) {
    if (std::string(situation.name).find(situation_like) == std::string::npos) continue;
    fmt::print(
        "\n**{}**\n\n| machine | false suites of 6 cases, % | of 100 | with a suspect: of 6, % | "
        "of 100 "
        "| found at 5 %, % | 10 % | sure, % | found at 50 %, % | sure, % |\n| --- {}|\n",
        situation.name, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: ");
    for (const auto& kind : kinds()) {
      if (std::string(kind.name).find(kind_like) == std::string::npos) continue;
      const auto at = [&](int cases, double slowdown) {
        return outcome_of(situation, kind, cases, slowdown, suites, seed);
      };
      const auto few = at(6, 0);
      const auto many = at(100, 0);
      const auto five = at(100, 0.05);
      const auto ten = at(100, 0.1);
      const auto fifty = at(100, 0.5);
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", kind.name,
                 percent(few.wrong), percent(many.wrong), percent(few.suspect),
                 percent(many.suspect), percent(five.found), percent(ten.found), percent(ten.sure),
                 percent(fifty.found), percent(fifty.sure));
      std::fflush(stdout);
    }
  }
}

}  // namespace apod::simulation
