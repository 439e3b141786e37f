/// How often `bench tune` finds a good configuration: searches of spaces whose times are known,
/// with noise, by each strategy and many seeds. See docs/tune.md.
///
/// Usage: tune_simulation [--seeds N] [--write FOLDER] [T4.json ...]: formulas, and spaces that
/// were measured. --write searches nothing: it writes the spaces as caches of Kernel Tuner, one
/// look at each row as its time, for tune_against_kernel_tuner.py.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/judge/search/search.hpp"
#include "kernels/data/fnv.hpp"

namespace {

using namespace apod;
using search::RowIndex;
using Values = std::map<std::string, double>;

/// A space with the true time of each row.
struct Known {
  std::string name;
  std::unique_ptr<plan::Space> space;
  std::vector<double> seconds;
  double row_noise = 0.01;      ///< of one row in one process, ln
  double process_noise = 0.01;  ///< of a process, which its rows share
};

Axis axis(const std::string& name, const std::vector<std::int64_t>& numbers) {
  Axis made{name, {}, {}};
  for (const auto number : numbers) made.values.emplace_back(number);
  return made;
}

Values values_of(const Params& params) {
  Values values;
  for (const auto& [name, value] : params.entries()) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      values[name] = static_cast<double>(*number);
    }
  }
  return values;
}

/// A number from 0 to 1 that looks like chance, but is the same each time.
double whim(const std::string& text) {
  std::mt19937_64 random(Fnv1a().add(text).value());
  return std::uniform_real_distribution<>(0, 1)(random);
}

Known formula(const std::string& name, const std::vector<Axis>& axes,
              const std::function<bool(Values&)>& keeps,
              const std::function<double(Values&)>& seconds) {
  Experiment experiment;
  for (const auto& one : axes) experiment.groups.push_back({{one}});
  Known known{.name = name};
  known.space = std::make_unique<plan::Space>(experiment, [&](const Params& params) {
    auto values = values_of(params);
    return keeps(values);
  });
  for (std::size_t row = 0; row < known.space->size(); ++row) {
    auto values = values_of(known.space->params(static_cast<RowIndex>(row)));
    known.seconds.push_back(seconds(values));
  }
  return known;
}

/// A tiled matrix product: occupancy, reuse, vector width and bank conflicts pull in different
/// ways.
Known product() {
  return formula(
      "matrix product",
      {axis("tile_m", {16, 32, 64, 128}), axis("tile_n", {16, 32, 64, 128}),
       axis("tile_k", {8, 16, 32}), axis("threads_m", {8, 16, 32}), axis("threads_n", {8, 16, 32}),
       axis("vector", {1, 2, 4, 8}), axis("shared_a", {0, 1}), axis("shared_b", {0, 1}),
       axis("unroll", {1, 2, 4, 8})},
      [](Values& v) {
        return v["tile_m"] >= v["threads_m"] && v["tile_n"] >= v["threads_n"] &&
               v["threads_m"] * v["threads_n"] <= 512 && v["tile_m"] / v["threads_m"] >= 1 &&
               std::fmod(v["tile_m"] / v["threads_m"], v["vector"]) == 0;
      },
      [](Values& v) {
        const double threads = v["threads_m"] * v["threads_n"];
        const double work = v["tile_m"] * v["tile_n"] / threads;
        const double registers = 20 + 1.2 * work + 2 * v["unroll"];
        const double spill = std::max(0.0, registers - 128) / 40;
        const double occupancy = std::min(1.0, 65536 / (registers * threads) * threads / 1024);
        const double reuse = 1 / v["tile_m"] + 1 / v["tile_n"];
        const double memory = 60 * reuse *
                              (1 + 0.5 * (1 - v["shared_a"]) + 0.7 * (1 - v["shared_b"])) /
                              (0.6 + 0.1 * std::log2(v["vector"] * 2));
        const double compute = 1 + 0.3 / v["unroll"] + 2.0 / work + 0.4 / v["tile_k"] * 8;
        return 1e-3 * (std::max(memory, compute) + 0.35 * std::min(memory, compute)) * (1 + spill) /
               (0.4 + 0.6 * std::min(1.0, 2 * occupancy)) *
               (1 + 0.02 * v["shared_a"] * (v["tile_k"] == 32));
      });
}

