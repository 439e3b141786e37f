#include "benchmarks/run/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/compare/block_ledger.hpp"
#include "benchmarks/run/slot.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Of a budget, what the screening may use.
constexpr double screening_share = 0.4;
/// What a budget leaves over buys at most so many times the usual confirmation.
constexpr int most_confirmation = 4;
constexpr int least_blocks = 2;

using Ids = std::vector<std::string>;

std::vector<compare::ArmName> names_of(const std::vector<Arm>& arms) {
  std::vector<compare::ArmName> names;
  for (const auto& arm : arms) names.push_back({arm.label, arm.value});
  return names;
}

class SideBySide {
 public:
  SideBySide(const SideBySideOptions& options, const SideBySideListener& listener)
      : options_(options),
        listener_(listener),
        slots_(options.arguments, listener.cancelled),
        random_(options.seed),
        ledger_(names_of(options.arms), options.by) {}

  Comparison run() {
    // What one arm refuses is found before minutes were spent on the other.
    for (const auto& arm : options_.arms) slots_.check(arm);
    screen();
    if (!stopped_) confirm();
    auto comparison = ledger_.judge(options_.compare);
    comparison.seed = options_.seed;
    if (!stopped_) look_closer(ledger_.moved(comparison));
    ledger_.explain(comparison);
    comparison.interrupted = stopped_ && failure_.empty();
    comparison.failure = failure_;
    comparison.notes = std::move(notes_);
    return comparison;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// Every arm once in a random order, then in the reverse of it. All slots of a block run the
  /// cases in one order, so that the two visits of a case lie symmetrically around the block's
  /// middle. A block counts whole or not at all: of half a block one arm would lack cases that it
  /// has. False when it was stopped, or a slot failed that has blocks before it.
  bool run_block(const std::string& stage, const std::vector<Ids>& ids) {
    std::vector<std::size_t> order(options_.arms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    const std::vector<std::size_t> back(order.rbegin(), order.rend());
    order.insert(order.end(), back.begin(), back.end());
    const auto case_order = random_();
    listener_.block(stage);
    std::vector<std::pair<std::size_t, Side>> visits;
    for (const auto arm : order) {
      listener_.slot(stage + ": " + options_.arms[arm].label);
      auto side = measure(stage, arm, ids[arm], case_order);
      if (!side) return false;
      visits.emplace_back(arm, std::move(*side));
    }
    for (auto& [arm, side] : visits) ledger_.visit(arm, std::move(side));
    ledger_.close_block();
    ++blocks_;
    return true;
  }

  /// A slot; nothing when it was cancelled, or failed after blocks that must not be lost.
  std::optional<Side> measure(const std::string& stage, std::size_t arm, const Ids& ids,
                              std::uint64_t case_order) {
    try {
      return slots_.measure(options_.arms[arm], ids, case_order, {});
    } catch (const std::runtime_error& error) {
      if (blocks_ == 0) throw;
      failure_ = stage + ", " + options_.arms[arm].label + ": " + error.what();
      return std::nullopt;
    }
  }

  static std::string stage_name(const std::string& stage, int block, int blocks) {
    return stage + ", block " + std::to_string(block + 1) + " of " + std::to_string(blocks);
  }

  void screen() {
    const std::vector<Ids> all(options_.arms.size());
    int blocks = compare::screening_blocks;
    for (int block = 0; block < blocks; ++block) {
      if (!run_block(stage_name("screening", block, blocks), all)) {
        stopped_ = true;
        return;
      }
      block_s_ = elapsed() / (block + 1);
      if (options_.budget_s) {
        const double fit = *options_.budget_s * screening_share / block_s_;
        blocks = std::clamp(static_cast<int>(std::min(fit, 1.0 * blocks)),
                            std::max(least_blocks, block + 1), blocks);
      }
    }
    note_if_fewer("screening", blocks, compare::screening_blocks);
  }

  void note_if_fewer(const std::string& stage, int blocks, int usual) {
    if (blocks >= usual) return;
    notes_.push_back("the budget allows " + std::to_string(blocks) + " blocks of " + stage +
                     " instead of " + std::to_string(usual));
  }

  void confirm() {
    ledger_.begin_confirmation();
    const auto& names = ledger_.candidates();
    if (names.empty()) return;
    listener_.message(std::to_string(names.size()) + " of " + std::to_string(ledger_.case_count()) +
                      " cases may have changed: measuring them again");
    const auto ids = ids_for(names);
    int blocks = blocks_of_confirmation(names.size());
    for (int block = 0; block < blocks; ++block) {
      if (!run_block(stage_name("confirmation", block, blocks), ids)) {
        stopped_ = true;
        return;
      }
      const bool over = options_.budget_s && elapsed() > *options_.budget_s;
      if (over && block + 1 >= least_blocks) blocks = block + 1;
    }
    note_if_fewer("confirmation", blocks, options_.confirmation);
  }

  int blocks_of_confirmation(std::size_t candidates) const {
    if (!options_.budget_s) return options_.confirmation;
    const double share =
        static_cast<double>(candidates) / static_cast<double>(ledger_.case_count());
    const double fit = (*options_.budget_s - elapsed()) / std::max(block_s_ * share, 1e-3);
    return static_cast<int>(
        std::clamp(fit, 1.0 * least_blocks, 1.0 * most_confirmation * options_.confirmation));
  }

  std::vector<Ids> ids_for(const std::set<std::string>& names) const {
    std::vector<Ids> ids;
    for (std::size_t arm = 0; arm < options_.arms.size(); ++arm) {
      ids.push_back(ledger_.ids_of(arm, names));
    }
    return ids;
  }

  /// One traced slot an arm for the cases that moved: facts that timed runs don't have.
  void look_closer(const std::set<std::string>& names) {
    if (names.empty()) return;
    const auto ids = ids_for(names);
    for (std::size_t arm = 0; arm < options_.arms.size() && !stopped_; ++arm) {
      listener_.slot("a traced look: " + options_.arms[arm].label);
      try {
        const auto side =
            slots_.measure(options_.arms[arm], ids[arm], options_.seed, {"--set", "trace=true"});
        if (side) ledger_.add_facts(arm, *side);
        stopped_ = !side;
      } catch (const std::runtime_error& error) {
        notes_.push_back(std::string("no traced look at what moved: ") + error.what());
        return;
      }
    }
  }

  const SideBySideOptions& options_;
  const SideBySideListener& listener_;
  Slots slots_;
  std::mt19937_64 random_;
  compare::BlockLedger ledger_;
  std::vector<std::string> notes_;
  const Clock::time_point begin_ = Clock::now();
  double block_s_ = 0;  ///< one block of screening
  int blocks_ = 0;      ///< whole ones
  bool stopped_ = false;
  std::string failure_;  ///< of the slot that ended the blocks
};

}  // namespace

Comparison compare_side_by_side(const SideBySideOptions& options,
                                const SideBySideListener& listener) {
  return SideBySide(options, listener).run();
}

}  // namespace apod::run
