#include "benchmarks/judge/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/blocks.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/judge/day_spreads.hpp"
#include "benchmarks/judge/environment_changes.hpp"
#include "benchmarks/judge/file_estimates.hpp"
#include "benchmarks/judge/judge.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

const SharedText* find(const Labels& labels, const std::string& name) {
  for (const auto& [key, value] : labels) {
    if (key == name) return &value;
  }
  return nullptr;
}

/// Why two cases of one name are not the same case; empty when they are.
std::string difference_of_meaning(const SideCase& base, const SideCase& new_case) {
  if (base.version != new_case.version) {
    return fmt::format("measured differently: {} -> {}", base.version.str(),
                       new_case.version.str());
  }
  for (const auto& [name, value] : base.params) {
    const auto* other = find(new_case.params, name);
    // An axis that one side does not know yet can't contradict.
    if (other != nullptr && *other != value) {
      return fmt::format("its {} was {} and is {}", name.str(), value.str(), other->str());
    }
  }
  return "";
}

std::string failure(const SideCase& base, const SideCase& new_case) {
  if (base.times.empty() && new_case.times.empty()) return "failed on both sides: " + base.failed;
  if (base.times.empty()) return "failed in the base: " + base.failed;
  if (new_case.times.empty()) return "failed on the new side: " + new_case.failed;
  return "";
}

/// Cases without a counterpart, by what they measure: one of the same axes on the other side was
/// probably renamed.
class Unmatched {
 public:
  void add(const SideCase& c) {
    if (!c.params.empty()) by_meaning_.emplace(meaning(c), &c);
  }
  /// The name of such a case; empty when there is none.
  std::string like(const SideCase& c) const {
    const auto found = c.params.empty() ? by_meaning_.end() : by_meaning_.find(meaning(c));
    return found == by_meaning_.end() ? "" : found->second->name;
  }

 private:
  static std::string meaning(const SideCase& c) {
    std::string text = c.version;
    for (const auto& [name, value] : c.params) {
      text.append("\n").append(name).append("=").append(value);
    }
    return text;
  }
  std::unordered_map<std::string, const SideCase*> by_meaning_;
};

/// The base's cases in their order, then those that are new; one of a pair is null where a side has
/// no such case.
std::vector<CasePair> pairs_of(const Side& base, const Side& new_side) {
  std::unordered_map<std::string_view, std::size_t> index;
  index.reserve(new_side.cases.size());
  for (std::size_t i = 0; i < new_side.cases.size(); ++i) index.emplace(new_side.cases[i].name, i);
  std::vector<CasePair> pairs;
  pairs.reserve(base.cases.size());
  std::vector<bool> is_matched(new_side.cases.size());
  for (const auto& c : base.cases) {
    const auto found = index.find(c.name);
    pairs.emplace_back(&c, found == index.end() ? nullptr : &new_side.cases[found->second]);
    if (found != index.end()) is_matched[found->second] = true;
  }
  for (std::size_t i = 0; i < new_side.cases.size(); ++i) {
    if (!is_matched[i]) pairs.emplace_back(nullptr, &new_side.cases[i]);
  }
  return pairs;
}

class FileComparison {
 public:
  FileComparison(const Side& base, const Side& new_side, const CompareOptions& options)
      : base_(base),
        new_(new_side),
        pairs_(pairs_of(base, new_side)),
        environment_(environment_changes(base, new_side)),
        others_(base, new_side) {
    comparison_.base = base.label;
    comparison_.new_side = new_side.label;
    comparison_.base_environment = properties_of(base.sessions);
    comparison_.new_environment = properties_of(new_side.sessions);
    comparison_.options = options;
    const auto load = others_.changes(pairs_);
    environment_.insert(environment_.end(), load.begin(), load.end());
    for (const auto& change : environment_) {
      comparison_.environment.push_back(change.text);
      if (change.decisive && barrier_.empty()) barrier_ = change.text;
    }
    for (const auto* side : {&base, &new_side}) {
      const auto others = others_beside(*side);
      if (!others.empty()) {
        comparison_.notes.push_back(fmt::format("not a quiet machine: beside the {}, {}",
                                                side == &base ? "base" : "new side", others));
      }
      comparison_.notes.insert(comparison_.notes.end(), side->notes.begin(), side->notes.end());
    }
    for (const auto& [before, after] : pairs_) {
      if (after == nullptr) only_base_.add(*before);
      if (before == nullptr) only_new_.add(*after);
    }
  }

