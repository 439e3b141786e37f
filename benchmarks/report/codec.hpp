#pragma once

/// \file
/// Plain structs <-> one line of JSON, for the worker protocol and the journal. Throws
/// std::runtime_error on text that is not what it should be. Never writes NaN or Infinity.

#include <string>
#include <string_view>

#include "benchmarks/model/measurement.hpp"
#include "benchmarks/model/plan.hpp"
#include "benchmarks/model/result.hpp"

namespace apod::report {

std::string encode(const Measurement& measurement);
Measurement decode_measurement(std::string_view line);

/// A case with what it shares with its experiment: all that a worker needs.
struct WorkItem {
  Case info;
  ExperimentPlan experiment;  ///< expectations left out
  int process = 0;
  bool trace_pass = false;  ///< one traced run instead of timed samples
  int profile_runs = 0;     ///< > 0: --profile, so many runs between profiler_start and _stop
  int device = 0;
};
std::string encode(const WorkItem& item);
WorkItem decode_work_item(std::string_view line);

std::string encode(const DeviceFacts& facts);
DeviceFacts decode_device_facts(std::string_view line);

}  // namespace apod::report
