#include "benchmarks/run/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/judge/block_ledger.hpp"
#include "benchmarks/judge/same_code.hpp"
#include "benchmarks/look/host_code.hpp"
#include "benchmarks/run/slot.hpp"

namespace apod::run {

namespace {

/// The screening's share of a budget: it runs all cases, the confirmation only a few.
constexpr double screening_share = 0.4;
/// A traced look visits each arm once, a block twice.
constexpr double look_share = 0.5;
constexpr int least_blocks = static_cast<int>(judge::least_blocks);
// A block is taken to last at least this long: its time is divided by.
constexpr double shortest_s = 1e-3;

/// How many blocks of `block_s` fit into `left_s`.
int fitting(double left_s, double block_s, int most) {
  return static_cast<int>(std::clamp(left_s / std::max(block_s, shortest_s), 0.0, 1.0 * most));
}

}  // namespace

int screening_for(int confirmation) {
  const int in_ratio = static_cast<int>(
      std::lround(1.0 * confirmation * judge::screening_blocks / judge::confirmation_blocks));
  return std::min(confirmation, std::max(in_ratio, judge::screening_blocks));
}

int BlockPlan::screening(int done, double screening_s) const {
  if (!budget_s_ || done == 0) return usual_screening();
  const int all = fitting(*budget_s_ * screening_share, screening_s / done, screening_for(most_));
  return std::max({done, least_blocks, all});
}

int BlockPlan::confirmation(int done, double elapsed_s, double block_s) const {
  if (!budget_s_) return confirmation_;
  const double left_s = *budget_s_ - elapsed_s - look_share * block_s;
  return std::clamp(done + fitting(left_s, block_s, most_), least_blocks, std::max(most_, done));
}

bool BlockPlan::may_screen_on(int done, double elapsed_s, double block_s, double share) const {
  return budget_s_ && done < screening_for(most_) &&
         fits(elapsed_s, block_s * (1 + share * (least_blocks + look_share)));
}

bool BlockPlan::fits(double elapsed_s, double seconds) const {
  return !budget_s_ || elapsed_s + seconds <= *budget_s_;
}

std::string BlockPlan::overrun(const std::string& takes, double seconds) const {
  if (!budget_s_ || seconds <= 1.02 * *budget_s_) return "";
  return "the comparison " + takes + text::format_duration(seconds) + ", more than the budget of " +
         text::format_duration(*budget_s_) + ": each stage needs at least three blocks";
}

namespace {

using Clock = std::chrono::steady_clock;

using Ids = std::vector<std::string>;

constexpr const char* look_at_code = "code check";
constexpr const char* traced_look = "traced run";

std::vector<judge::ArmName> names_of(const std::vector<Arm>& arms) {
  std::vector<judge::ArmName> names;
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
        plan_(options.blocks, options.budget_s),
        confirmation_(plan_.usual_confirmation()),
        confirmation_planned_(confirmation_),
        ledger_(names_of(options.arms), options.by, options.compare) {}

  Comparison run() {
    // An arm that refuses the experiment is found before minutes are spent on another.
    for (const auto& arm : options_.arms) slots_.check(arm);
    if (options_.changed) look_for_changes();
    if (!options_.suspects.empty()) {
      confirm_suspects();
    } else {
      if (!stopped_) screen();
      if (!stopped_) confirm();
    }
    auto comparison = ledger_.judge(confirmation_planned_);
    for (auto& c : unmeasured_) comparison.cases.push_back(std::move(c));
    comparison.seed = options_.seed;
    if (!stopped_) look_closer(ledger_.moved(comparison));
    ledger_.explain(comparison);
    if (auto overrun = plan_.overrun("took ", elapsed()); !overrun.empty())
      notes_.push_back(std::move(overrun));
    comparison.interrupted = stopped_ && failure_.empty();
    comparison.failure = failure_;
    for (auto& note : notes_) comparison.notes.push_back(std::move(note));
    return comparison;
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - options_.begin).count();
  }

