#pragma once

/// \file
/// Plain structs <-> one line of JSON, for the worker protocol and the journal. Throws
/// std::runtime_error on any other text. Never writes NaN or Infinity.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/files/record/archive.hpp"
#include "kernels/api/activity.hpp"
#include "kernels/api/captured_launch.hpp"
#include "kernels/api/process_tracer.hpp"
#include "kernels/files/sketch.hpp"

namespace apod::record {

std::string encode(const Measurement& measurement);
Measurement decode_measurement(std::string_view line);

/// The size of a line depends only on the number of records: names occur in it once.
std::string encode(const Trace& trace);
Trace decode_trace(std::string_view line);

/// What is done with a case.
enum class Pass : std::uint8_t {
  measure,   ///< verify, warm-up, pilot, timed samples, verify their output
  trace,     ///< verify, then one traced run
  check,     ///< only verify
  profile,   ///< a few runs for a profiler, and nothing else
  counters,  ///< verify, then as many runs as reading the device's counters takes
  peer,      ///< verify, then run after run until told to stop: the load beside a measurement
  energy,    ///< verify, then some seconds of nothing, and of run after run
  compile,   ///< only the kernels of a file, without a device
  sketch,    ///< the arguments of a file's kernels, likewise; its notes are encoded KernelSketches
};

}  // namespace apod::record

template <>
struct apod::EnumNames<apod::record::Pass> {
  static constexpr std::array<std::string_view, 9> names{
      "measure", "trace", "check", "profile", "counters", "peer", "energy", "compile", "sketch"};
};

namespace apod::record {

/// A case with what it shares with its experiment: all that a worker needs.
struct WorkItem {
  Case info;
  Experiment experiment;  ///< expectations left out
  int process = 0;
  Pass pass = Pass::measure;
  int profile_runs = 0;  ///< for Pass::profile
  int device = 0;
  std::string pci_address = {};  ///< of the device, if known
  bool keep_trace = false;       ///< for Pass::trace: the trace itself is wanted too
};
std::string encode(const WorkItem& item);
/// All that decides how the cases of an experiment are measured, as JSON by its name: `scope`,
/// `command`, `kernel`, and the keys of `measure`.
std::map<std::string, std::string> encode_way(const Experiment& experiment);
WorkItem decode_work_item(std::string_view line);

std::string encode(const DeviceFacts& facts);
DeviceFacts decode_device_facts(std::string_view line);
/// Throws where a number of it can't be.
void check(const DeviceFacts& facts);

std::string encode(const file::KernelSketch& sketch);
file::KernelSketch decode_sketch(std::string_view line);

/// A launch that was captured, as its manifest. Unknown keys are skipped. Decoding checks nothing
/// but types: see capture::fault_of().
std::string encode(const capture::CapturedLaunch& launch);
capture::CapturedLaunch decode_captured_launch(std::string_view text);

/// A line of the file that a traced process writes.
std::string encode(const ProcessPart& part);
ProcessPart decode_process_part(std::string_view line);

/// Throws std::runtime_error, "samples_s: [3]: -1e-06 is not a time", if a value lies outside of
/// what can be measured: a time is finite and not negative, a number of processes or samples is
/// plausible. A record that was damaged on the disk may still be JSON.
void check(const Measurement& measurement);

Json trace_json(const Trace& trace);
/// Throws std::runtime_error with the path to what is wrong.
Trace trace_of(const Json& json);

}  // namespace apod::record
