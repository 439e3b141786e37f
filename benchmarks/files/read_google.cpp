#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/google_rows.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {
namespace {

const HiddenKeys unread_of_google{
    {"benchmarks", {"iterations", "repetition_index", "repetitions", "threads"}},
};

/// What the library itself says, and the property that it is. Any other text was given to the
/// program as --benchmark_context.
constexpr std::array<std::pair<std::string_view, const char*>, 10> own_keys{{
    {"host_name", "host"},
    {"num_cpus", "cpus"},
    {"mhz_per_cpu", "cpu_mhz"},
    {"library_build_type", "build_type"},
    {"library_version", "version"},
    {"date", "date"},
    {"executable", "description"},
    {"cpu_scaling_enabled", nullptr},
    {"json_schema_version", nullptr},
    {"aslr_enabled", nullptr},
}};

constexpr const char* family = "family_index";
constexpr const char* instance = "per_family_instance_index";

double unit_of(const Piece& row) {
  const Piece& unit = look_up(row, "time_unit");
  if (unit.is_null() || unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw std::runtime_error("time_unit: must be ns, us, ms or s");
}

/// A row's name without that of its aggregate, and the latter: empty for a repetition. Old
/// versions of the library tell the aggregates by the end of the name alone.
std::pair<std::string, std::string> names_of(const Piece& row) {
  const Piece& run_name = look_up(row, "run_name");
  std::string name = run_name.is_null() ? text_at(row, "name") : text_at(row, "run_name");
  const Piece& type = look_up(row, "run_type");
  if (!type.is_null()) {
    if (type != "aggregate") return {std::move(name), ""};
    if (row.contains("aggregate_name")) return {std::move(name), text_at(row, "aggregate_name")};
  }
  for (const std::string_view aggregate : {"mean", "median", "stddev", "cv"}) {
    const std::string end = "_" + std::string(aggregate);
    if (name.size() > end.size() && name.ends_with(end)) {
      name.resize(name.size() - end.size());
      return {std::move(name), std::string(aggregate)};
    }
  }
  if (type == "aggregate") throw std::runtime_error("aggregate_name: missing");
  return {std::move(name), ""};
}

/// The fit of a complexity, which is not a time of anything.
bool is_fit(const Piece& row) {
  return !row.contains("real_time") && (row.contains("big_o") || row.contains("rms"));
}

/// Counters, and the times.
std::vector<Number> numbers_of(const Piece& row) {
  std::vector<Number> numbers;
  for (const auto& [key, value] : row.items()) {
    const bool is_time = key == "real_time" || key == "cpu_time";
    // The library writes NaN or null for a missing number. Its texts are never numbers.
    const bool is_number = is_time || value.is_number() || value.is_null();
    if (!is_number || key == family || key == instance) continue;
    const double factor = is_time ? unit_of(row) : 1;
    std::string_view unit = is_time ? "s" : key.ends_with("_per_second") ? "/s" : "";
    if (key == "bytes_per_second") unit = "B/s";
    numbers.push_back({key, number_or_nan(value) * factor, unit});
    numbers.back().shown = key != "real_time";
  }
  return numbers;
}

/// Which of the program's benchmarks a row is of: its family, and its place in that. Old versions
/// of the library don't tell.
std::string identity_of(const Piece& row) {
  if (!row.contains(family) || !row.contains(instance)) return "";
  return text_of(look_up(row, family)) + "/" + text_of(look_up(row, instance));
}

}  // namespace

GoogleRows::GoogleRows(const std::string& file, Events& events)
    : rows_(events, file, "Google Benchmark", Reads::google) {}

void GoogleRows::context(const Piece& context) {
  auto& environment = run().environment;
  for (const auto& [key, value] : context.items()) {
    const auto own = std::find_if(own_keys.begin(), own_keys.end(),
                                  [&](const auto& names) { return key == names.first; });
    if (own == own_keys.end()) {
      if (value.is_string()) take_property(run(), key, value.get<std::string>());
    } else if (own->second != nullptr) {
      take_property(run(), own->second, text_of(value));
    }
  }
  for (const Piece& load : array_at(context, "load_avg")) {
    if (load.is_number()) environment.load_average.push_back(load.get<double>());
  }
  for (const Piece& cache : array_at(context, "caches"))
    record::FileReader::read(cache, environment.caches.emplace_back());
}

void GoogleRows::row(const Piece& row, const std::string& place) {
  rows_.row(place, [&] { return read(row); });
}

std::optional<ForeignRow> GoogleRows::read(const Piece& json) {
  element(json, 0);
  if (is_fit(json)) return std::nullopt;
  ForeignRow row;
  std::string aggregate;
  std::tie(row.name, aggregate) = names_of(json);
  if (row.name.empty()) throw std::runtime_error("a case without a name");
  const auto why = text_of(look_up(json, "skip_message"));
  if (flag_at(json, "skipped") || !why.empty()) {
    row.skipped = why;
  } else if (flag_at(json, "error_occurred")) {
    row.failed = text_of(look_up(json, "error_message"));
    if (row.failed.empty()) row.failed = "failed, no reason given";
  } else {
    if (!json.contains("real_time")) throw std::runtime_error("real_time: missing");
    row.times_s = {number_or_nan(look_up(json, "real_time")) * unit_of(json)};
    row.numbers = numbers_of(json);
    row.failed = why_too_short(row.times_s);
  }
  if (!aggregate.empty()) {
    const bool counts = aggregate == "median" || aggregate == "mean";
    if (counts && row.failed.empty()) keep(std::move(row), aggregate == "median");
    return std::nullopt;
  }
  row.identity = identity_of(json);
  has_rows_.insert(row.name);
  return row;
}

void GoogleRows::keep(ForeignRow&& row, bool is_median) {
  const auto [found, is_new] = index_.try_emplace(row.name, aggregates_.size());
  if (is_new) aggregates_.emplace_back(row.name, Aggregate{});
  auto& one = aggregates_[found->second].second;
  if (is_new || is_median) one = {std::move(row), is_median};
}

void GoogleRows::finish() {
  for (auto& [name, one] : aggregates_) {
    if (has_rows_.contains(name)) continue;
    rows_.note(one.is_median ? "the file has only aggregates: the median counts as one process"
                             : "the file has only aggregates: the mean counts as one process",
               name);
    rows_.add(std::move(one.row));
  }
  if (run().environment.build_type == "debug")
    rows_.note("the benchmark library is a debug build: the times may be wrong");
  rows_.finish();
}

void read_google(const std::string& file, Events& events) {
  GoogleRows rows(file, events);
  read_pieces(file, unread_of_google,
              [&](const std::string& member, std::size_t index, const Piece& piece) {
                if (member == "context") rows.context(piece);
                if (member != "benchmarks") return true;
                if (index == whole) throw std::runtime_error("not an array");
                rows.row(piece, member + "[" + std::to_string(index) + "]");
                return true;
              });
  rows.finish();
}

}  // namespace apod::files
