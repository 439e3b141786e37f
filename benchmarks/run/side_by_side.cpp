#include "benchmarks/run/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "benchmarks/compare/causes.hpp"
#include "benchmarks/compare/environment.hpp"
#include "benchmarks/report/read_side.hpp"
#include "benchmarks/run/arm_names.hpp"
#include "benchmarks/run/slot.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Of a budget, what the screening may use.
constexpr double screening_share = 0.4;
/// A budget that is left over buys at most so many times the usual confirmation.
constexpr int most_confirmation = 4;

/// What one arm's slots have said so far.
struct ArmRecord {
  Side last;                             ///< for environment and labels
  std::map<std::string, SideCase> seen;  ///< by common name: facts of the last slot that had it
  std::map<std::string, std::string> failed;
};

/// By common name: ln seconds of the first and second visit.
using ArmVisits = std::map<std::string, std::vector<double>>;

class SideBySide {
 public:
  SideBySide(const SideBySideOptions& options, const SideBySideListener& listener)
      : options_(options),
        listener_(listener),
        slots_(options.arguments, listener.cancelled),
        random_(options.seed),
        arms_(options.arms.size()) {}

  Comparison run() {
    begin_ = Clock::now();
    screen();
    if (!stopped_) confirm();
    auto comparison = compare::judge_blocks(cases(), options_.compare);
    comparison.base = options_.arms.front().label;
    comparison.new_side = options_.arms.back().label;
    comparison.seed = options_.seed;
    comparison.interrupted = stopped_;
    comparison.notes = std::move(notes_);
    add_one_sided(comparison);
    if (!stopped_) look_closer(comparison);
    explain(comparison);
    return comparison;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// One block: every arm once in a random order, then in the reverse of it. All slots run the
  /// cases in one order, so that the two visits of a case lie symmetrically around the block's
  /// middle.
  std::vector<ArmVisits> run_block(const std::string& stage,
                                   const std::vector<std::string>& filters) {
    std::vector<std::size_t> order(arms_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    const std::vector<std::size_t> back(order.rbegin(), order.rend());
    order.insert(order.end(), back.begin(), back.end());
    const auto case_seed = random_();
    std::vector<ArmVisits> visits(arms_.size());
    for (const auto arm : order) {
      listener_.slot(stage + ": " + options_.arms[arm].label);
      auto side = slots_.measure(options_.arms[arm], filters[arm], case_seed, {});
      if (!side) {
        stopped_ = true;
        return {};
      }
      take(arm, std::move(*side), visits[arm]);
    }
    return visits;
  }

  void take(std::size_t arm, Side side, ArmVisits& visits) {
    auto& record = arms_[arm];
    for (auto& c : side.cases) {
      const auto name = common_name(c.name, options_.by, options_.arms[arm].value);
      if (!c.failed.empty()) {
        record.failed.emplace(name, c.failed);
      } else if (!c.times.empty()) {
        visits[name].push_back(std::log(c.times.front().seconds));
      }
      if (record.seen.count(name) == 0) names_.insert(name);
      record.seen[name] = std::move(c);
    }
    side.cases.clear();
    record.last = std::move(side);
  }

  void keep(const std::vector<ArmVisits>& visits, bool confirmation) {
    for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
      for (const auto& [name, base] : visits[step]) {
        const auto found = visits[step + 1].find(name);
        if (found == visits[step + 1].end() || base.size() != 2 || found->second.size() != 2)
          continue;
        auto& blocks = blocks_[{name, step}];
        auto& list = confirmation ? blocks.confirmation : blocks.screening;
        list.push_back({{base[0], base[1]}, {found->second[0], found->second[1]}});
      }
    }
  }

  void screen() {
    const std::vector<std::string> filters(arms_.size(), options_.filter);
    int blocks = options_.screening;
    for (int block = 0; block < blocks && !stopped_; ++block) {
      const auto visits = run_block(stage_name("screening", block, blocks), filters);
      if (stopped_) break;
      keep(visits, false);
      const double each = elapsed() / (block + 1);
      if (options_.budget_s && each * blocks > *options_.budget_s * screening_share) {
        const int fit = static_cast<int>(*options_.budget_s * screening_share / each);
        if (std::max(2, fit) < blocks) {
          blocks = std::max({2, fit, block + 1});
          notes_.push_back("the budget allows " + std::to_string(blocks) +
                           " blocks of screening, not " + std::to_string(options_.screening));
        }
      }
    }
    screening_s_ = elapsed();
    screened_ = static_cast<double>(blocks);
  }

  static std::string stage_name(const std::string& stage, int block, int blocks) {
    return stage + ", block " + std::to_string(block + 1) + " of " + std::to_string(blocks);
  }

  /// Cases of any step that may have changed, by common name.
  std::set<std::string> candidates() const {
    std::set<std::string> names;
    for (const auto& [key, blocks] : blocks_) {
      if (compare::is_candidate(blocks)) names.insert(key.first);
    }
    return names;
  }

  void confirm() {
    const auto names = candidates();
    if (names.empty()) return;
    int blocks = options_.confirmation;
    if (options_.budget_s) {
      const double share = static_cast<double>(names.size()) / static_cast<double>(names_.size());
      const double each = std::max(screening_s_ / screened_ * share, 1e-3);
      const double fit = (*options_.budget_s - elapsed()) / each;
      blocks =
          static_cast<int>(std::clamp(fit, 2.0, 1.0 * most_confirmation * options_.confirmation));
      if (blocks < options_.confirmation) {
        notes_.push_back("the budget allows " + std::to_string(blocks) +
                         " blocks of confirmation, not " + std::to_string(options_.confirmation));
      }
    }
    listener_.message(std::to_string(names.size()) + " of " + std::to_string(names_.size()) +
                      " cases may have changed; measuring them again");
    const auto filters = filters_for(names);
    for (int block = 0; block < blocks && !stopped_; ++block) {
      const auto visits = run_block(stage_name("confirmation", block, blocks), filters);
      if (!stopped_) keep_candidates(visits, names);
      if (options_.budget_s && elapsed() > *options_.budget_s && block + 1 < blocks) {
        notes_.push_back("the budget ended after " + std::to_string(block + 1) +
                         " blocks of confirmation");
        break;
      }
    }
  }

  /// A filter keeps baselines too; only what was screened in counts for the correction.
  void keep_candidates(std::vector<ArmVisits> visits, const std::set<std::string>& names) {
    for (auto& arm : visits) {
      for (auto it = arm.begin(); it != arm.end();) {
        it = names.count(it->first) > 0 ? std::next(it) : arm.erase(it);
      }
    }
    for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
      for (const auto& name : names) {
        const auto found = blocks_.find({name, step});
        if (found != blocks_.end() && !compare::is_candidate(found->second)) {
          visits[step].erase(name);  // a candidate of another step of the ladder
        }
      }
    }
    keep(visits, true);
  }

