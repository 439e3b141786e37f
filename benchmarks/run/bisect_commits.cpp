#include "benchmarks/run/bisect_commits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/judge/commit_search.hpp"
#include "benchmarks/judge/same_code.hpp"
#include "benchmarks/look/host_code.hpp"
#include "benchmarks/run/slot.hpp"

namespace apod::run {
namespace {

/// A commit that builds, but gives no time of the case.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CommitSearch {
 public:
  CommitSearch(const GitRepository& repository, const BisectOptions& options,
               const BisectListener& listener)
      : options_(options),
        listener_(listener),
        builds_(repository, options.build,
                {.cancelled = listener.slots.cancelled,
                 .begun = [this](const auto& stage) { listener_.slots.begun(stage, ""); }}),
        slots_(options.arguments, listener.slots.cancelled),
        random_(options.seed),
        why_(options.commits.size()) {}

  Bisection run() {
    case_ = options_.case_id;
    Bisection bisection;
    bisection.end = BisectionEnd::stopped;
    const auto last = options_.commits.size() - 1;
    const auto chosen = choose_case(last);
    if (chosen) {
      bisection.end = *chosen;
    } else {
      judge::BisectionHooks hooks;
      hooks.measure = [this](std::size_t base, std::size_t commit) {
        return measure(base, commit);
      };
      hooks.confirm = [this](std::size_t before, std::size_t after) {
        return confirm(before, after);
      };
      if (options_.changed)
        hooks.identical = [this](std::size_t a, std::size_t b) { return is_identical(a, b); };
      hooks.decided = [this](const Bisection& so_far, std::size_t commit) {
        listener_.decided(with_texts(so_far), commit);
      };
      bisection = judge::bisect(last, {.threshold = options_.compare.threshold}, hooks);
    }
    if (bisection.commits.empty()) bisection.commits.resize(options_.commits.size());
    bisection = with_texts(std::move(bisection));
    if (bisection.end == BisectionEnd::no_end)
      refuse_end(bisection.commits[0].state == CommitState::skipped ? 0 : last);
    for (const auto& step : bisection.steps)
      bisection.comparisons.push_back(comparisons_.at({step.before, step.after}));
    bisection.case_name = case_;
    bisection.threshold = options_.compare.threshold;
    note_costs(bisection);
    return bisection;
  }

 private:
  bool cancelled() const { return listener_.slots.cancelled(); }

  Bisection with_texts(Bisection bisection) const {
    for (std::size_t i = 0; i < bisection.commits.size(); ++i) {
      bisection.commits[i].commit = options_.commits[i];
      bisection.commits[i].why = why_[i];
    }
    return bisection;
  }

  [[noreturn]] void refuse_end(std::size_t index) const {
    throw std::runtime_error((index == 0 ? "--good " : "--bad ") +
                             options_.commits[index].short_id() + ": " + why_[index]);
  }

  /// Nothing if it was cancelled. Throws CannotBuild.
  std::optional<Arm> arm_of(std::size_t index) {
    const auto& commit = options_.commits[index];
    const auto folder = builds_.folder_of(commit);
    if (!folder) return std::nullopt;
    auto arm = options_.arm_of(commit, *folder);
    arm.label = commit.short_id();
    return arm;
  }

  /// Calls `body`, which may find that a commit is unusable. False then, with the reason kept.
  template <class Body>
  bool try_commit(std::size_t index, const Body& body) {
    try {
      body();
      return true;
    } catch (const CannotBuild& error) {
      why_[index] = std::string("does not build: ") + error.what();
    } catch (const CannotRun& error) {
      why_[index] = std::string("does not run: ") + error.what();
    }
    return false;
  }