  Comparison run() {
    comparison_.cases.reserve(pairs_.size());
    for (const auto& pair : pairs_) add(pair);
    estimate_all();
    judge(evidence_, comparison_);
    judge_common();
    for (std::size_t i = 0; i < judged_.size(); ++i) hold_back(i);
    refuse_disturbed();
    note_steps();
    os::in_halves(judged_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) explain(judged_[i], estimates_.all()[i]);
    });
    if (comparison_.count(Verdict::inconclusive) > 0) comparison_.next_step = next_step();
    return std::move(comparison_);
  }

 private:
  CaseComparison& add(const std::string& name, Verdict verdict, std::string reason) {
    auto& result = comparison_.cases.emplace_back();
    result.name = name;
    result.verdict = verdict;
    result.reason = std::move(reason);
    return result;
  }

  void add(const CasePair& pair) {
    const auto& [base, new_case] = pair;
    if (base == nullptr) {
      const auto other = only_base_.like(*new_case);
      add(new_case->name, Verdict::added,
          other.empty() ? "" : "'" + other + "' of the base has the same axes");
      return;
    }
    if (new_case == nullptr) {
      const auto other = only_new_.like(*base);
      add(base->name, Verdict::missing,
          other.empty() ? "the new side has no such case"
                        : "the new side has no such case; '" + other + "' has the same axes");
      return;
    }
    auto reason = barrier_.empty() ? difference_of_meaning(*base, *new_case) : barrier_;
    if (reason.empty()) reason = failure(*base, *new_case);
    auto& result = add(base->name, Verdict::invalid, reason);
    result.threshold = threshold_of(comparison_.options, base->threshold, new_case->threshold);
    result.base_units = base->times.size();
    result.new_units = new_case->times.size();
    if (!reason.empty()) return;
    judged_.push_back(comparison_.cases.size() - 1);
  }

  void estimate_all() {
    std::vector<CasePair> judged;
    judged.reserve(judged_.size());
    for (const auto index : judged_) judged.push_back(pairs_[index]);
    estimates_ = FileEstimates(base_, new_, judged, comparison_.options);
    const auto& all = estimates_.all();
    for (std::size_t i = 0; i < all.size(); ++i) {
      fill(comparison_.cases[judged_[i]], all[i]);
      evidence_.push_back(estimates_.evidence(i, judged_[i]));
    }
    comparison_.notes.insert(comparison_.notes.end(), estimates_.notes().begin(),
                             estimates_.notes().end());
  }

  static void fill(CaseComparison& result, const FileEstimate& estimate) {
    result.base_s = estimate.base_s;
    result.new_s = estimate.new_s;
    result.replicate = estimate.replicate;
    result.base_units = estimate.base_units;
    result.new_units = estimate.new_units;
    result.session_source = estimate.session_source;
    result.session_deviation = estimate.session_deviation;
    if (!estimate.warning.empty()) result.warnings.push_back(estimate.warning);
  }

  /// What the verdict can't say of cases that too few processes speak for.
  void hold_back(std::size_t i) {
    auto& result = comparison_.cases[judged_[i]];
    const auto& estimate = estimates_.all()[i];
    if (!estimate.has_interval()) {
      const bool acquitted =
          result.verdict == Verdict::unchanged || result.verdict == Verdict::small;
      if (acquitted) result.verdict = Verdict::inconclusive;
      result.change_low = result.change_high = std::numeric_limits<double>::quiet_NaN();
    }
    if (evidence_[i].in_family) return;
    result.detectable.reset();
    if (result.verdict == Verdict::inconclusive &&
        may_have_changed(result.p, std::log1p(result.change), result.threshold)) {
      const auto why = estimate.busy ? "on a machine that others kept busy"
                                     : fmt::format("in {} and {} processes, too few for a verdict",
                                                   estimate.base_processes, estimate.new_processes);
      result.reason = fmt::format("{:+.1f} % {}: measure it again", 100 * result.change, why);
    }
  }

  /// A case that moved as all others did is not cleared by that.
  void judge_common() {
    comparison_.common = estimates_.common(comparison_.options);
    if (!comparison_.common) return;
    auto& common = *comparison_.common;
    const auto middle = judged_[estimates_.suite().middle()];
    common.example = comparison_.cases[middle].name;
    if (common.verdict == Verdict::unchanged) return;
    const auto& [base, new_case] = pairs_[middle];
    common.causes = causes_of(*base, *new_case, environment_);
  }

  /// What other processes may have made is not the code's: a change proves nothing then, and
  /// neither does the lack of one.
  void refuse_disturbed() {
    for (const auto index : judged_) {
      auto& result = comparison_.cases[index];
      if (result.verdict == Verdict::inconclusive) continue;
      const auto& [base, new_case] = pairs_[index];
      const auto why = others_.disturbance(*base, *new_case);
      if (why.empty()) continue;
      const bool moved =
          result.verdict == Verdict::regression || result.verdict == Verdict::improvement;
      result.verdict = moved ? Verdict::invalid : Verdict::inconclusive;
      result.reason = moved ? fmt::format("{:+.1f} %, but other processes may have made that: {}",
                                          100 * result.change, why)
                            : "other processes may have hidden a change: " + why;
    }
  }

  /// A step among the days of the base widens what is taken for their spread.
  void note_steps() {
    std::vector<double> steps;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      const auto& result = comparison_.cases[judged_[i]];
      const auto& step = estimates_.step(i);
      const bool matters = step && std::abs(step->change) >= std::log1p(result.threshold);
      if (!matters || result.verdict == Verdict::unchanged) continue;
      steps.push_back(std::expm1(step->change));
      last = std::max(last, step->day);
    }
    if (steps.empty()) return;
    const auto days = days_of(base_).of_session;
    const auto first =
        static_cast<std::size_t>(std::find(days.begin(), days.end(), last) - days.begin());
    const auto& session = base_.sessions[first];
    comparison_.notes.push_back(fmt::format(
        "within the base the level of {} of {} cases changed, by {:+.1f} % (median), last with {} "
        "of {}: this hides changes. Name the files from there on as the base (bench history shows "
        "each case)",
        steps.size(), judged_.size(), 100 * stats::median(steps), session.file,
        property(session, "date")));
  }

  /// What the reader can do with what he has.
  std::string next_step() const {
    const auto& format = new_.sessions.front().format;  // of the cases that both sides have
    if (format == "apod") {
      return "measure the suspects again, side by side: add --confirm, --base-bin with the base's "
             "bench and --config with the experiment to this command";
    }
    const auto days = days_of(base_);
    const bool dated = days.undated == 0;
    const bool days_help = std::any_of(comparison_.cases.begin(), comparison_.cases.end(),
                                       [](const auto& c) { return c.units_needed.has_value(); });
    const bool has_history = dated && days.count >= fewest_days;
    if (has_history && days_help) {
      return "run the new side's program on further days, a file each: --new FOLDER";
    }
    // More files of one day are one observation more of the machine's state.
    return (dated && !has_history ? "name files of four days or more as the base, or " : "") +
           fmt::format(
               "run both programs side by side: bench compare --base-cmd A --new-cmd B "
               "--read {}",
               format == "nvbench" ? format : "google");
  }

  /// What a verdict leaves open: causes of a change, the effort that would settle the rest.
  void explain(std::size_t index, const FileEstimate& estimate) {
    auto& result = comparison_.cases[index];
    if (result.verdict == Verdict::unchanged) return;
    // What is significant lacks no processes.
    if (result.verdict == Verdict::inconclusive &&
        !(result.p_adjusted < comparison_.options.alpha)) {
      const double alpha = comparison_.options.alpha / static_cast<double>(evidence_.size());
      result.units_needed = judge::units_needed(estimate, std::log1p(result.threshold), alpha);
    }
    const auto& [base, new_case] = pairs_[index];
    result.causes = causes_of(*base, *new_case, environment_);
  }

  const Side& base_;
  const Side& new_;
  std::vector<CasePair> pairs_;  ///< in the order of the comparison's cases
  Unmatched only_base_;
  Unmatched only_new_;
  std::vector<EnvironmentChange> environment_;
  OtherProcesses others_;
  std::string barrier_;  ///< why nothing can be compared; empty: it can
  Comparison comparison_;
  std::vector<std::size_t> judged_;  ///< the cases that can be judged, of the comparison's
  std::vector<Evidence> evidence_;   ///< one for each judged case
  FileEstimates estimates_;          ///< likewise
};

}  // namespace

Comparison compare_sides(const Side& base, const Side& new_side, const CompareOptions& options) {
  return FileComparison(base, new_side, options).run();
}

}  // namespace apod::judge