/// A stencil whose every configuration has a whim of its own on top of the trend: 8 %.
Known rugged() {
  return formula(
      "rugged stencil",
      {axis("block_x", {16, 32, 48, 64, 96, 128, 256}), axis("block_y", {1, 2, 4, 8, 16}),
       axis("tile_x", {1, 2, 3, 4, 6, 8}), axis("tile_y", {1, 2, 3, 4, 6, 8}),
       axis("padding", {0, 1}), axis("read_only", {0, 1})},
      [](Values& v) {
        return v["block_x"] * v["block_y"] >= 32 && v["block_x"] * v["block_y"] <= 1024;
      },
      [](Values& v) {
        std::string text;
        for (const auto& [name, value] : v) text += name + fmt::format("={} ", value);
        const double threads = v["block_x"] * v["block_y"];
        const double tile = v["tile_x"] * v["tile_y"];
        const double conflicts = std::fmod(v["block_x"], 32) != 0 && v["padding"] == 0 ? 0.25 : 0;
        return 1e-3 *
               (0.7 + 0.6 / std::sqrt(tile) + 0.012 * tile + conflicts +
                0.1 * std::abs(std::log2(threads / 256)) + 0.05 * (1 - v["read_only"])) *
               (1 + 0.08 * whim(text));
      });
}

/// Choices without an order, which depend on each other.
Known words() {
  std::vector<Axis> axes;
  for (const auto* name : {"order", "layout", "policy", "fuse", "reduce"}) {
    Axis one{name, {}, {}};
    for (int i = 0; i < 5; ++i) one.values.emplace_back(std::string(1, static_cast<char>('a' + i)));
    axes.push_back(std::move(one));
  }
  Experiment experiment;
  for (const auto& one : axes) experiment.groups.push_back({{one}});
  Known known{.name = "words"};
  known.space = std::make_unique<plan::Space>(experiment, [](const Params&) { return true; });
  for (std::size_t row = 0; row < known.space->size(); ++row) {
    const auto params = known.space->params(static_cast<RowIndex>(row));
    double sum = 0;
    const auto& all = params.entries();
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum += 0.25 * whim(all[i].first + to_string(all[i].second));
      for (std::size_t j = 0; j < i; ++j) {
        sum += 0.1 * whim(all[i].first + to_string(all[i].second) + all[j].first +
                          to_string(all[j].second));
      }
    }
    known.seconds.push_back(1e-3 * std::exp(sum));
  }
  return known;
}

/// Spaces that bench tune or Kernel Tuner wrote.
Known cached(const std::string& path) {
  std::ifstream in(path);
  const auto document = nlohmann::json::parse(in);
  std::vector<std::string> names;
  std::map<std::string, std::set<AxisValue>> levels;
  std::map<std::string, double> times;
  const auto value_of = [](const nlohmann::json& value) -> AxisValue {
    if (value.is_number_integer()) return value.get<std::int64_t>();
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  const auto text_of = [&](const std::vector<AxisValue>& all) {
    std::string text;
    for (const auto& one : all) text += to_string(one) + "\n";
    return text;
  };
  for (const auto& result : document.at("results")) {
    std::vector<AxisValue> all;
    for (const auto& [name, value] : result.at("configuration").items()) {
      if (levels.emplace(name, std::set<AxisValue>{}).second) names.push_back(name);
      levels[name].insert(value_of(value));
      all.push_back(value_of(value));
    }
    double seconds = std::nan("");
    for (const auto& one : result.at("measurements")) {
      if (one.at("name") == "time" && one.at("value").is_number())
        seconds = one.at("value").get<double>() / 1e3;
    }
    times[text_of(all)] = seconds;
  }
  Experiment experiment;
  for (const auto& name : names) {
    experiment.groups.push_back({{Axis{name, {levels[name].begin(), levels[name].end()}, {}}}});
  }
  const auto text_of_params = [&](const Params& params) {
    std::vector<AxisValue> all;
    for (const auto& name : names) all.push_back(*params.find(name));
    return text_of(all);
  };
  Known known{.name = path.substr(path.rfind('/') + 1)};
  known.space = std::make_unique<plan::Space>(
      experiment, [&](const Params& params) { return times.contains(text_of_params(params)); });
  for (std::size_t row = 0; row < known.space->size(); ++row) {
    known.seconds.push_back(
        times.at(text_of_params(known.space->params(static_cast<RowIndex>(row)))));
  }
  return known;
}

nlohmann::json json_of(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return std::get<std::string>(value);
}

void write_cache(const Known& known, const std::string& folder) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  const double noise = std::hypot(known.row_noise, known.process_noise);
  nlohmann::ordered_json cache;
  nlohmann::ordered_json tune_params;
  for (std::size_t row = 0; row < known.space->size(); ++row) {
    nlohmann::ordered_json entry;
    std::string key;
    const auto params = known.space->params(static_cast<RowIndex>(row));
    for (const auto& [name, value] : params.entries()) {
      entry[name] = json_of(value);
      key += (key.empty() ? "" : ",") + to_string(value);
      auto& levels = tune_params[name];
      if (std::find(levels.begin(), levels.end(), entry[name]) == levels.end()) {
        levels.push_back(entry[name]);
      }
    }
    const double true_ms = 1e3 * known.seconds[row];
    if (std::isnan(true_ms)) continue;
    entry["time"] = true_ms * std::exp(noise * normal(random));
    entry["true_time"] = true_ms;
    entry["times"] = {entry["time"]};
    for (const auto* name : {"compile_time", "verification_time", "benchmark_time", "strategy_time",
                             "framework_time"}) {
      entry[name] = 0;
    }
    entry["timestamp"] = "2026-01-01 00:00:00+00:00";
    cache[key] = std::move(entry);
  }
  auto keys = nlohmann::json::array();
  for (const auto& [name, levels] : tune_params.items()) keys.push_back(name);
  const nlohmann::ordered_json document{{"device_name", "simulated"},
                                        {"kernel_name", known.name},
                                        {"problem_size", 1},
                                        {"tune_params_keys", keys},
                                        {"tune_params", tune_params},
                                        {"objective", "time"},
                                        {"cache", cache}};
  std::ofstream(folder + "/" + known.name + ".json") << document.dump() << '\n';
}

