#include "benchmarks/judge/block_ledger.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/judge/arm_names.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/judge/environment_changes.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
BlockLedger::BlockLedger(std::vector<ArmName> arms, std::string by, CompareOptions options)
    : by_(std::move(by)), options_(std::move(options)) {
  for (auto& name : arms) arms_.push_back({std::move(name), {}, {}, {}, {}, {}});
}

std::string BlockLedger::common(std::size_t arm, const std::string& id) const {
  return common_name(id, by_, arms_[arm].name.value);
}

std::string BlockLedger::step_name(const CaseStep& key) const {
  if (by_.empty()) return key.first;
  return key.first + " [" + by_ + " " + arms_[key.second].name.value + " -> " +
         arms_[key.second + 1].name.value + "]";
}

void BlockLedger::introduce(std::size_t arm, const Side& side) {
  auto& sessions = arms_[arm].slots.sessions;
  sessions.insert(sessions.end(), side.sessions.begin(), side.sessions.end());
}

void BlockLedger::visit(std::size_t index, Side side) {
  auto& arm = arms_[index];
  for (auto& c : side.cases) {
    const auto name = common(index, c.name);
    names_.insert(name);
    if (!c.failed.empty()) {
      arm.failed.emplace(name, c.failed);
    } else if (!c.times.empty()) {
      // One of ours has one process; a program of somebody else may repeat.
      double sum = 0;
      for (const auto& time : c.times) sum += std::log(time.seconds);
      arm.visits[name].push_back(sum / static_cast<double>(c.times.size()));
    }
    auto& facts = arm.facts[name];
    facts.add({c.facts.begin(), c.facts.end()});
    c.facts = facts.means();
    arm.seen[name] = std::move(c);
  }
  introduce(index, side);
}

void BlockLedger::close_block() {
  for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
    for (const auto& [name, base] : arms_[step].visits) {
      const auto found = arms_[step + 1].visits.find(name);
      if (found == arms_[step + 1].visits.end()) continue;
      const auto& after = found->second;
      if (base.size() != 2 || after.size() != 2) continue;
      // A filter keeps more than the candidates, and a candidate of one step runs in other arms
      // too: what was not screened in must not be judged a second time.
      if (confirming_ && candidates_.count({name, step}) == 0) continue;
      auto& blocks = blocks_[{name, step}];
      blocks.threshold = arms_[step].seen.at(name).threshold;
      auto& stage = confirming_ ? blocks.confirmation : blocks.screening;
      stage.push_back({{base[0], base[1]}, {after[0], after[1]}});
    }
  }
  for (auto& arm : arms_) arm.visits.clear();
}

bool BlockLedger::anything_stands_out() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& one) {
    return failure_of(one.first).empty() && is_candidate(one.second, options_);
  });
}

void BlockLedger::begin_confirmation() {
  confirming_ = true;
  for (const auto& [key, blocks] : blocks_) {
    if (failure_of(key).empty() && is_candidate(blocks, options_)) candidates_.insert(key);
  }
}

void BlockLedger::suspect(std::size_t arm, const std::vector<std::string>& ids) {
  confirming_ = true;
  for (const auto& id : ids) {
    const auto name = common(arm, id);
    arms_[arm].seen[name].name = id;
    for (std::size_t step = 0; step + 1 < arms_.size(); ++step) candidates_.insert({name, step});
  }
}

std::set<CaseStep> BlockLedger::comparable() const {
  std::set<CaseStep> steps;
  for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
    for (const auto& [name, base] : arms_[step].seen) {
      const CaseStep key{name, step};
      if (arms_[step + 1].seen.count(name) > 0 && failure_of(key).empty()) steps.insert(key);
    }
  }
  return steps;
}

std::set<CaseStep> BlockLedger::candidates() const {
  auto steps = comparable();
  std::erase_if(steps, [&](const CaseStep& step) { return !candidates_.contains(step); });
  return steps;
}

std::vector<std::string> BlockLedger::ids_of(std::size_t arm,
                                             const std::set<CaseStep>& steps) const {
  std::set<std::string> names;
  bool touched = false;
  for (const auto& [name, base] : steps) {
    names.insert(name);
    touched = touched || base == arm || base + 1 == arm;
  }
  std::vector<std::string> ids;
  if (!touched) return ids;
  for (const auto& name : names) {
    const auto found = arms_[arm].seen.find(name);
    const bool failed = arms_[arm].failed.count(name) > 0;
    if (found != arms_[arm].seen.end() && !failed) ids.push_back(found->second.name);
  }
  return ids;
}

