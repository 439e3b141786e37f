#include "benchmarks/judge/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "benchmarks/judge/sequential.hpp"

namespace apod::search {
namespace {

/// While a strategy has learnt nothing, its rows may share a process: starting one takes long.
/// Later as few do as make starting a quarter of the time, and eight that are compiled at once.
constexpr std::size_t most_of_a_process = 32;
constexpr double least_learnt = 4;
constexpr double most_learnt = 8;
constexpr std::size_t first_blocks = 3;  ///< two where there is no time for three of all
constexpr std::size_t least_blocks = 3;
constexpr std::size_t most_blocks = 15;
constexpr std::size_t rivals = 3;
constexpr double error_rate = 0.01;
/// If so many looks found nothing but failures, there is a fault in the file.
constexpr std::size_t most_failures = 48;

/// The values of rows in blocks; NaN where one is missing.
using Blocks = std::map<RowIndex, std::vector<double>>;

/// Measures blocks, as long as there is time for another.
struct Blocked {
  const Measure& measure;
  double budget_s;
  double row_s;
  double seconds = 0;
  bool stopped = false;

  /// False if it was stopped or there is no time.
  bool run(const std::vector<RowIndex>& rows, Blocks& blocks) {
    if (stopped || !fits(rows.size(), 1)) return false;
    const auto batch = measure(rows, Care::full);
    // What was expected of the first was a guess; then the slowest counts.
    const double took = batch.seconds / static_cast<double>(rows.size());
    row_s = seconds > 0 ? std::max(row_s, took) : took;
    seconds += batch.seconds;
    if ((stopped = batch.stopped)) return false;
    for (const auto row : rows) blocks[row].push_back(std::nan(""));
    for (const auto& answer : batch.answers) blocks[answer.row].back() = answer.value;
    return true;
  }
  bool fits(std::size_t rows, std::size_t blocks) const {
    return seconds + row_s * static_cast<double>(rows * blocks) <= budget_s;
  }
};

/// The variance of a difference of two rows in a block: of what rows and blocks leave unexplained.
stats::VarianceEstimate noise_of(const Blocks& blocks) {
  std::vector<std::vector<double>> rows;
  for (const auto& [row, values] : blocks) {
    if (!std::isnan(stats::mean(values))) rows.push_back(values);
  }
  if (rows.size() < 2 || rows.front().size() < 2) return {};
  const auto count = rows.front().size();
  for (std::size_t b = 0; b < count; ++b) {
    double mean = 0;
    for (const auto& values : rows) mean += values[b] / static_cast<double>(rows.size());
    for (auto& values : rows) values[b] -= mean;
  }
  double squares = 0;
  for (const auto& values : rows)
    squares += static_cast<double>(stats::square_sum(values, stats::mean(values)));
  const auto degrees = static_cast<double>((rows.size() - 1) * (count - 1));
  return {.variance = 2 * squares / degrees, .degrees = degrees};
}

std::vector<double> differences(const std::vector<double>& row, const std::vector<double>& base) {
  std::vector<double> all;
  for (std::size_t b = 0; b < std::min(row.size(), base.size()); ++b) {
    const double one = row[b] - base[b];
    if (!std::isnan(one)) all.push_back(one);
  }
  return all;
}

/// The rows that have not failed, the best by their means first.
std::vector<RowIndex> ranked(const Blocks& blocks) {
  Looks looks;
  for (const auto& [row, values] : blocks) {
    for (const auto value : values) looks.add({row, value});
  }
  std::vector<RowIndex> rows;
  for (const auto& one : looks.ranked()) rows.push_back(one.row);
  return rows;
}

}  // namespace

Exploration explore(const plan::Space& space, const SearchRequest& request,
                    const Measure& measure) {
  Exploration found;
  found.looks = request.known;
  std::size_t count = 0;
  const auto run = [&](const std::vector<RowIndex>& rows) {
    const auto batch = measure(rows, Care::look);
    for (const auto& answer : batch.answers) found.looks.add(answer);
    found.seconds += batch.seconds;
    found.stopped = batch.stopped;
    count += batch.answers.size();
    const auto best = found.looks.ranked(1);
    found.steps.push_back({count, found.seconds, best.empty() ? std::nan("") : best.front().mean});
  };

  const auto affordable = [&] {
    const double left_s = std::max(request.budget_s - found.seconds, 0.0);
    const double rows = left_s * static_cast<double>(count) / std::max(found.seconds, 1e-9);
    return static_cast<std::size_t>(std::min(rows, 1e7));
  };

  run({request.start});
  const double first_s = found.seconds;  // starting a process, and one row
  const auto few = [&] {
    const auto processes = static_cast<double>(found.steps.size());
    const auto others = std::max(static_cast<double>(count) - processes, 1.0);
    const double row_s = std::max((found.seconds - processes * first_s) / others, 1e-9);
    const double wanted = request.prepare ? most_learnt : std::ceil(3 * (first_s - row_s) / row_s);
    return static_cast<std::size_t>(std::clamp(wanted, least_learnt, most_learnt));
  };
  const auto looks = std::max<std::size_t>(affordable(), 2);
  found.strategy = request.strategy.value_or(looks >= 2 * space.size() ? StrategyKind::race
                                                                       : StrategyKind::model);
  const auto strategy = make_strategy(found.strategy, space, request.seed, looks);
  const auto next = [&](const std::vector<RowIndex>& running) {
    const auto most = std::min(affordable(), most_of_a_process + running.size());
    const auto left = most - std::min(most, running.size());
    return left < 2 ? std::vector<RowIndex>{}
                    : strategy->ask(found.looks, running, std::min(few(), left), left);
  };
  std::vector<RowIndex> coming;
  while (!found.stopped && (count < most_failures || !found.looks.ranked().empty())) {
    const auto rows = coming.empty() ? next({}) : std::exchange(coming, {});
    if (rows.empty()) break;
    if (request.prepare) request.prepare(coming = next(rows));
    run(rows);
  }
  for (const auto& one : found.looks.ranked(1) | std::views::take(request.finalists))
    found.finalists.push_back(one.row);
  return found;
}

double budget_of_looks(double budget_s, double row_s) {
  constexpr double share = 0.7;
  constexpr double least_rows = 8;
  // Eight finalists and the default, then the winner, three rivals and the default.
  constexpr double most_rows = 9 * first_blocks + 5 * most_blocks;
  return std::max({0.0, budget_s - most_rows * row_s,
                   std::min(share * budget_s, budget_s - least_rows * row_s)});
}

Finals finals(const std::vector<RowIndex>& finalists, RowIndex start, double budget_s, double row_s,
              const Measure& measure) {
  Finals made;
  if (finalists.empty()) return made;
  auto rows = finalists;
  std::erase(rows, start);
  // The first stage may take half of the budget. The default is in it, as it may be noisier.
  Blocked first{measure, budget_s / 2, row_s};
  const auto blocks = first.fits(rows.size() + 1, first_blocks) ? first_blocks : first_blocks - 1;
  while (rows.size() > 1 && !first.fits(rows.size() + 1, blocks)) rows.pop_back();
  rows.push_back(start);
  Blocks chosen;
  for (std::size_t b = 0; b < blocks && rows.size() > 2 && first.run(rows, chosen); ++b) {
  }
  const auto order = chosen.empty() ? rows : ranked(chosen);
  if (order.empty()) return {.seconds = first.seconds, .stopped = first.stopped};
  const auto noise = noise_of(chosen);
  auto winner = order.front();
  Blocked second{measure, budget_s - first.seconds, first.row_s};
  // The default, if it runs at all, and the best rivals that there is time for.
  std::vector<RowIndex> running{winner};
  if (winner != start && std::ranges::count(order, start) > 0) running.push_back(start);
  const auto most = running.size() + rivals;
  for (const auto row : order) {
    if (running.size() == most || !second.fits(running.size() + 1, least_blocks)) break;
    if (row != winner && row != start) running.push_back(row);
  }

  Blocks fresh;
  const auto compared = [&](RowIndex row) {
    return judge::decide(differences(fresh[row], fresh[winner]), {0, error_rate}, noise);
  };
  auto all = running;
  const auto failed = [&](RowIndex row) {
    return !fresh[row].empty() && std::isnan(stats::mean(fresh[row]));
  };
  for (std::size_t b = 0; b < least_blocks || (b < most_blocks && running.size() > 1); ++b) {
    if (!second.run(running, fresh)) break;
    if (b + 1 < least_blocks) continue;
    std::erase_if(running, [&](RowIndex row) {
      return row != winner && compared(row).standing != judge::Standing::undecided;
    });
  }
  // What failed once never wins, and the first stage may have been wrong.
  for (const auto row : all) {
    if (failed(row)) continue;
    if (failed(winner) || compared(row).standing == judge::Standing::below) winner = row;
  }
  made.seconds = first.seconds + second.seconds;
  made.stopped = first.stopped || second.stopped;
  if (failed(winner)) return made;
  // A winner that the fresh blocks chose among several is judged by a stricter rule.
  const double gain_error =
      winner == order.front() ? error_rate : error_rate / static_cast<double>(all.size());
  std::stable_partition(all.begin(), all.end(), [&](RowIndex row) { return row == winner; });
  for (const auto row : all) {
    // Stopped before the first block of the final: what the first stage says is all there is.
    const auto& values = fresh[row].empty() ? chosen[row] : fresh[row];
    Finalist one{.row = row, .values = values};
    one.failed = std::isnan(stats::mean(values));
    if (row != winner && !one.failed) {
      const auto decision = compared(row);
      one.behind = decision.change;
      one.is_worse = decision.standing == judge::Standing::above;
    }
    if (row == start) made.start = made.rows.size();
    made.rows.push_back(one);
  }
  const auto& base = made.rows[made.start];
  if (base.row == start && start != winner && !base.failed && !fresh[start].empty()) {
    made.gain =
        judge::decide(differences(fresh[winner], fresh[start]), {0, gain_error}, noise).change;
  }
  return made;
}

}  // namespace apod::search