  /// Visits all of `order` in a random order, then in reverse. All slots of a block run the cases
  /// in the same order, so the two visits of a case lie symmetrically around the middle of the
  /// block. `ids` by arm; empty: all cases. A block counts as a whole or not at all: in half a
  /// block an arm would seem to lack cases. False if it was cancelled, or if a slot failed and
  /// there are earlier blocks.
  bool run_block(const std::string& stage, std::vector<std::size_t> order,
                 const std::vector<Ids>& ids) {
    std::shuffle(order.begin(), order.end(), random_);
    const std::vector<std::size_t> back(order.rbegin(), order.rend());
    order.insert(order.end(), back.begin(), back.end());
    const auto case_order = random_();
    std::vector<std::pair<std::size_t, Side>> visits;
    for (const auto arm : order) {
      listener_.begun(stage, options_.arms[arm].label);
      auto side = measure(stage, arm, ids[arm], case_order);
      if (!side) return false;
      listener_.finished(stage, options_.arms[arm].label);
      ++slots_done_;
      visits.emplace_back(arm, std::move(*side));
    }
    for (auto& [arm, side] : visits) ledger_.visit(arm, std::move(side));
    ledger_.close_block();
    ++blocks_;
    return true;
  }

  /// One slot. Nothing if it was cancelled, or if it failed and there are earlier blocks to keep.
  std::optional<Side> measure(const std::string& stage, std::size_t arm, const Ids& ids,
                              std::uint64_t case_order) {
    try {
      return run_slot(stage, arm, ids, case_order, {});
    } catch (const std::runtime_error& error) {
      if (blocks_ == 0) throw;
      failure_ = error.what();
      return std::nullopt;
    }
  }

  /// One that fails is tried once more: it may have met an accident.
  std::optional<Side> run_slot(const std::string& stage, std::size_t index, const Ids& ids,
                               std::uint64_t case_order, const std::vector<std::string>& more) {
    const auto& arm = options_.arms[index];
    const auto slot = stage + ", " + arm.label + ": ";
    std::string first;
    try {
      return slots_.measure(arm, ids, case_order, more);
    } catch (const std::runtime_error& error) {
      first = error.what();
    }
    first = first.substr(0, first.find('\n'));
    listener_.message(slot + "trying again: " + first);
    try {
      auto side = slots_.measure(arm, ids, case_order, more);
      notes_.push_back(slot + "failed, and was tried again: " + first);
      return side;
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(slot + "failed twice: " + error.what());
    }
  }

  static std::string stage_name(const std::string& stage, int block, int blocks) {
    return stage + ", block " + std::to_string(block + 1) + " of " + std::to_string(blocks);
  }

  /// The arms that have something to run.
  static std::vector<std::size_t> arms_with(const std::vector<Ids>& ids) {
    std::vector<std::size_t> arms;
    for (std::size_t arm = 0; arm < ids.size(); ++arm) {
      if (!ids[arm].empty()) arms.push_back(arm);
    }
    return arms;
  }

  void leave_out(const std::string& id, Verdict verdict, const std::string& reason) {
    auto& c = unmeasured_.emplace_back();
    c.name = id;
    c.verdict = verdict;
    c.reason = reason;
  }

  /// What keeps the hosts' code of the two builds from being the same; empty where it is.
  std::string host_difference() const {
    std::vector<std::string> hashes;
    for (const auto& arm : options_.arms) {
      const auto code = look::host_code_of(arm.program);
      if (code.hash.empty()) return "the code of " + arm.label + " is not known: " + code.unknown;
      hashes.push_back(code.hash);
    }
    return hashes.front() == hashes.back() ? "" : "the host code differs";
  }

