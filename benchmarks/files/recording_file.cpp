#include "benchmarks/files/recording_file.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/base/steps.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/files/record/fields.hpp"
#include "benchmarks/files/small_file.hpp"
#include "kernels/data/fnv.hpp"

// Beside the records that they list, where the compiler looks for them.
namespace apod {

template <class Archive, record::Is<WaitPlace> T>
void fields(Archive& field, T& t) {
  field("after", t.after);
  field("before", t.before);
  field("where", t.where);
  field("count", t.time.count);
  field("total_s", t.time.total_s);
  field("all_s", t.all_s);
}

template <class Archive, record::Is<KeptSteps> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("lengths_s", t.lengths);
  field("parts_s", t.parts);
  field("families_s", t.families);
  field.if_any("devices_s", t.devices);
  field.if_any("wait", t.wait);
}

template <class Archive, record::Is<TriedSwitch> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("finding", t.finding);
  field("at_most_s", t.at_most_s);
  field("rounds", t.rounds);
  field("base_s", t.base_s);
  field("with_s", t.with_s);
  field("change_low", t.change.low);
  field("change_high", t.change.high);
  field("start_base_s", t.start_base_s);
  field("start_with_s", t.start_with_s);
  field("differs", t.differs);
  field("failed", t.failed);
}

template <class Archive, record::Is<Collective> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("bytes", t.bytes);
  field("ranks", t.ranks);
  field("count", t.time.count);
  field("total_s", t.time.total_s);
  field("bus_bytes_per_s", t.bus_bytes_per_s);
  field("link_bytes_per_s", t.link_bytes_per_s);
}

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
  field.if_any("steps", t.kept_steps);
  field.if_any("tried", t.tried);
  field.if_any("collectives", t.collectives);
}

}  // namespace apod

