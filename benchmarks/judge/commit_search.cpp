#include "benchmarks/judge/commit_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/judge/sequential.hpp"

namespace apod::judge {
namespace {

constexpr std::size_t most_wrong_turns = 4;
constexpr double disturbed_deviations = 5;
/// Of ln s: visits that disagree by less are not disturbed, however alike the others are.
constexpr double least_disagreement = 1e-3;

using Pair = std::pair<std::size_t, std::size_t>;  ///< base, commit
using Blocks = std::vector<BlockCase::Block>;

/// Shares between these two; none.
struct Band {
  double low = 0;
  double high = 0;
  bool holds(const Estimate& change) const { return change.low > low && change.high < high; }
};

/// The share that is `part` of the way to `change`, by ln.
double part_of(double change, double part) {
  return std::expm1(part * std::log1p(change));
}

double apart(const Visits& visits) {
  return std::abs(visits[0] - visits[1]);
}

class Search {
 public:
  Search(std::size_t last, const BisectionRule& rule, const BisectionHooks& hooks)
      : rule_(rule), hooks_(hooks) {
    outcome_.commits.resize(last + 1);
    outcome_.high = last;
  }

  Bisection run() {
    const auto last = outcome_.commits.size() - 1;
    outcome_.end = BisectionEnd::found;
    explore(0, last, true);
    if (stopped_) {
      outcome_.end = BisectionEnd::stopped;
    } else if (outcome_.end == BisectionEnd::found && outcome_.steps.empty()) {
      outcome_.end = BisectionEnd::unconfirmed;
    }
    std::ranges::sort(outcome_.steps, {}, &CommitStep::before);
    outcome_.disturbed = outcome_.blocks - forgotten_ - count_usable();
    return outcome_;
  }

 private:
  BisectedCommit& of(std::size_t commit) { return outcome_.commits[commit]; }

  /// A larger disagreement counts as a disturbance.
  double most_disagreement() const {
    std::vector<double> all;
    for (const auto& [pair, blocks] : blocks_) {
      for (const auto& block : blocks) {
        all.push_back(apart(block.base));
        all.push_back(apart(block.new_side));
      }
    }
    if (all.empty()) return 0;
    // The median of |x| is 1 / 1.4826 deviations of a gaussian x.
    return std::max(disturbed_deviations * 1.4826 * stats::median(all), least_disagreement);
  }

  static bool is_usable(const BlockCase::Block& block, double most) {
    return apart(block.base) <= most && apart(block.new_side) <= most;
  }

  std::vector<double> differences(const Blocks& blocks, double most) const {
    std::vector<double> values;
    for (const auto& block : blocks) {
      if (is_usable(block, most)) values.push_back(block.difference());
    }
    return values;
  }

  std::size_t count_usable() const {
    const double most = most_disagreement();
    std::size_t count = 0;
    for (const auto& [pair, blocks] : blocks_) count += differences(blocks, most).size();
    return count;
  }

  /// Variance of a block's difference, by all but the differences of `but`. A visit's variance is
  /// that of a difference, which is a mean of two less a mean of two.
  stats::VarianceEstimate noise_beside(const Pair& but, double most) const {
    double squares = 0;
    double degrees = 0;
    for (const auto& [pair, blocks] : blocks_) {
      for (const auto& block : blocks) {
        if (!is_usable(block, most)) continue;
        squares += stats::square(apart(block.base)) / 2;
        squares += stats::square(apart(block.new_side)) / 2;
        degrees += 2;
      }
      const auto values = differences(blocks, most);
      if (pair == but || values.empty()) continue;
      squares += static_cast<double>(stats::square_sum(values, stats::mean(values)));
      degrees += static_cast<double>(values.size() - 1);
    }
    return {degrees > 0 ? squares / degrees : 0, degrees};
  }

  SequentialDecision stand(const Pair& pair, double threshold) const {
    const auto found = blocks_.find(pair);
    const double most = most_disagreement();
    const auto values =
        found == blocks_.end() ? std::vector<double>{} : differences(found->second, most);
    return decide(values, {threshold, rule_.error}, noise_beside(pair, most));
  }

  /// Measures a pair until it is decided or lies within `middle`, at most `most` blocks. Nothing if
  /// one of it is unusable, or the user wants to stop.
  std::optional<SequentialDecision> settle(const Pair& pair, double threshold, std::size_t most,
                                           const Band& middle = {}) {
    auto now = stand(pair, threshold);
    while (now.standing == Standing::undecided && !middle.holds(now.change) &&
           blocks_[pair].size() < most) {
      auto attempt = hooks_.measure(pair.first, pair.second);
      if (attempt.unusable) skip(*attempt.unusable);
      stopped_ = stopped_ || (!attempt.block && !attempt.unusable);
      if (!attempt.block) return std::nullopt;
      blocks_[pair].push_back(*attempt.block);
      ++outcome_.blocks;
      now = stand(pair, threshold);
    }
    return now;
  }

  void skip(std::size_t commit) {
    of(commit) = {};
    of(commit).state = CommitState::skipped;
    hooks_.decided(outcome_, commit);
  }

  void forget(const Pair& pair) {
    forgotten_ += blocks_[pair].size();
    blocks_.erase(pair);
    of(pair.second) = {};
  }

  bool is_identical(std::size_t a, std::size_t b) const {
    return hooks_.identical && hooks_.identical(a, b);
  }

  /// The first commit that is known to be bad, and the last good one before it.
  Pair bounds(const Pair& ends) {
    auto [low, high] = ends;
    for (auto i = low + 1; i < ends.second; ++i) {
      if (of(i).state == CommitState::good) low = i;
      if (of(i).state != CommitState::bad) continue;
      high = i;
      break;
    }
    return {low, high};
  }

