// The number beside a change is the one that its verdict was made with, in every form of a report:
// a change stands apart where it is larger. On many random pairs of sides.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <sstream>

#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "tests/benchmarks/judge/sides.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

/// What a row of a report says.
struct Line {
  double change = 0;
  std::string verdict;
  double noise = 0;

  bool stands_apart() const {
    return verdict == "regression" || verdict == "improvement" || verdict == "suspect";
  }
  bool contradicts_itself() const {
    constexpr double rounding = 1e-12;
    return stands_apart() ? std::abs(change) < noise * (1 - rounding)
                          : std::abs(change) > noise * (1 + rounding);
  }
};

class RandomSides {
 public:
  explicit RandomSides(unsigned seed) : random_(seed) {}

  Comparison compared() {
    const auto cases = std::uniform_int_distribution<std::size_t>(1, 14)(random_);
    const double shift = is(0.5) ? gaussian(0.3) : gaussian(0.01);
    const double spread = std::exp(-6 + 4 * uniform());
    std::vector<double> levels;
    for (std::size_t i = 0; i < cases; ++i) levels.push_back(gaussian(2));
    Side base = is(0.4) ? nights(levels, spread, 5 + static_cast<int>(10 * uniform()), 1)
                        : runs(levels, spread, is(0.5) ? 1 : 3);
    for (double& level : levels) level += shift + (is(0.3) ? gaussian(0.7) : 0);
    const bool dated = base.sessions.size() > 4;
    Side after = dated ? nights(levels, spread, is(0.3) ? 2 : 1, 20) : runs(levels, spread, 1);
    if (is(0.2)) after.sessions[0].environment["caches"] = "L2 1024 KiB";
    if (is(0.2)) after.sessions[0].environment["host"] = "another";
    if (is(0.3)) launch(base, 10), launch(after, is(0.5) ? 20 : 5);
    CompareOptions options;
    options.threshold_given = is(0.3);
    if (options.threshold_given) options.threshold = std::exp(-5 + 5 * uniform());
    options.strict = is(0.2);
    return judge::compare_sides(base, after, options);
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double gaussian(double deviation) {
    return std::normal_distribution<double>(0, deviation)(random_);
  }
  bool is(double chance) { return uniform() < chance; }

  /// A session of the side, with one process a case or several.
  void measure(Side& side, const std::vector<double>& levels, double spread, bool several) {
    const auto session = static_cast<std::uint32_t>(side.sessions.size() - 1);
    const double of_session = gaussian(spread);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const double of_case = gaussian(spread);
      for (int process = 0; process < (several ? 5 : 1); ++process) {
        const double log = levels[i] + of_session + of_case + gaussian(spread / 2);
        side.cases[i].times.push_back({1e-3 * std::exp(log), session});
      }
    }
  }

  Side runs(const std::vector<double>& levels, double spread, std::size_t sessions) {
    Side side = empty(levels.size());
    const bool several = is(0.5);
    for (std::size_t i = 0; i < sessions; ++i) {
      side.sessions.push_back({"run.json", "apod", {{"host", "one"}, {"caches", "L2 512 KiB"}}});
      side.sessions.back().environment["date"] = "2026-01-01T02:0" + std::to_string(i) + ":00Z";
      measure(side, levels, spread, several);
    }
    return side;
  }

  Side nights(const std::vector<double>& levels, double spread, int count, int first) {
    Side side = empty(levels.size());
    for (int night = 0; night < count; ++night) {
      const auto day = std::to_string(first + night);
      side.sessions.push_back(
          {"night.json", "google", {{"host", "one"}, {"caches", "L2 512 KiB"}}});
      side.sessions.back().environment["date"] =
          "2026-01-" + std::string(day.size() == 1 ? "0" : "") + day + "T02:00:00Z";
      measure(side, levels, spread, false);
    }
    return side;
  }

  static Side empty(std::size_t cases) {
    Side side;
    side.label = "side";
    side.cases.resize(cases);
    for (std::size_t i = 0; i < cases; ++i) side.cases[i].name = "case" + std::to_string(i);
    return side;
  }

  /// Each case is now the mean of so many launches, whose times together say how long it takes.
  static void launch(Side& side, double launches) {
    for (auto& c : side.cases) {
      for (auto& time : c.times) time.seconds *= 10 / launches;
      c.facts = {{"kernel_time/" + c.name, c.times.front().seconds * launches},
                 {"launches/" + c.name, launches}};
    }
  }

  std::mt19937 random_;
};

/// The number of "+12.3 % ±0.4" or ">9999 %", as a share.
double share_in(const std::string& cell) {
  const auto digits = cell.find_first_of("+-0123456789");
  return digits == std::string::npos ? 0 : std::stod(cell.substr(digits)) / 100;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    const auto last = cell.find_last_not_of(' ');
    cells.push_back(first == cell.npos ? "" : cell.substr(first, last + 1 - first));
  }
  return cells;
}

/// The rows of the tables of cases, as Markdown has them.
std::vector<Line> lines_of_markdown(const std::string& markdown) {
  std::vector<Line> lines;
  std::istringstream in(markdown);
  std::optional<std::size_t> change, verdict, noise;
  for (std::string line; std::getline(in, line);) {
    const auto cells = cells_of(line);
    const auto find = [&](const char* title) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] == title) return i;
      }
      return std::nullopt;
    };
    if (!line.starts_with('|')) {
      change.reset();
    } else if (find("change") && find("noise")) {
      change = find("change"), verdict = find("verdict"), noise = find("noise");
    } else if (change && cells.size() > *noise && cells[*noise].find(" %") != std::string::npos) {
      std::string word = cells[*verdict];
      std::erase(word, '*');
      lines.push_back({share_in(cells[*change]), word, share_in(cells[*noise])});
    }
  }
  return lines;
}

TEST(NoiseColumn, NoRowContradictsItself) {
  std::size_t rows = 0, apart = 0, far_within = 0, shown = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    const auto comparison = RandomSides(seed).compared();
    const auto document = record::Json::parse(written(comparison, Format::json));
    for (const auto& c : document["cases"]) {
      const Line line{c["change"], c["verdict"], c["detectable"]};
      EXPECT_FALSE(line.contradicts_itself())
          << "seed " << seed << ", " << c["name"] << ": " << line.change << ", " << line.verdict
          << ", noise " << line.noise;
      ++rows;
      apart += line.stands_apart() ? 1 : 0;
      far_within += !line.stands_apart() && std::abs(line.change) > 0.5 ? 1 : 0;
    }
    for (const auto& line : lines_of_markdown(written(comparison, Format::markdown))) {
      EXPECT_FALSE(line.contradicts_itself()) << "seed " << seed << ", shown: " << line.change
                                              << ", " << line.verdict << ", noise " << line.noise;
      ++shown;
    }
    if (document.contains("common") && document["common"].contains("noise")) {
      const auto& common = document["common"];
      const Line line{common["change"], common["verdict"], common["noise"]};
      EXPECT_FALSE(line.contradicts_itself()) << "seed " << seed << ", what all share";
    }
    if (HasFailure()) break;
  }
  EXPECT_EQ(shown, rows);
  EXPECT_GT(apart, 250U);
  EXPECT_GT(far_within, 250U) << "what all share moves cases by more than their own noise";
}

}  // namespace
}  // namespace apod::show
