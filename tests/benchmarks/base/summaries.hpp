#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/summary.hpp"

namespace apod {

using Values = std::vector<double>;

/// A result under construction: one experiment, cases by index, measurements by process.
class Summaries : public testing::Test {
 protected:
  Summaries() { result_.plan.experiments.resize(1); }

  Case& add_case(std::optional<std::size_t> baseline = std::nullopt) {
    Case c;
    c.index = result_.plan.cases.size();
    c.id = "case " + std::to_string(c.index);
    c.backend = BackendKind::cuda;
    c.baseline = baseline;
    result_.plan.cases.push_back(c);
    return result_.plan.cases.back();
  }

  Measurement& measure(std::size_t case_index, int process, Values samples) {
    Measurement measurement;
    measurement.case_index = case_index;
    measurement.process = process;
    measurement.samples_s = std::move(samples);
    measurement.verification.passed = true;
    result_.measurements.push_back(std::move(measurement));
    return result_.measurements.back();
  }

  void fail(std::size_t case_index, int process, const std::string& stage,
            const std::string& reason) {
    auto& measurement = measure(case_index, process, {});
    measurement.stage = stage;
    measurement.failed = reason;
  }

  CaseSummary summary(std::size_t index = 0) { return summarize(result_).at(index); }

  DeviceFacts& device() {
    auto& device = result_.environment.device;
    device.backend = BackendKind::cuda;
    return device;
  }

  Result result_;
};

inline bool has_note(const CaseSummary& summary, const std::string& part) {
  return std::any_of(summary.notes.begin(), summary.notes.end(),
                     [&](const auto& note) { return note.find(part) != std::string::npos; });
}

}  // namespace apod
