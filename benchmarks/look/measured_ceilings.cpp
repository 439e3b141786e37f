#include "benchmarks/look/measured_ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace apod::look {
namespace {

std::string word_of(const Params& params, const char* axis) {
  const AxisValue* value = params.find(axis);
  return value == nullptr ? "" : to_string(*value);
}

/// The ceiling that a case measures; null for a case that measures none.
double* ceiling_of(const Case& c, const std::string& workload, Ceilings& ceilings) {
  const auto is = [&](const char* axis, const char* value) {
    return word_of(c.params, axis) == value;
  };
  if (workload == "read" || workload == "reduction") return &ceilings.read_bytes_per_s;
  if (workload == "copy") return &ceilings.copy_bytes_per_s;
  if (workload == "fma") {
    return is("accumulator", "fp64") ? &ceilings.fp64_flops : &ceilings.fp32_flops;
  }
  if ((workload == "mma" || workload == "gemm") && c.backend == BackendKind::cuda) {
    if (is("type", "tf32")) return &ceilings.tensor_tf32_flops;
    return is("type", "fp16") ? &ceilings.tensor_fp16_flops : nullptr;
  }
  if (workload == "launch") return &ceilings.launch_s;
  if (workload != "transfer") return nullptr;
  const bool pageable = is("host_memory", "pageable");
  if (is("direction", "download")) {
    return pageable ? &ceilings.d2h_pageable_bytes_per_s : &ceilings.d2h_pinned_bytes_per_s;
  }
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
    const auto& workload = result.plan.experiment_of(*summary.info).workload;
    double* ceiling = ceiling_of(*summary.info, workload, ceilings);
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
  const bool has_tensor = device.backend == BackendKind::cuda;
  for (const auto& [name, value] : {std::pair{"read", ceilings.read_bytes_per_s},
                                    {"copy", ceilings.copy_bytes_per_s},
                                    {"fp32", ceilings.fp32_flops},
                                    {"fp64", ceilings.fp64_flops},
                                    {"tensor fp16", has_tensor ? ceilings.tensor_fp16_flops : 1},
                                    {"tensor tf32", has_tensor ? ceilings.tensor_tf32_flops : 1},
                                    {"upload pageable", ceilings.h2d_pageable_bytes_per_s},
                                    {"upload pinned", ceilings.h2d_pinned_bytes_per_s},
                                    {"download pageable", ceilings.d2h_pageable_bytes_per_s},
                                    {"download pinned", ceilings.d2h_pinned_bytes_per_s},
                                    {"launch", ceilings.launch_s}}) {
    if (!(value > 0)) missing.emplace_back(name);
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
