#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchmarks/files/formats.hpp"
#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {

/// Reads one file of another program.
class Formats : public ::testing::Test {
 protected:
  Side read(const std::string& name, const std::string& text, const std::string& metric = "") {
    file_ = folder_.write(name, text);
    return read_side({file_}, {}, Samples::skip, metric.empty() ? Metric{} : metric_of(metric));
  }
  std::string refusal(const std::string& name, const std::string& text) {
    file_ = folder_.write(name, text);
    return error_of<BadResult>([&] { read_side({file_}); });
  }
  static std::vector<double> times_of(const Side& side, const std::string& name) {
    std::vector<double> times;
    for (const auto& time : case_of(side, name).times) times.push_back(time.seconds);
    return times;
  }
  static std::string property(const Side& side, const std::string& key) {
    const auto& known = side.sessions.at(0).environment;
    const auto found = known.find(key);
    return found == known.end() ? "" : found->second;
  }

  const TemporaryFolder folder_;
  std::string file_;  ///< that was read last
};

/// A data.js of one run.
inline std::string run_of(const std::string& tool, const std::string& benches) {
  return R"(window.BENCHMARK_DATA = {"entries":{"S":[{"tool":")" + tool + R"(","benches":[)" +
         benches + "]}]}}";
}

}  // namespace apod::files