namespace apod::files {
namespace {

constexpr SmallFile recording_file{
    .mark = "apod_recording",
    .schema = 1,
    .most_bytes = std::size_t{1} << 30,
    .absent = "is not a recording (to make one: bench inspect --out FILE.json -- COMMAND)",
    .again = "record again"};
constexpr std::size_t longest_name = 64;

/// All launches of an operation in a run, or in its mean step.
struct Launches {
  double total_s = 0;
  double count = 0;
  std::string code;
};

ReadRecording& reader_of_recordings() {
  static ReadRecording reader = read_recording;
  return reader;
}

// As the summary of a recording calls them.
std::string name_of_kernel(std::string name) {
  // Numba's marks of a specialisation tell less than the types that follow them.
  for (auto mark = name.find("[abi:"); mark != name.npos; mark = name.find("[abi:")) {
    const auto end = name.find(']', mark);
    name.erase(mark, end == name.npos ? end : end - mark + 1);
  }
  if (name.size() <= longest_name) return name;
  // Of a long one the arguments go: a library has a page of them. Those that are alike then count
  // together.
  auto plain = without_parameters(name);
  if (plain.starts_with("void ")) plain.erase(0, 5);
  if (plain.size() <= longest_name) return plain;
  plain = text::shorten(short_kernel_name(name), longest_name);
  const auto kind = kernel_family(name);
  return kind == KernelFamily::other || kernel_family(plain) == kind
             ? plain
             : fmt::format("{} ({})", plain, to_string(kind));
}

std::string name_of_copy(const std::string& name) {
  return name == "memset" ? "[CUDA memset]" : "[CUDA memcpy " + name + "]";
}

std::string name_of(const Activity& activity) {
  if (activity.kind == Activity::Kind::kernel) return name_of_kernel(activity.name);
  return name_of_copy(activity.kind == Activity::Kind::copy ? activity.name : "memset");
}

ForeignRow row_of(const std::string& name, const Launches& launches) {
  ForeignRow row{.name = name};
  row.times_s = {launches.total_s};
  row.numbers = {{"launches", launches.count}};
  row.facts = {{std::string(kernel_time_of) + name, launches.total_s},
               {std::string(launches_of) + name, launches.count}};
  if (!launches.code.empty()) row.kernel_code[name] = launches.code;
  return row;
}

void add_program(const KeptRecording& kept, ForeignRows& rows) {
  const auto span = kept.facts.find("span");
  if (span == kept.facts.end()) return;
  ForeignRow row{.name = "program", .times_s = {span->second}};  // it has no launches
  row.facts = kept.facts;
  // What a report of the recording leaves out is no news in a comparison.
  for (auto finding : kept.findings) {
    if (finding.severity != Severity::warning || !(finding.gain > 0)) continue;
    finding.subject.clear();
    row.findings.push_back(std::move(finding));
  }
  rows.add(std::move(row));
}

/// A step, its parts and its families of kernels. One that took no time is not there.
void add_steps(const KeptSteps& steps, ForeignRows& rows) {
  if (steps.empty() || steps.name.empty()) return;
  ForeignRow row{.name = "step"};
  row.times_s = steps.lengths;
  rows.add(std::move(row));
  const auto add = [&](const std::string& kind, const std::map<std::string, double>& times) {
    for (const auto& [name, seconds] : times) {
      if (seconds <= 0) continue;
      rows.add({.name = std::string(part_of_step) + kind + name, .times_s = {seconds}});
    }
  };
  auto parts = steps.parts;
  parts.erase(std::string(to_string(StepPart::recorder)));  // not the program's
  add("", parts);
  add("kernels of ", steps.families);
  add("", steps.devices);
}

/// Of the run, and of the mean step.
void add_operations(const Trace& trace, const KeptSteps& steps, ForeignRows& rows) {
  std::map<std::string, Launches> by_name;
  std::map<std::string, std::set<std::uint64_t>> codes;
  for (const auto& activity : trace.activities) {
    auto& launches = by_name[name_of(activity)];
    launches.total_s += 1e-9 * static_cast<double>(activity.end_ns - activity.start_ns);
    if (activity.code != 0) codes[name_of(activity)].insert(activity.code);
    ++launches.count;
  }
  for (const auto& [name, all] : codes) by_name[name].code = fmt::format("{:016x}", combined(all));
  for (const auto& [name, launches] : by_name) {
    if (launches.total_s > 0) rows.add(row_of(name, launches));
  }
  const auto count = static_cast<double>(steps.lengths.size());
  const auto add = [&](const std::string& name, const Tally& time) {
    if (time.total_s <= 0 || steps.name.empty()) return;
    rows.add(row_of(
        std::string(operation_of_step) + name,
        {time.total_s / count, static_cast<double>(time.count) / count, by_name[name].code}));
  };
  std::map<std::string, Tally> kernels;
  for (const auto& [name, time] : steps.kernels) kernels[name_of_kernel(name)].add(time);
  for (const auto& [name, time] : kernels) add(name, time);
  for (const auto& [name, time] : steps.copies) add(name_of_copy(name), time);
}

}  // namespace

void write_recording(std::ostream& out, const KeptRecording& kept) {
  auto json = record::Writer::write(kept);
  auto threads = record::Json::array();
  for (const auto& [thread, name] : kept.recording.thread_names)
    threads.push_back(record::Writer::write(NamedThread{thread, name}));
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
    for (const auto& device : kept.recording.devices) record::check(device);
    return kept;
  });
}

void read_recordings_by(ReadRecording read) {
  reader_of_recordings() = std::move(read);
}

void read_recorded(const std::string& file, Events& events) {
  const auto kept = reader_of_recordings()(file);
  ForeignRows rows(events, file, "a recording", Reads::process);
  take_property(rows.run, "date", kept.recording.date);
  take_property(rows.run, "version", kept.recording.producer);
  take_property(rows.run, "description", kept.recording.command);
  take_property(rows.run, "command", kept.recording.command);
  if (const auto code = kept.recording.exit_code)
    take_property(rows.run, "exit_code", std::to_string(*code));
  for (const auto& device : kept.recording.devices) {
    take_property(rows.run, "gpu", device.name);
    take_property(rows.run, "gpu_uuid", device.uuid);
    take_property(rows.run, "driver", device.driver_version);
  }
  add_program(kept, rows);
  add_steps(kept.kept_steps, rows);
  add_operations(kept.recording.trace, kept.kept_steps, rows);
  rows.finish();
}

}  // namespace apod::files
