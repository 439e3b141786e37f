/// How often `bench bisect` finds the right commit, and what it costs, on commits whose truth is
/// known:
///   bisect_simulation [RUNS [COMMITS [SEED]]]
/// Prints Markdown; docs/judging-evidence.md shows a run. An ideal bisection knows the noise and
/// the change, takes one block for the ends and one for each halving, and confirms its answer like
/// ours.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/judge/commit_search.hpp"
#include "tests/studies/noise.hpp"
#include "tests/studies/share.hpp"

namespace apod::simulation {
namespace {

constexpr double threshold = 0.02;
/// The experiment is over for a machine that drifts after so many blocks.
constexpr double usual_blocks = 25;

/// A repository: the slowdown that each commit brings, and those that do not build.
struct History {
  std::size_t last = 64;
  std::map<std::size_t, double> steps;
  std::set<std::size_t> broken;
};

class Site {
 public:
  Site(const History& history, Noise noise, std::uint64_t seed)
      : history_(history), machine_(noise, seed), random_(seed + 1) {}

  Bisection search() {
    judge::BisectionHooks hooks;
    hooks.measure = [&](std::size_t base, std::size_t commit) -> judge::BlockAttempt {
      if (history_.broken.contains(commit)) return {.block = {}, .unusable = commit};
      return {.block = block(base, commit), .unusable = {}};
    };
    hooks.confirm = [&](std::size_t before, std::size_t after) {
      judge::BlockCase fresh;
      fresh.name = "case";
      for (int i = 0; i < judge::confirmation_blocks; ++i) {
        fresh.confirmation.push_back(block(before, after));
      }
      const auto judged = judge::judge_blocks({fresh}, {.threshold = threshold}).cases.front();
      return judge::ConfirmAttempt{.change = judged.change, .unusable = {}};
    };
    return judge::bisect(history_.last, {.threshold = threshold}, hooks);
  }

  int blocks() const { return blocks_; }

 private:
  double slowdown(std::size_t commit) const {
    double factor = 1;
    for (const auto& [at, step] : history_.steps) {
      if (at <= commit) factor *= 1 + step;
    }
    return factor - 1;
  }

  judge::BlockCase::Block block(std::size_t base, std::size_t commit) {
    const double when = blocks_++ / usual_blocks;
    const auto visit = [&](std::size_t which, int slot) {
      return std::log(machine_.process(slowdown(which), when + slot / 4.0 / usual_blocks));
    };
    const bool base_outside = random_() % 2 == 0;
    const auto outer = base_outside ? base : commit;
    const auto inner = base_outside ? commit : base;
    const double first = visit(outer, 0);
    const double second = visit(inner, 1);
    const double third = visit(inner, 2);
    const double fourth = visit(outer, 3);
    if (base_outside) return {{first, fourth}, {second, third}};
    return {{second, third}, {first, fourth}};
  }

