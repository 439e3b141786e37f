#include "benchmarks/judge/day_spreads.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {
namespace {

/// The days of many cases are much alike: some hundred cases tell all that is to know of tails.
constexpr std::size_t most_cases_judged = 500;
/// Once what the cases of a day share is taken out, each is a witness of its own.
constexpr double weight_of_independent_cases = 4;

/// ln time of one case, day by day; only days on which it was measured.
struct Row {
  std::vector<double> values;
  std::vector<std::size_t> days;
  double mean() const { return stats::mean(values); }
};

Row row_of(const SideLogs& logs) {
  Row row;
  for (std::size_t day = 0; day < logs.days.size(); ++day) {
    if (logs.days[day].processes == 0) continue;
    row.values.push_back(logs.days[day].mean);
    row.days.push_back(day);
  }
  return row;
}

/// What all cases of each day share: the median of their distances from their own means.
std::vector<double> shared_of(const std::vector<Row>& rows, std::size_t days) {
  std::vector<std::vector<double>> distances(days);
  for (const auto& row : rows) {
    const double mean = row.mean();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      distances[row.days[i]].push_back(row.values[i] - mean);
    }
  }
  std::vector<double> shared;
  shared.reserve(days);
  for (const auto& of_day : distances) {
    // A few cases would only tell of themselves.
    shared.push_back(of_day.size() < fewest_for_prior ? 0 : stats::median(of_day));
  }
  return shared;
}

stats::VarianceEstimate variance_of(std::span<const double> values) {
  return {stats::square(stats::standard_deviation(values)), static_cast<double>(values.size()) - 1};
}

std::vector<stats::VarianceEstimate> between_days(const std::vector<Row>& rows) {
  std::vector<stats::VarianceEstimate> variances;
  variances.reserve(rows.size());
  for (const auto& row : rows) {
    variances.push_back(row.values.size() < 2 ? stats::VarianceEstimate{}
                                              : variance_of(row.values));
  }
  return moderated_together(std::move(variances), weight_of_independent_cases);
}

/// Judges one day of every case by the first `others` of its other days, and adds the normal scores
/// to `scores`.
void judge_day(const std::vector<Row>& rows, std::size_t day, std::size_t others,
               std::vector<double>& scores) {
  std::vector<Row> witnesses = rows;
  for (auto& row : witnesses) {
    row.values.erase(row.values.begin() + static_cast<std::ptrdiff_t>(day));
    row.values.resize(others);
  }
  const auto variances = between_days(witnesses);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double error = std::sqrt(variances[i].variance * (1 + 1 / static_cast<double>(others)));
    const double t = (rows[i].values[day] - witnesses[i].mean()) / error;
    scores.push_back(stats::normal_score(t, variances[i].degrees));
  }
}

/// Some of the rows, by the days on which half of them or more were measured: of cases that lack
/// one of these days nothing is kept, as they would be judged by other days than the rest.
std::vector<Row> whole_rows(const std::vector<Row>& all, std::size_t days) {
  std::vector<std::size_t> measured(days);
  for (const auto& row : all) {
    for (const auto day : row.days) ++measured[day];
  }
  const auto is_common = [&](std::size_t day) { return 2 * measured[day] >= all.size(); };
  std::size_t wanted = 0;
  for (std::size_t day = 0; day < days; ++day) wanted += is_common(day) ? 1 : 0;
  std::vector<Row> whole;
  const std::size_t step = 1 + all.size() / most_cases_judged;
  for (std::size_t i = 0; i < all.size(); i += step) {
    Row row;
    for (std::size_t k = 0; k < all[i].days.size(); ++k) {
      if (!is_common(all[i].days[k])) continue;
      row.values.push_back(all[i].values[k]);
      row.days.push_back(all[i].days[k]);
    }
    if (row.days.size() == wanted) whole.push_back(std::move(row));
  }
  return whole;
}

stats::Tails tails_of(const std::vector<Row>& all, std::size_t of_side) {
  const auto rows = whole_rows(all, of_side);
  const std::size_t days = rows.empty() ? 0 : rows.front().days.size();
  constexpr std::size_t fewest_trials = 10;
  if (rows.size() * (days - std::min(days, fewest_days - 1)) < fewest_trials) {
    return {1, cautious_tail_degrees};
  }
  std::vector<double> by_those_before;
  std::vector<double> by_all_others;
  for (std::size_t day = 0; day < days; ++day) {
    judge_day(rows, day, days - 1, by_all_others);
    if (day + 1 >= fewest_days) judge_day(rows, day, day, by_those_before);
  }
  const auto before = stats::fit_tails(by_those_before);
  const auto others = stats::fit_tails(by_all_others);
  return {std::max({1.0, before.scale, others.scale}), std::min(before.degrees, others.degrees)};
}

}  // namespace

std::vector<stats::VarianceEstimate> moderated_together(
    std::vector<stats::VarianceEstimate> variances, double most_weight) {
  std::map<double, std::vector<double>> by_degrees;
  for (auto& estimate : variances) {
    estimate.variance = std::max(estimate.variance, stats::square(least_deviation));
    if (estimate.degrees > 0) by_degrees[estimate.degrees].push_back(estimate.variance);
  }
  // The prior of the many: those that lost a process have other degrees, and are few.
  const auto most = std::max_element(
      by_degrees.begin(), by_degrees.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == by_degrees.end() || most->second.size() < fewest_for_prior) return variances;
  const auto prior = stats::variance_prior(most->second, most->first);
  for (auto& estimate : variances) {
    if (!(estimate.degrees > 0)) continue;
    estimate = stats::moderated(
        estimate, {prior.variance, std::min(prior.degrees, most_weight * estimate.degrees)});
  }
  return variances;
}

stats::Tails tails_of_days(std::span<const SideLogs* const> cases) {
  std::vector<Row> rows;
  rows.reserve(cases.size());
  for (const auto* logs : cases) rows.push_back(row_of(*logs));
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const auto& row) { return row.values.size() >= fewest_days; });
  if (!any) return {0, 0};
  const std::size_t days = cases.front()->days.size();
  if (cases.size() >= fewest_for_prior) {
    const auto shared = shared_of(rows, days);
    for (auto& row : rows) {
      for (std::size_t i = 0; i < row.values.size(); ++i) row.values[i] -= shared[row.days[i]];
    }
  }
  return tails_of(rows, days);
}

}  // namespace apod::judge