  /// The one in the middle of those that can be tried; `low` if there is none.
  std::size_t middle_between(std::size_t low, std::size_t high) {
    std::vector<std::size_t> all;
    for (auto i = low + 1; i < high; ++i) {
      if (of(i).state != CommitState::skipped) all.push_back(i);
    }
    return all.empty() ? low : all[all.size() / 2];
  }

  /// Narrows the ends, `change` apart, down to two neighbours; or finds a commit that is like
  /// neither end, which is both. Nothing if the user wants to stop.
  std::optional<Pair> narrow(const Pair& ends, double change) {
    const double half = part_of(change, 0.5);
    const Band middle{part_of(change, 0.25), part_of(change, 0.75)};
    for (;;) {
      const auto [low, high] = bounds(ends);
      if (!narrowed_) std::tie(outcome_.low, outcome_.high) = Pair{low, high};
      const auto commit = middle_between(low, high);
      if (commit == low) return Pair{low, high};
      auto& known = of(commit);
      known.base = ends.first;
      if (is_identical(low, commit) || is_identical(high, commit)) {
        const bool as_low = is_identical(low, commit);
        known.state = as_low ? CommitState::good : CommitState::bad;
        known.same_code_as = as_low ? low : high;
      } else {
        const Pair pair{ends.first, commit};
        const auto decision = settle(pair, half, rule_.most_blocks, middle);
        if (stopped_) return std::nullopt;
        if (!decision) {
          if (known.state != CommitState::skipped) return std::nullopt;  // the base itself
          continue;
        }
        const bool undecided = decision->standing == Standing::undecided;
        const bool above =
            undecided ? decision->change.value >= half : decision->standing == Standing::above;
        known.state = above ? CommitState::bad : CommitState::good;
        if (undecided && middle.holds(decision->change)) known.state = CommitState::between;
        known.change = decision->change;
        known.blocks = blocks_[pair].size();
      }
      hooks_.decided(outcome_, commit);
      if (known.state == CommitState::between) return Pair{commit, commit};
    }
  }

  void note_ends(const SequentialDecision& decision, std::size_t last) {
    outcome_.ends = decision.change;
    of(last).change = decision.change;
    of(last).blocks = blocks_[{0, last}].size();
    if (decision.standing == Standing::below) outcome_.end = BisectionEnd::small;
    if (decision.standing == Standing::undecided) outcome_.end = BisectionEnd::undecided;
    if (decision.standing != Standing::above) return;
    of(0).state = CommitState::good;
    of(last).state = CommitState::bad;
    hooks_.decided(outcome_, last);
  }

  void explore(std::size_t first, std::size_t last, bool is_whole) {
    const Pair ends{first, last};
    if (is_identical(first, last)) {
      if (is_whole) outcome_.end = BisectionEnd::same_code;
      return;
    }
    for (std::size_t turn = 0; turn < most_wrong_turns;) {
      const auto decision =
          settle(ends, rule_.threshold, is_whole ? rule_.most_end_blocks : rule_.most_blocks);
      if (!decision) {
        if (is_whole) outcome_.end = BisectionEnd::no_end;
        return;
      }
      if (is_whole) note_ends(*decision, last);
      if (decision->standing != Standing::above) return;
      // A part has a base and a half of its own; blocks of the same base are decided again.
      for (auto i = first + 1; !is_whole && turn == 0 && i < last; ++i) {
        if (of(i).state != CommitState::skipped) of(i) = {};
      }
      const auto found = narrow(ends, decision->change.value);
      if (!found) return;
      const auto [low, high] = *found;
      if (low == high) return explore_parts(ends, *found);
      narrowed_ = true;
      const auto attempt = hooks_.confirm(low, high);
      if (attempt.unusable) {
        skip(*attempt.unusable);
        narrowed_ = false;
        if (*attempt.unusable != first && *attempt.unusable != last) continue;
        if (is_whole) outcome_.end = BisectionEnd::no_end;
        return;
      }
      const auto& change = attempt.change;
      stopped_ = stopped_ || !change;
      if (stopped_) return;
      if (change->low > 0) {
        outcome_.steps.push_back({low, high, *change});
        const auto whole = stand(ends, rule_.threshold).change;
        const double rest = std::log1p(whole.high) - std::log1p(change->low);
        if (rest >= std::log1p(rule_.threshold)) explore_parts(ends, *found);
        return;
      }
      ++outcome_.wrong_turns;
      narrowed_ = false;
      if (low != first) forget({first, low});
      if (high != last) forget({first, high});
      if (turn > 0 || (low == first && high == last)) forget(ends);
      ++turn;
    }
  }

  /// What is before and after these two commits.
  void explore_parts(const Pair& ends, const Pair& step) {
    for (const auto& part : {Pair{ends.first, step.first}, Pair{step.second, ends.second}}) {
      if (!stopped_ && part.first != part.second) explore(part.first, part.second, false);
    }
  }

  const BisectionRule& rule_;
  const BisectionHooks& hooks_;
  Bisection outcome_;
  std::map<Pair, Blocks> blocks_;
  std::size_t forgotten_ = 0;  ///< blocks
  bool narrowed_ = false;      ///< the first search has its two neighbours
  bool stopped_ = false;
};

}  // namespace

Bisection bisect(std::size_t last, const BisectionRule& rule, const BisectionHooks& hooks) {
  return Search(last, rule, hooks).run();
}

}  // namespace apod::judge
