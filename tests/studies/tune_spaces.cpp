#include "tests/studies/tune_spaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "benchmarks/files/read_result.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::study {
namespace {

using search::RowIndex;
using Values = std::map<std::string, double>;

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
Known product_space() {
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
Known rugged_space() {
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
Known words_space() {
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

/// Samples of a point; none: it failed.
struct Point {
  Params params;
  std::vector<double> samples;
};

/// The axes are those that differ, the values in the order of their size.
Known of_points(const std::string& name, const std::vector<Point>& points) {
  std::vector<std::string> names;
  std::map<std::string, std::set<AxisValue>> levels;
  for (const auto& point : points) {
    for (const auto& [axis, value] : point.params.entries()) {
      if (levels[axis].empty()) names.push_back(axis);
      levels[axis].insert(value);
    }
  }
  std::erase_if(names, [&](const std::string& axis) { return levels[axis].size() < 2; });
  const auto key_of = [&](const Params& params) {
    std::string text;
    for (const auto& axis : names) text += to_string(*params.find(axis)) + "\n";
    return text;
  };
  Experiment experiment;
  for (const auto& axis : names) {
    experiment.groups.push_back({{Axis{axis, {levels[axis].begin(), levels[axis].end()}, {}}}});
  }
  std::map<std::string, const Point*> known_points;
  for (const auto& point : points) known_points[key_of(point.params)] = &point;
  Known known{.name = name};
  known.space = std::make_unique<plan::Space>(
      experiment, [&](const Params& params) { return known_points.contains(key_of(params)); });
  for (std::size_t row = 0; row < known.space->size(); ++row) {
    const auto& point = *known_points.at(key_of(known.space->params(static_cast<RowIndex>(row))));
    known.samples.push_back(point.samples);
    known.seconds.push_back(stats::median(point.samples));
  }
  return known;
}

AxisValue value_of(const nlohmann::json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A cache of Kernel Tuner: a time that is no number is a reason why there is none.
std::vector<Point> points_of_cache(const nlohmann::json& document) {
  std::vector<Point> points;
  for (const auto& [key, entry] : document.at("cache").items()) {
    auto& point = points.emplace_back();
    for (const auto& key_name : document.at("tune_params_keys")) {
      const auto name = key_name.get<std::string>();
      point.params.set(name, value_of(entry.at(name)));
    }
    if (!entry.at("time").is_number()) continue;
    for (const auto& sample : entry.at("times")) {
      point.samples.push_back(sample.get<double>() / 1e3);
    }
  }
  return points;
}

std::vector<Point> points_of_t4(const nlohmann::json& document) {
  std::vector<Point> points;
  for (const auto& result : document.at("results")) {
    auto& point = points.emplace_back();
    for (const auto& [name, value] : result.at("configuration").items()) {
      point.params.set(name, value_of(value));
    }
    if (result.at("invalidity") != "correct") continue;
    for (const auto& sample : result.at("times").at("runtimes")) {
      point.samples.push_back(sample.get<double>() / 1e3);
    }
  }
  return points;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) c == ',' ? cells.emplace_back() : cells.back() += c;
  return cells;
}

/// What tune_thin.py wrote: axes, "failed", quantiles in ns.
std::vector<Point> points_of_thin(std::istream& in) {
  std::vector<Point> points;
  std::string line;
  std::getline(in, line);
  const auto titles = cells_of(line);
  const auto axes = std::find(titles.begin(), titles.end(), "failed") - titles.begin();
  while (std::getline(in, line)) {
    const auto cells = cells_of(line);
    auto& point = points.emplace_back();
    std::vector<double> quantiles;
    for (std::ptrdiff_t i = 0; i < std::ssize(cells); ++i) {
      const auto& cell = cells[static_cast<std::size_t>(i)];
      const bool is_number = cell.find_first_not_of("0123456789") == cell.npos && !cell.empty();
      if (i < axes)
        point.params.set(titles[static_cast<std::size_t>(i)],
                         is_number ? AxisValue(std::stoll(cell)) : AxisValue(cell));
      if (i > axes && is_number) quantiles.push_back(std::stod(cell) / 1e9);
    }
    // What lies between two quantiles is as likely everywhere.
    constexpr int parts = 10;
    for (std::size_t q = 1; q < quantiles.size(); ++q) {
      for (int part = 0; part < parts; ++part) {
        const double above = (part + 0.5) / parts;
        point.samples.push_back((1 - above) * quantiles[q - 1] + above * quantiles[q]);
      }
    }
  }
  return points;
}

std::vector<Point> points_of(const Result& result) {
  std::vector<Point> points(result.plan.cases.size());
  for (const auto& c : result.plan.cases) points[c.index].params = c.params;
  std::set<std::size_t> failed;
  for (const auto& one : result.measurements) {
    if (!one.failed.empty()) failed.insert(one.case_index);
    auto& samples = points.at(one.case_index).samples;
    samples.insert(samples.end(), one.samples_s.begin(), one.samples_s.end());
  }
  for (const auto index : failed) points[index].samples.clear();
  // Of a run that was stopped: what it did not come to is unknown.
  std::vector<Point> seen;
  for (auto& point : points) {
    const auto index = static_cast<std::size_t>(&point - points.data());
    if (!point.samples.empty() || failed.contains(index)) seen.push_back(std::move(point));
  }
  return seen;
}

nlohmann::json json_of(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return std::get<std::string>(value);
}

}  // namespace

double Known::look(RowIndex row, search::Care care, std::mt19937_64& random) const {
  std::normal_distribution<> normal;
  const bool is_look = care == search::Care::look;
  if (samples.empty()) {
    return std::log(seconds[row]) + (is_look ? 1.5 : 1) * row_noise * normal(random);
  }
  const auto& all = samples[row];
  if (all.empty()) return std::nan("");
  std::vector<double> drawn;
  for (int i = 0; i < (is_look ? 5 : 20); ++i) drawn.push_back(all[random() % all.size()]);
  return std::log(stats::median(drawn));
}

std::vector<Known> formulas() {
  std::vector<Known> all;
  all.push_back(product_space());
  all.push_back(rugged_space());
  all.push_back(words_space());
  return all;
}

Known measured(const std::string& path) {
  auto name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  if (name.ends_with("_T4")) name.resize(name.size() - 3);
  std::ifstream in(path);
  if (path.ends_with(".csv")) return of_points(name, points_of_thin(in));
  const auto document = nlohmann::json::parse(in);
  if (document.contains("cache")) return of_points(name, points_of_cache(document));
  if (document.contains("results")) return of_points(name, points_of_t4(document));
  return of_points(name, points_of(files::read_result(path)));
}

void write_cache(const Known& known, const std::string& folder) {
  std::mt19937_64 random(1);
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
    if (std::isnan(known.seconds[row])) {
      entry["time"] = "RuntimeFailedConfig";
      entry["times"] = nlohmann::json::array();
    } else {
      entry["true_time"] = 1e3 * known.seconds[row];
      entry["time"] =
          1e3 * std::exp(known.look(static_cast<RowIndex>(row), search::Care::look, random));
      entry["times"] = {entry["time"]};
    }
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

}  // namespace apod::study
