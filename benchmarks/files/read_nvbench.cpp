#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/side_formats.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_samples = std::size_t{1} << 24;

/// A time, and how it came about.
struct Timing {
  double seconds = 0;
  std::string estimator;  ///< "gpu median": unlike ones can't be compared
};

/// The summaries that hold a mean, the best first, and what they say the time of.
constexpr std::array<std::pair<const char*, const char*>, 3> mean_tags{{
    {"nv/cold/time/gpu/mean", "gpu mean"},
    {"nv/cpu_only/time/cpu/mean", "cpu mean"},
    {"nv/batch/time/gpu/mean", "gpu batch mean"},
}};

/// Short names of summaries, for --metric.
constexpr std::array<std::pair<const char*, const char*>, 5> short_names{{
    {"gpu", "nv/cold/time/gpu/mean"},
    {"cpu", "nv/cold/time/cpu/mean"},
    {"cpu_only", "nv/cpu_only/time/cpu/mean"},
    {"cpu_time", "nv/cold/time/cpu/mean"},
    {"batch", "nv/batch/time/gpu/mean"},
}};

std::string tag_of(const std::string& metric) {
  for (const auto& [name, tag] : short_names) {
    if (metric == name) return tag;
  }
  return metric;
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
  throw std::runtime_error(text_at(summary, "tag") + ": there is no " + name);
}

double number_of(const Piece& summary, const char* name) {
  const std::string text = datum(summary, name);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(text_at(summary, "tag") + ": '" + text + "' is not a number");
  }
  return number;
}

double seconds_of(const Piece& summary) {
  const double seconds = number_of(summary, "value");
  if (!(seconds > 0) || !std::isfinite(seconds)) {
    throw std::runtime_error(text_at(summary, "tag") + ": " + datum(summary, "value") +
                             " is not a time");
  }
  return seconds;
}

/// Where the file that `json_file` calls `name` is. NVBench writes the name as it was given on the
/// command line, relative to the folder in which it ran, so the folders around the JSON file are
/// tried, and last the one that a copy would have taken along. None that lies outside of the JSON
/// file's folder is taken: the name may come from anywhere.
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
    bad(std::to_string(bytes) + " bytes are not the samples that the JSON file announces");
  }
  if (bytes > max_samples * 4) bad("more than " + std::to_string(max_samples) + " samples");
  std::vector<unsigned char> raw(bytes);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(raw.data()), static_cast<std::streamsize>(raw.size()));
  if (!in) bad("can't be read");
  std::vector<double> samples;
  samples.reserve(raw.size() / 4);
  for (std::size_t i = 0; i < raw.size(); i += 4) {
    std::uint32_t bits = 0;
    for (std::size_t byte = 4; byte-- > 0;) bits = bits << 8 | raw[i + byte];
    const double sample = std::bit_cast<float>(bits);
    if (!(sample > 0) || !std::isfinite(sample)) {
      bad("sample " + std::to_string(i / 4) + " is not a time");
    }
    samples.push_back(sample);
  }
  return samples;
}

class NvbenchReader {
 public:
  NvbenchReader(std::string file, SideBuilder& side) : file_(std::move(file)), side_(side) {}

