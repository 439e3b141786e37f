#include "benchmarks/files/recording_file.hpp"

#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/record/fields.hpp"
#include "benchmarks/files/record/trace_json.hpp"
#include "benchmarks/files/side_formats.hpp"
#include "benchmarks/files/small_file.hpp"

// Beside the records that they list, where the compiler looks for them.
namespace apod {

/// All but the trace, which is a table, and the names of threads, whose keys are numbers.
template <class Archive, record::Is<KeptRecording> T>
void fields(Archive& field, T& t) {
  auto& recording = t.recording;
  field("producer", recording.producer);
  field("schema", recording.schema);
  field("command", recording.command);
  field.if_any("part", recording.part);
  field("date", recording.date);
  field("exit_code", recording.exit_code);
  field("programs", recording.programs);
  field("devices", recording.devices);
  field("facts", t.facts);
  field("findings", t.findings);
}

}  // namespace apod

namespace apod::files {
namespace {

constexpr SmallFile recording_file{
    .mark = "apod_recording",
    .schema = 1,
    .most_bytes = std::size_t{1} << 30,
    .absent = "is not a recording (bench inspect --out FILE.json -- COMMAND makes one)",
    .again = "record again"};
// Beyond lies no time that a clock shows, and differences would not fit.
constexpr std::int64_t furthest_ns = std::int64_t{1} << 61;
constexpr std::size_t longest_name = 2000;

template <class Item>
void check_times(const std::vector<Item>& items, const char* what) {
  for (const auto& item : items) {
    if (item.start_ns > -furthest_ns && item.end_ns < furthest_ns && item.start_ns <= item.end_ns) {
      continue;
    }
    throw std::runtime_error(std::string("trace: ") + what + ": a time that can't be");
  }
}

void check(const Trace& trace) {
  check_times(trace.activities, "activities");
  check_times(trace.calls, "calls");
  check_times(trace.synchronizations, "synchronizations");
  check_times(trace.ranges, "ranges");
  check_times(trace.overheads, "overheads");
}

void check(const DeviceFacts& device) {
  // The product of two is still an int.
  constexpr int most = 1 << 15;
  for (const int count : {device.multiprocessors, device.max_threads_per_multiprocessor}) {
    if (count < 0 || count > most) throw std::runtime_error("devices: a number that can't be");
  }
}

struct Launches {
  double total_s = 0;
  std::uint64_t count = 0;
  std::string code;
};

/// As the summary of a recording calls it.
std::string name_of(const Activity& activity) {
  if (activity.kind == Activity::Kind::kernel) return text::shorten(activity.name, longest_name);
  return activity.kind == Activity::Kind::copy ? "[CUDA memcpy " + activity.name + "]"
                                               : "[CUDA memset]";
}

std::string hash_text(std::uint64_t code) {
  if (code == 0) return "";
  std::string text(16, '0');
  for (int i = 15; code != 0; --i, code >>= 4U) text[i] = "0123456789abcdef"[code & 15U];
  return text;
}

class RecordingSide {
 public:
  explicit RecordingSide(SideBuilder& side) : side_(side) {}

  void add_program(const KeptRecording& kept) {
    const auto span = kept.facts.find("span");
    if (span == kept.facts.end()) return;
    CaseTally tally;
    tally.info.name = "program";
    tally.facts.add(kept.facts);
    for (const auto& finding : kept.findings) tally.add_finding(finding.id, finding.evidence);
    add(std::move(tally), {span->second, 1, ""});
  }

  void add_operations(const Trace& trace) {
    std::map<std::string, Launches> by_name;
    for (const auto& activity : trace.activities) {
      auto& launches = by_name[name_of(activity)];
      launches.total_s += 1e-9 * static_cast<double>(activity.end_ns - activity.start_ns);
      launches.code = hash_text(activity.code);
      ++launches.count;
    }
    for (const auto& [name, launches] : by_name) {
      if (!(launches.total_s > 0)) continue;
      CaseTally tally;
      tally.info.name = name;
      if (!launches.code.empty()) tally.add_kernel(name, launches.code);
      add(std::move(tally), launches);
    }
  }

 private:
  void add(CaseTally&& tally, const Launches& launches) {
    if (!side_.wants(tally.info.name)) return;
    const auto& metric = side_.metric();
    if (metric.is_time()) {
      side_.add_value(tally, {launches.total_s / static_cast<double>(launches.count)});
    } else if (metric.name == "total_time") {
      side_.add_value(tally, {launches.total_s});
    } else if (metric.name == "launches") {
      side_.add_value(tally, value_of_counter(metric, static_cast<double>(launches.count), false));
    } else {
      return side_.lacks_metric(tally.info.name, {"total_time", "launches"});
    }
    side_.add(std::move(tally));
  }

  SideBuilder& side_;
};

}  // namespace

void write_recording(std::ostream& out, const KeptRecording& kept) {
  auto json = record::Writer::write(kept);
  auto threads = record::Json::array();
  for (const auto& [thread, name] : kept.recording.thread_names) {
    threads.push_back(record::Writer::write(NamedThread{thread, name}));
  }
  json["threads"] = std::move(threads);
  json["trace"] = record::trace_json(kept.recording.trace);
  write_small_file(out, recording_file, json);
}

KeptRecording read_recording(const std::string& file) {
  return naming(file, [&] {
    const auto json = read_small_file(file, recording_file);
    KeptRecording kept;
    record::Reader::read(json, kept);
    std::vector<NamedThread> threads;
    if (json.contains("threads")) record::Reader::read(json["threads"], threads);
    for (auto& named : threads) kept.recording.thread_names[named.thread] = std::move(named.name);
    if (!json.contains("trace")) throw std::runtime_error("trace: missing");
    kept.recording.trace = record::trace_of(json["trace"]);
    check(kept.recording.trace);
    for (const auto& device : kept.recording.devices) check(device);
    return kept;
  });
}

void read_recorded(const std::string& file, SideBuilder& side) {
  const auto kept = read_recording(file);
  Result run{.environment = {.producer = kept.recording.producer}};
  take_property(run, "date", kept.recording.date);
  take_property(run, "version", kept.recording.producer);
  take_property(run, "description", kept.recording.command);
  for (const auto& device : kept.recording.devices) {
    take_property(run, "gpu", device.name);
    take_property(run, "gpu_uuid", device.uuid);
    take_property(run, "driver", device.driver_version);
  }
  side.context(run);
  RecordingSide reader(side);
  reader.add_program(kept);
  reader.add_operations(kept.recording.trace);
}

}  // namespace apod::files
