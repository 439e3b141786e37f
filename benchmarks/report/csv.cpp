#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "benchmarks/report/case_table.hpp"
#include "benchmarks/report/csv_row.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::report {
namespace {

/// Every axis of any case but `variant`, which has its own column, in order of first appearance.
std::vector<std::string> axes_of(const Plan& plan) {
  std::vector<std::string> axes;
  for (const Case& c : plan.cases) {
    for (const auto& [name, value] : c.params.entries()) {
      const bool known = std::find(axes.begin(), axes.end(), name) != axes.end();
      if (name != "variant" && !known) axes.push_back(name);
    }
  }
  return axes;
}

void add_numbers(CsvRow& row, const CaseSummary& summary, Scope scope) {
  row.add(summary.time_s.value);
  row.add(summary.time_s.low);
  row.add(summary.time_s.high);
  row.add(std::string(to_string(summary.interval())));
  summary.sample_spread ? row.add(*summary.sample_spread) : row.add_nothing(1);
  scope == Scope::end_to_end ? row.add(summary.device_time_s.value) : row.add_nothing(1);
  const Throughput& throughput = summary.throughput;
  row.add(throughput.bytes_per_s);
  row.add(throughput.flops_per_s);
  throughput.bound.empty() ? row.add_nothing(1) : row.add(throughput.share);
  row.add(throughput.bound);
  if (summary.delta) {
    row.add(summary.delta->value);
    row.add(summary.delta->low);
    row.add(summary.delta->high);
  } else {
    row.add_nothing(3);
  }
  row.add(static_cast<std::size_t>(std::max(summary.processes, 0)));
  row.add(summary.samples);
  row.add(summary.throttled);
}

}  // namespace

void write_csv(std::ostream& out, const Result& result) {
  const std::vector<std::string> axes = axes_of(result.plan);
  {
    CsvRow header(out);
    for (const char* name : {"case", "experiment", "workload", "scope", "backend", "variant"}) {
      header.add(std::string(name));
    }
    for (const std::string& axis : axes) header.add(axis);
    for (const char* name :
         {"time_s",        "time_low_s",  "time_high_s", "interval",  "sample_spread",
          "device_time_s", "bytes_per_s", "flops_per_s", "share",     "bound",
          "delta",         "delta_low",   "delta_high",  "processes", "samples",
          "throttled",     "error",       "tolerance",   "status",    "reason"}) {
      header.add(std::string(name));
    }
  }
  for (const CaseSummary& summary : summarize(result)) {
    const Case& info = *summary.info;
    const ExperimentPlan& experiment = result.plan.experiment_of(info);
    CsvRow row(out);
    row.add(info.id);
    row.add(experiment.name);
    row.add(experiment.workload);
    row.add(std::string(to_string(experiment.scope)));
    row.add(std::string(to_string(info.backend)));
    row.add(info.variant);
    for (const std::string& axis : axes) {
      const auto value = axis_of(info, axis);
      value ? row.add(to_string(*value)) : row.add_nothing(1);
    }
    if (summary.status == CaseStatus::measured) {
      add_numbers(row, summary, experiment.scope);
    } else {
      row.add_nothing(16);
    }
    // A failed case says by how much: its error is a result. It has none where nothing was
    // verified.
    if (summary.verification.measure.empty()) {
      row.add_nothing(2);
    } else {
      row.add(summary.verification.error);
      row.add(summary.verification.tolerance);
    }
    row.add(std::string(to_string(summary.status)));
    row.add(summary.reason);
  }
}

}  // namespace apod::report