struct Score {
  int good = 0;
  std::vector<double> losses;
  std::size_t looks = 0;
  int covered = 0;  ///< intervals of the gain that hold the true one
  int gains = 0;
};

/// One search. A look costs 1, a full one 1 too: in most spaces starting and checking a
/// configuration takes longer than timing it.
void search_once(const Known& known, std::optional<search::StrategyKind> kind, std::uint64_t seed,
                 Score& score) {
  std::mt19937_64 random(seed * 7919 + 13);
  std::normal_distribution<> normal;
  const search::Measure measure = [&](std::span<const RowIndex> rows, search::Care care) {
    search::Batch batch;
    const double process = known.process_noise * normal(random);
    const double factor = care == search::Care::look ? 1.5 : 1;
    for (const auto row : rows) {
      batch.answers.push_back({row, std::log(known.seconds[row]) + process +
                                        factor * known.row_noise * normal(random)});
      batch.seconds += 1;
    }
    return batch;
  };
  const double exhaustive = 3.0 * static_cast<double>(known.space->size());
  const double budget = 0.1 * exhaustive;
  search::SearchRequest request{.strategy = kind, .seed = seed, .budget_s = 0.7 * budget};
  // A default that is neither good nor bad.
  request.start = static_cast<RowIndex>(known.space->size() / 2);
  const auto found = search::explore(*known.space, request, measure);
  const auto last = search::finals(found.finalists, request.start, budget - found.seconds, measure);
  double best = HUGE_VAL;
  for (const auto one : known.seconds) best = one < best ? one : best;
  const double loss = last.rows.empty() ? 1 : known.seconds[last.rows.front().row] / best - 1;
  score.good += loss <= 0.02 ? 1 : 0;
  score.losses.push_back(loss);
  score.looks += static_cast<std::size_t>(found.seconds + last.seconds);
  if (last.gain) {
    const double truth = known.seconds[last.rows.front().row] / known.seconds[request.start] - 1;
    ++score.gains;
    score.covered += truth >= last.gain->low && truth <= last.gain->high ? 1 : 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seeds = 20;
  std::vector<Known> spaces;
  spaces.push_back(product());
  spaces.push_back(rugged());
  spaces.push_back(words());
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--seeds") {
      seeds = std::stoull(argv[++i]);
    } else if (std::string(argv[i]) == "--write") {
      folder = argv[++i];
    } else {
      spaces.push_back(cached(argv[i]));
    }
  }
  if (!folder.empty()) {
    for (const auto& known : spaces) write_cache(known, folder);
    return 0;
  }
  fmt::print(
      "| space | valid | strategy | within 2 % | median loss | worst | looks | of all | gain "
      "covered |\n");
  fmt::print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& known : spaces) {
    for (const auto kind :
         {search::StrategyKind::race, search::StrategyKind::model, search::StrategyKind::random}) {
      Score score;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) search_once(known, kind, seed, score);
      std::sort(score.losses.begin(), score.losses.end());
      const double looks = static_cast<double>(score.looks) / static_cast<double>(seeds);
      fmt::print(
          "| {} | {} | {} | {} of {} | {:.1f} % | {:.1f} % | {:.0f} | {:.1f} % | {} of {} |\n",
          known.name, known.space->size(), to_string(kind), score.good, seeds,
          100 * score.losses[score.losses.size() / 2], 100 * score.losses.back(), looks,
          100 * looks / (3 * static_cast<double>(known.space->size())), score.covered, score.gains);
      std::fflush(stdout);
    }
  }
}
