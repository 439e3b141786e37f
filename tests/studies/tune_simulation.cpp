/// How often `bench tune` finds a good configuration: searches of spaces whose times are known,
/// with many seeds, beside rows that are drawn by chance. See docs/experiment-files.md.
///
/// Usage: tune_simulation [--seeds FIRST-LAST] [--share 0.1] [--formulas] [--write FOLDER]
/// [FILE ...]: the files are spaces that were measured: results of ours, T4, or caches of Kernel
/// Tuner. --share is what a search may look at. --write searches nothing: it writes the spaces as
/// caches of Kernel Tuner, for tune_against_kernel_tuner.py.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "benchmarks/base/stats/means.hpp"
#include "tests/studies/tune_spaces.hpp"

namespace {

using namespace apod;
using search::RowIndex;
using study::Known;

constexpr double close_enough = 0.02;

struct Score {
  int good = 0;
  std::vector<double> losses;
  std::size_t looks = 0;
  int covered = 0;  ///< intervals of the gain that hold the true one
  int gains = 0;
  std::string strategy;
};

/// Rows by chance, each looked at once; the best eight are the finalists.
search::Exploration by_chance(const Known& known, std::uint64_t seed, double budget,
                              const search::Measure& measure) {
  std::mt19937_64 random(seed);
  std::vector<RowIndex> rows(known.space->size());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  std::shuffle(rows.begin(), rows.end(), random);
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(budget)));
  search::Exploration found;
  constexpr std::size_t of_a_process = 8;
  for (std::size_t i = 0; i < rows.size(); i += of_a_process) {
    const auto count = std::min(of_a_process, rows.size() - i);
    const auto batch = measure(std::span(rows).subspan(i, count), search::Care::look);
    for (const auto& answer : batch.answers) found.looks.add(answer);
    found.seconds += batch.seconds;
  }
  for (const auto& row : found.looks.ranked()) {
    if (found.finalists.size() < 8) found.finalists.push_back(row.row);
  }
  return found;
}

/// One search. A look costs 1, at full care 1 too: in most spaces compiling, starting and checking
/// a configuration takes longer than timing it.
void search_once(const Known& known, bool chance, std::uint64_t seed, double share, Score& score) {
  std::mt19937_64 random(seed * 7919 + 13);
  std::normal_distribution<> normal;
  const search::Measure measure = [&](std::span<const RowIndex> rows, search::Care care) {
    search::Batch batch;
    const double process = known.process_noise * normal(random);
    for (const auto row : rows) {
      batch.answers.push_back({row, known.look(row, care, random) + process});
      batch.seconds += 1;
    }
    return batch;
  };
  const double budget = share * static_cast<double>(known.space->size());
  const double for_looks = search::budget_of_looks(budget, 1);
  // A default that is neither good nor bad, as far as chance allows.
  auto start = static_cast<RowIndex>(known.space->size() / 2);
  while (std::isnan(known.seconds[start])) ++start;
  const auto found =
      chance ? by_chance(known, seed, for_looks, measure)
             : search::explore(*known.space, {.seed = seed, .budget_s = for_looks, .start = start},
                               measure);
  const auto last = search::finals(found.finalists, start, budget - found.seconds, 1, measure);
  double best = HUGE_VAL;
  for (const auto one : known.seconds) best = one < best ? one : best;
  const double loss = last.rows.empty() ? 1 : known.seconds[last.rows.front().row] / best - 1;
  score.strategy = chance ? "chance" : to_string(found.strategy);
  score.good += loss <= close_enough ? 1 : 0;
  score.losses.push_back(loss);
  score.looks += static_cast<std::size_t>(found.seconds + last.seconds);
  if (last.gain) {
    const double truth = known.seconds[last.rows.front().row] / known.seconds[start] - 1;
    ++score.gains;
    score.covered += truth >= last.gain->low && truth <= last.gain->high ? 1 : 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t first = 1;
  std::uint64_t last = 20;
  double share = 0.1;  // of the space: an exhaustive search looks at each row once
  std::vector<Known> spaces;
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seeds") {
      const std::string range = argv[++i];
      first = std::stoull(range);
      last = std::stoull(range.substr(range.find('-') + 1));
    } else if (word == "--share") {
      share = std::stod(argv[++i]);
    } else if (word == "--write") {
      folder = argv[++i];
    } else if (word == "--formulas") {
      for (auto& known : study::formulas()) spaces.push_back(std::move(known));
    } else {
      spaces.push_back(study::measured(word));
    }
  }
  if (!folder.empty()) {
    for (const auto& known : spaces) study::write_cache(known, folder);
    return 0;
  }
  fmt::print(
      "| space | valid | of them within 2 % | search | within 2 % | median loss | worst | looks | "
      "of all | gain covered |\n"
      "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& known : spaces) {
    const double least =
        *std::min_element(known.seconds.begin(), known.seconds.end(), [](double a, double b) {
          return (std::isnan(a) ? HUGE_VAL : a) < (std::isnan(b) ? HUGE_VAL : b);
        });
    const auto close = std::count_if(known.seconds.begin(), known.seconds.end(),
                                     [&](double one) { return one <= (1 + close_enough) * least; });
    for (const bool chance : {false, true}) {
      Score score;
      for (auto seed = first; seed <= last; ++seed) search_once(known, chance, seed, share, score);
      std::sort(score.losses.begin(), score.losses.end());
      const double looks = static_cast<double>(score.looks) / static_cast<double>(last - first + 1);
      fmt::print(
          "| {} | {} | {} | {} | {} of {} | {:.1f} % | {:.1f} % | {:.0f} | {:.1f} % | {} of {} |\n",
          known.name, known.space->size(), close, score.strategy, score.good, last - first + 1,
          100 * stats::median(score.losses), 100 * score.losses.back(), looks,
          100 * looks / static_cast<double>(known.space->size()), score.covered, score.gains);
      std::fflush(stdout);
    }
  }
}
