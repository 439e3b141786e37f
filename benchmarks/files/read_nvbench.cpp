#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/metric.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_samples = std::size_t{1} << 24;

/// The summaries that hold a mean, the best first, and what they say the time of.
constexpr std::array<std::pair<const char*, const char*>, 3> mean_tags{{
    {"nv/cold/time/gpu/mean", "gpu mean"},
    {"nv/cpu_only/time/cpu/mean", "cpu mean"},
    {"nv/batch/time/gpu/mean", "gpu batch mean"},
}};

/// Newer versions write medians where there are no samples. They are of all samples too.
constexpr std::array<std::pair<const char*, const char*>, 2> median_tags{{
    {"nv/cold/time/gpu/median", "gpu median"},
    {"nv/cpu_only/time/cpu/median", "cpu median"},
}};

/// Short names of summaries, for --metric and for tables.
constexpr std::array<std::pair<std::string_view, const char*>, 9> short_names{{
    {"nv/cold/time/gpu/mean", "gpu"},
    {"nv/cold/time/gpu/median", "gpu_median"},
    {"nv/cold/time/cpu/mean", "cpu"},
    {"nv/cpu_only/time/cpu/mean", "cpu_only"},
    {"nv/batch/time/gpu/mean", "batch"},
    {"nv/cold/bw/global/bytes_per_second", "bytes_per_second"},
    {"nv/cold/bw/global/utilization", "utilization"},
    {"nv/cold/bw/item_rate", "items_per_second"},
    {"nv/cold/sm_clock_rate/mean", "sm_clock_rate"},
}};

/// What a summary's hint says of its unit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> hints{{
    {"duration", "s"},
    {"item_rate", "/s"},
    {"byte_rate", "B/s"},
    {"bytes", "B"},
    {"frequency", "Hz"},
}};

template <class Table>
auto find_in(const Table& table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == table.end() ? typename Table::value_type::second_type{} : found->second;
}

/// The summary of a state whose tag `wanted` accepts; null where there is none.
template <class Wanted>
const Piece* find_summary_if(const Piece& state, const Wanted& wanted) {
  for (const Piece& summary : array_at(state, "summaries")) {
    if (wanted(text_at(summary, "tag"))) return &summary;
  }
  return nullptr;
}

const Piece* find_summary(const Piece& state, const std::string& tag) {
  return find_summary_if(state, [&](const std::string& found) { return found == tag; });
}

/// The text of one of a summary's data; numbers are written as strings there.
std::string datum(const Piece& summary, const char* name) {
  for (const Piece& entry : array_at(summary, "data")) {
    if (text_at(entry, "name") == name) return text_of(look_up(entry, "value"));
  }
  throw std::runtime_error(text_at(summary, "tag") + ": has no " + name);
}

double number_of(const Piece& summary, const char* name) {
  return text_number_or_nan(datum(summary, name));
}

/// What a summary is, but those of files; nothing where it is not a number.
std::optional<Number> number_in(const Piece& summary) {
  const std::string& tag = text_at(summary, "tag");
  if (tag.starts_with("nv/json/")) return std::nullopt;
  Number number{tag};
  try {
    number.value = number_of(summary, "value");
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  number.unit = find_in(hints, text_of(look_up(summary, "hint")));
  number.shown = look_up(summary, "hide").is_null();
  if (const char* name = find_in(short_names, tag)) {
    number.also.push_back(std::exchange(number.name, name));
    // The name that Google Benchmark gives the same time.
    if (number.name == "cpu") number.also.emplace_back("cpu_time");
  }
  return number;
}

/// Where the file that `json_file` calls `name` is. NVBench writes the name as it was given on the
/// command line, relative to the folder in which it ran, so the folders around the JSON file are
/// tried, and last the one that a copy would have taken along. A file outside the JSON file's
/// folder is never read, because the name may come from anywhere.
std::optional<fs::path> find_beside(const fs::path& json_file, const fs::path& name) {
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(json_file).parent_path(), error);
  for (const fs::path& path : {folder / name, folder.parent_path() / name,
                               folder / name.parent_path().filename() / name.filename()}) {
    const fs::path found = fs::canonical(path, error);
    const auto inside = std::mismatch(folder.begin(), folder.end(), found.begin(), found.end());
    if (inside.first == folder.end() && fs::is_regular_file(found, error)) return found;
  }
  return {};
}

/// Samples, s: 32-bit floats, the lowest byte first.
std::vector<double> read_samples(const fs::path& path, double count) {
  const auto bad = [&](const std::string& what) {
    throw std::runtime_error(path.string() + ": " + what);
  };
  const std::uintmax_t bytes = fs::file_size(path);
  if (count < 1 || static_cast<double>(bytes) != count * 4) {
    bad(std::to_string(bytes) +
        " bytes do not match the number of samples in the JSON file (4 bytes each)");
  }
  if (bytes > max_samples * 4) bad("more than " + std::to_string(max_samples) + " samples");
  std::vector<unsigned char> raw(bytes);
  os::InputFile in(path.string());
  in.read(reinterpret_cast<char*>(raw.data()), static_cast<std::streamsize>(raw.size()));
  if (!in) bad("can't be read");
  std::vector<double> samples;
  samples.reserve(raw.size() / 4);
  for (std::size_t i = 0; i < raw.size(); i += 4) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 4; byte-- > 0;) bits = bits << 8 | raw[i + byte];
    const double sample = std::bit_cast<float>(bits);
    samples.push_back(sample);
  }
  return samples;
}