  void take(const std::string& member, std::size_t index, const Piece& piece) {
    if (member == "meta") {
      const std::string version =
          text_of(look_up(look_up(look_up(piece, "version"), "nvbench"), "string"));
      if (!version.empty()) take_property(run_, "version", "NVBench " + version);
      std::vector<std::string> words;
      for (const Piece& word : look_up(piece, "argv")) words.push_back(text_of(word));
      take_property(run_, "description", text::shell_line(words));
    }
    if (index == whole && piece.is_null()) return;  // what NVBench writes for an empty array
    if (member == "devices") device(element(piece, index));
    if (member == "benchmarks") benchmark(element(piece, index));
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
    std::string gpus;
    for (const std::string& name : names) gpus += (gpus.empty() ? "" : ", ") + name;
    take_property(run_, "gpu", gpus);
    if (ecc.size() == 1) take_property(run_, "ecc", *ecc.begin());
    side_.context(run_);
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

  void benchmark(const Piece& json) {
    const std::string& name = text_at(json, "name");
    const bool several_devices = array_at(json, "devices").size() > 1;
    std::size_t index = 0;
    for (const Piece& one : array_at(json, "states")) {
      try {
        state(name, several_devices, one);
      } catch (const std::runtime_error& error) {
        throw std::runtime_error("states[" + std::to_string(index) + "]: " + error.what());
      }
      ++index;
    }
  }

  void state(const std::string& benchmark, bool several_devices, const Piece& json) {
    CaseTally tally;
    tally.info.name = benchmark;
    for (const Piece& axis : array_at(json, "axis_values")) {
      const std::string& name = text_at(axis, "name");
      const std::string value = text_of(look_up(axis, "value"));
      tally.info.name += "/" + name + ":" + value;
      tally.info.params.emplace_back(name, value);
    }
    std::sort(tally.info.params.begin(), tally.info.params.end());
    const std::string device = text_of(look_up(json, "device"));
    if (several_devices) tally.info.name += "/device:" + device;
    if (flag_at(json, "is_skipped")) {
      side_.note("skipped, " + text_of(look_up(json, "skip_reason")), tally.info.name);
      return;
    }
    if (!side_.wants(tally.info.name)) return;
    used_.insert(device);
    const Metric& metric = side_.metric();
    if (metric.is_time()) {
      const Timing timing = timing_of(json, tally.info.name);
      tally.set_version("time:" + timing.estimator);
      side_.add_value(tally, {timing.seconds});
    } else if (const Piece* summary = find_summary(json, tag_of(metric.name))) {
      side_.add_value(tally, value_of(*summary, metric));
    } else {
      return side_.lacks_metric(tally.info.name, metrics_of(json));
    }
    if (const Piece* clock = find_summary(json, "nv/cold/sm_clock_rate/mean")) {
      tally.facts.add({{"sm_clock", number_of(*clock, "value") * 1e-6}});
    }
    side_.add(std::move(tally));
  }

  /// A summary's hint tells what it is: a time, or a rate, which is better when larger.
  static MetricValue value_of(const Piece& summary, const Metric& metric) {
    const std::string hint = text_of(look_up(summary, "hint"));
    if (hint == "duration") return {seconds_of(summary)};
    return value_of_counter(metric, number_of(summary, "value"),
                            hint == "item_rate" || hint == "byte_rate");
  }

  /// What of a state can be asked for.
  static std::vector<std::string> metrics_of(const Piece& state) {
    std::vector<std::string> names;
    for (const Piece& summary : array_at(state, "summaries")) {
      const std::string& tag = text_at(summary, "tag");
      if (tag.starts_with("nv/json/")) continue;
      for (const auto& [name, known] : short_names) {
        if (tag == known) names.emplace_back(name);
      }
      names.push_back(tag);
    }
    return names;
  }

  Timing timing_of(const Piece& state, const std::string& name) {
    const Piece* samples = find_summary_if(state, [](const std::string& tag) {
      return tag.starts_with("nv/json/bin:") && tag.ends_with("sample_times");
    });
    if (samples != nullptr) {
      if (const auto path = find_beside(file_, datum(*samples, "filename"))) {
        const bool cpu = text_at(*samples, "tag").find("cpu_only") != std::string::npos;
        return {stats::median(read_samples(*path, number_of(*samples, "size"))),
                cpu ? "cpu median" : "gpu median"};
      }
    }
    for (const auto& [tag, estimator] : mean_tags) {
      if (const Piece* mean = find_summary(state, tag)) {
        side_.note(samples == nullptr
                       ? "no samples, so the mean counts (--jsonbin writes them)"
                       : "the samples are not beside the JSON file, so the mean counts",
                   name);
        return {seconds_of(*mean), estimator};
      }
    }
    throw std::runtime_error(name + " has no time: " +
                             (samples == nullptr
                                  ? "there is no summary " + std::string(mean_tags[0].first)
                                  : "its samples are missing, " + datum(*samples, "filename")));
  }

  const std::string file_;
  SideBuilder& side_;
  Result run_{.environment = {.producer = "NVBench"}};
  std::map<std::string, Device> devices_;  ///< by id
  std::set<std::string> used_;             ///< ids
};

}  // namespace

void read_nvbench(const std::string& file, SideBuilder& side) {
  NvbenchReader reader(file, side);
  read_pieces(file, {{"benchmarks", {"axes"}}},
              [&](const std::string& member, std::size_t index, Piece& piece) {
                reader.take(member, index, piece);
                return true;
              });
  reader.finish();
}

}  // namespace apod::files