std::string BlockLedger::failure_of(const CaseStep& key) const {
  for (const auto arm : {key.second, key.second + 1}) {
    const auto failed = arms_[arm].failed.find(key.first);
    if (failed != arms_[arm].failed.end())
      return "failed with " + arms_[arm].name.label + ": " + failed->second;
  }
  return "";
}

Comparison BlockLedger::judge(int planned) {
  std::vector<BlockCase> cases;
  judged_.clear();
  for (auto& [key, blocks] : blocks_) {
    blocks.name = step_name(key);
    blocks.failed = failure_of(key);
    cases.push_back(blocks);
    judged_.push_back(key);
  }
  auto comparison = judge_blocks(cases, options_, planned);
  comparison.base = arms_.front().name.label;
  comparison.new_side = arms_.back().name.label;
  comparison.base_environment = properties_of(arms_.front().slots.sessions);
  comparison.new_environment = properties_of(arms_.back().slots.sessions);
  add_blockless(comparison);
  return comparison;
}

/// Cases that never made a block: one arm does not have them, or they failed from the start.
void BlockLedger::add_blockless(Comparison& comparison) const {
  std::size_t one_sided = 0;
  for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
    for (const auto& name : names_) {
      const CaseStep key{name, step};
      const bool in_base = arms_[step].seen.count(name) > 0;
      const bool in_new = arms_[step + 1].seen.count(name) > 0;
      if (blocks_.count(key) > 0 || (!in_base && !in_new)) continue;
      if (!by_.empty() && in_base != in_new) {
        // One build and one file: it is the file that does not want the case.
        ++one_sided;
        continue;
      }
      auto& result = comparison.cases.emplace_back();
      result.name = step_name(key);
      const auto failure = failure_of(key);
      if (!failure.empty() || (in_base && in_new)) {
        result.verdict = Verdict::invalid;
        result.reason = failure.empty() ? "no block of this case was finished" : failure;
      } else {
        result.verdict = in_base ? Verdict::missing : Verdict::added;
        result.reason = "only " + arms_[in_base ? step : step + 1].name.label + " has this case";
      }
    }
  }
  if (one_sided > 0) {
    comparison.notes.push_back(std::to_string(one_sided) +
                               (one_sided == 1 ? " step is" : " steps are") +
                               " not in the file: the case exists for only one of the two values");
  }
}

std::set<CaseStep> BlockLedger::moved(const Comparison& comparison) const {
  std::set<CaseStep> steps;
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    if (is_change(comparison.cases[i].verdict)) steps.insert(judged_[i]);
  }
  return steps;
}

void BlockLedger::add_facts(std::size_t arm, const Side& side) {
  for (const auto& c : side.cases) {
    const auto found = arms_[arm].seen.find(common(arm, c.name));
    if (found == arms_[arm].seen.end() || !c.failed.empty()) continue;
    // A traced pass has more facts, but none of those that are taken beside the samples.
    auto& facts = found->second.facts;
    facts.erase_of_kernels();
    facts.merge(c.facts);
    found->second.kernel_code = c.kernel_code;
    found->second.findings = c.findings;
  }
}

void BlockLedger::explain(Comparison& comparison) const {
  for (const auto& arm : arms_) {
    Side side = arm.slots;
    for (const auto& [name, c] : arm.seen) side.cases.push_back(c);
    const auto others = others_beside(side);
    if (others.empty()) continue;
    comparison.notes.push_back("the machine was not quiet: during " + arm.name.label + ", " +
                               others);
  }
  for (std::size_t step = 0; step + 1 < arms_.size(); ++step) {
    const auto& base = arms_[step];
    const auto& next = arms_[step + 1];
    std::vector<CasePair> pairs;
    for (const auto& [name, c] : base.seen) {
      if (const auto other = next.seen.find(name); other != next.seen.end())
        pairs.emplace_back(&c, &other->second);
    }
    auto changes = environment_changes(base.slots, next.slots);
    const auto load = OtherProcesses(base.slots, next.slots).changes(pairs);
    changes.insert(changes.end(), load.begin(), load.end());
    for (const auto& change : changes) comparison.environment.push_back(change.text);
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      auto& result = comparison.cases[i];
      if (judged_[i].second != step || !is_change(result.verdict)) continue;
      const auto& name = judged_[i].first;
      result.causes = causes_of(arms_[step].seen.at(name), arms_[step + 1].seen.at(name), changes);
    }
  }
}

}  // namespace apod::judge