  /// One short traced slot for each build, which tells the code of the kernels.
  void look_for_changes() {
    if (const auto why = host_difference(); !why.empty()) {
      notes_.push_back("every case is measured: " + why);
      return;
    }
    std::vector<Side> sides;
    for (std::size_t arm = 0; arm < options_.arms.size(); ++arm) {
      listener_.begun(look_at_code, options_.arms[arm].label);
      try {
        auto side = run_slot(look_at_code, arm, {}, options_.seed, slots_.short_and_traced());
        stopped_ = !side;
        if (stopped_) return;
        sides.push_back(std::move(*side));
      } catch (const std::runtime_error& error) {
        notes_.push_back(std::string("every case is measured: ") + error.what());
        return;
      }
    }
    auto changed = judge::changed_cases(sides[0], sides[1]);
    for (const auto& id : changed.identical) leave_out(id, Verdict::identical, "");
    notes_.insert(notes_.end(), changed.why.begin(), changed.why.end());
    to_run_ = {std::move(changed.base), std::move(changed.new_side)};
    for (std::size_t arm = 0; arm < sides.size(); ++arm) ledger_.introduce(arm, sides[arm]);
    look_s_ = elapsed();
  }

  /// The first block shows which cases there are; later ones run only those that can be judged.
  void screen() {
    auto ids = to_run_.value_or(std::vector<Ids>(options_.arms.size()));
    std::vector<std::size_t> arms(options_.arms.size());
    std::iota(arms.begin(), arms.end(), std::size_t{0});
    if (to_run_) arms = arms_with(ids);
    int blocks = plan_.screening(0, 0);
    while (screened_ < blocks && !arms.empty()) {
      if (!screen_block(blocks, arms, ids)) return;
      const double more = least_blocks * (1 + share_of(1)) - 1;  // known after the first block
      const auto too_long = plan_.overrun("takes at least ", elapsed() + more * screening_s_);
      if (screened_ == 1 && !too_long.empty())
        listener_.message(too_long + " (for fewer cases: --filter)");
      blocks = plan_.screening(screened_, screening_s_);
      ids = ids_for(ledger_.comparable());
      arms = arms_with(ids);
    }
    if (arms.empty()) return;
    note_if_fewer("screening", blocks, plan_.usual_screening());
    if (screened_ > 0) screen_on(arms, ids);
  }

  /// The next of `blocks`. False if it was interrupted.
  bool screen_block(int blocks, const std::vector<std::size_t>& arms, const std::vector<Ids>& ids) {
    expect_blocks(blocks - screened_, arms.size());
    stopped_ = !run_block(stage_name("screening", screened_, blocks), arms, ids);
    if (stopped_) return false;
    ++screened_;
    screening_s_ = elapsed() - look_s_;
    return true;
  }

  double screening_block_s() const { return screening_s_ / screened_; }

  /// What a block of confirmation takes of one of the screening, as long as `candidates` are few.
  double share_of(std::size_t candidates) const {
    const auto all = std::max<std::size_t>(ledger_.comparable().size(), 1);
    return static_cast<double>(std::max<std::size_t>(candidates, 1)) / static_cast<double>(all);
  }

  /// Where nothing stands out, what is left of a budget shows smaller changes.
  void screen_on(const std::vector<std::size_t>& arms, const std::vector<Ids>& ids) {
    confirmation_planned_ = plan_.confirmation(0, elapsed(), share_of(1) * screening_block_s());
    while (!stopped_ && !ledger_.anything_stands_out() &&
           plan_.may_screen_on(screened_, elapsed(), screening_block_s(), share_of(1))) {
      screen_block(screened_ + 1, arms, ids);
    }
  }

  void note_if_fewer(const std::string& stage, int blocks, int usual) {
    if (blocks >= usual) return;
    notes_.push_back("the budget allows " + std::to_string(blocks) + " blocks of " + stage +
                     " instead of " + std::to_string(usual));
  }

  void confirm() {
    ledger_.begin_confirmation();
    if (screened_ == 0) return;
    const auto steps = ledger_.candidates();
    // Even without candidates: the number of blocks says how small a change would have been found.
    if (steps.empty()) return;
    const auto screened = ledger_.comparable().size();
    confirmation_ = plan_.confirmation(0, elapsed(), share_of(steps.size()) * screening_block_s());
    listener_.message(std::to_string(steps.size()) + " of " + std::to_string(screened) +
                      " cases may have changed: measuring them again");
    confirm_blocks();
  }

