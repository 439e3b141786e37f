/// \file
/// How often `bench history` shows a change in histories of one case whose truth is known.
///
///     history_simulation [HISTORIES]
///
/// Every run has three processes. Sessions differ by 0.5 % and processes within a session by 0.5 %
/// (standard deviations of ln time). A disturbed run has one process that takes up to 7 times as
/// long. Sessions are independent normal, or follow an AR(1) process with the autocorrelation 0.8
/// from one to the next, or Student's t with 3 degrees of freedom. Prints Markdown tables of shares
/// in per cent: how often a history shows a change, and what it costs to allow for neighbours that
/// are alike.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/base/stats/change_points.hpp"
#include "benchmarks/judge/history_segments.hpp"
#include "benchmarks/judge/levels.hpp"

namespace {

using namespace apod;

constexpr double session_spread = 0.005;
constexpr double process_spread = 0.005;
constexpr int processes = 3;
constexpr double longest_disturbance = 2;  // ln
constexpr double autocorrelation = 0.8;
constexpr std::array<std::size_t, 5> lengths{4, 6, 10, 30, 100};

enum class Kind : std::uint8_t { normal, ar, ar_alone, t3 };

struct Row {
  const char* name;
  Kind kind;
  double disturbed;   ///< share of the runs
  double spread = 1;  ///< as many times as far apart
};

/// Runs on one machine, one after the other.
class Machine {
 public:
  explicit Machine(const Row& row) : row_(row) {}

  /// Begins another history: nothing is left of the one before.
  void begin() { state_ = normal_(generator_); }

  Side run(std::size_t index, double level) {
    Side side;
    // Runs without a date are in the order of their names.
    side.sessions.push_back({fmt::format("run{}", index), "apod", {}});
    SideCase c;
    c.name = "case";
    const double session = session_spread * next_session();
    const double process = row_.kind == Kind::ar_alone ? 0 : process_spread;
    for (int i = 0; i < processes; ++i) {
      const double noise = row_.spread * (session + process * normal_(generator_));
      c.times.push_back({level * std::exp(noise), 0});
    }
    if (uniform_(generator_) < row_.disturbed) {
      c.times.front().seconds *= std::exp(longest_disturbance * uniform_(generator_));
    }
    side.cases.push_back(std::move(c));
    return side;
  }

 private:
  /// Of variance 1.
  double next_session() {
    switch (row_.kind) {
      case Kind::normal:
        break;
      case Kind::ar:
      case Kind::ar_alone:
        state_ = autocorrelation * state_ +
                 std::sqrt(1 - autocorrelation * autocorrelation) * normal_(generator_);
        return state_;
      case Kind::t3:
        return student_(generator_) / std::sqrt(3.0);
    }
    return normal_(generator_);
  }

