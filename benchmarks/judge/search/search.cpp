#include "benchmarks/judge/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/judge/sequential.hpp"

namespace apod::search {
namespace {

constexpr std::size_t rows_of_a_process = 8;
constexpr std::size_t first_blocks = 3;
constexpr std::size_t least_blocks = 3;
constexpr std::size_t most_blocks = 15;
constexpr std::size_t rivals = 3;
constexpr double error_rate = 0.01;
/// If so many looks found nothing but failures, there is a fault in the file.
constexpr std::size_t most_failures = 48;

/// The values of rows in blocks; NaN where one is missing.
using Blocks = std::map<RowIndex, std::vector<double>>;

/// Measures a block; false if it was stopped or nothing more fits.
class Blocked {
 public:
  Blocked(const Measure& measure, double budget_s) : measure_(measure), budget_s_(budget_s) {}

  bool run(const std::vector<RowIndex>& rows, Blocks& blocks, std::size_t wanted) {
    const double expected = row_s_ * static_cast<double>(rows.size());
    if (stopped_ || (blocks_ >= wanted && seconds_ + expected > budget_s_)) return false;
    const auto batch = measure_(rows, Care::full);
    seconds_ += batch.seconds;
    stopped_ = batch.stopped;
    row_s_ = std::max(row_s_, batch.seconds / static_cast<double>(rows.size()));
    if (stopped_) return false;
    ++blocks_;
    for (const auto row : rows) blocks[row].push_back(std::nan(""));
    for (const auto& answer : batch.answers) blocks[answer.row].back() = answer.value;
    return true;
  }
  void begin_stage() { blocks_ = 0; }
  double seconds() const { return seconds_; }
  bool stopped() const { return stopped_; }

