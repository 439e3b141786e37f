#include "benchmarks/compare/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/compare/causes.hpp"
#include "benchmarks/compare/environment.hpp"
#include "benchmarks/compare/estimate.hpp"
#include "benchmarks/compare/judge.hpp"

namespace apod::compare {
namespace {

using Index = std::unordered_map<std::string_view, const SideCase*>;

Index index_of(const Side& side) {
  Index index;
  index.reserve(side.cases.size());
  for (const auto& c : side.cases) index.emplace(c.name, &c);
  return index;
}

const std::string* find(const Labels& labels, const std::string& name) {
  for (const auto& [key, value] : labels) {
    if (key == name) return &value;
  }
  return nullptr;
}

/// Why two cases of one name are not the same case; empty when they are.
std::string difference_of_meaning(const SideCase& base, const SideCase& new_case) {
  if (base.version != new_case.version) {
    return fmt::format("measured differently: {} -> {}", base.version, new_case.version);
  }
  for (const auto& [name, value] : base.params) {
    const auto* other = find(new_case.params, name);
    // An axis that one side does not know yet can't contradict.
    if (other != nullptr && *other != value) {
      return fmt::format("its {} was {} and is {}", name, value, *other);
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
  Unmatched(const Side& side, const Index& counterparts) {
    for (const auto& c : side.cases) {
      if (!c.params.empty() && counterparts.count(c.name) == 0) by_meaning_.emplace(meaning(c), &c);
    }
  }
  /// The name of such a case; empty when there is none.
  std::string like(const SideCase& c) const {
    const auto found = c.params.empty() ? by_meaning_.end() : by_meaning_.find(meaning(c));
    return found == by_meaning_.end() ? "" : found->second->name;
  }

 private:
  static std::string meaning(const SideCase& c) {
    std::string text = c.version;
    for (const auto& [name, value] : c.params) text.append("\n").append(name + "=" + value);
    return text;
  }
  std::unordered_map<std::string, const SideCase*> by_meaning_;
};

class FileComparison {
 public:
  FileComparison(const Side& base, const Side& new_side, const CompareOptions& options)
      : base_(base),
        new_side_(new_side),
        base_index_(index_of(base)),
        new_index_(index_of(new_side)),
        only_base_(base, new_index_),
        only_new_(new_side, base_index_),
        environment_(environment_changes(base, new_side)) {
    comparison_.base = base.label;
    comparison_.new_side = new_side.label;
    comparison_.options = options;
  }

  Comparison run() {
    for (const auto& change : environment_) {
      comparison_.environment.push_back(change.text);
      if (change.decisive && barrier_.empty()) barrier_ = change.text;
    }
    for (const auto& c : base_.cases) add_base_case(c);
    for (const auto& c : new_side_.cases) {
      if (base_index_.count(c.name) == 0) add_new_case(c);
    }
    estimate_all();
    judge(evidence_, comparison_);
    for (std::size_t i = 0; i < evidence_.size(); ++i) explain(evidence_[i].index, estimates_[i]);
    for (const auto* side : {&base_, &new_side_}) {
      for (const auto& note : side->notes) comparison_.notes.push_back(note);
    }
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

  void add_base_case(const SideCase& base) {
    const auto found = new_index_.find(base.name);
    if (found == new_index_.end()) {
      const auto other = only_new_.like(base);
      add(base.name, Verdict::missing,
          other.empty() ? "the new side has no such case"
                        : "the new side has no such case; '" + other + "' has the same axes");
      return;
    }
    const SideCase& new_case = *found->second;
    auto reason = barrier_.empty() ? difference_of_meaning(base, new_case) : barrier_;
    if (reason.empty()) reason = failure(base, new_case);
    auto& result = add(base.name, Verdict::invalid, reason);
    result.threshold = threshold_of(comparison_.options,
                                    new_case.threshold > 0 ? new_case.threshold : base.threshold);
    result.base_units = base.times.size();
    result.new_units = new_case.times.size();
    if (!reason.empty()) return;
    pairs_.emplace_back(&base, &new_case);
    judged_.push_back(comparison_.cases.size() - 1);
  }

  void estimate_all() {
    const auto processes = process_prior(pairs_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto& [base, new_case] = pairs_[i];
      auto estimate = estimate_change(*base, *new_case, prior_of(base->name, processes));
      auto& result = comparison_.cases[judged_[i]];
      result.base_s = estimate.base_s;
      result.new_s = estimate.new_s;
      result.replicate = estimate.replicate;
      result.base_units = estimate.base_units;
      result.new_units = estimate.new_units;
      result.session_source = estimate.session_source;
      result.session_deviation = estimate.session_deviation;
      if (!estimate.warning.empty()) result.warnings.push_back(estimate.warning);
      evidence_.push_back({judged_[i], estimate.difference, true});
      estimates_.push_back(std::move(estimate));
    }
  }

  Prior prior_of(const std::string& name, const stats::VarianceEstimate& processes) const {
    const auto& options = comparison_.options;
    const auto found = options.known_spreads.find(name);
    return {options.session_deviation,
            found == options.known_spreads.end() ? nullptr : &found->second, processes};
  }

  void add_new_case(const SideCase& c) {
    const auto other = only_base_.like(c);
    add(c.name, Verdict::added,
        other.empty() ? "" : "'" + other + "' of the base has the same axes");
  }

  /// What a verdict leaves open: causes of a change, the effort that would settle the rest.
  void explain(std::size_t index, const FileEstimate& estimate) {
    auto& result = comparison_.cases[index];
    if (result.verdict == Verdict::unchanged) return;
    if (result.verdict == Verdict::inconclusive) {
      const double alpha = comparison_.options.alpha / static_cast<double>(evidence_.size());
      result.units_needed = compare::units_needed(estimate, std::log1p(result.threshold), alpha);
    }
    result.causes =
        causes_of(*base_index_.at(result.name), *new_index_.at(result.name), environment_);
  }

  const Side& base_;
  const Side& new_side_;
  Index base_index_;
  Index new_index_;
  Unmatched only_base_;
  Unmatched only_new_;
  std::vector<EnvironmentChange> environment_;
  std::string barrier_;  ///< why nothing can be compared; empty: it can
  Comparison comparison_;
  std::vector<std::pair<const SideCase*, const SideCase*>> pairs_;  ///< what can be judged
  std::vector<std::size_t> judged_;  ///< index of each of them among the comparison's cases
  std::vector<Evidence> evidence_;
  std::vector<FileEstimate> estimates_;  ///< one for each evidence
};

}  // namespace

Comparison compare_sides(const Side& base, const Side& new_side, const CompareOptions& options) {
  return FileComparison(base, new_side, options).run();
}

}  // namespace apod::compare
