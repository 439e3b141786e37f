#include "benchmarks/run/energy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t parts = 10;
constexpr double patience = 10;
constexpr double widest_half = 0.5;  // of the value

double power_between(const EnergyMark& first, const EnergyMark& last) {
  return (last.joules - first.joules) / (last.at_s - first.at_s);
}

/// Mean power, W, with its standard error.
stats::MeanEstimate mean_power(const std::vector<EnergyMark>& marks) {
  const auto& first = marks.front();
  const auto& last = marks.back();
  const double whole_s = last.at_s - first.at_s;
  std::vector<double> powers;
  const auto* begin = &first;
  for (const auto& mark : marks) {
    const auto next = static_cast<double>(powers.size() + 1);
    if (mark.at_s - first.at_s < next / parts * whole_s) continue;
    powers.push_back(power_between(*begin, mark));
    begin = &mark;
  }
  auto estimate = stats::mean_estimate(powers);
  estimate.mean = power_between(first, last);
  const double step_s = whole_s / static_cast<double>(marks.size() - 1);
  estimate.standard_error =
      std::hypot(estimate.standard_error, estimate.mean * step_s / (whole_s * std::sqrt(6.0)));
  return estimate;
}

}  // namespace

std::vector<EnergyMark> watch_energy(const std::function<double()>& counter,
                                     const std::function<int()>& work, double seconds) {
  const auto begin = Clock::now();
  std::vector<EnergyMark> marks;
  double before_j = counter();
  double runs = 0;
  while (marks.size() < 2 || marks.back().at_s - marks.front().at_s < seconds) {
    runs += work();
    const double joules = counter();
    const double at_s = std::chrono::duration<double>(Clock::now() - begin).count();
    if (joules != before_j) marks.push_back({at_s, joules, runs});
    before_j = joules;
    if (at_s > patience * seconds) throw std::runtime_error("the energy counter stands still");
  }
  return marks;
}

bool EnergyEstimate::is_resolvable() const {
  return power_w.high - power_w.estimate <= widest_half * power_w.estimate;
}

EnergyEstimate estimate_energy(const std::vector<EnergyMark>& idle,
                               const std::vector<EnergyMark>& busy) {
  const auto rest = mean_power(idle);
  const auto load = mean_power(busy);
  const stats::MeanEstimate above{load.mean - rest.mean,
                                  std::hypot(load.standard_error, rest.standard_error),
                                  std::min(load.degrees, rest.degrees)};
  const double runs = busy.back().runs - busy.front().runs;
  return {stats::t_interval(above), rest.mean, (busy.back().at_s - busy.front().at_s) / runs};
}

}  // namespace apod::run
