#include "benchmarks/run/shape_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <span>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/judge/search/effects.hpp"

namespace apod::run {
namespace {

using plan::RowIndex;
using search::Care;

/// Of the budget, where a choice for all shapes is wanted.
constexpr double share_of_portable = 0.15;
/// A search has at least eight measurements at full care for its finals, one before, and looks.
constexpr std::size_t least_rows = 10;
constexpr std::size_t of_a_process = 8;
constexpr std::size_t most_objectives = 2;
constexpr std::size_t finalists_alone = 8;  ///< of one objective
constexpr std::size_t finalists_each = 3;   ///< of each of several
constexpr std::size_t most_watched = 24;    ///< rows whose energy is measured

/// A weighted sum of the objectives, which are logarithms.
double weighed(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] != 0) sum += weights[i] * values[i];
  }
  return sum;
}

/// Of a change of what is searched: the inverse where more is better. Without an end no interval.
Estimate change_of(const std::string& objective, const Estimate& searched) {
  const bool is_inverse = more_is_better(objective);
  const auto turned = [&](double change) { return is_inverse ? 1 / (1 + change) - 1 : change; };
  if (!std::isfinite(searched.high)) return {turned(searched.value)};
  const auto [low, high] = std::minmax({turned(searched.low), turned(searched.high)});
  return {turned(searched.value), low, high};
}

/// Of logarithms of the objective, which were turned round where more is better.
Estimate value_of(const std::string& objective, const std::vector<double>& logarithms) {
  const double sign = more_is_better(objective) ? -1 : 1;
  std::vector<double> values;
  for (const auto one : logarithms) {
    if (!std::isnan(one)) values.push_back(std::exp(sign * one));
  }
  return estimate_time(values);
}

class ShapeSearch {
 public:
  ShapeSearch(const std::vector<ShapeSpace>& shapes, const ShapeRequest& request, Trials& trials,
              double& spent_s)
      : shapes_(shapes), request_(request), trials_(trials), spent_s_(spent_s) {}

  /// False if it was interrupted.
  bool run(Tuning& tuning) {
    const bool portable = request_.portable && shapes_.size() > 1;
    const double shared = portable ? 1 - share_of_portable : 1;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const double left = request_.budget_s * shared - spent_s_;
      const auto budget = std::max(left, 0.0) / static_cast<double>(shapes_.size() - i);
      if (!search_shape(shapes_[i], budget, tuning)) return false;
    }
    if (portable && !choose_portable(tuning)) return false;
    tuning.seconds = spent_s_;
    for (const auto& [reason, count] : trials_.failures())
      tuning.failures.emplace_back(reason, count);
    std::ranges::stable_sort(tuning.failures,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    return true;
  }

 private:
  using Weights = std::vector<double>;

  /// Measures; remembers what the full trials of a row said. Energy belongs to them alone.
  search::Measure measure(const ShapeSpace& shape, Weights weights) {
    return [this, &shape, weights](std::span<const RowIndex> rows, Care care) {
      const bool full = care == Care::full;
      auto batch = trials_.measure(shape.space, rows,
                                   {.care = care,
                                    .energy = full && request_.wants_energy(),
                                    .limit_s = request_.budget_s - spent_s_});
      spent_s_ += batch.seconds;
      search::Batch answers{{}, batch.seconds, batch.stopped};
      for (auto& trial : batch.trials) {
        answers.answers.push_back({trial.row, weighed(trial.values, weights)});
        if (full) full_[&shape].push_back(trial);
        seen_[&shape].push_back(std::move(trial));
      }
      return answers;
    };
  }

  /// Each of these objectives alone, and two of them together: the ends of a front, and its middle.
  static std::vector<Weights> ways_of(const std::vector<std::size_t>& objectives) {
    std::vector<Weights> ways;
    for (const auto one : objectives) {
      ways.emplace_back(one + 1, 0.0).back() = 1;
      ways.back().resize(most_objectives);
    }
    if (objectives.size() < 2) return ways;
    auto& both = ways.emplace_back(most_objectives, 0.0);
    for (const auto one : objectives) both[one] = 0.5;
    return ways;
  }

  std::vector<Weights> ways(bool with_energy) const {
    std::vector<std::size_t> objectives;
    for (std::size_t i = 0; i < request_.objectives.size(); ++i) {
      if (with_energy || !needs_energy(request_.objectives[i])) objectives.push_back(i);
    }
    // Where energy alone is wanted, what takes little time is looked at: the row after it.
    if (objectives.empty()) objectives.push_back(request_.objectives.size());
    return ways_of(objectives);
  }

  /// What trials say of their rows, in one direction.
  static search::Looks looks_of(const std::vector<Trial>& trials, const Weights& weights) {
    search::Looks looks;
    for (const auto& trial : trials) looks.add({trial.row, weighed(trial.values, weights)});
    return looks;
  }