  void confirm_suspects() {
    std::vector<std::set<std::string>> has;
    for (std::size_t arm = 0; arm < options_.arms.size(); ++arm) {
      const auto all = slots_.cases_of(options_.arms[arm]);
      Ids ids;
      std::copy_if(options_.suspects.begin(), options_.suspects.end(), std::back_inserter(ids),
                   [&](const auto& id) { return is_listed(id, all); });
      ledger_.suspect(arm, ids);
      has.emplace_back(ids.begin(), ids.end());
    }
    for (const auto& id : options_.suspects) {
      for (std::size_t arm = 0; arm < has.size(); ++arm) {
        if (has[arm].contains(id)) continue;
        leave_out(id, Verdict::inconclusive,
                  options_.arms[arm].label + " does not have this case in this experiment");
        break;
      }
    }
    listener_.message(text::counted(options_.suspects.size(), "case") +
                      " may have changed; measuring again");
    confirm_blocks();
  }

  /// Blocks of the candidates, until there are `confirmation_`.
  void confirm_blocks() {
    const double begun_s = elapsed();
    for (int block = 0; block < confirmation_; ++block) {
      // Without those that have failed meanwhile.
      const auto ids = ids_for(ledger_.candidates());
      const auto arms = arms_with(ids);
      if (arms.empty()) return;
      expect_blocks(confirmation_ - block, arms.size());
      if (!run_block(stage_name("confirmation", block, confirmation_), arms, ids)) {
        stopped_ = true;
        return;
      }
      confirm_block_s_ = (elapsed() - begun_s) / (block + 1);
      confirmation_ = plan_.confirmation(block + 1, elapsed(), confirm_block_s_);
    }
    confirmation_planned_ = confirmation_;
    note_if_fewer("confirmation", confirmation_, plan_.usual_confirmation());
  }

  /// Each arm is visited twice a block.
  void expect_blocks(int blocks, std::size_t arms) {
    listener_.slots(slots_done_ + static_cast<std::size_t>(blocks) * 2 * arms);
  }

  std::vector<Ids> ids_for(const std::set<judge::CaseStep>& steps) const {
    std::vector<Ids> ids;
    for (std::size_t arm = 0; arm < options_.arms.size(); ++arm)
      ids.push_back(ledger_.ids_of(arm, steps));
    return ids;
  }

  /// One traced slot for each arm, with the cases that changed: timed runs lack these facts.
  void look_closer(const std::set<judge::CaseStep>& steps) {
    const auto ids = ids_for(steps);
    if (!steps.empty() && !plan_.fits(elapsed(), confirm_block_s_ / 2)) {
      notes_.push_back("the changed cases were not traced: the budget is used up");
      return;
    }
    for (const auto arm : arms_with(ids)) {
      listener_.begun(traced_look, options_.arms[arm].label);
      try {
        const auto side =
            run_slot(traced_look, arm, ids[arm], options_.seed, slots_.unless_set({"trace=true"}));
        if (side) ledger_.add_facts(arm, *side);
        stopped_ = !side;
        if (stopped_) return;
      } catch (const std::runtime_error& error) {
        notes_.push_back(std::string("the changed cases were not traced: ") + error.what());
        return;
      }
    }
  }

  const SideBySideOptions& options_;
  const SideBySideListener& listener_;
  Slots slots_;
  std::mt19937_64 random_;
  BlockPlan plan_;
  int confirmation_;          ///< blocks that candidates get
  int confirmation_planned_;  ///< those that one that stood out would have got, or got
  double confirm_block_s_ = 0;
  judge::BlockLedger ledger_;
  std::optional<std::vector<Ids>> to_run_;  ///< by arm, for the first block; absent: all
  std::vector<CaseComparison> unmeasured_;  ///< with their verdicts
  std::vector<std::string> notes_;
  int screened_ = 0;        ///< blocks
  double screening_s_ = 0;  ///< all of them
  double look_s_ = 0;       ///< the look at the code
  std::size_t slots_done_ = 0;
  int blocks_ = 0;  ///< whole ones, of both stages
  bool stopped_ = false;
  std::string failure_;  ///< of the slot that ended the blocks
};

}  // namespace

Comparison compare_side_by_side(const SideBySideOptions& options,
                                const SideBySideListener& listener) {
  return SideBySide(options, listener).run();
}

}  // namespace apod::run
