#include "benchmarks/plan/expand.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <span>
#include <unordered_map>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/plan/case_check.hpp"
#include "benchmarks/plan/checks.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/filter.hpp"
#include "benchmarks/plan/other_baseline.hpp"
#include "benchmarks/plan/points.hpp"
#include "benchmarks/plan/where.hpp"

namespace apod::plan {
namespace {

std::vector<const Match*> excluded(const Experiment& experiment) {
  std::vector<const Match*> matches;
  for (const auto& exclusion : experiment.exclude) matches.push_back(&exclusion.match);
  return matches;
}

/// Expands one experiment into the plan, of whose experiments it is the last.
class Expander {
 public:
  Expander(const Experiment& experiment, const Registry& registry, const ExpandOptions& options,
           Plan& plan)
      : experiment_(experiment),
        check_(experiment, registry, options),
        plan_(plan),
        exclusions_(excluded(experiment)),
        expressions_(experiment),
        first_(plan.cases.size()),
        index_(plan.experiments.size() - 1),
        defaults_(usual_values(registry, experiment)) {
    for (const auto& axis : all_axes(experiment)) add_name(axis.name);
    for (const auto& point : experiment.include) {
      for (const auto& [name, value] : point.entries()) add_name(name);
    }
  }

  void expand() {
    by_id_.reserve(static_cast<std::size_t>(count_cases(experiment_)));
    std::unordered_map<std::string, Params> known;  // of variants that lack an axis
    each_point(open_groups(experiment_, {}), defaults_, [&](const Params& point) {
      const auto params = check_.own(point);
      if (params.entries().size() < point.entries().size()) {
        const auto [same, is_new] = known.emplace(id_of(params), params);
        if (!is_new && same->second == params) return;
      }
      if (!is_excluded(params) && !expressions_.leaves_out(params)) add(params);
    });
    for (const auto& axis : all_axes(experiment_)) note_if_unused(axis.name, {});
    for (const auto& point : experiment_.include) {
      each_point(open_groups(experiment_, point), over(defaults_, point),
                 [&](const Params& p) { add(check_.own(p)); });
      for (const auto& [name, value] : point.entries()) note_if_unused(name, point);
    }
    if (const auto note = expressions_.note(); !note.empty()) notes_.insert(note);
  }

  void report_on(const std::string& file, Diagnostics& diagnostics) {
    report_idle_exclusions(file, diagnostics);
    if (expressions_.report_on(file, diagnostics)) return;
    if (!clash_.empty()) {
      diagnostics.push_back({file, experiment_.place, "two cases would have the same id: " + clash_,
                             "write the value without '/': it looks like another axis"});
    }
    if (plan_.cases.size() == first_) {
      const auto called = "experiment '" + experiment_.name + "'";
      Diagnostic none{file, experiment_.place, called + " has no case", ""};
      if (!expressions_.note().empty()) {
        none = {file, experiment_.where.front().place, "'where' leaves no case in " + called, ""};
      } else if (experiment_.exclude_place.line > 0) {
        none = {file, experiment_.exclude_place, "'exclude' leaves no case in " + called,
                "remove an item of 'exclude', or add conditions to it: every case meets an item"};
      }
      diagnostics.push_back(std::move(none));
      return;
    }
    // Where --set changed the axes of a whole file, some of its experiments may not know the
    // values.
    if (rejected_ == plan_.cases.size() - first_ && !experiment_.axes_were_set) {
      const auto& first = plan_.cases[first_];
      diagnostics.push_back(
          {file, place_of_rejected(first.params),
           "no case of experiment '" + experiment_.name + "' can run: " + first.skip, ""});
    }
    if (!experiment_.baseline.entries().empty() && experiment_.baseline_of.empty() &&
        !baseline_found_) {
      diagnostics.push_back(
          {file, experiment_.baseline_place,
           "the baseline of experiment '" + experiment_.name + "' matches none of its cases",
           "use only values that the axes have and that are not excluded"});
    }
  }

