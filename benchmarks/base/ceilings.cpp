#include "benchmarks/base/ceilings.hpp"

#include <tuple>

#include "benchmarks/base/text/units.hpp"

namespace apod {

namespace {

/// The least of `rate` over all links; 0 without one.
double slowest(const Ceilings& ceilings, double Link::*rate) {
  double least = 0;
  for (const Link& link : ceilings.links) {
    if (link.*rate > 0 && !(least > 0 && least < link.*rate)) least = link.*rate;
  }
  return least;
}

}  // namespace

double slowest_link(const Ceilings& ceilings) {
  return slowest(ceilings, &Link::one_way_bytes_per_s);
}

double& Ceilings::flops(Number type) {
  return type == Number::fp64   ? fp64_flops
         : type == Number::fp32 ? fp32_flops
         : type == Number::tf32 ? tensor_tf32_flops
         : type == Number::bf16 ? tensor_bf16_flops
                                : tensor_fp16_flops;
}

std::vector<NamedCeiling> named_ceilings(const Ceilings& c) {
  return {{"device memory, read", c.read_bytes_per_s, "B/s"},
          {"device memory, copy (read + written)", c.copy_bytes_per_s, "B/s"},
          {"fp32 multiply-adds", c.fp32_flops, "FLOP/s"},
          {"fp64 multiply-adds", c.fp64_flops, "FLOP/s"},
          {"tensor cores, fp16", c.tensor_fp16_flops, "FLOP/s"},
          {"tensor cores, bf16", c.tensor_bf16_flops, "FLOP/s"},
          {"tensor cores, TF32", c.tensor_tf32_flops, "FLOP/s"},
          {"host to device, pageable", c.h2d_pageable_bytes_per_s, "B/s"},
          {"host to device, pinned", c.h2d_pinned_bytes_per_s, "B/s"},
          {"device to host, pageable", c.d2h_pageable_bytes_per_s, "B/s"},
          {"device to host, pinned", c.d2h_pinned_bytes_per_s, "B/s"},
          {"both ways at once, pinned", c.both_ways_bytes_per_s, "B/s"},
          {"GPU to GPU, one way (slowest pair)", slowest_link(c), "B/s"},
          {"GPU to GPU, both ways (slowest pair)", slowest(c, &Link::both_ways_bytes_per_s), "B/s"},
          {"interval between launches", c.launch_s, ""}};
}

std::string contradiction(const Ceilings& ceilings, const DeviceFacts& device) {
  constexpr double least = 0.01;
  constexpr double most = 2;
  const double memory = device.peak_memory_bytes_per_s;
  const double link = device.peak_transfer_bytes_per_s;
  for (const auto& [name, rate, peak, unit] :
       {std::tuple{"device memory, read", ceilings.read_bytes_per_s, memory, "B/s"},
        {"device memory, copy", ceilings.copy_bytes_per_s, memory, "B/s"},
        {"fp32 multiply-adds", ceilings.fp32_flops, device.peak_fp32_flops, "FLOP/s"},
        {"fp64 multiply-adds", ceilings.fp64_flops, device.peak_fp64_flops, "FLOP/s"},
        {"host to device, pinned", ceilings.h2d_pinned_bytes_per_s, link, "B/s"},
        {"device to host, pinned", ceilings.d2h_pinned_bytes_per_s, link, "B/s"}}) {
    const bool known = rate > 0 && peak > 0;
    if (!known || (rate >= least * peak && rate <= most * peak)) continue;
    return std::string(name) + ": " + text::format_rate(rate, unit, text::in_prose) +
           " is not plausible: the peak is " + text::format_rate(peak, unit, text::in_prose);
  }
  return "";
}

std::vector<std::string> measured_only_in(const Ceilings& these, const Ceilings& others) {
  std::vector<std::string> names;
  const auto rows = named_ceilings(these);
  const auto other_rows = named_ceilings(others);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value > 0 && !(other_rows[i].value > 0)) names.emplace_back(rows[i].name);
  }
  return names;
}

}  // namespace apod
