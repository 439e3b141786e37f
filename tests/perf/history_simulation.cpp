/// \file
/// How often `bench history` shows a change in histories of one case whose truth is known.
///
///     history_simulation [HISTORIES]
///
/// Every run has three processes. Sessions differ by 0.5 % and processes within a session by 0.5 %
/// (standard deviations of ln time). A disturbed run has one process that takes up to 7 times as
/// long. Prints a Markdown table of shares in per cent.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/compare/history_segments.hpp"

namespace {

using namespace apod;

constexpr double session_spread = 0.005;
constexpr double process_spread = 0.005;
constexpr int processes = 3;
constexpr double longest_disturbance = 2;  // ln

class Machine {
 public:
  explicit Machine(double disturbed) : disturbed_(disturbed) {}

  Side run(std::size_t index, double level) {
    Side side;
    // Runs without a date are in the order of their names.
    side.sessions.push_back({fmt::format("run{}", index), "apod", {}});
    SideCase c;
    c.name = "case";
    const double session = session_spread * normal_(generator_);
    for (int i = 0; i < processes; ++i) {
      const double noise = session + process_spread * normal_(generator_);
      c.times.push_back({level * std::exp(noise), 0});
    }
    if (uniform_(generator_) < disturbed_) {
      c.times.front().seconds *= std::exp(longest_disturbance * uniform_(generator_));
    }
    side.cases.push_back(std::move(c));
    return side;
  }

 private:
  double disturbed_;
  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

/// A history whose second half takes `step` longer.
CaseHistory simulate(Machine& machine, std::size_t runs, double step) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < runs; ++i) {
    sides.push_back(machine.run(i, i < runs / 2 ? 1 : 1 + step));
  }
  return compare::history_of(std::move(sides)).cases.front();
}

/// Whether a change is shown at most one run away from the middle.
bool finds_step(const CaseHistory& history) {
  const auto middle = history.points.size() / 2;
  for (auto i = middle - 1; i <= middle + 1; ++i) {
    if (history.points[i].segment != history.points[i - 1].segment) return true;
  }
  return false;
}

template <class Predicate>
std::string share(int histories, const Predicate& predicate) {
  int count = 0;
  for (int i = 0; i < histories; ++i) count += predicate() ? 1 : 0;
  return fmt::format("{:.1f}", 100.0 * count / histories);
}

}  // namespace

int main(int argc, char** argv) {
  const int histories = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
  fmt::print("| runs | disturbed, % | false, % | found: 2 %, % | 5 %, % | 10 %, % |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const double disturbed : {0.0, 0.02, 0.1}) {
    for (const std::size_t runs : {4u, 6u, 12u, 25u, 50u, 100u}) {
      Machine machine(disturbed);
      fmt::print("| {} | {:.0f} | {} |", runs, 100 * disturbed,
                 share(histories, [&] { return simulate(machine, runs, 0).changes() > 0; }));
      for (const double step : {0.02, 0.05, 0.1}) {
        fmt::print(" {} |",
                   share(histories, [&] { return finds_step(simulate(machine, runs, step)); }));
      }
      fmt::print("\n");
    }
  }
}
