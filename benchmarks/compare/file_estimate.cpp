#include "benchmarks/compare/file_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <vector>

#include "benchmarks/compare/judge.hpp"
#include "benchmarks/model/estimator.hpp"
#include "benchmarks/stats/means.hpp"
#include "benchmarks/stats/power.hpp"
#include "benchmarks/stats/t_tests.hpp"

namespace apod::compare {
namespace {

/// Degrees of freedom of a variance that is taken as known.
constexpr double many_degrees = 1e6;
constexpr std::size_t most_units = 10'000;
// Below, the spread of processes that happen to agree is easily taken for the whole of it.
constexpr std::size_t few_processes = 5;

/// ln of a side's times.
struct Logs {
  std::map<std::uint32_t, std::vector<double>> sessions;
  std::size_t processes = 0;
  double time_s = 0;            ///< estimate_time of the processes
  double mean = 0;              ///< over the processes
  double session_weight = 0;    ///< k: sum (n_i / n)^2
  double process_variance = 0;  ///< within sessions, pooled
  double process_degrees = 0;

  explicit Logs(const SideCase& c)
      : processes(c.times.size()), time_s(estimate_time(medians_of(c)).value) {
    for (const auto& time : c.times) {
      sessions[time.session].push_back(std::log(time.seconds));
      mean += std::log(time.seconds) / static_cast<double>(processes);
    }
    double squares = 0;
    for (const auto& [session, values] : sessions) {
      const auto n = static_cast<double>(values.size());
      session_weight += stats::square(n / static_cast<double>(processes));
      squares += stats::square(stats::standard_deviation(values)) * (n - 1);
    }
    process_degrees = static_cast<double>(processes - sessions.size());
    if (process_degrees > 0) process_variance = squares / process_degrees;
  }

  std::vector<double> session_means() const {
    std::vector<double> means;
    for (const auto& [session, values] : sessions) means.push_back(stats::mean(values));
    return means;
  }
};

using stats::VarianceEstimate;

/// The sum of independent estimates, none negative, with Satterthwaite's degrees.
VarianceEstimate sum(std::initializer_list<VarianceEstimate> parts) {
  double variance = 0;
  double uncertain = 0;
  for (const auto& part : parts) {
    variance += part.variance;
    if (part.variance > 0) uncertain += stats::square(part.variance) / part.degrees;
  }
  const double degrees = uncertain > 0 ? stats::square(variance) / uncertain : many_degrees;
  return {variance, std::clamp(degrees, 1.0, many_degrees)};
}

VarianceEstimate times(double factor, const VarianceEstimate& estimate) {
  return {factor * estimate.variance, estimate.degrees};
}

stats::MeanEstimate difference_of(double change, const VarianceEstimate& variance) {
  return {change, std::sqrt(variance.variance), variance.degrees};
}

/// Variance of one process, or of one session's mean, on each side.
struct Spread {
  VarianceEstimate base;
  VarianceEstimate new_side;
  bool shared = false;  ///< one estimate for both