  /// The case that was asked for, the only one, or the one that the ends differ in most clearly. An
  /// end of the search if there is none, or it was cancelled.
  std::optional<BisectionEnd> choose_case(std::size_t last) {
    std::vector<Arm> arms;
    for (const auto index : {std::size_t{0}, last}) {
      std::optional<Arm> arm;
      if (!try_commit(index, [&] { arm = arm_of(index); })) refuse_end(index);
      if (!arm) return BisectionEnd::stopped;
      arms.push_back(std::move(*arm));
    }
    const auto listed = slots_.cases_of(arms[0]);
    if (!case_.empty()) {
      if (cancelled() || is_listed(case_, listed)) return std::nullopt;
      auto hint = text::did_you_mean(text::closest(case_, listed));
      if (hint.empty() && !listed.empty()) hint = "the first case: " + listed.front();
      throw std::runtime_error("--case " + case_ + ": the good commit does not have this case" +
                               text::in_brackets(hint));
    }
    // What is found in an output is not known before.
    const auto side = slots_.measure(arms[0], {}, random_(), {});
    if (!side) return BisectionEnd::stopped;
    if (side->cases.size() == 1) {
      case_ = side->cases.front().name;
      return std::nullopt;
    }
    listener_.slots.message(
        text::counted(side->cases.size(), "case") +
        ": comparing the good and the bad commit to choose a case (to choose it yourself: --case)");
    const auto ends = compare(std::move(arms), {});
    if (ends.interrupted) return BisectionEnd::stopped;
    if (!ends.failure.empty()) throw std::runtime_error(ends.failure);
    const CaseComparison* clearest = nullptr;
    for (const auto& c : ends.cases) {
      if (c.verdict != Verdict::regression) continue;
      if (clearest == nullptr || c.change.low > clearest->change.low) clearest = &c;
    }
    if (clearest == nullptr) {
      notes_.push_back("none of " + text::counted(ends.cases.size(), "case") +
                       " is slower at the bad commit (to follow one case anyway: --case ID)");
      return BisectionEnd::small;
    }
    case_ = clearest->name;
    const auto slower = ends.count(Verdict::regression);
    notes_.push_back(text::counted(slower, "case") + " of " + std::to_string(ends.cases.size()) +
                     (slower == 1 ? " is" : " are") +
                     " slower at the bad commit; the search followed " + case_);
    listener_.slots.message(notes_.back());
    return std::nullopt;
  }

  /// ln seconds of one visit. Nothing if it was cancelled. Throws CannotRun.
  std::optional<double> visit(const Arm& arm, std::uint64_t order) {
    std::optional<Side> side;
    try {
      side = slots_.measure(arm, {case_}, order, {});
    } catch (const std::runtime_error&) {
      // It may have met an accident.
      try {
        side = slots_.measure(arm, {case_}, order, {});
      } catch (const std::runtime_error& error) {
        throw CannotRun(error.what());
      }
    }
    if (!side) return std::nullopt;
    for (const auto& c : side->cases) {
      if (c.name != case_) continue;
      if (!c.failed.empty()) throw CannotRun(c.failed);
      if (c.times.empty()) break;
      double sum = 0;
      for (const auto& time : c.times) sum += std::log(time.seconds);
      return sum / static_cast<double>(c.times.size());
    }
    throw CannotRun("the commit has no case " + case_);
  }

  judge::BlockAttempt measure(std::size_t base, std::size_t commit) {
    std::array<std::optional<Arm>, 2> arms;
    const std::array<std::size_t, 2> indices{base, commit};
    for (std::size_t side = 0; side < arms.size(); ++side) {
      const auto index = indices[side];
      if (!try_commit(index, [&] { arms[side] = arm_of(index); })) return {.unusable = index};
      if (!arms[side]) return {};
    }
    // ABBA or BAAB.
    const std::size_t outer = random_() % 2;
    const auto order = random_();
    std::array<std::vector<double>, 2> visits;
    const auto stage = "block " + std::to_string(++blocks_);
    for (const auto side : {outer, 1 - outer, 1 - outer, outer}) {
      listener_.slots.begun(stage, arms[side]->label);
      std::optional<double> time;
      if (!try_commit(indices[side], [&] { time = visit(*arms[side], order); }))
        return {.unusable = indices[side]};
      if (!time || cancelled()) return {};
      listener_.slots.finished(stage, arms[side]->label);
      visits[side].push_back(*time);
    }
    return {.block = judge::BlockCase::Block{{visits[0][0], visits[0][1]},
                                             {visits[1][0], visits[1][1]}}};
  }

