#include "benchmarks/judge/search/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "benchmarks/base/stats/means.hpp"

namespace apod::search {
namespace {

constexpr double usual_length = 0.0;       // ln: as long as the dimension is wide
constexpr double spread_of_lengths = 1.5;  // of the prior, ln
constexpr double usual_whim = -6;
constexpr double spread_of_whim = 2;
/// Keeps the matrix positive definite where rows are alike.
constexpr double least_noise = 1e-6;

double dot(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Positions::Positions(const plan::Space& space) : space_(space) {
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    ordered_.push_back(space.is_ordered(d));
    auto& of_levels = coordinates_.emplace_back();
    for (std::size_t level = 0; level < space.levels(d); ++level) {
      of_levels.push_back(ordered_[d] ? space.coordinate(d, level) : static_cast<double>(level));
    }
  }
}

std::vector<double> Positions::of(plan::RowIndex row) const {
  const auto levels = space_.at(row);
  std::vector<double> at(levels.size());
  for (std::size_t d = 0; d < at.size(); ++d) at[d] = coordinates_[d][levels[d]];
  return at;
}

GaussianProcess::GaussianProcess(const Positions& positions) : positions_(positions) {
  lengths_.scale.assign(positions.dimensions(), usual_length);
}

double GaussianProcess::correlation(std::span<const double> a, std::span<const double> b,
                                    const Lengths& lengths) const {
  double distance = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d] == b[d]) continue;
    const double apart = positions_.is_ordered(d) ? a[d] - b[d] : 1;
    distance += stats::square(apart) * std::exp(-2 * lengths.scale[d]);
  }
  const double r = std::sqrt(5 * distance);
  return (1 + r + r * r / 3) * std::exp(-r);
}

double GaussianProcess::factorize(const Lengths& lengths) {
  const auto n = observations_.size();
  factor_.resize(n);
  double determinant = 0;
  const double whim = std::exp(lengths.whim) + least_noise;
  for (std::size_t i = 0; i < n; ++i) {
    factor_[i].resize(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      double value = i == j ? 1 + whim + noise_ / observations_[i].looks
                            : correlation(observations_[i].at, observations_[j].at, lengths);
      value -= dot(factor_[i], factor_[j], j);
      if (i != j) {
        factor_[i][j] = value / factor_[j][j];
      } else if (value <= 0) {
        return std::numeric_limits<double>::infinity();
      } else {
        factor_[i][i] = std::sqrt(value);
        determinant += std::log(factor_[i][i]);
      }
    }
  }
  // The mean is the generalised least-squares estimate (2.42 of the book with h = 1).
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = observations_[i].value;
  const auto solve = [&](std::vector<double> right) {
    right = forward(std::move(right));
    for (std::size_t i = n; i-- > 0;) {
      right[i] /= factor_[i][i];
      for (std::size_t j = 0; j < i; ++j) right[j] -= factor_[i][j] * right[i];
    }
    return right;
  };
  const auto ones = solve(std::vector<double>(n, 1));
  const auto solved = solve(values);
  const double total = std::accumulate(ones.begin(), ones.end(), 0.0);
  mean_ = std::accumulate(solved.begin(), solved.end(), 0.0) / total;
  weights_.resize(n);
  double fit = 0;
  for (std::size_t i = 0; i < n; ++i) {
    weights_[i] = solved[i] - mean_ * ones[i];
    fit += (values[i] - mean_) * weights_[i];
  }
  const auto count = static_cast<double>(n);
  variance_ = std::max(fit / count, 1e-12);
  double prior = stats::square((lengths.whim - usual_whim) / spread_of_whim);
  for (const auto scale : lengths.scale) {
    prior += stats::square((scale - usual_length) / spread_of_lengths);
  }
  return count / 2 * std::log(variance_) + determinant + prior / 2;
}

std::vector<double> GaussianProcess::forward(std::vector<double> right) const {
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = (right[i] - dot(factor_[i], right, i)) / factor_[i][i];
  }
  return right;
}

void GaussianProcess::fit(std::vector<Observation> observations, double deviation, bool learn) {
  observations_ = std::move(observations);
  std::vector<double> values;
  for (const auto& one : observations_) values.push_back(one.value);
  const double all = stats::standard_deviation(values);
  noise_ = all > 0 ? stats::square(deviation / all) : 0;
  if (learn) {
    // One length after the other, by steps that become smaller.
    auto least = factorize(lengths_);
    for (const double step : {1.4, 0.7, 0.35}) {
      for (std::size_t d = 0; d <= lengths_.scale.size(); ++d) {
        for (const double way : {1.0, -1.0}) {
          bool better = true;
          bool moved = false;
          for (int tries = 0; better && tries < 4; ++tries) {
            auto other = lengths_;
            (d == lengths_.scale.size() ? other.whim : other.scale[d]) += way * step;
            const auto there = factorize(other);
            better = there < least;
            if (!better) break;
            least = there;
            lengths_ = std::move(other);
            moved = true;
          }
          if (moved) break;
        }
      }
    }
  }
  factorize(lengths_);
}

double GaussianProcess::smoothed(std::size_t i) const {
  return observations_[i].value - noise_ / observations_[i].looks * weights_[i];
}

std::vector<double> GaussianProcess::correlations(std::span<const double> at) const {
  std::vector<double> all(observations_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = correlation(at, observations_[i].at, lengths_);
  }
  return all;
}

double GaussianProcess::mean(std::span<const double> at) const {
  const auto shared = correlations(at);
  return mean_ + dot(shared, weights_, shared.size());
}

GaussianProcess::Prediction GaussianProcess::predict(std::span<const double> at) const {
  return Candidates(*this, {{at.begin(), at.end()}}).prediction(0);
}

GaussianProcess::Candidates::Candidates(const GaussianProcess& process,
                                        std::vector<std::vector<double>> at)
    : process_(process), at_(std::move(at)) {
  for (const auto& one : at_) {
    auto shared = process.correlations(one);
    mean_.push_back(process.mean_ + dot(shared, process.weights_, shared.size()));
    auto& solved = solved_.emplace_back(process.forward(std::move(shared)));
    variance_.push_back(std::max(1 - dot(solved, solved, solved.size()), 0.0));
  }
}

GaussianProcess::Prediction GaussianProcess::Candidates::prediction(std::size_t i) const {
  const double whim = std::exp(process_.lengths_.whim) + least_noise;
  return {mean_[i], std::sqrt(process_.variance_ * (variance_[i] + whim))};
}

void GaussianProcess::Candidates::choose(std::size_t chosen) {
  const double whim = std::exp(process_.lengths_.whim) + least_noise;
  const double deviation = std::sqrt(variance_[chosen] + whim + process_.noise_);
  const auto known = solved_[chosen];
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const double shared = process_.correlation(at_[i], at_[chosen], process_.lengths_) -
                          dot(solved_[i], known, known.size());
    solved_[i].push_back(shared / deviation);
    variance_[i] = std::max(variance_[i] - stats::square(shared / deviation), 0.0);
  }
}

}  // namespace apod::search