 private:
  const Measure& measure_;
  double budget_s_;
  double seconds_ = 0;
  double row_s_ = 0;
  std::size_t blocks_ = 0;  ///< of this stage
  bool stopped_ = false;
};

/// The variance of a difference of two rows in a block: of what rows and blocks leave unexplained.
stats::VarianceEstimate noise_of(const Blocks& blocks) {
  std::vector<const std::vector<double>*> rows;
  for (const auto& [row, values] : blocks) {
    if (!std::isnan(stats::mean(values))) rows.push_back(&values);
  }
  if (rows.size() < 2 || rows.front()->size() < 2) return {};
  const auto count = rows.front()->size();
  double all = 0;
  std::vector<double> of_block(count);
  for (const auto* values : rows) {
    for (std::size_t b = 0; b < count; ++b) of_block[b] += (*values)[b];
  }
  for (auto& value : of_block) {
    value /= static_cast<double>(rows.size());
    all += value / static_cast<double>(count);
  }
  double squares = 0;
  for (const auto* values : rows) {
    const double own = stats::mean(*values);
    for (std::size_t b = 0; b < count; ++b) {
      squares += stats::square((*values)[b] - own - of_block[b] + all);
    }
  }
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
  std::vector<std::pair<double, RowIndex>> means;
  for (const auto& [row, values] : blocks) {
    if (const double mean = stats::mean(values); !std::isnan(mean)) means.emplace_back(mean, row);
  }
  std::sort(means.begin(), means.end());
  std::vector<RowIndex> rows;
  for (const auto& [mean, row] : means) rows.push_back(row);
  return rows;
}

}  // namespace

Exploration explore(const plan::Space& space, const SearchRequest& request,
                    const Measure& measure) {
  Exploration found;
  found.looks = request.known;
  std::size_t count = 0;
  double longest = 0;  // of a process, a row
  std::unique_ptr<Strategy> strategy;
  const auto run = [&](const std::vector<RowIndex>& rows) {
    const auto batch = measure(rows, Care::look);
    found.looks.add(batch.answers);
    found.seconds += batch.seconds;
    found.stopped = batch.stopped;
    count += batch.answers.size();
    if (!batch.answers.empty()) {
      longest = found.seconds / static_cast<double>(count);
    }
    const auto best = strategy ? strategy->best(found.looks, 1) : std::vector<RowIndex>{};
    const auto row = best.empty() ? request.start : best.front();
    const auto* seen = found.looks.find(row);
    found.steps.push_back({count, found.seconds, row, seen ? seen->mean : std::nan("")});
  };

  run({request.start});
  const double left_s = std::max(request.budget_s - found.seconds, 0.0);
  const auto affordable = std::max<std::size_t>(
      static_cast<std::size_t>(longest > 0 ? std::min(left_s / longest, 1e7) : 1e7), 2);
  found.strategy = request.strategy.value_or(affordable >= 2 * space.size() ? StrategyKind::race
                                                                            : StrategyKind::model);
  strategy = make_strategy(found.strategy, space, request.seed, affordable);
  while (!found.stopped) {
    if (count >= most_failures && strategy->best(found.looks, 1).empty()) break;
    const double left = request.budget_s - found.seconds;
    const auto fit =
        longest > 0 ? static_cast<std::size_t>(std::max(left, 0.0) / longest) : rows_of_a_process;
    const auto most = std::min(fit, rows_of_a_process);
    if (most < 2) break;
    const auto rows = strategy->ask(found.looks, most);
    if (rows.empty()) break;
    run(rows);
  }
  found.finalists = strategy->best(found.looks, request.finalists);
  return found;
}

Finals finals(const std::vector<RowIndex>& finalists, RowIndex start, double budget_s,
              const Measure& measure) {
  Finals made;
  auto rows = finalists;
  if (std::find(rows.begin(), rows.end(), start) == rows.end()) rows.push_back(start);

  // The first stage may take half of the budget.
  Blocks chosen;
  Blocked first(measure, budget_s / 2);
  for (std::size_t b = 0; b < first_blocks && first.run(rows, chosen, 1); ++b) {
  }
  auto order = ranked(chosen);
  made.seconds = first.seconds();
  made.stopped = first.stopped();
  if (order.empty()) return made;
  const auto noise = noise_of(chosen);
  auto winner = order.front();
  std::vector<RowIndex> running{winner};
  for (const auto row : order) {
    if (row != winner && (running.size() <= rivals || row == start)) running.push_back(row);
  }
  if (!std::isnan(stats::mean(chosen[start])) &&
      std::find(running.begin(), running.end(), start) == running.end()) {
    running.push_back(start);
  }
  made.knocked_out = rows.size() - running.size();

  Blocks fresh;
  Blocked second(measure, budget_s - made.seconds);
  const auto compared = [&](RowIndex row) {
    return judge::decide(differences(fresh[row], fresh[winner]), {0, error_rate}, noise);
  };
  auto all = running;
  for (std::size_t b = 0; b < most_blocks && running.size() > 1; ++b) {
    if (!second.run(running, fresh, least_blocks)) break;
    if (b + 1 < least_blocks) continue;
    std::erase_if(running, [&](RowIndex row) {
      return row != winner && compared(row).standing != judge::Standing::undecided;
    });
  }
  // What failed once never wins, and the first stage may have been wrong.
  const auto failed = [&](RowIndex row) {
    return !fresh[row].empty() && std::isnan(stats::mean(fresh[row]));
  };
  const auto chosen_first = winner;
  for (const auto row : all) {
    if (failed(winner) && !failed(row)) winner = row;
  }
  for (const auto row : all) {
    if (row == winner || failed(row) || failed(winner)) continue;
    if (compared(row).standing == judge::Standing::below) winner = row;
  }
  made.seconds += second.seconds();
  made.stopped = made.stopped || second.stopped();
  if (failed(winner)) return made;
  // A winner that the fresh blocks chose among several is judged by a stricter rule.
  const double gain_error =
      winner == chosen_first ? error_rate : error_rate / static_cast<double>(all.size());
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
