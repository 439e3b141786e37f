#include "benchmarks/base/stats/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

/// Quantile 3/4 of the normal distribution: half of all deviations are smaller.
constexpr double median_deviation = 0.6744897501960817;

/// Where the last segment may start.
struct Candidate {
  std::size_t start = 0;
  double sum = 0;           ///< of the values before it, in units of the noise
  double squares = 0;       ///< of them, less the cost of the cheapest cut before it
  std::size_t expires = 0;  ///< the first end that it is not the best start for
  double total = 0;         ///< cost of the cut without the penalty for this start
};

/// For each end, where the last segment of the cheapest cut of values[0, end) starts. The cost of a
/// segment is the sum of its squared deviations from its mean, in units of the noise's variance; it
/// comes from running sums of distances from the median, which keep what is lost to cancellation
/// far below the penalty.
std::vector<std::size_t> last_starts(std::span<const double> values, double noise,
                                     std::size_t least_length) {
  const auto n = values.size();
  const double penalty = 3 * std::log(static_cast<double>(n));
  const double middle = median({values.begin(), values.end()});
  std::vector<double> sums(n + 1);
  std::vector<double> squares(n + 1);
  std::vector<double> inverse(n + 1);  // a division would take most of the time
  for (std::size_t i = 0; i < n; ++i) {
    const double x = (values[i] - middle) / noise;
    sums[i + 1] = sums[i] + x;
    squares[i + 1] = squares[i] + x * x;
    inverse[i + 1] = 1 / static_cast<double>(i + 1);
  }
  std::vector<double> cheapest(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> starts(n + 1);
  std::vector<Candidate> candidates;
  cheapest[0] = -penalty;  // the first segment is no change
  std::size_t first_to_expire = n + 1;
  for (std::size_t end = least_length; end <= n; ++end) {
    if (first_to_expire <= end)
      std::erase_if(candidates, [&](const Candidate& old) { return old.expires <= end; });
    const auto newest = end - least_length;
    candidates.push_back({newest, sums[newest], squares[newest] - cheapest[newest], n + 1});
    for (Candidate& candidate : candidates) {
      const double sum = sums[end] - candidate.sum;
      candidate.total =
          squares[end] - candidate.squares - sum * sum * inverse[end - candidate.start];
      if (candidate.total + penalty >= cheapest[end]) continue;
      cheapest[end] = candidate.total + penalty;
      starts[end] = candidate.start;
    }
    // PELT's pruning: what is no better than a new start at `end` will never be, as soon as a
    // segment from `end` on is long enough.
    first_to_expire = n + 1;
    for (Candidate& candidate : candidates) {
      if (candidate.total >= cheapest[end])
        candidate.expires = std::min(candidate.expires, end + least_length);
      first_to_expire = std::min(first_to_expire, candidate.expires);
    }
  }
  return starts;
}

/// Rounds after which the cut and the autocorrelation within it agree, or hardly differ.
constexpr int most_rounds = 10;
/// Beyond this, a wandering level and steps are indistinguishable.
constexpr double most_autocorrelation = 0.8;

/// What the lag-1 autocorrelation within the segments may be: the sample's, plus what the k means
/// of n values take from it (k / n), plus its standard error (1 / sqrt(n)).
double cautious_autocorrelation(std::span<const double> values,
                                const std::vector<std::size_t>& starts) {
  const auto n = static_cast<double>(values.size());
  long double products = 0;
  long double squares = 0;
  for (std::size_t s = 0; s <= starts.size(); ++s) {
    const std::size_t begin = s == 0 ? 0 : starts[s - 1];
    const std::size_t end = s == starts.size() ? values.size() : starts[s];
    const double centre = mean(values.subspan(begin, end - begin));
    squares += square_sum(values.subspan(begin, end - begin), centre);
    for (std::size_t i = begin + 1; i < end; ++i)
      products += (static_cast<long double>(values[i]) - centre) * (values[i - 1] - centre);
  }
  if (!(squares > 0)) return 0;  // the cut leaves nothing to explain
  const auto sample = static_cast<double>(products / squares);
  const double bias = static_cast<double>(starts.size() + 1) / n;
  return std::clamp(sample + bias + 1 / std::sqrt(n), 0.0, most_autocorrelation);
}

}  // namespace

double noise_of_neighbours(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> sizes;
  long double squares = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    sizes.push_back(std::abs(values[i] - values[i - 1]));
    squares += static_cast<long double>(sizes.back()) * sizes.back();
  }
  const double typical = median(sizes) / median_deviation;
  // A coarse clock repeats most values; then all the differences have to say it.
  const double spread =
      typical > 0
          ? typical
          : static_cast<double>(std::sqrt(squares / static_cast<long double>(sizes.size())));
  return spread / std::numbers::sqrt2;
}

ChangePoints change_points(std::span<const double> values, double least_deviation,
                           std::size_t least_length) {
  if (!(least_deviation >= 0) || least_length == 0 ||
      !std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    throw std::domain_error("change_points: an argument is out of range");
  ChangePoints result;
  result.noise = std::max(noise_of_neighbours(values), least_deviation);
  if (result.noise == 0 || values.size() / 2 < least_length) return result;
  const auto starts = last_starts(values, result.noise, least_length);
  for (std::size_t start = starts.back(); start > 0; start = starts[start])
    result.starts.push_back(start);
  std::reverse(result.starts.begin(), result.starts.end());
  return result;
}

ChangePoints change_points_in_time(std::span<const double> values, double noise) {
  ChangePoints result = change_points(values, noise);
  double highest = 0;
  for (int round = 0; round < most_rounds && !result.starts.empty(); ++round) {
    // Never less than before, so that the rounds come to an end.
    highest = std::max(highest, cautious_autocorrelation(values, result.starts));
    auto next = change_points(values, noise * std::sqrt(1 + highest) / (1 - highest));
    const bool settled = next.starts == result.starts;
    result = std::move(next);
    if (settled) break;
  }
  return result;
}

}  // namespace apod::stats
