#include "benchmarks/judge/file_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "benchmarks/base/stats/power.hpp"
#include "benchmarks/judge/judge.hpp"

namespace apod::judge {
namespace {

/// Degrees of freedom of a variance that is taken as known.
constexpr double many_degrees = 1e6;
constexpr std::size_t most_units = 10'000;

using stats::VarianceEstimate;

VarianceEstimate times(double factor, const VarianceEstimate& estimate) {
  return {factor * estimate.variance, estimate.degrees};
}

double count(std::size_t n) {
  return static_cast<double>(n);
}

VarianceEstimate assumption(double variance) {
  return {variance, degrees_of_assumptions};
}

/// Variance of one process, or of one day's mean, on each side.
struct Spread {
  VarianceEstimate base;
  VarianceEstimate new_side;
  bool shared = false;  ///< one estimate for both

  /// Of the difference of means over so many.
  VarianceEstimate of_means(double base_count, double new_count) const {
    if (shared) return times(1 / base_count + 1 / new_count, base);
    return sum_of({times(1 / base_count, base), times(1 / new_count, new_side)});
  }
};

/// The side that knows less takes the other's estimate where that is larger. (Welch's degrees are
/// those of the larger part, so a side of two values that happen to agree would otherwise be
/// believed as much as the other side's many.)
Spread believed(VarianceEstimate base, VarianceEstimate new_side) {
  const double least = stats::square(least_deviation);
  for (auto* side : {&base, &new_side}) side->variance = std::max(side->variance, least);
  if (base.degrees < new_side.degrees && base.variance <= new_side.variance) {
    return {new_side, new_side, true};
  }
  if (new_side.degrees < base.degrees && new_side.variance <= base.variance) {
    return {base, base, true};
  }
  return {base, new_side, false};
}

bool has_no_spread(const Prior& prior) {
  return prior.base_processes.degrees <= 0 && prior.new_processes.degrees <= 0;
}

Spread spread_of_processes(const Prior& prior) {
  if (has_no_spread(prior)) {
    const auto assumed = assumption(stats::square(cautious_deviation));
    return {assumed, assumed, true};
  }
  return believed(prior.base_processes, prior.new_processes);
}

/// What the repetitions of single processes tell of a difference: the least that it varies by.
VarianceEstimate of_repetitions(const SideLogs& base, const SideLogs& new_side) {
  VarianceEstimate sum{stats::square(least_deviation), many_degrees};
  for (const auto* side : {&base, &new_side}) {
    if (side->repetitions.degrees <= 0) continue;
    sum = sum_of({sum, times(1 / count(side->processes), side->repetitions)});
  }
  return sum;
}

/// Times are multiples of a tick, and so is the mean of times that agree: a uniform error of
/// tick^2 / 12 on each side.
VarianceEstimate of_ticks(const SideLogs& base, const SideLogs& new_side) {
  return {(stats::square(base.tick) + stats::square(new_side.tick)) / 12, many_degrees};
}

VarianceEstimate of_boards(const Prior& prior) {
  return prior.assumes_board() ? assumption(2 * stats::square(board_deviation))
                               : VarianceEstimate{};
}

std::string warning_of_one_process(const SideLogs& base, const SideLogs& new_side) {
  const bool base_alone = base.own.degrees <= 0;
  const bool new_alone = new_side.own.degrees <= 0;
  if (base_alone && new_alone) {
    return "one process a side: how far apart processes lie is not known";
  }
  if (base_alone) return "one process in the base: the new side's spread is taken for it";
  if (new_alone) return "one process on the new side: the base's spread is taken for it";
  return "";
}

FileEstimate of_processes(const SideLogs& base, const SideLogs& new_side) {
  FileEstimate estimate;
  estimate.change = new_side.mean - base.mean;
  estimate.base_units = estimate.base_processes = base.processes;
  estimate.new_units = estimate.new_processes = new_side.processes;
  estimate.base_s = base.time_s;
  estimate.new_s = new_side.time_s;
  estimate.range = std::max(base.range, new_side.range);
  return estimate;
}

FileEstimate with_deviation(const SideLogs& base, const SideLogs& new_side, const Prior& prior) {
  auto estimate = of_processes(base, new_side);
  const auto spread = spread_of_processes(prior);
  const auto of_means = spread.of_means(count(base.processes), count(new_side.processes));
  const bool given = prior.session_deviation.has_value();
  const double k =
      given ? base.session_weight + new_side.session_weight : base.day_weight + new_side.day_weight;
  const double sigma = prior.session_deviation.value_or(cautious_deviation);
  const auto ticks = of_ticks(base, new_side);
  estimate.session_deviation = sigma;
  estimate.is_given = given && std::max(base.processes, new_side.processes) >= fewest_processes;
  estimate.unit_variance = spread.base.variance + spread.new_side.variance;
  if (prior.session_deviation) {
    estimate.session_source = SessionSource::given;
    estimate.fixed = sum_of({{k * sigma * sigma, many_degrees}, ticks, of_boards(prior)});
    estimate.known = sum_of({of_means, estimate.fixed});
  } else {
    estimate.assumed = sum_of({assumption(k * sigma * sigma), of_boards(prior)});
    estimate.fixed = ticks;
    if (has_no_spread(prior)) {
      estimate.assumed = sum_of({estimate.assumed, of_means});
      estimate.known = sum_of({of_repetitions(base, new_side), ticks});
    } else {
      estimate.known = sum_of({of_means, ticks});
    }
  }
  estimate.warning = warning_of_one_process(base, new_side);
  return estimate;
}

/// What a side's processes spread by beyond what is known of them, in the side's mean.
VarianceEstimate excess(const SideLogs& side, const VarianceEstimate& own, double known) {
  if (own.degrees <= 0) return {};
  return {std::max(0.0, own.variance - known) / count(side.processes), own.degrees};
}

/// With what is known of sessions, `weight` of which the difference of the means holds.
FileEstimate with_known(const SideLogs& base, const SideLogs& new_side, const Prior& prior,
                        const KnownSpread& known, double weight) {
  auto estimate = of_processes(base, new_side);
  const VarianceEstimate within{known.process_variance, known.process_degrees};
  const double of_means = 1 / count(base.processes) + 1 / count(new_side.processes);
  estimate.session_deviation =
      std::sqrt(std::max(0.0, known.mean_variance - within.variance / known.processes));
  estimate.tails = known.tails;
  estimate.fixed = sum_of({{weight * known.mean_variance, known.mean_degrees},
                           of_ticks(base, new_side),
                           of_boards(prior)});
  estimate.known =
      sum_of({estimate.fixed, times(std::max(0.0, of_means - weight / known.processes), within),
              excess(base, prior.base_processes, within.variance),
              excess(new_side, prior.new_processes, within.variance)});
  // As many processes as were calibrated have no part of their own; fewer have.
  estimate.unit_variance = std::max(base.own.variance, within.variance) +
                           std::max(new_side.own.variance, within.variance) - 2 * within.variance;
  return estimate;
}

std::vector<double> day_means(const SideLogs& side) {
  std::vector<double> means;
  for (const auto& day : side.days) {
    if (day.processes > 0) means.push_back(day.mean);
  }
  return means;
}

/// The means of the days are what is averaged.
void average_days(const SideLogs& base, const SideLogs& new_side, FileEstimate& estimate) {
  const auto b = day_means(base);
  const auto n = day_means(new_side);
  estimate.change = stats::mean(n) - stats::mean(b);
  estimate.base_s = std::exp(stats::mean(b));
  estimate.new_s = std::exp(stats::mean(n));
  estimate.replicate = Replicate::session;
  estimate.base_units = b.size();
  estimate.new_units = n.size();
}

FileEstimate with_history(const SideLogs& base, const SideLogs& new_side, const Prior& prior) {
  const double weight = 1 / count(day_means(base).size()) + 1 / count(day_means(new_side).size());
  auto estimate = with_known(base, new_side, prior, *prior.history, weight);
  average_days(base, new_side, estimate);
  estimate.session_source = SessionSource::history;
  estimate.unit_variance = 2 * prior.history->mean_variance;
  estimate.fixed = sum_of({of_ticks(base, new_side), of_boards(prior)});
  return estimate;
}

FileEstimate from_days(const SideLogs& base, const SideLogs& new_side, const Prior& prior) {
  auto estimate = of_processes(base, new_side);
  average_days(base, new_side, estimate);
  const auto variance = [](const std::vector<double>& means) {
    return VarianceEstimate{stats::square(stats::standard_deviation(means)),
                            count(means.size()) - 1};
  };
  const auto spread = believed(variance(day_means(base)), variance(day_means(new_side)));
  estimate.fixed = sum_of({of_ticks(base, new_side), of_boards(prior)});
  estimate.known = sum_of(
      {spread.of_means(count(estimate.base_units), count(estimate.new_units)), estimate.fixed});
  estimate.session_source = SessionSource::sessions;
  estimate.unit_variance = spread.base.variance + spread.new_side.variance;
  estimate.session_deviation = std::sqrt(estimate.unit_variance / 2);
  return estimate;
}

/// A change whose variance is known, but for its tails, and that to which something is assumed.
stats::MeanEstimate total_of(double change, const VarianceEstimate& known,
                             const stats::Tails& tails, const VarianceEstimate& assumed) {
  const auto part = widened(change, known, tails);
  const auto all = sum_of({{stats::square(part.standard_error), part.degrees}, assumed});
  return {change, std::sqrt(all.variance), all.degrees};
}

bool contradict(const FileEstimate& days, const FileEstimate& estimate) {
  return stats::p_larger(days.known, estimate.known) < contradiction_level;
}

}  // namespace

VarianceEstimate sum_of(std::initializer_list<VarianceEstimate> parts) {
  double variance = 0;
  double uncertain = 0;
  for (const auto& part : parts) {
    variance += part.variance;
    if (part.variance > 0) uncertain += stats::square(part.variance) / part.degrees;
  }
  const double degrees = uncertain > 0 ? stats::square(variance) / uncertain : many_degrees;
  return {variance, std::clamp(degrees, 1.0, many_degrees)};
}

stats::MeanEstimate widened(double change, const VarianceEstimate& variance,
                            const stats::Tails& tails) {
  const double degrees = 1 / (1 / variance.degrees + 1 / tails.degrees);
  return {change, std::sqrt(variance.variance) * tails.scale, std::max(degrees, 1.0)};
}

stats::MeanEstimate FileEstimate::total() const {
  return total_of(change, known, tails, assumed);
}

FileEstimate estimate_change(const SideLogs& base, const SideLogs& new_side, const Prior& prior) {
  const bool has_days = day_means(base).size() > 1 && day_means(new_side).size() > 1;
  if (!prior.session_deviation && prior.history != nullptr) {
    return with_history(base, new_side, prior);
  }
  if (prior.calibration != nullptr) {
    const bool one_day = prior.calibration->one_day;
    const double weight = one_day ? base.session_weight + new_side.session_weight
                                  : base.day_weight + new_side.day_weight;
    auto estimate = with_known(base, new_side, prior, *prior.calibration, weight);
    if (one_day && prior.other_day) {
      estimate.assumed =
          assumption((base.day_weight + new_side.day_weight) * stats::square(cautious_deviation));
    }
    estimate.session_source = SessionSource::calibration;
    if (!has_days) return estimate;
    auto alone = from_days(base, new_side, prior);
    return contradict(alone, estimate) ? alone : estimate;
  }
  if (!prior.session_deviation && has_days && !prior.has_suite)
    return from_days(base, new_side, prior);
  auto estimate = with_deviation(base, new_side, prior);
  if (prior.session_deviation && has_days && estimate.warning.empty() &&
      contradict(from_days(base, new_side, prior), estimate)) {
    estimate.warning = "the days differ by more than the spread that was given for sessions";
  }
  return estimate;
}

std::optional<std::size_t> units_needed(const FileEstimate& estimate, double effect, double alpha) {
  const bool is_learnt = estimate.session_source == SessionSource::suite;
  const auto with = [&](std::size_t n) {
    const VarianceEstimate units{estimate.unit_variance / count(n), 2 * (count(n) - 1)};
    return total_of(effect, sum_of({units, estimate.fixed}), estimate.tails,
                    is_learnt ? VarianceEstimate{} : estimate.assumed);
  };
  const auto is_enough = [&](std::size_t n) {
    const auto all = with(n);
    return stats::t_test_power(effect, all.standard_error, all.degrees, alpha / 2) >= wanted_power;
  };
  // A power takes some 10 us, so the search begins where normal quantiles, corrected for the
  // degrees (Johnson & Welch 1940, as in stats/power), put the number.
  const double z = stats::t_quantile(1 - alpha / 2, many_degrees);
  const double of_power = stats::t_quantile(wanted_power, many_degrees);
  double wanted = z + of_power;
  std::size_t probe = most_units;
  for (int step = 0; step < 4; ++step) {
    const double left =
        stats::square(effect / wanted / estimate.tails.scale) - estimate.fixed.variance;
    const double about = left > 0 ? std::ceil(estimate.unit_variance / left) : count(most_units);
    probe = static_cast<std::size_t>(std::clamp(about, 2.0, count(most_units)));
    const double degrees = with(probe).degrees;
    wanted =
        z * (1 + (z * z + 1) / (4 * degrees)) + of_power * std::sqrt(1 + z * z / (2 * degrees));
  }
  std::size_t low = 1;                // never enough: one alone tells no spread
  std::size_t high = most_units + 1;  // taken for enough, and never asked
  for (std::size_t step = 1; high - low > 1; step *= 2) {
    (is_enough(probe) ? high : low) = probe;
    const bool bracketed = low > 1 && high <= most_units;
    if (bracketed) {
      probe = low + (high - low) / 2;
    } else {
      probe = high <= most_units ? high - std::min(step, high - low - 1)
                                 : std::min(low + step, most_units);
    }
  }
  return high <= most_units ? std::optional(high) : std::nullopt;
}

}  // namespace apod::judge