  std::vector<std::string> filters_for(const std::set<std::string>& names) const {
    std::vector<std::string> filters;
    for (const auto& arm : arms_) {
      std::vector<std::string> ids;
      for (const auto& name : names) {
        const auto found = arm.seen.find(name);
        if (found != arm.seen.end()) ids.push_back(found->second.name);
      }
      const auto filter = filter_of(ids);
      filters.push_back(filter.empty() ? options_.filter : filter);
    }
    return filters;
  }

  std::vector<compare::BlockCase> cases() {
    std::vector<compare::BlockCase> all;
    for (auto& [key, blocks] : blocks_) {
      const auto& [name, step] = key;
      for (const auto arm : {step, step + 1}) {
        const auto failed = arms_[arm].failed.find(name);
        if (failed == arms_[arm].failed.end()) continue;
        blocks.failed = "failed with " + options_.arms[arm].label + ": " + failed->second;
      }
      blocks.name = step_name(name, step);
      blocks.threshold = arms_[step + 1].seen.at(name).threshold;
      all.push_back(blocks);
      steps_.push_back(key);
    }
    return all;
  }

  std::string step_name(const std::string& name, std::size_t step) const {
    if (options_.by.empty()) return name;
    return name + " [" + options_.by + " " + options_.arms[step].value + " -> " +
           options_.arms[step + 1].value + "]";
  }