  const Row& row_;
  double state_ = 0;
  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> student_{3};
  std::uniform_real_distribution<double> uniform_;
};

/// A history whose second half takes `step` longer.
CaseHistory simulate(Machine& machine, std::size_t runs, double step) {
  std::vector<Side> sides;
  machine.begin();
  for (std::size_t i = 0; i < runs; ++i) {
    sides.push_back(machine.run(i, i < runs / 2 ? 1 : 1 + step));
  }
  return judge::history_of(std::move(sides)).cases.front();
}

/// Whether a change is shown at most one run away from the middle.
bool finds_step(const CaseHistory& history) {
  const auto middle = history.points.size() / 2;
  for (auto i = middle - 1; i <= middle + 1; ++i) {
    if (history.points[i].segment != history.points[i - 1].segment) return true;
  }
  return false;
}

/// Whether a change is found in the levels of such a history, with or without allowing for
/// neighbours that are alike.
bool finds_any(Machine& machine, std::size_t runs, double step, bool alike) {
  machine.begin();
  std::vector<double> levels;
  for (std::size_t i = 0; i < runs; ++i) {
    double sum = 0;
    for (const auto& time : machine.run(i, i < runs / 2 ? 1 : 1 + step).cases.front().times) {
      sum += std::log(time.seconds);
    }
    levels.push_back(sum / processes);
  }
  const double noise = judge::margin_of_noise(runs) * stats::noise_of_neighbours(levels);
  return !(alike ? stats::change_points_in_time(levels, noise)
                 : stats::change_points(levels, noise))
              .starts.empty();
}

template <class Predicate>
std::string share(int histories, const Predicate& predicate) {
  int count = 0;
  for (int i = 0; i < histories; ++i) count += predicate() ? 1 : 0;
  return fmt::format("{:.1f}", 100.0 * count / histories);
}

void print_shown(int histories) {
  const std::array<Row, 6> rows{{{"independent", Kind::normal, 0},
                                 {"AR(0.8)", Kind::ar, 0},
                                 {"AR(0.8), processes alike", Kind::ar_alone, 0},
                                 {"Student's t, 3 degrees", Kind::t3, 0},
                                 {"independent", Kind::normal, 0.02},
                                 {"independent", Kind::normal, 0.1}}};
  fmt::print("| sessions | disturbed, % | runs | false, % | found: 2 %, % | 5 %, % | 10 %, % |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Row& row : rows) {
    for (const std::size_t runs : lengths) {
      Machine machine(row);
      fmt::print("| {} | {:.0f} | {} | {} |", row.name, 100 * row.disturbed, runs,
                 share(histories, [&] {
                   const auto history = simulate(machine, runs, 0);
                   return history.changes() > 0 || history.drift() != nullptr;
                 }));
      for (const double step : {0.02, 0.05, 0.1}) {
        fmt::print(" {} |",
                   share(histories, [&] { return finds_step(simulate(machine, runs, step)); }));
      }
      fmt::print("\n");
    }
  }
}

/// Each share twice, as if neighbours were independent and as it is.
void print_cost(int histories) {
  fmt::print("| sessions | runs | false, % | 2 %, % | 5 %, % | 10 %, % |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const Row& row : {Row{"independent", Kind::normal, 0}, Row{"AR(0.8)", Kind::ar, 0}}) {
    for (const std::size_t runs : lengths) {
      fmt::print("| {} | {} |", row.name, runs);
      for (const double step : {0.0, 0.02, 0.05, 0.1}) {
        const auto found = [&](bool alike) {
          Machine machine(row);
          return share(histories, [&] { return finds_any(machine, runs, step, alike); });
        };
        fmt::print(" {} -> {} |", found(false), found(true));
      }
      fmt::print("\n");
    }
  }
}

/// Of histories that grow by a run at a time, those that once showed a change or a drift, and those
/// of them in which a further run of the same kind makes it vanish. A night is slower by `step`
/// from the seventh on, or by another `step` than the one before.
void print_kept(int histories) {
  constexpr std::size_t first = 6;
  constexpr std::size_t most = 24;
  fmt::print(
      "| the seventh run and all after it | spread, % | shown, % | lost, % | lost for good, % |\n");
  fmt::print("| --- | --- | --- | --- | --- |\n");
  for (const bool drifts : {false, true}) {
    for (const double step : drifts ? std::vector{0.02, 0.05} : std::vector{0.05, 0.1, 0.2}) {
      for (const Row& row : {Row{"", Kind::normal, 0, 1}, Row{"", Kind::normal, 0, 4},
                             Row{"", Kind::normal, 0.1, 1}}) {
        Machine machine(row);
        int shown = 0;
        int lost = 0;
        int gone = 0;
        for (int i = 0; i < histories; ++i) {
          machine.begin();
          std::vector<Side> sides;
          bool is_shown = false;
          bool was_shown = false;
          bool was_lost = false;
          for (std::size_t run = 0; run < most; ++run) {
            const double level = run < first ? 1
                                 : drifts ? std::pow(1 + step, static_cast<double>(run - first + 1))
                                          : 1 + step;
            sides.push_back(machine.run(run, level));
            if (run < first) continue;
            const auto history = judge::history_of(sides).cases.front();
            const bool now = history.changes() > 0 || history.drift() != nullptr;
            was_shown = was_shown || now;
            was_lost = was_lost || (is_shown && !now);
            is_shown = now;
          }
          shown += was_shown ? 1 : 0;
          lost += was_lost ? 1 : 0;
          gone += was_shown && !is_shown ? 1 : 0;
        }
        fmt::print("| {} by {:.0f} % | {:.1f}{} | {:.1f} | {:.1f} | {:.1f} |\n",
                   drifts ? "each slower" : "slower", 100 * step, 100 * row.spread * session_spread,
                   row.disturbed > 0 ? ", disturbed" : "", 100.0 * shown / histories,
                   100.0 * lost / histories, 100.0 * gone / histories);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int histories = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
  print_shown(histories);
  fmt::print("\nAs if neighbours were independent -> as it is:\n\n");
  print_cost(histories);
  fmt::print("\nRuns that follow one another:\n\n");
  print_kept(histories / 5);
}
