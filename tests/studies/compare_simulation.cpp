/// How often `bench compare` is wrong, on data whose truth is known:
///   compare_simulation [SUITES [CASES [SEED [blocks|peers|situations [SITUATION
///   [KIND]]]]]]
/// For every kind of noise, suites of cases are compared in which nothing changed (false
/// regressions) and in which one case got slower by 1, 2 and 5 % (detections), by blocks and by the
/// rules of other tools; or by one of these. `situations` are files as people have them
/// (situations.hpp), with CASES of its own. Prints Markdown; docs/judging-evidence.md shows a run.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/judge/blocks.hpp"
#include "tests/studies/noise.hpp"
#include "tests/studies/peer_rules.hpp"
#include "tests/studies/share.hpp"
#include "tests/studies/situations.hpp"

namespace apod::simulation {
namespace {

constexpr int file_processes = 12;
constexpr double threshold = 0.005;

struct Setting {
  int suites = 1000;
  int cases = 100;
  std::uint64_t seed = 1;
};

/// What one way of comparing made of many suites.
struct Score {
  Share suites;           ///< with a false regression, or the slowed case found
  Share covered;          ///< intervals that hold the truth, judged cases only
  double detectable = 0;  ///< mean of what was printed
  int printed = 0;
};

CompareOptions options_of() {
  CompareOptions options;
  options.threshold = threshold;
  return options;
}

/// Case 0 is the one that changes.
double slowdown_of(int index, double slowdown) {
  return index == 0 ? slowdown : 0;
}

/// Blocks of one stage; `begin` and `end` say which part of the experiment's time it takes.
std::vector<judge::BlockCase::Block> run_blocks(Machine& machine, std::mt19937_64& random,
                                                int blocks, double slowdown, double begin,
                                                double end) {
  std::vector<judge::BlockCase::Block> all;
  for (int b = 0; b < blocks; ++b) {
    const auto at = [&](int slot) {
      const double when = begin + (end - begin) * (b + slot / 4.0) / blocks;
      return when;
    };
    const bool base_outside = random() % 2 == 0;
    const double outer = base_outside ? 0 : slowdown;
    const double inner = base_outside ? slowdown : 0;
    const double first = std::log(machine.process(outer, at(0)));
    const double second = std::log(machine.process(inner, at(1)));
    const double third = std::log(machine.process(inner, at(2)));
    const double fourth = std::log(machine.process(outer, at(3)));
    if (base_outside) {
      all.push_back({{first, fourth}, {second, third}});
    } else {
      all.push_back({{second, third}, {first, fourth}});
    }
  }
  return all;
}

Comparison by_blocks(Noise noise, int cases, double slowdown, std::uint64_t seed) {
  Machine machine(noise, seed);
  std::mt19937_64 random(seed + 1);
  std::vector<judge::BlockCase> all(static_cast<std::size_t>(cases));
  for (int i = 0; i < cases; ++i) {
    auto& c = all[static_cast<std::size_t>(i)];
    const double change = slowdown_of(i, slowdown);
    c.name = std::to_string(i);
    machine.begin_case(i);
    c.screening = run_blocks(machine, random, judge::screening_blocks, change, 0, 0.4);
    if (judge::is_candidate(c, options_of())) {
      c.confirmation = run_blocks(machine, random, judge::confirmation_blocks, change, 0.4, 1);
    }
  }
  return judge::judge_blocks(all, options_of());
}

void add(const Comparison& comparison, double slowdown, Score& score) {
  bool found = false;
  for (const auto& c : comparison.cases) {
    const bool changed = c.name == "0" && slowdown > 0;
    const bool counts = changed || slowdown == 0;
    found = found || (counts && c.verdict == Verdict::regression);
    // A case that the screening dropped was chosen by its interval; only fresh data can be held to
    // 95 %.
    const bool fresh = comparison.method == CompareMethod::files ||
                       c.base_units > static_cast<std::size_t>(judge::screening_blocks);
    if (fresh) {
      const double truth = changed ? slowdown : 0;
      score.covered.hits += c.change.low <= truth && truth <= c.change.high ? 1 : 0;
      ++score.covered.trials;
    }
    if (c.detectable) {
      score.detectable += *c.detectable;
      ++score.printed;
    }
  }
  score.suites.hits += found ? 1 : 0;
  ++score.suites.trials;
}

using Method = std::function<Comparison(Noise, int, double, std::uint64_t)>;

Score score_of(const Method& method, Noise noise, double slowdown, const Setting& setting) {
  Score score;
  for (int suite = 0; suite < setting.suites; ++suite) {
    const auto seed = setting.seed * 1'000'003 + static_cast<std::uint64_t>(suite) * 7919;
    add(method(noise, setting.cases, slowdown, seed), slowdown, score);
  }
  return score;
}

/// Standard deviation of ln of what a process says, the machine standing still.
double spread_of_processes(Noise noise, std::uint64_t seed) {
  Machine machine(noise, seed);
  std::vector<double> logs;
  for (int i = 0; i < 20'000; ++i) logs.push_back(std::log(machine.process(0, 0)));
  return stats::standard_deviation(logs);
}

/// The change that is really found with 80 % probability, by bisection over simulated suites.
double true_detectable(const Method& method, Noise noise, double guess, const Setting& setting) {
  double low = guess / 2;
  double high = guess * 2;
  for (int step = 0; step < 7; ++step) {
    const double middle = std::sqrt(low * high);
    const auto share = score_of(method, noise, middle, setting).suites;
    (share.hits < 0.8 * share.trials ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

void print_ours(const char* name, const Method& method, const Setting& setting) {
  fmt::print(
      "\n{}\n\n| noise | spread, % | false suites, % | found at 1 %, % | 2 %, % | 5 %, % | "
      "coverage, % | "
      "detectable: printed, true, % |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      name);
  for (std::size_t n = 0; n < noise_names.size(); ++n) {
    const auto noise = static_cast<Noise>(n);
    const auto none = score_of(method, noise, 0, setting);
    fmt::print("| {} | {:.2f} | {} |", noise_names[n],
               100 * spread_of_processes(noise, setting.seed), none.suites.text());
    for (const double slowdown : {0.01, 0.02, 0.05}) {
      fmt::print(" {} |", score_of(method, noise, slowdown, setting).suites.text());
    }
    const double printed = none.detectable / none.printed;
    // A fifth of the suites places it to some 2 %.
    Setting fewer = setting;
    fewer.suites = std::max(1, setting.suites / 5);
    const double truth = true_detectable(method, noise, printed, fewer);
    fmt::print(" {} | {:.2f}, {:.2f} |\n", none.covered.text(), 100 * printed, 100 * truth);
    std::fflush(stdout);
  }
}

using Rule = bool (*)(const std::vector<double>&, const std::vector<double>&);

/// Rules that look at one process's samples, or at the processes.
struct Peer {
  const char* name;
  Rule rule;
  bool of_samples;
};
constexpr Peer peers[] = {{"Google Benchmark compare.py", google_says_slower, false},
                          {"benchstat", benchstat_says_slower, false},
                          {"nvbench_compare, noise", nvbench_noise_says_slower, true},
                          {"nvbench_compare, intervals", nvbench_interval_says_slower, true}};

Share peer_share(const Peer& peer, Noise noise, double slowdown, const Setting& setting) {
  Share share;
  for (int suite = 0; suite < setting.suites; ++suite) {
    Machine machine(noise, setting.seed * 1'000'003 + static_cast<std::uint64_t>(suite) * 7919);
    bool found = false;
    const int cases = slowdown > 0 ? 1 : setting.cases;
    for (int i = 0; i < cases; ++i) {
      machine.begin_case(i);
      std::vector<double> base;
      std::vector<double> after;
      if (peer.of_samples) {
        base = machine.samples(0, 0);
        after = machine.samples(slowdown, 1);
      } else {
        for (int p = 0; p < file_processes; ++p) {
          const double half = 2.0 * file_processes - 1;
          base.push_back(machine.process(0, p / half));
          after.push_back(machine.process(slowdown, (p + file_processes) / half));
        }
      }
      found = found || peer.rule(base, after);
    }
    share.hits += found ? 1 : 0;
    ++share.trials;
  }
  return share;
}

void print_peers(const Setting& setting) {
  fmt::print(
      "\nThe rules of other tools, on the same data\n\n| rule | noise | false suites, % | found at "
      "1 "
      "%, % | 2 %, % | 5 %, % |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const auto& peer : peers) {
    for (std::size_t n = 0; n < noise_names.size(); ++n) {
      fmt::print("| {} | {} |", peer.name, noise_names[n]);
      for (const double slowdown : {0.0, 0.01, 0.02, 0.05}) {
        fmt::print(" {} |", peer_share(peer, static_cast<Noise>(n), slowdown, setting).text());
      }
      fmt::print("\n");
    }
  }
}

int number(int argc, char** argv, int index, int otherwise) {
  const int value = argc > index ? std::atoi(argv[index]) : otherwise;
  return value > 0 ? value : otherwise;
}

}  // namespace
}  // namespace apod::simulation

int main(int argc, char** argv) {
  using namespace apod;
  using namespace apod::simulation;
  Setting setting;
  setting.suites = number(argc, argv, 1, setting.suites);
  setting.cases = number(argc, argv, 2, setting.cases);
  setting.seed = static_cast<std::uint64_t>(number(argc, argv, 3, 1));
  fmt::print("{} suites of {} cases, threshold {} %, seed {}\n", setting.suites, setting.cases,
             100 * threshold, setting.seed);
  const std::string part = argc > 4 ? argv[4] : "";
  if (part.empty() || part == "blocks") {
    print_ours("Side by side: 5 blocks of screening, 12 of confirmation", by_blocks, setting);
  }
  if (part.empty() || part == "peers") print_peers(setting);
  if (part.empty() || part == "situations") {
    print_situations(setting.suites, setting.seed, argc > 5 ? argv[5] : "",
                     argc > 6 ? argv[6] : "");
  }
}