  Comparison compare(std::vector<Arm> arms, std::vector<std::string> suspects) {
    SideBySideOptions options;
    options.arms = std::move(arms);
    options.arguments = options_.arguments;
    options.suspects = std::move(suspects);
    options.blocks = options_.blocks;
    options.seed = random_();
    options.compare = options_.compare;
    return compare_side_by_side(options, listener_.slots);
  }

  judge::ConfirmAttempt confirm(std::size_t before, std::size_t after) {
    std::vector<Arm> arms;
    for (const auto index : {before, after}) {
      std::optional<Arm> arm;
      if (!try_commit(index, [&] { arm = arm_of(index); })) return {.unusable = index};
      if (!arm) return {};
      arms.push_back(std::move(*arm));
    }
    auto comparison = compare(std::move(arms), {case_});
    if (comparison.interrupted) return {};
    if (!comparison.failure.empty()) throw std::runtime_error(comparison.failure);
    const auto& c = comparison.cases.front();
    const Estimate change = c.change;
    if (c.base_units < judge::least_blocks)
      throw std::runtime_error(case_ + " could not be confirmed: " + c.reason);
    comparison.base = title_of(before);
    comparison.new_side = title_of(after);
    comparisons_.insert_or_assign({before, after}, std::move(comparison));
    return {.change = change};
  }

  std::string title_of(std::size_t index) const {
    const auto& commit = options_.commits[index];
    return commit.short_id() + " " + commit.subject;
  }

  /// A short traced run of the case, which tells the code of its kernels; nothing if there is none.
  const std::optional<Side>& code_of(std::size_t index) {
    const auto known = code_.find(index);
    if (known != code_.end()) return known->second.side;
    auto& code = code_[index];
    std::optional<Arm> arm;
    if (!try_commit(index, [&] { arm = arm_of(index); }) || !arm) return code.side;
    code.host = look::host_code_of(arm->program).hash;
    listener_.slots.begun("code check", arm->label);
    try {
      code.side = slots_.measure(*arm, {case_}, options_.seed, slots_.short_and_traced());
    } catch (const std::runtime_error&) {
      // It is measured, then, and says why it does not run.
    }
    return code.side;
  }

  bool is_identical(std::size_t a, std::size_t b) {
    const auto& base = code_of(a);
    const auto& other = code_of(b);
    const auto& host = code_[a].host;
    if (!base || !other || host.empty() || host != code_[b].host) return false;
    const auto same = judge::changed_cases(*base, *other).identical;
    return std::find(same.begin(), same.end(), case_) != same.end();
  }

  void note_costs(Bisection& bisection) const {
    std::size_t confirmations = 0;
    for (const auto& [pair, comparison] : comparisons_)
      confirmations += comparison.cases.front().base_units;
    bisection.notes = notes_;
    bisection.notes.push_back(
        "search: " + text::counted(bisection.blocks, "block") + ", each with two commits" +
        (bisection.disturbed > 0 ? " (" + std::to_string(bisection.disturbed) + " disturbed)"
                                 : "") +
        "; confirmation: " + text::counted(confirmations, "block") +
        (options_.build.commands.empty()
             ? ""
             : "; " + text::counted(builds_.built(), "build") + " took " +
                   text::format_duration(builds_.seconds())));
    if (bisection.wrong_turns > 0) {
      bisection.notes.push_back(
          text::counted(bisection.wrong_turns, "wrong turn") +
          ": two adjacent commits did not differ after all, so the search went back");
    }
  }

  struct Code {
    std::string host;
    std::optional<Side> side;
  };

  const BisectOptions& options_;
  const BisectListener& listener_;
  CommitBuilds builds_;
  Slots slots_;
  std::mt19937_64 random_;
  std::string case_;
  std::vector<std::string> why_;  ///< of each commit that is skipped
  std::vector<std::string> notes_;
  std::map<std::size_t, Code> code_;
  std::map<std::pair<std::size_t, std::size_t>, Comparison> comparisons_;
  std::size_t blocks_ = 0;
};

}  // namespace

Bisection bisect_commits(const GitRepository& repository, const BisectOptions& options,
                         const BisectListener& listener) {
  return CommitSearch(repository, options, listener).run();
}

}  // namespace apod::run
