#include "benchmarks/compare/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <vector>

#include "benchmarks/compare/judge.hpp"
#include "benchmarks/stats/power.hpp"
#include "benchmarks/stats/t_tests.hpp"

namespace apod::compare {
namespace {

/// Degrees of freedom of a variance that is taken as known.
constexpr double many_degrees = 1e6;
constexpr std::size_t most_units = 10'000;
// Below, the spread of processes that happen to agree is easily taken for the whole of it.
constexpr std::size_t few_processes = 5;
// How much larger than with the given spread the sessions' own error is before that is told.
constexpr double contradiction = 2;

double square(double x) {
  return x * x;
}

/// ln of a side's times.
struct Logs {
  std::map<std::uint32_t, std::vector<double>> sessions;
  std::size_t processes = 0;
  double mean = 0;              ///< over the processes
  double session_weight = 0;    ///< k: sum (n_i / n)^2
  double process_variance = 0;  ///< within sessions, pooled
  double process_degrees = 0;

  explicit Logs(const SideCase& c) : processes(c.times.size()) {
    for (const auto& time : c.times) {
      sessions[time.session].push_back(std::log(time.seconds));
      mean += std::log(time.seconds) / static_cast<double>(processes);
    }
    double squares = 0;
    for (const auto& [session, values] : sessions) {
      const auto n = static_cast<double>(values.size());
      session_weight += square(n / static_cast<double>(processes));
      squares += square(stats::standard_deviation(values)) * (n - 1);
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

/// Part of the variance of a difference; `error` is the standard error of that part.
struct Part {
  double variance = 0;
  double error = 0;
};

Part estimated(double variance, double degrees) {
  return {variance, variance * std::sqrt(2 / degrees)};
}

/// Satterthwaite: the degrees of a chi-squared variance with the same standard error.
stats::MeanEstimate combine(double mean, std::initializer_list<Part> parts) {
  double variance = 0;
  double error_squares = 0;
  for (const auto& part : parts) {
    variance += part.variance;
    error_squares += square(part.error);
  }
  const double degrees = error_squares > 0 ? 2 * square(variance) / error_squares : many_degrees;
  return {mean, std::sqrt(variance), std::clamp(degrees, 1.0, many_degrees)};
}

/// Variance of one process on each side.
struct ProcessSpread {
  double base = 0;
  double new_side = 0;
  double base_degrees = 0;
  double new_degrees = 0;
  bool shared = false;  ///< one estimate for both
  bool known = false;   ///< and not from these files
  std::string warning;
};

/// A side's own estimate, moderated by the prior, which counts for no more than it does.
stats::VarianceEstimate moderated(const Logs& side, stats::VarianceEstimate prior) {
  prior.degrees = std::min(prior.degrees, side.process_degrees);
  return stats::moderated({side.process_variance, side.process_degrees}, prior);
}

ProcessSpread spread_of(const Logs& base, const Logs& new_side, const KnownSpread* known,
                        const stats::VarianceEstimate& prior) {
  const auto of_base = moderated(base, prior);
  const auto of_new = moderated(new_side, prior);
  ProcessSpread spread{
      of_base.variance, of_new.variance, of_base.degrees, of_new.degrees, false, false, ""};
  const bool base_alone = spread.base_degrees <= 0;
  const bool new_alone = spread.new_degrees <= 0;
  if (base_alone && new_alone && known == nullptr) {
    spread.base = spread.new_side = square(cautious_deviation);
    spread.base_degrees = spread.new_degrees = many_degrees;
    spread.shared = spread.known = true;
    spread.warning = "one process a side: a spread of 2 % between processes is assumed";
  } else if (base_alone && !new_alone) {
    spread.base = spread.new_side;
    spread.base_degrees = spread.new_degrees;
    spread.shared = true;
    spread.warning = "one process in the base: the new side's spread is taken for it";
  } else if (new_alone && !base_alone) {
    spread.new_side = spread.base;
    spread.new_degrees = spread.base_degrees;
    spread.shared = true;
    spread.warning = "one process on the new side: the base's spread is taken for it";
  }
  if (known != nullptr) {
    const bool calmer_base = spread.base < known->process_variance;
    const bool calmer_new = spread.new_side < known->process_variance;
    if (calmer_base) {
      spread.base = known->process_variance;
      spread.base_degrees = known->process_degrees;
    }
    if (calmer_new) {
      spread.new_side = known->process_variance;
      spread.new_degrees = known->process_degrees;
    }
    if (calmer_base && calmer_new) spread.shared = spread.known = true;
  }
  spread.base = std::max(spread.base, square(least_deviation));
  spread.new_side = std::max(spread.new_side, square(least_deviation));
  return spread;
}

/// Sets what follows from the processes and the variance between sessions, `session` for one.
void judge_processes(const Logs& base, const Logs& new_side, const Part& session,
                     const Prior& prior, FileEstimate& estimate) {
  const auto spread = spread_of(base, new_side, prior.known, prior.processes);
  const double weight = base.session_weight + new_side.session_weight;
  const double from_base = spread.base / static_cast<double>(base.processes);
  const double from_new = spread.new_side / static_cast<double>(new_side.processes);
  const double change = new_side.mean - base.mean;
  const Part sessions{weight * session.variance, weight * session.error};
  estimate.difference =
      spread.shared
          ? combine(change, {estimated(from_base + from_new, spread.base_degrees), sessions})
          : combine(change, {estimated(from_base, spread.base_degrees),
                             estimated(from_new, spread.new_degrees), sessions});
  estimate.replicate = Replicate::process;
  estimate.base_units = base.processes;
  estimate.new_units = new_side.processes;
  estimate.base_s = std::exp(base.mean);
  estimate.new_s = std::exp(new_side.mean);
  estimate.session_deviation = std::sqrt(session.variance);
  estimate.unit_variance = spread.base + spread.new_side;
  estimate.unit_degrees = spread.known ? spread.base_degrees : 0;
  estimate.fixed_variance = sessions.variance;
  estimate.fixed_error = sessions.error;
  estimate.warning = spread.warning;
}

FileEstimate from_sessions(const Logs& base, const Logs& new_side) {
  const auto b = base.session_means();
  const auto n = new_side.session_means();
  const double base_variance =
      std::max(square(stats::standard_deviation(b)), square(least_deviation));
  const double new_variance =
      std::max(square(stats::standard_deviation(n)), square(least_deviation));
  const auto base_count = static_cast<double>(b.size());
  const auto new_count = static_cast<double>(n.size());
  FileEstimate estimate;
  estimate.difference = combine(stats::mean(n) - stats::mean(b),
                                {estimated(base_variance / base_count, base_count - 1),
                                 estimated(new_variance / new_count, new_count - 1)});
  estimate.base_s = std::exp(stats::mean(b));
  estimate.new_s = std::exp(stats::mean(n));
  estimate.replicate = Replicate::session;
  estimate.base_units = b.size();
  estimate.new_units = n.size();
  estimate.session_source = SessionSource::sessions;
  estimate.unit_variance = base_variance + new_variance;
  estimate.session_deviation = std::sqrt(estimate.unit_variance / 2);
  return estimate;
}

Part session_part(const Prior& prior) {
  if (prior.known != nullptr) return {prior.known->session_variance, prior.known->session_error};
  return {square(prior.session_deviation.value_or(cautious_deviation)), 0};
}

SessionSource source_of(const Prior& prior) {
  if (prior.known != nullptr) return SessionSource::calibration;
  return prior.session_deviation ? SessionSource::given : SessionSource::assumed;
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
          std::max(logs.process_variance, square(least_deviation)));
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
  const auto source = source_of(prior);
  if (has_sessions && source == SessionSource::assumed) return from_sessions(b, n);
  FileEstimate estimate;
  judge_processes(b, n, session_part(prior), prior, estimate);
  estimate.session_source = source;
  if (has_sessions) {
    auto alone = from_sessions(b, n);
    const double error = alone.difference.standard_error;
    if (source == SessionSource::calibration && error > estimate.difference.standard_error) {
      return alone;
    }
    if (estimate.warning.empty() && error > contradiction * estimate.difference.standard_error) {
      estimate.warning = "the sessions differ by more than the spread that was given for them";
    }
  }
  if (estimate.warning.empty() && source == SessionSource::given &&
      std::min(b.processes, n.processes) < few_processes) {
    estimate.warning =
        "fewer than five processes a side: where processes run in one of two modes, a false "
        "verdict "
        "is likelier than alpha; a calibration knows their spread";
  }
  return estimate;
}

std::optional<std::size_t> units_needed(const FileEstimate& estimate, double effect, double alpha) {
  const auto enough = [&](std::size_t n) {
    const auto count = static_cast<double>(n);
    const double degrees =
        estimate.unit_degrees > 0 ? estimate.unit_degrees : 2 * (count - 1);  // both sides alike
    const auto d = combine(0, {estimated(estimate.unit_variance / count, degrees),
                               {estimate.fixed_variance, estimate.fixed_error}});
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
