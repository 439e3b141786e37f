#include "benchmarks/look/measured_ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace apod::look {
namespace {

std::string word_of(const Params& params, const char* axis) {
  const AxisValue* value = params.find(axis);
  return value == nullptr ? "" : to_string(*value);
}

/// The ceiling that a case measures; null for a case that measures none.
double* ceiling_of(const Case& c, const std::string& workload, Scope scope, Ceilings& ceilings) {
  const auto is = [&](const char* axis, const char* value) {
    return word_of(c.params, axis) == value;
  };
  if (workload == "read" || workload == "reduction") return &ceilings.read_bytes_per_s;
  if (workload == "copy") {
    if (scope == Scope::kernel) return &ceilings.copy_bytes_per_s;
    return is("host_memory", "pinned") ? &ceilings.both_ways_bytes_per_s : nullptr;
  }
  if (workload == "fma") return &ceilings.flops(c.params.choice_or("accumulator", Number::fp32));
  if (workload == "mma" || workload == "gemm") {
    const auto type = c.params.choice_or("type", Number::fp32);
    return c.backend == BackendKind::cuda && type != Number::fp32 ? &ceilings.flops(type) : nullptr;
  }
  if (workload == "launch") return &ceilings.launch_s;
  if (workload != "transfer") return nullptr;
  const bool pageable = is("host_memory", "pageable");
  if (is("direction", "download"))
    return pageable ? &ceilings.d2h_pageable_bytes_per_s : &ceilings.d2h_pinned_bytes_per_s;
  return pageable ? &ceilings.h2d_pageable_bytes_per_s : &ceilings.h2d_pinned_bytes_per_s;
}

}  // namespace

Ceilings measured_ceilings(const Result& result, const std::vector<CaseSummary>& summaries,
                           std::vector<std::string>& missing) {
  const DeviceFacts& device = result.environment.device;
  Ceilings ceilings{.gpu = device.name,
                    .driver = device.driver_version,
                    .cuda = device.runtime_version,
                    .power_limit_w = device.power_limit_w,
                    .date = result.environment.date,
                    .commit = result.environment.commit};
  for (const CaseSummary& summary : summaries) {
    if (summary.status != CaseStatus::measured || !(summary.time().value > 0)) continue;
    const auto& experiment = result.plan.experiment_of(*summary.info);
    const auto& workload = experiment.workload;
    double* ceiling = ceiling_of(*summary.info, workload, experiment.scope, ceilings);
    if (ceiling == nullptr) continue;
    if (ceiling == &ceilings.launch_s) {
      const auto launches = static_cast<double>(summary.info->params.integer_or("launches", 1));
      const double interval = summary.time().value / launches;
      *ceiling = *ceiling > 0 ? std::min(*ceiling, interval) : interval;
      continue;
    }
    const bool arithmetic = workload == "fma" || workload == "mma" || workload == "gemm";
    const double rate = summary.value(arithmetic ? "flops" : "bandwidth");
    if (std::isfinite(rate)) *ceiling = std::max(*ceiling, rate);
  }
  const bool has_tensor_cores = device.backend == BackendKind::cuda;
  for (const auto& row : named_ceilings(ceilings)) {
    const std::string_view name = row.name;
    const bool is_of_others = name.starts_with("GPU to GPU");  // measured_links
    const bool can_be = has_tensor_cores || !name.starts_with("tensor cores");
    if (!(row.value > 0) && can_be && !is_of_others) missing.emplace_back(name);
  }
  return ceilings;
}

std::vector<Link> measured_links(const Result& result, const std::vector<CaseSummary>& summaries,
                                 const std::vector<DeviceFacts>& devices,
                                 std::vector<std::string>& missing) {
  std::map<std::int64_t, Link> by_peer;
  const auto to = short_uuid(result.environment.device);
  for (const CaseSummary& summary : summaries) {
    const auto& params = summary.info->params;
    if (result.plan.experiment_of(*summary.info).workload != "peer") continue;
    const auto peer = params.integer_or("peer", -1);
    const bool known = peer >= 0 && peer < static_cast<std::int64_t>(devices.size());
    const auto from =
        known ? short_uuid(devices[static_cast<std::size_t>(peer)]) : "GPU " + std::to_string(peer);
    const bool both = word_of(params, "direction") == "both_ways";
    if (summary.status != CaseStatus::measured) {
      missing.push_back(from + " to " + to + (both ? ", both ways" : ""));
      continue;
    }
    auto& link = by_peer.try_emplace(peer, Link{.to = to, .from = from}).first->second;
    (both ? link.both_ways_bytes_per_s : link.one_way_bytes_per_s) = summary.value("bandwidth");
  }
  std::vector<Link> links;
  for (auto& [peer, link] : by_peer) links.push_back(std::move(link));
  return links;
}

}  // namespace apod::look
