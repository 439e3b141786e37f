#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "benchmarks/run/passes/passes.hpp"

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t parts_of_time = 10;
constexpr double times_as_long = 10;
constexpr double widest_half = 0.5;  // of the value
constexpr auto between_readings = std::chrono::milliseconds(1);

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<EnergyMark> read_steps(const std::function<double()>& counter, double seconds,
                                   const std::stop_token& stop) {
  const auto begin = Clock::now();
  std::vector<EnergyMark> marks;
  double before_j = counter();
  while (marks.size() < 2 || marks.back().at_s - marks.front().at_s < seconds) {
    std::this_thread::sleep_for(between_readings);
    const double joules = counter();
    const double at_s = since(begin);
    if (joules != before_j) marks.push_back({at_s, joules});
    before_j = joules;
    if (stop.stop_requested()) break;
    if (at_s > times_as_long * seconds)
      throw std::runtime_error("the energy counter does not change");
  }
  return marks;
}

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
    if (mark.at_s - first.at_s < next / parts_of_time * whole_s) continue;
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

EnergyWatch watch_energy(const std::function<double()>& counter, const std::function<int()>& work,
                         double seconds) {
  EnergyWatch watch;
  std::exception_ptr failure;
  std::atomic<bool> done = false;
  std::jthread reader([&](const std::stop_token& stop) {
    try {
      watch.marks = read_steps(counter, seconds, stop);
    } catch (...) {
      failure = std::current_exception();
    }
    done = true;
  });
  const auto begin = Clock::now();
  double runs = 0;
  double worked_s = 0;
  while (!done) {
    runs += work();
    worked_s = since(begin);
  }
  reader.join();
  if (failure) std::rethrow_exception(failure);
  if (runs > 0) watch.run_s = worked_s / runs;
  return watch;
}

bool EnergyEstimate::is_resolvable() const {
  return power_w.high - power_w.value <= widest_half * power_w.value;
}

EnergyEstimate estimate_energy(const EnergyWatch& idle, const EnergyWatch& busy) {
  const auto rest = mean_power(idle.marks);
  const auto load = mean_power(busy.marks);
  const stats::MeanEstimate above{load.mean - rest.mean,
                                  std::hypot(load.standard_error, rest.standard_error),
                                  std::min(load.degrees, rest.degrees)};
  return {stats::t_interval(above), rest.mean, busy.run_s};
}

}  // namespace apod::run
