#include "benchmarks/compare/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "benchmarks/compare/judge.hpp"
#include "benchmarks/stats/power.hpp"
#include "benchmarks/stats/t_tests.hpp"

namespace apod::compare {
namespace {

/// Degrees of freedom of a variance that is taken as known.
constexpr double many_degrees = 1e6;
constexpr std::size_t most_processes = 10'000;

/// ln of every process's time, by session.
std::map<std::uint32_t, std::vector<double>> by_session(const SideCase& c) {
  std::map<std::uint32_t, std::vector<double>> sessions;
  for (const auto& time : c.times) sessions[time.session].push_back(std::log(time.seconds));
  return sessions;
}

struct Logs {
  std::vector<double> processes;
  std::vector<double> session_means;
};

Logs logs_of(const SideCase& c) {
  Logs logs;
  for (const auto& [session, values] : by_session(c)) {
    logs.processes.insert(logs.processes.end(), values.begin(), values.end());
    logs.session_means.push_back(stats::mean(values));
  }
  return logs;
}

double variance(const std::vector<double>& values) {
  const double deviation = stats::standard_deviation(values);
  return deviation * deviation;
}

/// Variance of one process's ln time on each side, and how well it is known.
struct Spread {
  double base = 0;
  double new_side = 0;
  double base_degrees = 0;
  double new_degrees = 0;
  std::string warning;
};

Spread spread_of(const std::vector<double>& base, const std::vector<double>& new_side,
                 double least) {
  Spread spread{variance(base), variance(new_side), static_cast<double>(base.size() - 1),
                static_cast<double>(new_side.size() - 1), ""};
  if (base.size() < 2 && new_side.size() < 2) {
    spread.base = spread.new_side = cautious_deviation * cautious_deviation;
    spread.base_degrees = spread.new_degrees = many_degrees;
    spread.warning = "one process a side: a spread of 2 % between processes is assumed";
  } else if (base.size() < 2) {
    spread.base = spread.new_side;
    spread.base_degrees = spread.new_degrees;
    spread.warning = "one process in the base: the new side's spread is taken for it";
  } else if (new_side.size() < 2) {
    spread.new_side = spread.base;
    spread.new_degrees = spread.base_degrees;
    spread.warning = "one process on the new side: the base's spread is taken for it";
  }
  spread.base = std::max(spread.base, least * least);
  spread.new_side = std::max(spread.new_side, least * least);
  return spread;
}

/// Welch and Satterthwaite; `fixed` is known, and so adds no uncertainty of its own.
double degrees_of(double base, double base_degrees, double new_side, double new_degrees,
                  double fixed) {
  const double total = base + new_side + fixed;
  const double uncertain = base * base / base_degrees + new_side * new_side / new_degrees;
  if (uncertain <= 0) return many_degrees;
  return std::clamp(total * total / uncertain, 1.0, many_degrees);
}

}  // namespace

FileEstimate estimate_change(const SideCase& base, const SideCase& new_case,
                             std::optional<double> session_deviation, double process_deviation) {
  const auto b = logs_of(base);
  const auto n = logs_of(new_case);
  FileEstimate estimate;
  const double base_mean = stats::mean(b.processes);
  const double new_mean = stats::mean(n.processes);
  estimate.base_s = std::exp(base_mean);
  estimate.new_s = std::exp(new_mean);
  if (!session_deviation && b.session_means.size() > 1 && n.session_means.size() > 1) {
    estimate.difference = stats::welch_difference(b.session_means, n.session_means);
    estimate.process_variance = variance(b.session_means) + variance(n.session_means);
    estimate.from_sessions = true;
    return estimate;
  }
  const auto spread = spread_of(b.processes, n.processes, process_deviation);
  const double deviation = session_deviation.value_or(cautious_deviation);
  const double from_base = spread.base / static_cast<double>(b.processes.size());
  const double from_new = spread.new_side / static_cast<double>(n.processes.size());
  estimate.fixed_variance = deviation * deviation *
                            (1.0 / static_cast<double>(b.session_means.size()) +
                             1.0 / static_cast<double>(n.session_means.size()));
  estimate.process_variance = spread.base + spread.new_side;
  estimate.warning = spread.warning;
  estimate.difference = {new_mean - base_mean,
                         std::sqrt(from_base + from_new + estimate.fixed_variance),
                         degrees_of(from_base, spread.base_degrees, from_new, spread.new_degrees,
                                    estimate.fixed_variance)};
  return estimate;
}

std::optional<std::size_t> processes_needed(const FileEstimate& estimate, double effect,
                                            double alpha) {
  const auto enough = [&](std::size_t n) {
    const double from_processes = estimate.process_variance / static_cast<double>(n);
    const double half = from_processes / 2;
    const double degrees = degrees_of(half, static_cast<double>(n - 1), half,
                                      static_cast<double>(n - 1), estimate.fixed_variance);
    const double error = std::sqrt(from_processes + estimate.fixed_variance);
    return stats::t_test_power(effect, error, degrees, alpha / 2) >= wanted_power;
  };
  if (!enough(most_processes)) return std::nullopt;
  std::size_t low = 1;  // never enough: one process tells no spread
  std::size_t high = most_processes;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace apod::compare