  /// Of the difference of means over so many.
  VarianceEstimate of_means(double base_count, double new_count) const {
    if (shared) return times(1 / base_count + 1 / new_count, base);
    return sum({times(1 / base_count, base), times(1 / new_count, new_side)});
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

/// A side's own estimate, moderated by the prior, which counts for no more than it does.
VarianceEstimate moderated(const Logs& side, VarianceEstimate prior) {
  prior.degrees = std::min(prior.degrees, side.process_degrees);
  return stats::moderated({side.process_variance, side.process_degrees}, prior);
}

Spread spread_of_processes(const Logs& base, const Logs& new_side, const VarianceEstimate& prior) {
  if (base.process_degrees <= 0 && new_side.process_degrees <= 0) {
    const VarianceEstimate assumed{stats::square(cautious_deviation), many_degrees};
    return {assumed, assumed, true};
  }
  return believed(moderated(base, prior), moderated(new_side, prior));
}

std::string warning_of_one_process(const Logs& base, const Logs& new_side) {
  const bool base_alone = base.process_degrees <= 0;
  const bool new_alone = new_side.process_degrees <= 0;
  if (base_alone && new_alone) {
    return "one process a side: a spread of 2 % between processes is assumed";
  }
  if (base_alone) return "one process in the base: the new side's spread is taken for it";
  if (new_alone) return "one process on the new side: the base's spread is taken for it";
  return "";
}

FileEstimate of_processes(const Logs& base, const Logs& new_side) {
  FileEstimate estimate;
  estimate.replicate = Replicate::process;
  estimate.base_units = base.processes;
  estimate.new_units = new_side.processes;
  estimate.base_s = base.time_s;
  estimate.new_s = new_side.time_s;
  return estimate;
}

FileEstimate with_deviation(const Logs& base, const Logs& new_side, const Prior& prior) {
  auto estimate = of_processes(base, new_side);
  const auto spread = spread_of_processes(base, new_side, prior.processes);
  estimate.session_source = prior.session_deviation ? SessionSource::given : SessionSource::assumed;
  estimate.session_deviation = prior.session_deviation.value_or(cautious_deviation);
  estimate.fixed = {
      (base.session_weight + new_side.session_weight) * stats::square(estimate.session_deviation),
      many_degrees};
  const auto of_means =
      spread.of_means(static_cast<double>(base.processes), static_cast<double>(new_side.processes));
  estimate.difference = difference_of(new_side.mean - base.mean, sum({of_means, estimate.fixed}));
  estimate.unit_variance = spread.base.variance + spread.new_side.variance;
  estimate.warning = warning_of_one_process(base, new_side);
  return estimate;
}

/// What a side's processes spread by beyond what the calibration knows, in the side's mean.
VarianceEstimate excess(const Logs& side, const VarianceEstimate& known) {
  if (side.process_degrees <= 0) return {};
  return {
      std::max(0.0, side.process_variance - known.variance) / static_cast<double>(side.processes),
      side.process_degrees};
}

FileEstimate with_calibration(const Logs& base, const Logs& new_side, const KnownSpread& known) {
  auto estimate = of_processes(base, new_side);
  const double weight = base.session_weight + new_side.session_weight;
  const VarianceEstimate within{known.process_variance, known.process_degrees};
  const double of_means =
      1 / static_cast<double>(base.processes) + 1 / static_cast<double>(new_side.processes);
  estimate.session_source = SessionSource::calibration;
  estimate.session_deviation =
      std::sqrt(std::max(0.0, known.mean_variance - within.variance / known.processes));
  estimate.fixed = {weight * known.mean_variance, known.mean_degrees};
  estimate.difference = difference_of(
      new_side.mean - base.mean,
      sum({estimate.fixed, times(std::max(0.0, of_means - weight / known.processes), within),
           excess(base, within), excess(new_side, within)}));
  // As many processes as were calibrated have no part of their own; fewer have.
  estimate.unit_variance = std::max(base.process_variance, within.variance) +
                           std::max(new_side.process_variance, within.variance) -
                           2 * within.variance;
  return estimate;
}

FileEstimate from_sessions(const Logs& base, const Logs& new_side) {
  const auto b = base.session_means();
  const auto n = new_side.session_means();
  const auto variance = [](const std::vector<double>& means) {
    return VarianceEstimate{stats::square(stats::standard_deviation(means)),
                            static_cast<double>(means.size() - 1)};
  };
  const auto spread = believed(variance(b), variance(n));
  FileEstimate estimate;
  estimate.difference =
      difference_of(stats::mean(n) - stats::mean(b),
                    spread.of_means(static_cast<double>(b.size()), static_cast<double>(n.size())));
  estimate.base_s = std::exp(stats::mean(b));
  estimate.new_s = std::exp(stats::mean(n));
  estimate.replicate = Replicate::session;
  estimate.base_units = b.size();
  estimate.new_units = n.size();
  estimate.session_source = SessionSource::sessions;
  estimate.unit_variance = spread.base.variance + spread.new_side.variance;
  estimate.session_deviation = std::sqrt(estimate.unit_variance / 2);
  return estimate;
}

VarianceEstimate variance_of(const stats::MeanEstimate& difference) {
  return {stats::square(difference.standard_error), difference.degrees};
}

}  // namespace

stats::VarianceEstimate process_prior(
    std::span<const std::pair<const SideCase*, const SideCase*>> cases) {
  if (cases.size() < fewest_for_prior) return {};
  std::map<double, std::vector<double>> by_degrees;
  for (const auto& [base, new_case] : cases) {
    for (const auto* side : {base, new_case}) {
      const Logs logs(*side);
      if (logs.process_degrees <= 0) continue;
      by_degrees[logs.process_degrees].push_back(
          std::max(logs.process_variance, stats::square(least_deviation)));
    }
  }
  // The prior of the many: sides that lost a process have other degrees, and are few.
  const auto most = std::max_element(
      by_degrees.begin(), by_degrees.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == by_degrees.end() || most->second.size() < fewest_for_prior) return {};
  return stats::variance_prior(most->second, most->first);
}

FileEstimate estimate_change(const SideCase& base, const SideCase& new_case, const Prior& prior) {
  const Logs b(base);
  const Logs n(new_case);
  const bool has_sessions = b.sessions.size() > 1 && n.sessions.size() > 1;
  if (prior.known != nullptr) {
    auto estimate = with_calibration(b, n, *prior.known);
    if (!has_sessions) return estimate;
    auto alone = from_sessions(b, n);
    const double p =
        stats::p_larger(variance_of(alone.difference), variance_of(estimate.difference));
    return p < contradiction_level ? alone : estimate;
  }
  if (!prior.session_deviation && has_sessions) return from_sessions(b, n);
  auto estimate = with_deviation(b, n, prior);
  if (!prior.session_deviation || !estimate.warning.empty()) return estimate;
  if (has_sessions && stats::p_larger(variance_of(from_sessions(b, n).difference),
                                      variance_of(estimate.difference)) < contradiction_level) {
    estimate.warning = "the sessions differ by more than the spread that was given for them";
  } else if (std::min(b.processes, n.processes) < few_processes) {
    estimate.warning =
        "fewer than five processes a side: where processes run in one of two modes, a false "
        "verdict is likelier than alpha; a calibration knows their spread";
  }
  return estimate;
}

std::optional<std::size_t> units_needed(const FileEstimate& estimate, double effect, double alpha) {
  const auto enough = [&](std::size_t n) {
    const auto count = static_cast<double>(n);
    const VarianceEstimate units{estimate.unit_variance / count, 2 * (count - 1)};
    const auto d = difference_of(0, sum({units, estimate.fixed}));
    return stats::t_test_power(effect, d.standard_error, d.degrees, alpha / 2) >= wanted_power;
  };
  if (!enough(most_units)) return std::nullopt;
  std::size_t low = 1;  // never enough: one alone tells no spread
  std::size_t high = most_units;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace apod::compare
