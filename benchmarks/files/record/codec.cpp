#include "benchmarks/files/record/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/recording.hpp"
#include "benchmarks/files/record/fields.hpp"

namespace apod::record {

namespace {

template <class Record>
std::string encode_record(const Record& record) {
  return dump(Writer::write(record));
}

template <class Record>
Record decode_record(std::string_view line, const std::string& what) {
  try {
    Record record;
    Reader::read(parse_bounded(line), record);
    return record;
  } catch (const std::exception& error) {
    throw std::runtime_error("not a " + what + ": " + error.what());
  }
}

}  // namespace

std::string encode(const Measurement& measurement) {
  return encode_record(measurement);
}
std::string encode(const WorkItem& item) {
  return encode_record(item);
}
std::map<std::string, std::string> encode_way(const Experiment& experiment) {
  std::map<std::string, std::string> way{{"scope", std::string(to_string(experiment.scope))}};
  const Json measure = Writer::write(experiment.measure);
  for (const auto& [member, value] : measure.items())
    way[member.ends_with("_s") ? member.substr(0, member.size() - 2) : member] = dump(value);
  if (experiment.command) way["command"] = encode_record(*experiment.command);
  if (experiment.kernel) way["kernel"] = encode_record(*experiment.kernel);
  return way;
}
std::string encode(const DeviceFacts& facts) {
  return encode_record(facts);
}

std::string encode(const file::KernelSketch& sketch) {
  return encode_record(sketch);
}

std::string encode(const capture::CapturedLaunch& launch) {
  return dump(Writer::write(launch), 1) + "\n";
}

capture::CapturedLaunch decode_captured_launch(std::string_view text) {
  return decode_record<capture::CapturedLaunch>(text, "captured launch");
}

std::string encode(const ProcessPart& part) {
  Json json = Writer::write(part);
  json["trace"] = trace_json(part.trace);
  return dump(json);
}

Measurement decode_measurement(std::string_view line) {
  return decode_record<Measurement>(line, "measurement");
}
WorkItem decode_work_item(std::string_view line) {
  return decode_record<WorkItem>(line, "work item");
}
DeviceFacts decode_device_facts(std::string_view line) {
  return decode_record<DeviceFacts>(line, "device record");
}

file::KernelSketch decode_sketch(std::string_view line) {
  return decode_record<file::KernelSketch>(line, "sketch of a kernel");
}

namespace {

void check(const MultiprocessorLimits& limits) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  constexpr std::uint64_t most_threads = 1024;
  for (const auto number : {limits.registers, limits.shared_bytes, limits.warps, limits.blocks}) {
    if (number > most) throw std::runtime_error("limits: a number is out of range");
  }
  if (limits.threads_per_warp > most_threads)
    throw std::runtime_error("limits: threads_per_warp: out of range");
}

}  // namespace

void check(const DeviceFacts& device) {
  // The product of two is still an int.
  constexpr int most = 1 << 15;
  for (const int number :
       {device.index, device.multiprocessors, device.max_threads_per_multiprocessor}) {
    if (number < 0 || number > most) throw std::runtime_error("devices: a number is out of range");
  }
  for (const double amount :
       {device.peak_memory_bytes_per_s, device.peak_fp32_flops, device.peak_fp64_flops,
        device.peak_transfer_bytes_per_s, device.power_limit_w, device.timer_tick_s}) {
    if (!(amount >= 0) || std::isinf(amount))
      throw std::runtime_error("devices: not a valid amount");
  }
}

ProcessPart decode_process_part(std::string_view line) {
  try {
    const Json json = parse_bounded(line);
    ProcessPart part;
    Reader::read(json, part);
    const auto trace = json.find("trace");
    if (trace == json.end()) throw std::runtime_error("trace: missing");
    part.trace = trace_of(*trace);
    if (part.clock_ns <= -furthest_ns || part.clock_ns >= furthest_ns)
      throw std::runtime_error("clock_ns: out of range");
    if (part.process <= 0) throw std::runtime_error("process: must be a positive number");
    constexpr std::size_t most_devices = 1024;
    if (part.devices.size() > most_devices) throw std::runtime_error("devices: too many");
    for (const auto& device : part.devices) {
      check(device.facts);
      check(device.limits);
    }
    return part;
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("not a valid part of a recording: ") + error.what());
  }
}

namespace {

/// A year. Nothing is measured for so long.
constexpr double longest_s = 365.0 * 24 * 3600;
constexpr int most_processes = 1'000'000;
constexpr int most_launches = 1'000'000'000;
constexpr std::uint64_t most_samples = 1'000'000'000'000;
constexpr std::size_t most_entries = 1000;  ///< of a list that people read

[[noreturn]] void refuse(const std::string& field, double value, const char* what) {
  // A file says null where there is no number.
  char text[32] = "null";
  if (!std::isnan(value)) std::snprintf(text, sizeof text, "%g", value);
  throw std::runtime_error(field + ": " + text + " is not " + what);
}

bool is_time(double seconds) {
  return seconds >= 0 && seconds <= longest_s;
}

void check_time(const std::string& field, double seconds) {
  if (!is_time(seconds)) refuse(field, seconds, "a time");
}

void check_times(const std::string& field, const std::vector<double>& times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!is_time(times[i])) check_time(field + ": [" + std::to_string(i) + "]", times[i]);
  }
}

