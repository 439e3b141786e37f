#include "benchmarks/plan/where.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/plan/points.hpp"

namespace apod::plan {

namespace {

bool runs(const Case& c) {
  return c.skip.empty();
}

bool compares(const Expectation& rule) {
  const auto* fact = find_fact(rule.fact);
  return fact != nullptr && fact->needs == FactNeeds::baseline;
}

/// The rules that some cases are asked.
struct Selection {
  std::vector<bool> any;      ///< by any case
  std::vector<bool> running;  ///< by one that runs
  Matches wheres;
};

Selection selection_of(const std::vector<Expectation>& rules, std::span<const Case> cases) {
  std::vector<const Match*> wheres;
  for (const auto& rule : rules) wheres.push_back(&rule.where);
  Selection selection{std::vector<bool>(rules.size()), std::vector<bool>(rules.size()),
                      Matches(std::move(wheres))};
  for (const auto& c : cases) {
    const auto& holds = selection.wheres.hold(c.params);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      if (!holds[r] || (!c.baseline && compares(rules[r]))) continue;
      selection.any[r] = true;
      if (runs(c)) selection.running[r] = true;
    }
  }
  return selection;
}

/// The cases of each experiment, which stand together.
std::vector<std::span<const Case>> by_experiment(const Plan& plan) {
  std::vector<std::span<const Case>> cases;
  auto first = plan.cases.begin();
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    const auto last =
        std::find_if(first, plan.cases.end(), [&](const Case& c) { return c.experiment != e; });
    cases.emplace_back(first, last);
    first = last;
  }
  return cases;
}

std::string rules_select(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " expect rule selects" : " expect rules select");
}

}  // namespace

void RuleCheck::before_filter(const Experiment& experiment, const std::string& file,
                              std::span<const Case> cases, Diagnostics& diagnostics) {
  const auto& rules = experiment.expectations;
  auto selection = selection_of(rules, cases);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (selection.any[r]) continue;
    if (rules[r].narrowed_by != Narrowing::none) {
      ++idle_[rules[r].narrowed_by];
    } else if (selection.wheres.has_held(r)) {
      diagnostics.push_back(
          {file, rules[r].place,
           "'" + rules[r].fact + "' needs a baseline, but the rule selects no case with a baseline",
           "select other cases: a baseline is not compared with itself"});
    } else {
      const auto reason = selection.wheres.why_not(r);
      diagnostics.push_back(
          {file, rules[r].where_place, "'where' selects no case: " + reason.message, reason.hint});
    }
  }
  selected_before_.push_back(std::move(selection.any));
}

void RuleCheck::after_filter(const Plan& plan) {
  const auto cases = by_experiment(plan);
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    const auto& rules = plan.experiments[e].expectations;
    const auto selection = selection_of(rules, cases[e]);
    const bool any_runs = std::any_of(cases[e].begin(), cases[e].end(), runs);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const bool selected = selection.any[r];
      if (selected_before_[e][r] && !selected) ++idle_[Narrowing::filter];
      if (selected && any_runs && !selection.running[r]) ++on_skipped_;
    }
  }
  for (const auto& c : plan.cases) {
    if (runs(c) && c.baseline && !runs(plan.cases.at(*c.baseline))) ++without_baseline_;
  }
}

std::vector<std::string> RuleCheck::notes() const {
  std::vector<std::string> lines;
  for (const auto& [cause, count] : idle_) {
    lines.push_back(rules_select(count) +
                    " no case of this run (cause: " + std::string(to_string(cause)) + ")");
  }
  if (on_skipped_ > 0) {
    lines.push_back(rules_select(on_skipped_) +
                    " only skipped cases, so the result will be undecided");
  }
  if (without_baseline_ > 0) {
    lines.push_back(std::to_string(without_baseline_) +
                    (without_baseline_ == 1 ? " case has" : " cases have") +
                    " a skipped baseline, so there will be no delta");
  }
  return lines;
}

