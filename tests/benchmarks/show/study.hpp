#pragma once

/// \file
/// Small results for figures and headlines: cases of one experiment with chosen times.

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/result.hpp"

namespace apod::show {

struct StudyCase {
  Params params;
  std::vector<double> medians;  ///< of the processes, s; none: it failed
  std::optional<std::size_t> baseline = {};
  double bytes = 4e6;
  std::string variant = "plain";
};

inline Params at(std::vector<std::pair<std::string, AxisValue>> values) {
  Params params;
  for (auto& [name, value] : values) params.set(name, std::move(value));
  return params;
}

/// On a device whose memory has a peak of 4 TB/s.
inline Result study(std::vector<StudyCase> cases) {
  Result result;
  result.plan.name = "study";
  result.plan.description = "Does it pay?";
  result.plan.config_path = "study.yaml";
  result.plan.config_text = "name: study\n";
  result.plan.experiments.emplace_back();
  result.plan.experiments[0].name = "sums";
  result.plan.experiments[0].workload = "reduction";
  result.environment.device.backend = BackendKind::cuda;
  result.environment.device.name = "A GPU";
  result.environment.device.peak_memory_bytes_per_s = 4e12;
  for (auto& one : cases) {
    Case c;
    c.index = result.plan.cases.size();
    c.id = "sums/" + one.variant;
    for (const auto& [name, value] : one.params.entries()) {
      c.id += "/" + name + ":" + to_string(value);
    }
    c.variant = one.variant;
    c.params = std::move(one.params);
    c.backend = BackendKind::cuda;
    c.baseline = one.baseline;
    const auto measure = [&](int process, double median) {
      Measurement measurement;
      measurement.case_index = c.index;
      measurement.case_id = c.id;
      measurement.process = process;
      if (median > 0) measurement.samples_s = {median, median, median};
      if (!(median > 0)) measurement.failed = "verify: the sum is wrong";
      measurement.traffic.bytes_read = one.bytes;
      measurement.verification.passed = true;
      result.measurements.push_back(std::move(measurement));
    };
    for (std::size_t i = 0; i < one.medians.size(); ++i) {
      measure(static_cast<int>(i), one.medians[i]);
    }
    if (one.medians.empty()) measure(0, 0);
    result.plan.cases.push_back(std::move(c));
  }
  return result;
}

/// Three processes that differ by 0.1 %.
inline std::vector<double> about(double seconds) {
  return {seconds * 0.999, seconds, seconds * 1.001};
}

/// One array over streams: 8 save a quarter, 4 nearly as much.
inline Result streams_study() {
  return study({{at({{"streams", 1}}), about(30e-3)},
                {at({{"streams", 2}}), about(25e-3), 0},
                {at({{"streams", 4}}), about(22.6e-3), 0},
                {at({{"streams", 8}}), about(22.5e-3), 0}});
}

}  // namespace apod::show