  const std::set<std::string>& notes() const { return notes_; }

  /// Links every case to the one that has the baseline's values and its own others.
  void link_baselines() {
    const auto& baseline = experiment_.baseline;
    if (baseline.entries().empty() || !experiment_.baseline_of.empty()) return;
    for (const auto& [name, value] : baseline.entries()) {
      const bool swept = std::ranges::find(names_, name) != names_.end();
      const auto* fixed = defaults_.find(name);
      // An axis that the experiment does not name has its default in every case.
      if (!swept && (fixed == nullptr || *fixed != value)) return;
    }
    for (std::size_t i = first_; i < plan_.cases.size(); ++i) {
      auto& c = plan_.cases[i];
      const auto params = over(over(defaults_, c.params), baseline);
      const auto found = by_id_.find(id_of(check_.own(params)));
      if (found == by_id_.end()) continue;
      baseline_found_ = true;
      if (found->second != i) c.baseline = found->second;
    }
  }

 private:
  bool is_excluded(const Params& params) {
    const auto& holds = exclusions_.hold(params);
    return std::ranges::find(holds, true) != holds.end();
  }

  /// An item that leaves out no case: a slip in it would measure what was not to be measured.
  void report_idle_exclusions(const std::string& file, Diagnostics& diagnostics) const {
    for (std::size_t i = 0; i < experiment_.exclude.size(); ++i) {
      const auto& exclusion = experiment_.exclude[i];
      if (exclusions_.has_held(i) || exclusion.narrowed_by != Narrowing::none) continue;
      const auto reason = exclusions_.why_not(i);
      diagnostics.push_back({file, exclusion.place,
                             "an item of 'exclude' leaves out no case: " + reason.message,
                             reason.hint});
    }
  }

  /// Values that no case has, because neither the point's variant nor, where it names none, any
  /// variant has the axis, would go unnoticed.
  void note_if_unused(const std::string& axis, const Params& point) {
    const auto* own = point.find("variant");
    const auto* all = axis_called(experiment_, "variant");
    const auto has = [&](const auto& value) { return check_.has_axis(to_string(value), axis); };
    if (own ? has(*own) : all == nullptr || std::ranges::any_of(all->values, has)) return;
    notes_.insert("experiment '" + experiment_.name +
                  "': " + (own ? "variant " + to_string(*own) + " does" : "its variants do") +
                  " not have the axis '" + axis + "', so bench ignores the axis's value");
  }

  void add_name(const std::string& name) {
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  }

  std::string id_of(const Params& params) const {
    std::string id;
    id.reserve(128);
    id.append(experiment_.name).append("/").append(params.text("variant"));
    for (const auto& name : names_) {
      const auto* value = params.find(name);
      if (name == "variant" || value == nullptr) continue;
      id.append("/").append(name).append(":").append(to_string(*value));
    }
    return id;
  }

  /// Where the config names the value without which the case could be computed, with the axis'
  /// default in its place; the experiment where there is no such value.
  SourcePlace place_of_rejected(const Params& params) const {
    for (const auto& name : names_) {
      const auto* fixed = defaults_.find(name);
      // Another variant, which may not be built, has other limits: it tells nothing.
      if (fixed == nullptr || name == "variant" || !params.has(name)) continue;
      Params other = params;
      other.set(name, *fixed);
      if (check_.rejects(other)) continue;
      return place_of_value(experiment_, name, *params.find(name), experiment_.place);
    }
    return experiment_.place;
  }