namespace {

/// More values are left out of a message.
constexpr std::size_t most_values_shown = 8;

/// "streams is 1, 2 or 4".
std::string values_text(const std::string& axis, const std::set<AxisValue>& values) {
  if (values.empty()) return "no case has this axis";
  std::string text = axis + " is ";
  std::size_t shown = 0;
  for (const auto& value : values) {
    if (shown == most_values_shown) return text + ", ...";
    const bool is_last = ++shown == values.size();
    text += (shown == 1 ? "" : is_last ? " or " : ", ") + to_string(value);
  }
  return text;
}

}  // namespace

Matches::Matches(std::vector<const Match*> matches)
    : matches_(std::move(matches)), holds_(matches_.size()), has_held_(matches_.size()) {
  for (const auto* match : matches_) {
    is_met_.emplace_back(match->size());
    for (const auto& [axis, condition] : *match) values_[axis];
  }
}

const std::vector<bool>& Matches::hold(const Params& params) {
  for (auto& [axis, values] : values_) {
    const auto* value = params.find(axis);
    if (value == nullptr) continue;
    values.insert(*value);
    if (values.size() > most_values_shown + 1) values.erase(std::prev(values.end()));
  }
  for (std::size_t m = 0; m < matches_.size(); ++m) {
    const auto& match = *matches_[m];
    bool all = true;
    for (std::size_t c = 0; c < match.size(); ++c) {
      if (!all && is_met_[m][c]) continue;
      const auto& [axis, condition] = match[c];
      const auto* value = params.find(axis);
      const bool holds_here = value != nullptr && holds(condition, *value, params);
      if (holds_here) is_met_[m][c] = true;
      all = all && holds_here;
    }
    holds_[m] = all;
    if (all) has_held_[m] = true;
  }
  return holds_;
}

Matches::Reason Matches::why_not(std::size_t match) const {
  for (std::size_t c = 0; c < matches_[match]->size(); ++c) {
    if (is_met_[match][c]) continue;
    const auto& [axis, condition] = (*matches_[match])[c];
    return {"no case has " + to_string(axis, condition), values_text(axis, values_.at(axis))};
  }
  return {"no case meets all of the conditions",
          "to see all cases, remove these conditions and add --dry-run"};
}

namespace {

std::string axes_text(const Experiment& experiment, const Params& params) {
  std::string text;
  for (const auto& axis : all_axes(experiment)) {
    const auto* value = params.find(axis.name);
    if (value == nullptr) continue;
    text += (text.empty() ? "" : ", ") + axis.name + " " + to_string(*value);
  }
  return text;
}

}  // namespace

void ExpressionCheck::keep(const std::string& key, SourcePlace place, const std::string& message,
                           const Params& params) {
  auto& wrong = wrong_[key];
  if (wrong.count++ > 0) return;
  wrong.place = place;
  wrong.message = message;
  wrong.example = axes_text(experiment_, params);
}

bool ExpressionCheck::leaves_out(const Params& params) {
  ++asked_;
  for (std::size_t i = 0; i < experiment_.where.size(); ++i) {
    const auto& [expression, place] = experiment_.where[i];
    static constexpr std::byte lacking{};  // an array: its value is an error, where it is asked for
    std::vector<Binding> bindings;
    bool lacks = false;
    for (const auto& name : expression.names()) {
      const auto* value = params.find(name);
      bindings.push_back(value != nullptr ? Binding{.value = value_of(*value)}
                                          : Binding{.array = &lacking});
      lacks = lacks || value == nullptr;
    }
    try {
      const auto value = expression.evaluate(bindings);
      if (value.kind != Value::Kind::truth) {
        throw ExpressionError(
            0, "write a condition such as n > 0; this expression gives " + to_string(value));
      }
      if (value.whole != 0) continue;
      ++left_out_;
      return true;
    } catch (const ExpressionError& error) {
      if (lacks) continue;
      keep("where/" + std::to_string(i), {place.line, place.column + static_cast<int>(error.at())},
           std::string("where: ") + error.what(), params);
    }
  }
  return false;
}

