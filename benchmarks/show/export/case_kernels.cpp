#include "benchmarks/show/export/case_kernels.hpp"

#include <algorithm>
#include <vector>

#include "benchmarks/base/summary.hpp"

namespace apod::exports {
namespace {

/// The launches among which the work of a case is evenly spread; 0 where it is not.
std::size_t equal_launches(const Trace& trace) {
  const Activity* first = nullptr;
  std::size_t launches = 0;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    if (first == nullptr) first = &activity;
    if (activity.name != first->name || activity.grid != first->grid) return 0;
    ++launches;
  }
  return launches;
}

const Measurement* measurement_of(const Result& result, std::size_t case_index) {
  const auto found = std::find_if(
      result.measurements.begin(), result.measurements.end(),
      [&](const Measurement& m) { return m.case_index == case_index && m.failed.empty(); });
  return found == result.measurements.end() ? nullptr : &*found;
}

KernelOrigin origin_of(const Result& result, const CaseTrace& traced) {
  const Case& info = result.plan.cases.at(traced.case_index);
  KernelOrigin origin;
  origin.op = result.plan.experiment_of(info).workload + "/" + info.variant;
  for (const auto& [axis, value] : info.params.entries()) {
    if (axis == "direction") origin.direction = to_string(value);
    origin.params += (origin.params.empty() ? "" : ",") + axis + "=" + to_string(value);
  }
  const auto launches = static_cast<double>(equal_launches(traced.trace));
  const auto* measured = measurement_of(result, traced.case_index);
  if (launches == 0 || measured == nullptr) return origin;
  const Traffic& work = measured->traffic;
  origin.flops = work.flops() / launches;
  origin.bytes = (work.bytes_read + work.bytes_written) / launches;
  return origin;
}

}  // namespace

void write_case_kernels(std::ostream& out, const Result& result, const KernelTableStyle& style) {
  const auto summaries = summarize(result);
  std::vector<KernelTable> tables;
  for (const auto& traced : result.traces) {
    tables.push_back({traced.trace, summaries.at(traced.case_index).profile,
                      [origin = origin_of(result, traced)](const Activity&) { return &origin; }});
  }
  write_kernel_table(out, tables, style);
}

}  // namespace apod::exports