void check_size(const char* list, std::size_t size) {
  if (size <= most_entries) return;
  throw std::runtime_error(std::string(list) + ": " + std::to_string(size) +
                           " entries, more than " + std::to_string(most_entries));
}

/// A timeline is drawn without changes: its columns must have one length, and its times must grow.
void check_lane(const Lane& lane) {
  const auto wrong = [&](const char* what) {
    throw std::runtime_error("profile: lanes: " + lane.name + ": " + what);
  };
  const std::size_t size = lane.size();
  if (size > most_spans || lane.names.size() > most_spans) wrong("too many spans");
  if (lane.of.size() != size || lane.length_ns.size() != size || lane.count.size() != size ||
      std::ranges::any_of(
          std::array{&lane.busy_ns, &lane.before_ns, &lane.after_ns},
          [&](const auto* some) { return !some->empty() && some->size() != size; })) {
    wrong("its columns differ in length");
  }
  std::int64_t last = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (lane.of[i] >= lane.names.size()) wrong("the index of a name is out of range");
    check_time(lane.name, static_cast<double>(lane.start_ns[i]) * 1e-9);
    check_time(lane.name, static_cast<double>(lane.length_ns[i]) * 1e-9);
    check_time(lane.name, static_cast<double>(lane.before(i)) * 1e-9);
    check_time(lane.name, static_cast<double>(lane.after(i)) * 1e-9);
    if (lane.busy(i) < 0 || lane.busy(i) > lane.length_ns[i]) wrong("a busy time exceeds its span");
    if (lane.start_ns[i] < last) wrong("a span begins before the previous span");
    last = lane.start_ns[i];
  }
}

}  // namespace

void check(const Measurement& m) {
  const auto count = [](const char* field, auto value, auto most) {
    if (value < 0 || value > most) refuse(field, static_cast<double>(value), "a valid count");
  };
  if (m.process < 0 || m.process > most_processes) refuse("process", m.process, "a process number");
  count("launches_per_sample", m.launches_per_sample, most_launches);
  count("pilot_samples", m.pilot_samples, most_samples);
  check_size("notes", m.notes.size());
  check_size("facts", m.facts.size());
  // A null is not known.
  const auto check_fact = [&](const char* name, double least, double most, bool whole,
                              const char* what) {
    const auto fact = m.facts.find(name);
    if (fact == m.facts.end() || std::isnan(fact->second)) return;
    const double value = fact->second;
    const bool fits = value >= least && value <= most && (!whole || value == std::floor(value));
    if (!fits) refuse(name, value, what);
  };
  for (const char* part : {"overlap", "copy_kernel_overlap", "kernel_overlap", "concurrent_busy",
                           "busy", "idle", "occupancy", "host_wait"}) {
    constexpr double rounding = 1e-3;
    check_fact(part, 0, 1 + rounding, false, "a share between 0 and 1");
  }
  check_fact("phase_period", 1, 1024, true, "a number of launches from 1 to 1024");
  check_fact("phase_spread", 0, std::numeric_limits<double>::max(), false, "a spread");
  check_fact("phases_visited", 1, launch_phases, true, "a number of phases from 1 to 8");
  if (m.verification.passed && m.verification.error > m.verification.tolerance) {
    refuse("verification: error", m.verification.error,
           "within the tolerance, but the case passed");
  }
  check_size("phases", m.phases.size());
  check_size("lanes", m.profile.lanes.size());
  for (const auto& lane : m.profile.lanes) check_lane(lane);
  for (const auto& [part, seconds] : m.profile.parts_s) check_time("parts_s: " + part, seconds);
  check_times("samples_s", m.samples_s);
  for (const auto& one : m.found) check_times("found: " + one.name, one.samples_s);
  check_times("device_samples_s", m.device_samples_s);
  if (const auto& kept = m.quantiles) {
    count("quantiles: samples", kept->samples, most_samples);
    count("quantiles: throttled", kept->throttled, kept->samples);
    check_times("quantiles", {kept->p25_s, kept->median_s, kept->p75_s, kept->p99_s,
                              kept->device_median_s.value_or(0)});
  }
  check_time("wall_s", m.wall_s);
  for (const auto phase : m.launch_phases) {
    if (phase >= launch_phases) refuse("launch_phases", phase, "a phase below 8");
  }
  const bool are_read = !m.launch_phases.empty() && !m.samples_s.empty();
  if (are_read && m.launch_phases.size() != m.samples_s.size())
    refuse("launch_phases", static_cast<double>(m.launch_phases.size()), "the number of samples");
  for (const auto& phase : m.phases) {
    for (const double seconds : {phase.time.total_s, phase.time.min_s, phase.time.max_s})
      check_time("phases: " + phase.name, seconds);
  }
  const auto check_clock = [](double mhz) {
    if (!(mhz >= 0) || mhz > 1e6) refuse("clock", mhz, "a frequency in MHz");
  };
  for (const double mhz : {m.clock.min_mhz, m.clock.mean_mhz, m.clock.max_mhz}) check_clock(mhz);
  for (const int mhz : m.clock.sample_mhz) check_clock(mhz);
  const Traffic& traffic = m.traffic;
  for (const double amount :
       {traffic.bytes_read, traffic.bytes_written, traffic.bytes_linked, traffic.flops()}) {
    if (!(amount >= 0) || std::isinf(amount)) refuse("traffic", amount, "an amount");
  }
}

}  // namespace apod::record
