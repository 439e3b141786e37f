#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/side_formats.hpp"

namespace apod::files {
namespace {

const HiddenKeys unread_of_google{
    {"benchmarks", {"iterations", "repetition_index", "repetitions", "threads"}},
};

constexpr const char* family = "family_index";
constexpr const char* instance = "per_family_instance_index";

double unit_of(const Piece& row) {
  const Piece& unit = look_up(row, "time_unit");
  if (unit.is_null() || unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw std::runtime_error("time_unit: not one of ns, us, ms, s");
}

/// A row's name without that of its aggregate, and the latter: empty for a repetition. Old
/// versions of the library tell the aggregates by the end of the name alone.
std::pair<std::string, std::string> names_of(const Piece& row) {
  const Piece& run_name = look_up(row, "run_name");
  std::string name = run_name.is_null() ? text_at(row, "name") : text_at(row, "run_name");
  const Piece& type = look_up(row, "run_type");
  if (!type.is_null()) {
    return {std::move(name), type == "aggregate" ? text_at(row, "aggregate_name") : ""};
  }
  for (const std::string_view aggregate : {"mean", "median", "stddev", "cv"}) {
    const std::string end = "_" + std::string(aggregate);
    if (name.size() > end.size() && name.ends_with(end)) {
      name.resize(name.size() - end.size());
      return {std::move(name), std::string(aggregate)};
    }
  }
  return {std::move(name), ""};
}

/// The fit of a complexity, which is no time of anything.
bool is_fit(const Piece& row) {
  return !row.contains("real_time") && (row.contains("big_o") || row.contains("rms"));
}

/// What of a row can be asked for: its two times and its counters.
std::vector<std::string> metrics_of(const Piece& row) {
  std::vector<std::string> names;
  for (const auto& [key, value] : row.items()) {
    if (value.is_number() && key != family && key != instance) names.push_back(key);
  }
  return names;
}

/// What the library itself writes into the context, and our own files beside it.
constexpr std::array<std::string_view, 13> library_keys{"date",
                                                        "host_name",
                                                        "executable",
                                                        "num_cpus",
                                                        "mhz_per_cpu",
                                                        "cpu_scaling_enabled",
                                                        "caches",
                                                        "load_avg",
                                                        "library_build_type",
                                                        "library_version",
                                                        "json_schema_version",
                                                        "aslr_enabled",
                                                        "apod"};

/// "L1 Data 32 KiB, L2 Unified 512 KiB"; empty where the file has none.
std::string caches_of(const Piece& caches) {
  std::string text;
  if (!caches.is_array()) return text;
  for (const Piece& cache : caches) {
    const Piece& size = look_up(cache, "size");
    if (!size.is_number()) continue;
    text += fmt::format("{}L{} {} {:.0f} KiB", text.empty() ? "" : ", ",
                        text_of(look_up(cache, "level")), text_of(look_up(cache, "type")),
                        size.get<double>() / 1024);
  }
  return text;
}

class GoogleReader {
 public:
  explicit GoogleReader(SideBuilder& side) : side_(side) {}

  void context(const Piece& context) {
    for (const auto& [key, name] : {std::pair{"host", "host_name"},
                                    {"cpus", "num_cpus"},
                                    {"build_type", "library_build_type"},
                                    {"version", "library_version"},
                                    {"date", "date"},
                                    {"description", "executable"}}) {
      side_.environment(key, text_of(look_up(context, name)));
    }
    side_.environment("mhz", text_of(look_up(context, "mhz_per_cpu")));
    side_.environment("caches", caches_of(look_up(context, "caches")));
    // What the program was given with --benchmark_context: commit, gpu, driver ...
    for (const auto& [key, value] : context.items()) {
      const bool is_own =
          std::find(library_keys.begin(), library_keys.end(), key) == library_keys.end();
      if (is_own && value.is_string()) side_.environment(key, text_of(value));
    }
    const Piece& load = look_up(context, "load_avg");
    if (load.is_array() && !load.empty()) side_.environment("load_average", text_of(load[0]));
    if (look_up(context, "library_build_type") == "debug") {
      side_.note("the benchmark library is a debug build: its times may mean little");
    }
  }

  void row(const Piece& row) {
    if (is_fit(row)) return;
    auto [name, aggregate] = names_of(row);
    if (flag_at(row, "skipped") || !text_of(look_up(row, "skip_message")).empty()) {
      side_.note("skipped, " + text_of(look_up(row, "skip_message")), name);
    } else if (!aggregate.empty()) {
      keep_aggregate(std::move(name), aggregate, row);
    } else if (side_.wants(name)) {
      const auto benchmark = benchmark_of(row);
      auto& known = has_rows_[name];
      if (!known) known = benchmark;
      const bool same = !benchmark || benchmark == known;
      CaseTally tally;
      tally.info.name = std::move(name);
      if (!same) {
        tally.fail("two benchmarks of the file have this name (family_index tells them apart)");
      } else if (flag_at(row, "error_occurred")) {
        tally.fail(text_of(look_up(row, "error_message")));
      } else if (!has_metric(row)) {
        return side_.lacks_metric(tally.info.name, metrics_of(row));
      } else {
        side_.add_value(tally, value_of(row));
      }
      side_.add(std::move(tally));
    }
  }

  /// Puts down the aggregates of the cases that have no repetitions.
  void finish() {
    for (Aggregate& aggregate : aggregates_) {
      if (has_rows_.contains(aggregate.name) || !side_.wants(aggregate.name)) continue;
      side_.note(aggregate.median ? "only aggregates, so the median counts as one process"
                                  : "only aggregates, so the mean counts as one process",
                 aggregate.name);
      CaseTally tally;
      tally.info.name = std::move(aggregate.name);
      side_.add_value(tally, aggregate.median.value_or(aggregate.mean));
      side_.add(std::move(tally));
    }
  }

 private:
  const char* key() const {
    return side_.metric().is_time() ? "real_time" : side_.metric().name.c_str();
  }
  /// A row without its time is damaged, which value_of() says.
  bool has_metric(const Piece& row) const {
    return side_.metric().is_time() || look_up(row, key()).is_number();
  }
  MetricValue value_of(const Piece& row) const {
    const auto& metric = side_.metric();
    if (metric.is_time() || metric.name == "cpu_time")
      return {number_at(row, key()) * unit_of(row)};
    return value_of_counter(metric, number_at(row, key()), metric.name.ends_with("_per_second"));
  }

  /// Which of the program's benchmarks a row is of: its family, and its place in that.
  using Benchmark = std::pair<double, double>;
  /// Old versions of the library don't tell.
  static std::optional<Benchmark> benchmark_of(const Piece& row) {
    if (!row.contains(family) || !row.contains(instance)) return std::nullopt;
    return Benchmark{number_at(row, family), number_at(row, instance)};
  }

  struct Aggregate {
    std::string name;
    std::optional<MetricValue> median;
    MetricValue mean;
  };

  void keep_aggregate(std::string name, const std::string& kind, const Piece& row) {
    if ((kind != "median" && kind != "mean") || flag_at(row, "error_occurred")) return;
    if (!has_metric(row)) return side_.lacks_metric(name, metrics_of(row));
    const auto [found, is_new] = aggregate_index_.try_emplace(name, aggregates_.size());
    if (is_new) aggregates_.push_back({std::move(name), {}, {}});
    Aggregate& aggregate = aggregates_[found->second];
    (kind == "median" ? aggregate.median.emplace() : aggregate.mean) = value_of(row);
  }

  SideBuilder& side_;
  std::unordered_map<std::string, std::optional<Benchmark>> has_rows_;
  std::vector<Aggregate> aggregates_;
  std::unordered_map<std::string, std::size_t> aggregate_index_;
};

}  // namespace

void read_google(const std::string& file, SideBuilder& side) {
  GoogleReader reader(side);
  read_pieces(file, unread_of_google,
              [&](const std::string& member, std::size_t index, const Piece& piece) {
                if (member == "context") reader.context(piece);
                if (member == "benchmarks") reader.row(element(piece, index));
                return true;
              });
  reader.finish();
}

}  // namespace apod::files