  void add(const Params& params) {
    Case c;
    c.variant = params.text("variant");
    c.params = params;
    c.id = id_of(params);
    const auto [known, is_new] = by_id_.emplace(c.id, plan_.cases.size());
    if (!is_new) {
      if (plan_.cases[known->second].params != params) clash_ = c.id;
      return;
    }
    c.index = plan_.cases.size();
    c.experiment = index_;
    const auto entry = check_.variant(c.variant);
    if (entry) c.backend = entry->backend;
    auto reason = expressions_.refuses(params);
    if (!reason) reason = check_.rejects(c.params);
    if (reason) {
      c.skip = *reason;
      ++rejected_;
    } else if (!experiment_.command) {
      c.skip = check_.missing(entry, c.params);
    }
    plan_.cases.push_back(std::move(c));
  }

  const Experiment& experiment_;
  CaseCheck check_;
  Plan& plan_;
  Matches exclusions_;
  ExpressionCheck expressions_;
  std::size_t first_;  ///< index of this experiment's first case
  std::size_t index_;  ///< of the experiment
  Params defaults_;
  std::vector<std::string> names_;  ///< axes that the experiment names: what its ids show
  std::unordered_map<std::string, std::size_t> by_id_;
  std::set<std::string> notes_;
  std::string clash_;  ///< an id of two different cases
  std::size_t rejected_ = 0;
  bool baseline_found_ = false;
};

/// Fills in which axes have more than one value among the cases that are left.
void find_swept(Plan& plan) {
  std::vector<const Case*> first(plan.experiments.size(), nullptr);
  for (const auto& c : plan.cases) {
    auto& swept = plan.experiments[c.experiment].swept;
    auto*& reference = first[c.experiment];
    if (reference == nullptr) reference = &c;
    for (const auto& [name, value] : c.params.entries()) {
      const auto* other = reference->params.find(name);
      const bool differs = other == nullptr || *other != value;
      if (differs && std::ranges::find(swept, name) == swept.end()) swept.push_back(name);
    }
  }
  // In the order of the parameters, whatever the order in which the differences were met.
  for (std::size_t e = 0; e < first.size(); ++e) {
    if (first[e] == nullptr) continue;
    const auto& entries = first[e]->params.entries();
    const auto position = [&](const std::string& name) {
      return std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == name; });
    };
    std::ranges::sort(plan.experiments[e].swept,
                      [&](const auto& a, const auto& b) { return position(a) < position(b); });
  }
}

/// Marks the cases that answer the question of the study. That none does is a mistake, unless
/// something removed those that were meant.
void mark_answers(const std::string& file, const Experiment& experiment, std::span<Case> cases,
                  Diagnostics& diagnostics) {
  if (!experiment.answer) return;
  const auto& answer = *experiment.answer;
  Matches matches({&answer.match});
  bool any = false;
  for (auto& c : cases) {
    c.answers = matches.hold(c.params)[0] && c.baseline.has_value();
    any = any || c.answers;
  }
  if (any || answer.narrowed_by != Narrowing::none || cases.empty()) return;
  if (matches.has_held(0)) {
    diagnostics.push_back({file, answer.place, "'answer' selects no case that has a baseline",
                           "select other cases: the baseline is not compared with itself"});
  } else {
    const auto reason = matches.why_not(0);
    diagnostics.push_back(
        {file, answer.place, "'answer' selects no case: " + reason.message, reason.hint});
  }
}