  /// Energy takes some seconds a row, so it is measured of those that take the least time.
  bool watch_energy(const ShapeSpace& shape, double until_s, double row_s) {
    const auto measured = measure(shape, ways(true).front());
    auto left = looks_of(seen_[&shape], ways(false).front()).ranked();
    left.resize(std::min(left.size(), most_watched));
    for (std::size_t i = 0; i < left.size();) {
      const auto fit = static_cast<std::size_t>(std::max(0.0, (until_s - spent_s_) / row_s));
      std::vector<RowIndex> rows;
      while (i < left.size() && rows.size() < std::min(of_a_process, fit))
        rows.push_back(left[i++].row);
      if (rows.empty()) break;
      if (measured(rows, Care::full).stopped) return false;
    }
    return true;
  }

  bool search_shape(const ShapeSpace& shape, double budget_s, Tuning& tuning) {
    const double begin_s = spent_s_;
    seen_[&shape] = shape.known;
    const auto measured = measure(shape, ways(true).front());
    // The first measurement also starts the process and compiles; the second costs what the finals
    // will.
    auto first = measured(std::span(&shape.start, 1), Care::full);
    if (!first.stopped && 2 * first.seconds < budget_s)
      first = measured(std::span(&shape.start, 1), Care::full);
    if (first.stopped) return false;
    const double row_s = row_s_[&shape] = first.seconds;
    // Once a shape is done, its result is worth more than a complete one.
    const auto wanted_rows = std::min(least_rows, shape.space.size());
    if (tuning.shapes.empty() && row_s * static_cast<double>(wanted_rows) > budget_s) {
      throw BudgetTooShort(
          "--budget: " + text::format_time(request_.budget_s, text::in_prose) +
          " is too short: measuring the first case took " +
          text::format_time(row_s, text::in_prose) + " here, and a search measures at least " +
          text::counted(wanted_rows, "case") + (shapes_.size() > 1 ? " for each shape" : ""));
    }
    TunedShape made;
    made.label = shape.label;
    made.values = shape.values;
    made.objective = request_.objectives.front();
    made.more_is_better = more_is_better(made.objective);
    made.valid = shape.space.size();
    std::vector<RowIndex> finalists;
    const auto add = [&](RowIndex row) {
      if (std::ranges::find(finalists, row) == finalists.end()) finalists.push_back(row);
    };
    const double looks_s = search::budget_of_looks(budget_s, row_s);
    const double watched_s = request_.wants_energy() ? looks_s / 2 : 0;
    const auto directions = ways(false);
    for (std::size_t w = 0; w < directions.size(); ++w) {
      search::SearchRequest request{
          .strategy = request_.strategy,
          .seed = request_.seed + w,
          .budget_s = (looks_s - watched_s - (spent_s_ - begin_s)) /
                      static_cast<double>(directions.size() - w),
          .start = shape.start,
          .finalists = directions.size() == 1 ? finalists_alone : finalists_each,
          .known = looks_of(seen_[&shape], directions[w])};
      if (shape.space.experiment_of(std::span(&shape.start, 1)).kernel)
        request.prepare = [&](auto rows) { trials_.prepare(shape.space, rows); };
      const auto found = search::explore(shape.space, request, measure(shape, directions[w]));
      if (found.stopped) return false;
      made.strategy = to_string(found.strategy);
      if (!request_.wants_energy()) std::ranges::for_each(found.finalists, add);
      if (w > 0) continue;
      made.steps = found.steps;
      const auto& seen = needs_energy(made.objective) ? "time" : made.objective;
      for (auto& step : made.steps) step.value = value_of(seen, {step.value}).value;
    }
    if (request_.wants_energy()) {
      if (!watch_energy(shape, begin_s + looks_s, row_s)) return false;
      for (const auto& direction : ways(true)) {
        for (const auto& row :
             looks_of(full_[&shape], direction).ranked() | std::views::take(finalists_each))
          add(row.row);
      }
    }
    const auto last =
        search::finals(finalists, shape.start, budget_s - (spent_s_ - begin_s), row_s, measured);
    if (last.stopped) return false;
    const auto looks = looks_of(seen_[&shape], directions.front());
    made.looks = seen_[&shape].size() - shape.known.size();
    made.looked = looks.rows().size();
    made.failed = static_cast<std::size_t>(
        std::ranges::count_if(looks.rows(), [](const auto& row) { return row.failed(); }));
    for (const auto& one : last.rows) {
      TunedRow row{.label = shape.space.label(one.row), .params = shape.space.params(one.row)};
      row.value = value_of(made.objective, one.values);
      row.behind = change_of(made.objective, one.behind);
      row.blocks = one.values.size();
      row.is_default = one.row == shape.start;
      row.is_worse = one.is_worse;
      row.failed = one.failed;
      made.rows.push_back(std::move(row));
    }
    if (last.gain) made.gain = change_of(made.objective, *last.gain);
    made.effects = search::effects_of(shape.space, looks);
    if (request_.objectives.size() == 2) add_front(shape, tuning);
    if (!last.rows.empty()) winners_.emplace_back(&shape, last.rows.front().row);
    tuning.shapes.push_back(std::move(made));
    return true;
  }