  History history_;
  Machine machine_;
  std::mt19937_64 random_;
  int blocks_ = 0;
};

/// Whether the steps that were found are those of the history, up to broken commits.
bool is_right(const Bisection& outcome, const History& history) {
  std::set<std::size_t> wanted;
  for (const auto& [at, step] : history.steps) wanted.insert(at);
  std::size_t hits = 0;
  for (const auto& step : outcome.steps) {
    const auto at = wanted.upper_bound(step.before);
    if (at == wanted.end() || *at > step.after) return false;
    for (auto i = step.before + 1; i < step.after; ++i) {
      if (!history.broken.contains(i)) return false;
    }
    ++hits;
  }
  return hits == wanted.size();
}

struct Score {
  Share right;
  double search = 0;  ///< blocks, a run
  double all = 0;     ///< with those that confirm
  int turns = 0;
};

Score score_of(Noise noise, int runs, std::uint64_t seed,
               const std::function<History(std::mt19937_64&)>& history_of,
               const std::function<bool(const Bisection&, const History&)>& right) {
  Score score;
  std::mt19937_64 random(seed);
  for (int run = 0; run < runs; ++run) {
    const auto history = history_of(random);
    Site site(history, noise, random());
    const auto outcome = site.search();
    score.right.hits += right(outcome, history) ? 1 : 0;
    ++score.right.trials;
    score.search += static_cast<double>(outcome.blocks) / runs;
    score.all += 1.0 * site.blocks() / runs;
    score.turns += static_cast<int>(outcome.wrong_turns);
  }
  return score;
}

void print(const std::string& history, const std::string& noise, const Score& score, double steps,
           double commits) {
  // Without a step the ends alone are measured.
  const double ideal = 1 + steps * std::ceil(std::log2(commits));
  const double confirmed = ideal + steps * judge::confirmation_blocks;
  fmt::print("| {} | {} | {} | {:.1f} | {:.0f} | {:.2f} | {:.2f} | {} |\n", history, noise,
             score.right.text(), score.search, ideal, score.search / ideal, score.all / confirmed,
             score.turns);
}

}  // namespace

void print_all(int runs, std::size_t commits, std::uint64_t seed) {
  fmt::print(
      "| history | noise | right, % | blocks of the search | ideal | ratio | ratio, with "
      "the confirmation | wrong turns |\n| --- | --- | --: | --: | --: | --: | --: | --: "
      "|\n");
  const auto anywhere = [commits](std::mt19937_64& random) { return 1 + random() % commits; };
  const auto one = [&](double size) {
    return [=](std::mt19937_64& random) {
      return History{commits, {{anywhere(random), size}}, {}};
    };
  };
  for (std::size_t i = 0; i + 1 < noise_names.size(); ++i) {
    print("one step of 5 %", std::string(noise_names[i]),
          score_of(static_cast<Noise>(i), runs, seed, one(0.05), is_right), 1,
          static_cast<double>(commits));
  }
  const auto two = [&](std::mt19937_64& random) {
    const auto first = anywhere(random);
    auto second = anywhere(random);
    while (second == first) second = anywhere(random);
    return History{commits, {{first, 0.03}, {second, 0.06}}, {}};
  };
  const auto n = static_cast<double>(commits);
  print("steps of 3 % and 6 %", "gaussian", score_of(Noise::gaussian, runs, seed, two, is_right), 2,
        n);
  const auto equal = [&](std::mt19937_64& random) {
    auto history = two(random);
    for (auto& [at, step] : history.steps) step = 0.05;
    return history;
  };
  print("two steps of 5 %", "gaussian", score_of(Noise::gaussian, runs, seed, equal, is_right), 2,
        n);
  const auto broken = [&](std::mt19937_64& random) {
    History history{commits, {{anywhere(random), 0.05}}, {}};
    for (std::size_t i = 1; i < commits; ++i) {
      if (random() % 8 == 0) history.broken.insert(i);
    }
    return history;
  };
  print("5 %, one commit of 8 does not build", "gaussian",
        score_of(Noise::gaussian, runs, seed, broken, is_right), 1, n);
  const auto says_small = [](const Bisection& outcome, const History&) {
    return outcome.end == BisectionEnd::small && outcome.steps.empty();
  };
  print("1 %, below the threshold of 2 %", "gaussian",
        score_of(Noise::gaussian, runs, seed, one(0.01), says_small), 0, n);
  print("no step", "gaussian", score_of(Noise::gaussian, runs, seed, one(0), says_small), 0, n);
}

}  // namespace apod::simulation

int main(int argc, char** argv) {
  const auto number = [&](int index, long fallback) {
    return argc > index ? std::strtol(argv[index], nullptr, 10) : fallback;
  };
  if (argc > 4 || number(1, 1) < 1 || number(2, 2) < 2) {
    fmt::print(stderr, "usage: bisect_simulation [RUNS [COMMITS [SEED]]]\n");
    return 1;
  }
  apod::simulation::print_all(static_cast<int>(number(1, 100)),
                              static_cast<std::size_t>(number(2, 64)),
                              static_cast<std::uint64_t>(number(3, 1)));
  return 0;
}