  /// Cases that never made a block: one arm does not have them, or they failed from the start.
  void add_one_sided(Comparison& comparison) const {
    for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
      for (const auto& name : names_) {
        if (blocks_.count({name, step}) > 0) continue;
        const bool in_base = arms_[step].seen.count(name) > 0;
        const bool in_new = arms_[step + 1].seen.count(name) > 0;
        if (!in_base && !in_new) continue;
        auto& result = comparison.cases.emplace_back();
        result.name = step_name(name, step);
        if (!in_new || !in_base) {
          result.verdict = in_base ? Verdict::missing : Verdict::added;
          result.reason = "only " + options_.arms[in_base ? step : step + 1].label + " has it";
          continue;
        }
        result.verdict = Verdict::invalid;
        for (const auto arm : {step, step + 1}) {
          const auto failed = arms_[arm].failed.find(name);
          if (failed == arms_[arm].failed.end()) continue;
          result.reason = "failed with " + options_.arms[arm].label + ": " + failed->second;
        }
        if (result.reason.empty()) result.reason = "no block of it was finished";
      }
    }
  }

  static bool moved(const CaseComparison& c) {
    return c.verdict == Verdict::regression || c.verdict == Verdict::improvement ||
           c.verdict == Verdict::small;
  }

  /// One traced slot an arm for the cases that moved: facts that timed runs don't have.
  void look_closer(const Comparison& comparison) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (moved(comparison.cases[i])) names.insert(steps_[i].first);
    }
    if (names.empty()) return;
    const auto filters = filters_for(names);
    for (std::size_t arm = 0; arm < arms_.size() && !stopped_; ++arm) {
      listener_.slot("a traced look: " + options_.arms[arm].label);
      try {
        const auto side = slots_.measure(options_.arms[arm], filters[arm], options_.seed,
                                         {"--set", "trace=true"});
        if (!side) return;
        for (const auto& c : side->cases) {
          const auto name = common_name(c.name, options_.by, options_.arms[arm].value);
          if (names.count(name) > 0 && c.failed.empty()) arms_[arm].seen[name] = c;
        }
      } catch (const std::runtime_error& error) {
        listener_.message(std::string("no traced look: ") + error.what());
      }
    }
  }

  void explain(Comparison& comparison) const {
    for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
      const auto changes = compare::environment_changes(arms_[step].last, arms_[step + 1].last);
      for (const auto& change : changes) comparison.environment.push_back(change.text);
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        auto& result = comparison.cases[i];
        if (steps_[i].second != step || !moved(result)) continue;
        const auto& name = steps_[i].first;
        result.causes =
            compare::causes_of(arms_[step].seen.at(name), arms_[step + 1].seen.at(name), changes);
      }
    }
  }

  const SideBySideOptions& options_;
  const SideBySideListener& listener_;
  Slots slots_;
  std::mt19937_64 random_;
  std::vector<ArmRecord> arms_;
  std::set<std::string> names_;  ///< common names of all arms' cases
  std::map<std::pair<std::string, std::size_t>, compare::BlockCase> blocks_;  ///< by name and step
  std::vector<std::pair<std::string, std::size_t>> steps_;  ///< of each judged case, in its order
  std::vector<std::string> notes_;
  Clock::time_point begin_{};
  double screening_s_ = 0;
  double screened_ = 1;
  bool stopped_ = false;
};

}  // namespace

Comparison compare_side_by_side(const SideBySideOptions& options,
                                const SideBySideListener& listener) {
  return SideBySide(options, listener).run();
}

}  // namespace apod::run