class NvbenchReader {
 public:
  NvbenchReader(std::string file, Events& events)
      : file_(std::move(file)), rows_(events, file_, "NVBench", Reads::nvbench) {}

  void take(const std::string& member, std::size_t index, const Piece& piece) {
    if (member == "meta") {
      const std::string version =
          text_of(look_up(look_up(look_up(piece, "version"), "nvbench"), "string"));
      if (!version.empty()) take_property(rows_.run, "version", "NVBench " + version);
      std::vector<std::string> words;
      for (const Piece& word : look_up(piece, "argv")) words.push_back(text_of(word));
      take_property(rows_.run, "description", text::shell_line(words));
    }
    if (index == whole && piece.is_null()) return;  // what NVBench writes for an empty array
    if (member == "devices") device(element(piece, index));
    if (member == "benchmarks") benchmark(element(piece, index), index);
  }

  void finish() {
    std::set<std::string> names;
    std::set<std::string> ecc;
    for (const auto& id : used_) {
      const auto found = devices_.find(id);
      if (found == devices_.end()) continue;
      names.insert(found->second.name);
      ecc.insert(found->second.ecc);
    }
    take_property(rows_.run, "gpu", text::joined(names, ", "));
    if (ecc.size() == 1) take_property(rows_.run, "ecc", *ecc.begin());
    rows_.finish();
  }

 private:
  struct Device {
    std::string name;
    std::string ecc;
  };

  void device(const Piece& json) {
    devices_[text_of(look_up(json, "id"))] = {text_of(look_up(json, "name")),
                                              text_of(look_up(json, "ecc_state"))};
  }

  void benchmark(const Piece& json, std::size_t index) {
    const std::string& name = text_at(json, "name");
    std::size_t state = 0;
    for (const Piece& one : array_at(json, "states")) {
      const auto place =
          "benchmarks[" + std::to_string(index) + "]: states[" + std::to_string(state++) + "]";
      rows_.row(place, [&] {
        auto row = read(name, array_at(json, "devices").size() > 1, one);
        row.identity = place;  // a state is written once
        return row;
      });
    }
  }

  ForeignRow read(const std::string& benchmark, bool several_devices, const Piece& json) {
    ForeignRow row{.name = benchmark, .family = benchmark};
    const auto add_axis = [&](const std::string& name, const std::string& value) {
      row.name += "/" + name + ":" + value;
      row.params.emplace_back(name, value);
    };
    for (const Piece& axis : array_at(json, "axis_values"))
      add_axis(text_at(axis, "name"), text_of(look_up(axis, "value")));
    const std::string device = text_of(look_up(json, "device"));
    if (several_devices) add_axis("device", device);
    if (flag_at(json, "is_skipped")) {
      row.skipped = text_of(look_up(json, "skip_reason"));
      return row;
    }
    for (const Piece& summary : array_at(json, "summaries")) {
      if (auto number = number_in(summary)) row.numbers.push_back(std::move(*number));
    }
    take_time(row, json);
    if (const Piece* clock = find_summary(json, "nv/cold/sm_clock_rate/mean")) {
      const double hertz = number_of(*clock, "value");
      if (std::isfinite(hertz)) row.facts["sm_clock"] = hertz * 1e-6;
    }
    used_.insert(device);
    return row;
  }

  /// The median of the samples where they are there; else one that the file has; else a mean.
  void take_time(ForeignRow& row, const Piece& state) {
    const Piece* samples = find_summary_if(state, [](const std::string& tag) {
      return tag.starts_with("nv/json/bin:") && tag.ends_with("sample_times");
    });
    if (samples != nullptr) {
      if (const auto path = find_beside(file_, datum(*samples, "filename"))) {
        const bool cpu = text_at(*samples, "tag").find("cpu_only") != std::string::npos;
        const auto all = read_samples(*path, number_of(*samples, "size"));
        const auto none = std::find_if_not(all.begin(), all.end(), has_ratio);
        if (none != all.end()) {
          row.failed =
              path->string() + ": sample " + std::to_string(none - all.begin()) + " is not a time";
        } else {
          row.times_s = {stats::median(all)};
        }
        row.way = cpu ? "time:cpu median" : "time:gpu median";
        return;
      }
    }
    const auto take = [&](const auto& tags) {
      for (const auto& [tag, estimator] : tags) {
        const Piece* found = find_summary(state, tag);
        if (found == nullptr) continue;
        row.times_s = {number_of(*found, "value")};
        row.way = std::string("time:") + estimator;
        return true;
      }
      return false;
    };
    if (take(median_tags)) return;
    if (!take(mean_tags)) {
      throw std::runtime_error(
          row.name + " has no time: " +
          (samples == nullptr
               ? "the file has no summary " + std::string(mean_tags[0].first)
               : "the file with its samples is missing: " + datum(*samples, "filename")));
    }
    rows_.note(samples == nullptr
                   ? "the result has no samples, so the mean is used (to write samples: --jsonbin)"
                   : "the JSON file's folder lacks the file with the samples, so the mean is used",
               row.name);
  }

  const std::string file_;
  ForeignRows rows_;
  std::map<std::string, Device> devices_;  ///< by id
  std::set<std::string> used_;             ///< ids
};

}  // namespace

void read_nvbench(const std::string& file, Events& events) {
  NvbenchReader reader(file, events);
  read_pieces(file, {{"benchmarks", {"axes"}}},
              [&](const std::string& member, std::size_t index, Piece& piece) {
                reader.take(member, index, piece);
                return true;
              });
  reader.finish();
}

}  // namespace apod::files
