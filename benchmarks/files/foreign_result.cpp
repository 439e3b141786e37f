#include "benchmarks/files/foreign_result.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "benchmarks/files/read_side.hpp"

namespace apod::files {
namespace {

/// A whole number where the text is one.
AxisValue axis_value(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? AxisValue(number) : AxisValue(text);
}

/// "BM_copy/1024/threads:4": the parts of a name of Google Benchmark's.
void take_apart(const std::string& name, Case& c) {
  std::size_t arguments = 0;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    const auto colon = part.find(':');
    const bool named = colon != std::string::npos && colon > 0 && part.find("::") != colon;
    if (named && !c.variant.empty()) {
      c.params.set(part.substr(0, colon), axis_value(part.substr(colon + 1)));
    } else if (std::holds_alternative<std::int64_t>(axis_value(part))) {
      const std::string axis =
          ++arguments == 1 ? "argument" : "argument " + std::to_string(arguments);
      c.params.set(axis, axis_value(part));
    } else {
      c.variant += (c.variant.empty() ? "" : "/") + part;
    }
  }
}

void take_environment(Environment& environment, const std::map<std::string, std::string>& known) {
  const auto take = [&](std::string& target, const char* key) {
    const auto found = known.find(key);
    if (found != known.end()) target = found->second;
  };
  take(environment.date, "date");
  take(environment.host_name, "host");
  take(environment.device.name, "gpu");
  take(environment.device.driver_version, "driver");
  take(environment.device.runtime_version, "cuda");
  take(environment.cpu_model, "cpu");
  take(environment.build_type, "build_type");
}

}  // namespace

Result read_foreign_result(const std::string& file) {
  Side side = read_side({file});
  const SideSession& session = side.sessions.front();
  Result result;
  result.plan.name = std::filesystem::path(file).stem().string();
  result.plan.config_path = file;
  take_environment(result.environment, session.environment);
  result.environment.device.backend = BackendKind::cuda;
  result.environment.device.notes = side.notes;
  Experiment& experiment = result.plan.experiments.emplace_back();
  experiment.name = result.plan.name;
  experiment.workload = session.format == "google" ? "Google Benchmark" : "NVBench";
  experiment.measure.processes = 1;
  experiment.command.emplace().reads = session.format == "google" ? Reads::google : Reads::nvbench;
  std::set<std::string> swept;
  for (auto& one : side.cases) {
    Case c;
    c.index = result.plan.cases.size();
    c.id = one.name;
    c.backend = BackendKind::cuda;
    if (one.params.empty()) {
      take_apart(one.name, c);
    } else {
      c.variant = one.name.substr(0, one.name.find_first_of("/ "));
      for (const auto& [axis, text] : one.params) c.params.set(axis.str(), axis_value(text.str()));
    }
    for (const auto& [axis, value] : c.params.entries()) {
      if (swept.insert(axis).second) experiment.swept.push_back(axis);
    }
    Measurement measurement;
    measurement.case_index = c.index;
    measurement.case_id = c.id;
    measurement.failed = one.failed;
    if (one.failed.empty()) measurement.samples_s = medians_of(one);
    for (const auto& [name, value] : one.facts) measurement.facts[name] = value;
    measurement.verification.passed = true;
    result.plan.cases.push_back(std::move(c));
    result.measurements.push_back(std::move(measurement));
  }
  return result;
}

}  // namespace apod::files