/// The cases of all experiments. What is wrong with one is diagnosed; its rules are checked against
/// its cases only where nothing is.
void expand_all(const ExperimentConfig& config, const Registry& registry,
                const ExpandOptions& options, Plan& plan, RuleCheck& rules,
                Diagnostics& diagnostics, std::vector<std::string>& notes) {
  std::vector<std::size_t> first;  // index of each experiment's first case
  std::vector<bool> is_right;
  for (const auto& experiment : config.experiments) {
    is_right.push_back(false);
    const auto said = diagnostics.size();
    first.push_back(plan.cases.size());
    plan.experiments.push_back(experiment);
    try {
      Expander expander(experiment, registry, options, plan);
      expander.expand();
      expander.link_baselines();
      expander.report_on(config.path, diagnostics);
      notes.insert(notes.end(), expander.notes().begin(), expander.notes().end());
      // Each case takes a copy of its experiment to its worker, and has its axes itself.
      plan.experiments.back().groups.clear();
      is_right.back() = diagnostics.size() == said;
    } catch (const std::exception& error) {
      diagnostics.push_back({config.path, experiment.place,
                             "experiment '" + experiment.name + "': " + error.what(), ""});
    }
  }
  link_other_baselines(plan, config, registry, diagnostics, notes);
  first.push_back(plan.cases.size());
  for (std::size_t e = 0; e < config.experiments.size(); ++e) {
    if (!is_right[e]) continue;
    const auto cases = std::span(plan.cases).subspan(first[e], first[e + 1] - first[e]);
    mark_answers(config.path, config.experiments[e], cases, diagnostics);
    rules.before_filter(config.experiments[e], config.path, cases, diagnostics);
  }
}

/// A mistake for each of the ids that is no case; of many the first few.
void check_ids(Plan& plan, const ExpandOptions& options, Diagnostics& diagnostics) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  for (const auto& c : plan.cases) names.push_back(c.id);
  const auto unknown = take_ids(plan, options.only);
  const std::string flag = "--only " + options.only_file;
  for (std::size_t i = 0; i < std::min(most, unknown.size()); ++i) {
    const auto near = text::closest(unknown[i], names);
    diagnostics.push_back({flag,
                           {},
                           "'" + unknown[i] + "' is not the id of a case",
                           text::did_you_mean(near, "to see the ids: --dry-run without --only")});
  }
  if (unknown.size() <= most) return;
  diagnostics.push_back(
      {flag, {}, std::to_string(unknown.size() - most) + " more lines are not ids of cases", ""});
}

/// Narrows the plan, and holds what is left against the machine and the data. That nothing is left
/// is a mistake only where all cases are known: else those that are not may have been meant.
void narrow_and_check(const ExperimentConfig& config, const Registry& registry,
                      const ExpandOptions& options, Plan& plan, Diagnostics& diagnostics) {
  if (!options.only.empty() && diagnostics.empty()) check_ids(plan, options, diagnostics);
  if (!options.filter.empty()) {
    if (!apply_filter(plan, options.filter)) {
      if (diagnostics.empty()) diagnostics.push_back(no_match(plan, options.filter));
      return;
    }
  }
  if (!options.only.empty() && !keep_only(plan, options.only)) {
    if (diagnostics.empty()) {
      diagnostics.push_back(
          {"--only " + options.only_file, {}, "--filter leaves out all cases of this file", ""});
    }
    return;
  }
  check_gpu_measures(config, plan, diagnostics);
  check_memory(config, plan, registry, options, diagnostics);
  check_data(config, plan, registry, diagnostics);
}

}  // namespace

ExpandOutcome expand(const ExperimentConfig& config, const Registry& registry,
                     const ExpandOptions& options, Diagnostics found) {
  ExpandOutcome outcome;
  Diagnostics diagnostics = std::move(found);
  Plan plan{config.name, config.description, config.path, config.text, {}, {}};
  RuleCheck rules;
  if (const auto count = count_within_limits(config, registry, options.max_cases, diagnostics)) {
    plan.cases.reserve(*count);
    expand_all(config, registry, options, plan, rules, diagnostics, outcome.notes);
  }
  narrow_and_check(config, registry, options, plan, diagnostics);
  if (diagnostics.empty()) {
    rules.after_filter(plan);
    for (auto& note : rules.notes()) outcome.notes.push_back(std::move(note));
    if (auto note = unchecked_metrics(config, registry); !note.empty())
      outcome.notes.push_back(std::move(note));
    find_swept(plan);
    outcome.plan = std::move(plan);
  }
  outcome.diagnostics = in_order(std::move(diagnostics));
  return outcome;
}

}  // namespace apod::plan