std::optional<std::string> ExpressionCheck::refuses(const Params& params) {
  if (!experiment_.kernel) return std::nullopt;
  constexpr std::size_t most_launches = 1'000'000;  // a plan takes some seconds for them
  if (launches_ > most_launches) {
    const std::string why = "the loops of all cases together make more than 1000000 launches";
    keep("for", experiment_.place, why, params);
    return why;
  }
  try {
    launches_ += experiment_.kernel->family().check(params);
  } catch (const file::SpecError& error) {
    const auto known = experiment_.kernel_places.find(error.key());
    auto place = known != experiment_.kernel_places.end() ? known->second : experiment_.place;
    place.column += static_cast<int>(error.at());
    keep(error.key(), place, error.what(), params);
    return error.what();
  }
  return std::nullopt;
}

/// Of a kernel file whose expressions can be read.
std::vector<std::string> ExpressionCheck::idle_axes() const {
  if (!experiment_.kernel || experiment_.axes_were_set) return {};
  auto idle = experiment_.kernel->family().idle_axes();
  const auto is_idle = [&](const Axis& axis) {
    return std::find(idle.begin(), idle.end(), axis.name) != idle.end();
  };
  // One of a zip may be a name for what the others change.
  for (const auto& group : experiment_.groups) {
    if (std::all_of(group.axes.begin(), group.axes.end(), is_idle)) continue;
    for (const auto& axis : group.axes) std::erase(idle, axis.name);
  }
  return idle;
}

namespace {

/// The number that is written with letters or marks like those of a number: "2O48", "1_024".
bool is_slip_of_number(std::string word) {
  std::ranges::replace(word, 'O', '0');
  std::ranges::replace(word, 'l', '1');
  std::erase_if(word, [](char c) { return c == ',' || c == '_' || c == ' '; });
  return text::parse_count(word).value.has_value();
}

/// "the values of n are words, because '2O48' is not a whole number", of the first axis of words
/// that a slip may have made; else empty.
std::string slip_in_numbers(const Experiment& experiment) {
  for (const auto& axis : all_axes(experiment)) {
    if (axis.name == "variant") continue;
    for (const auto& value : axis.values) {
      const auto* word = std::get_if<std::string>(&value);
      if (word == nullptr || text::parse_count(*word).value || !is_slip_of_number(*word)) continue;
      return "the values of " + axis.name + " are words, because '" + *word +
             "' is not a whole number";
    }
  }
  return "";
}

}  // namespace

bool ExpressionCheck::report_on(const std::string& file, Diagnostics& diagnostics) const {
  for (const auto& [key, wrong] : wrong_) {
    const auto others = wrong.count - 1;
    // "the block is 2048, but must be 1 to 1024", but not of 0 or -5; "a block of 2048 threads".
    const auto digit = wrong.message.find_first_of("-0123456789");
    const bool is_large = wrong.message.ends_with("1024") && wrong.message[digit] >= '1';
    auto hint = slip_in_numbers(experiment_);
    if (hint.empty() && is_large) hint = "to leave such cases out, add where: [\"block <= 1024\"]";
    diagnostics.push_back({file, wrong.place,
                           wrong.message + (wrong.example.empty() ? "" : ", for " + wrong.example) +
                               (others == 0 ? "" : " and " + std::to_string(others) + " more"),
                           hint});
  }
  const auto idle = idle_axes();
  for (const auto& axis : idle) {
    const auto place = experiment_.kernel_places.find("axes/" + axis);
    diagnostics.push_back(
        {file, place != experiment_.kernel_places.end() ? place->second : experiment_.place,
         "axis '" + axis + "' changes nothing in the kernel",
         "use the axis in grid, block, args or the kernel's template arguments: otherwise all "
         "values give the same case"});
  }
  return !wrong_.empty() || !idle.empty();
}

std::string ExpressionCheck::note() const {
  if (left_out_ == 0) return "";
  return "where leaves out " + std::to_string(left_out_) + " of " + std::to_string(asked_) +
         " cases of experiment '" + experiment_.name + "'";
}

}  // namespace apod::plan
