#include "benchmarks/judge/search/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace apod::search {
namespace {

constexpr std::size_t most_seen = 100;
constexpr double usual_reach = -0.36;   ///< ln, of a dimension whose levels lie between 0 and 1
constexpr double usual_noise = -3.9;    ///< ln, of the variance
constexpr double step_of_order = 0.05;  ///< two levels with an order differ at least so much
constexpr std::size_t tries = 64;       ///< of other reaches and another noise, each time
constexpr double tiny = 1e-9;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// x of L x = y.
std::vector<double> solved(const std::vector<std::vector<double>>& root, std::vector<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = (y[i] - std::inner_product(&root[i][0], &root[i][i], &y[0], 0.0)) / root[i][i];
  return y;
}

}  // namespace

Gaussian::Gaussian(const plan::Space& space) {
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    if (space.levels(d) < 2) continue;
    const bool is_ordered = space.is_ordered(d);
    dimensions_.push_back({d, Vector(space.levels(d)), is_ordered ? step_of_order : 1});
    for (std::size_t l = 0; is_ordered && l < space.levels(d); ++l)
      dimensions_.back().coordinates[l] = space.coordinate(d, l);
  }
  Vector ln(dimensions_.size(), usual_reach);
  ln.push_back(usual_noise);
  fit_ = fit_of(std::move(ln));
}

/// Matern's, of a function that can be differentiated twice.
double Gaussian::likeness(const Fit& fit, const Levels& a, const Levels& b) const {
  double squares = 0;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const auto& [d, coordinates, step] = dimensions_[i];
    if (a[d] == b[d]) continue;
    const double apart = coordinates[a[d]] - coordinates[b[d]];
    squares += fit.weights[i] * (apart * apart + step);
  }
  const double r = std::sqrt(5 * squares);
  return (1 + r + r * r / 3) * std::exp(-r);
}

std::vector<double> Gaussian::part_of(const Fit& fit, const Levels& at) const {
  Vector covariances;
  for (std::size_t i = 0; i < fit.root.size(); ++i)
    covariances.push_back(likeness(fit, at, seen_[i].at));
  return solved(fit.root, std::move(covariances));
}

Gaussian::Fit Gaussian::fit_of(Vector ln) const {
  Fit fit{.ln = std::move(ln)};
  for (std::size_t p = 0; p < fit.ln.size(); ++p) {
    const bool is_noise = p == dimensions_.size();
    const double from_usual = fit.ln[p] - (is_noise ? usual_noise : usual_reach);
    fit.badness += from_usual * from_usual / 2;
    fit.weights.push_back(std::exp((is_noise ? 1 : -2) * fit.ln[p]));
  }
  Vector ones;
  Vector values;
  for (const auto& [at, value] : seen_) {
    auto row = part_of(fit, at);
    row.push_back(std::sqrt(std::max(1 + fit.noise() - product(row, row), tiny)));
    fit.badness += std::log(row.back());
    fit.root.push_back(std::move(row));
    ones.push_back(1);
    values.push_back(value);
  }
  if (ones.empty()) return fit;
  ones = solved(fit.root, std::move(ones));
  fit.white = solved(fit.root, std::move(values));
  fit.mean = product(ones, fit.white) / product(ones, ones);
  for (std::size_t i = 0; i < ones.size(); ++i) fit.white[i] -= fit.mean * ones[i];
  const auto count = static_cast<double>(ones.size());
  fit.variance = std::max(product(fit.white, fit.white) / count, tiny * tiny);
  fit.badness += count / 2 * std::log(fit.variance);
  return fit;
}

void Gaussian::learn(std::vector<Seen> seen, std::mt19937_64& random) {
  std::ranges::stable_sort(seen, {}, &Seen::value);
  if (seen.size() > most_seen) {
    std::shuffle(seen.begin() + most_seen / 2, seen.end(), random);
    seen.resize(most_seen);
  }
  seen_ = std::move(seen);
  fit_ = fit_of(fit_.ln);
  if (seen_.empty() || fit_.variance == tiny * tiny) return;
  for (std::size_t i = 0; i < tries; ++i) {
    auto ln = fit_.ln;
    ln[i % ln.size()] += std::normal_distribution<>()(random);
    if (auto other = fit_of(ln); other.badness < fit_.badness) fit_ = std::move(other);
  }
}

std::vector<double> Gaussian::expected(const std::vector<Levels>& at) const {
  Vector means;
  for (const auto& row : at) means.push_back(fit_.mean + product(part_of(fit_, row), fit_.white));
  return means;
}

std::vector<std::size_t> Gaussian::promising(const std::vector<Levels>& at, std::size_t count,
                                             std::size_t running) const {
  struct Candidate {
    Vector part;
    double mean = 0;
    double variance = 0;  // relative
    bool is_chosen = false;
  };
  std::vector<Candidate> candidates;
  for (const auto& row : at) {
    const auto part = part_of(fit_, row);
    candidates.push_back({part, fit_.mean + product(part, fit_.white), 1 - product(part, part)});
  }
  // Not the least value seen, which is luck in part.
  std::vector<Levels> seen;
  for (const auto& one : seen_) seen.push_back(one.at);
  double least = seen.empty() ? 0 : std::ranges::min(expected(seen));
  std::vector<std::size_t> chosen;
  // By how much a normal variable is below the least, on average.
  const auto promise = [&](const Candidate& one) {
    if (one.is_chosen) return -1.0;
    const double deviation = std::sqrt(fit_.variance * std::max(one.variance, tiny));
    const double u = (least - one.mean) / deviation;
    const double density = std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi);
    return deviation * (u * std::erfc(-u / std::numbers::sqrt2) / 2 + density);
  };
  for (std::size_t i = 0; i < running + count; ++i) {
    const auto best = std::ranges::max_element(candidates, {}, promise) - candidates.begin();
    const auto next = i < running ? at.size() - 1 - i : static_cast<std::size_t>(best);
    if (i >= running) chosen.push_back(next);
    const auto taken = std::exchange(candidates[next], {.is_chosen = true});
    least = std::min(least, taken.mean);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      auto& one = candidates[c];
      if (one.is_chosen) continue;
      const double more = (likeness(fit_, at[c], at[next]) - product(taken.part, one.part)) /
                          std::sqrt(std::max(taken.variance, tiny) + fit_.noise());
      one.part.push_back(more);
      one.variance -= more * more;
    }
  }
  return chosen;
}

}  // namespace apod::search