  /// Of the rows with full trials, those that no other beats in both objectives.
  void add_front(const ShapeSpace& shape, Tuning& tuning) {
    std::vector<FrontPoint> points;
    std::map<RowIndex, std::vector<std::vector<double>>> of_rows;
    for (const auto& trial : full_[&shape]) of_rows[trial.row].push_back(trial.values);
    for (const auto& [row, trials] : of_rows) {
      const auto is_missing = [](const std::vector<double>& trial) {
        return std::ranges::any_of(trial, [](double v) { return std::isnan(v); });
      };
      if (std::ranges::any_of(trials, is_missing)) continue;  // it failed once
      FrontPoint point{shape.space.label(row), shape.label, {}, row == shape.start};
      for (std::size_t o = 0; o < request_.objectives.size(); ++o) {
        std::vector<double> values;
        for (const auto& trial : trials) values.push_back(trial[o]);
        point.values.push_back(value_of(request_.objectives[o], values));
      }
      points.push_back(std::move(point));
    }
    const auto better = [&](const FrontPoint& a, const FrontPoint& b, std::size_t o) {
      return more_is_better(request_.objectives[o]) ? a.values[o].value > b.values[o].value
                                                    : a.values[o].value < b.values[o].value;
    };
    std::ranges::sort(points, [&](const auto& a, const auto& b) { return better(a, b, 0); });
    for (const auto& point : points) {
      const bool beaten = std::ranges::any_of(points, [&](const FrontPoint& other) {
        return better(other, point, 0) && better(other, point, 1);
      });
      if (!beaten) tuning.front.push_back(point);
    }
  }

  /// The winners of all shapes, side by side in each: the one whose largest loss is the least.
  bool choose_portable(Tuning& tuning) {
    // Shapes differ in dimensions that have one level in each of them: levels mean the same.
    std::vector<std::vector<std::uint32_t>> choices;
    for (const auto& [shape, row] : winners_) {
      const auto at = shape->space.at(row);
      if (std::ranges::find(choices, at) == choices.end()) choices.push_back(at);
    }
    std::vector<std::vector<Estimate>> losses(choices.size());
    std::vector<double> most(choices.size());  // of the losses; infinite where one is unknown
    for (const auto& shape : shapes_) {
      std::vector<RowIndex> rows;
      std::vector<std::optional<RowIndex>> of_choice;
      for (const auto& at : choices) {
        of_choice.push_back(shape.space.find(at));
        if (of_choice.back()) rows.push_back(*of_choice.back());
      }
      if (rows.empty()) rows.push_back(shape.start);
      constexpr int blocks = 3;
      const double needs_s = row_s_[&shape] * static_cast<double>(rows.size());
      std::map<RowIndex, std::vector<double>> values;
      const auto measured = measure(shape, ways(true).front());
      for (int b = 0; b < blocks && spent_s_ + needs_s <= request_.budget_s; ++b) {
        const auto batch = measured(rows, Care::full);
        if (batch.stopped) return false;
        for (const auto& answer : batch.answers)
          values[answer.row].push_back(std::exp(answer.value));
      }
      const auto own =
          std::ranges::find_if(winners_, [&](const auto& one) { return one.first == &shape; });
      for (std::size_t c = 0; c < choices.size(); ++c) {
        Estimate loss{.value = std::nan("")};
        if (of_choice[c] && own != winners_.end()) {
          const auto& mine = values[*of_choice[c]];
          const auto& best = values[own->second];
          if (mine.size() == best.size()) loss = estimate_delta(mine, best, true).value_or(loss);
          if (*of_choice[c] == own->second) loss = {.value = 0, .low = 0, .high = 0};
        }
        losses[c].push_back(loss);
        most[c] = std::max(most[c], std::isnan(loss.value) ? HUGE_VAL : loss.value);
      }
    }
    if (choices.empty()) return true;
    const auto best = static_cast<std::size_t>(std::ranges::min_element(most) - most.begin());
    if (!std::isfinite(most[best])) {
      tuning.notes.emplace_back(
          "No configuration is known to be valid and correct for all shapes: each shape's best "
          "configuration failed for another shape, or there was no time to check it.");
      return true;
    }
    for (const auto& [shape, row] : winners_) {
      if (shape->space.at(row) != choices[best]) continue;
      tuning.portable = {shape->space.label(row), shape->space.params(row), losses[best]};
      break;
    }
    return true;
  }

  const std::vector<ShapeSpace>& shapes_;
  const ShapeRequest& request_;
  Trials& trials_;
  double& spent_s_;
  std::map<const ShapeSpace*, std::vector<Trial>> seen_;  ///< also by an earlier search
  std::map<const ShapeSpace*, std::vector<Trial>> full_;  ///< of these those at full care
  std::map<const ShapeSpace*, double> row_s_;             ///< of the default, at full care
  std::vector<std::pair<const ShapeSpace*, RowIndex>> winners_;
};

}  // namespace

bool search_shapes(const std::vector<ShapeSpace>& shapes, const ShapeRequest& request,
                   Trials& trials, double& spent_s, Tuning& tuning) {
  return ShapeSearch(shapes, request, trials, spent_s).run(tuning);
}

}  // namespace apod::run
