#include "benchmarks/look/finding_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/look/thresholds.hpp"

namespace apod::look {

View::View(const Evidence& evidence) : Evidence(evidence) {
  const double step_s = steps == nullptr ? 0 : steps->mean_s();
  const double work_s = profile.work_s();
  const double traced_s = fact("span").value_or(0);
  span_s = step_s > 0     ? step_s * static_cast<double>(steps->steady.size())
           : traced_s > 0 ? traced_s
                          : (std::isfinite(work_s) ? work_s : 0);
  const double busy = fact("busy").value_or(1 - fact("idle").value_or(0));
  busy_s = fact("span").value_or(span_s) * (busy > 0 && busy <= 1 ? busy : 1);
  const double sum = group_of(profile.kernels, [](const auto&) { return true; }).time.total_s;
  const double covered = fact("kernel_time").value_or(0);
  if (covered > 0 && sum > covered) kernels_alone = covered / sum;
  if (asked != nullptr && ceilings != nullptr) {
    roof = roofline(work_of(asked->traffic, asked->time_s, asked->end_to_end, asked->params, facts),
                    *ceilings);
    if (!roof->is_known()) roof.reset();
    if (roof) room = std::clamp(1 - roof->share, 0.0, 1.0);
  }
  weigh_kernels();
}

void View::weigh_kernels() {
  if (!(span_s > 0) || !(busy_s > 0)) return;
  std::map<std::string_view, Group<KernelProfile>> by_name;
  std::vector<std::string_view> in_order;
  for (const auto& kernel : profile.kernels) {
    auto& same = by_name[kernel.name];
    if (same.entries == 0) in_order.push_back(kernel.name);
    same.add(kernel);
  }
  for (const auto& name : in_order) {
    const auto& [time, shapes, longest] = by_name.at(name);
    const double share = std::min(1.0, kernels_alone * time.total_s / busy_s);
    if (share < threshold::kernel_matters.value) continue;
    kernels.push_back({longest, share, std::min(1.0, kernels_alone * time.total_s / span_s), shapes,
                       without_parameters(longest->name)});
  }
}

void View::say(Severity severity, const char* id, std::string subject, std::string text,
               std::string_view advice, double gain) {
  found.push_back({id, severity, std::move(subject), std::move(text), std::string(advice),
                   std::isfinite(gain) ? std::clamp(gain, 0.0, room) : 0});
}

std::optional<double> View::fact(const std::string& name) const {
  const auto known = facts.find(name);
  if (known == facts.end() || !std::isfinite(known->second)) return std::nullopt;
  return known->second;
}

bool View::matters(double time_s) const {
  return busy_s > 0 && time_s >= threshold::matters.value * busy_s;
}

std::string View::share_of_busy(double time_s) const {
  return percent(std::min(1.0, time_s / busy_s)) + " of the device's time";
}

double View::pinned_rate(bool upload) const {
  const double ceiling = ceilings == nullptr ? 0
                         : upload            ? ceilings->h2d_pinned_bytes_per_s
                                             : ceilings->d2h_pinned_bytes_per_s;
  return ceiling > 0 ? ceiling : device.peak_transfer_bytes_per_s;
}

std::pair<double, double> View::fp_rates() const {
  if (ceilings != nullptr && ceilings->fp32_flops > 0 && ceilings->fp64_flops > 0)
    return {ceilings->fp32_flops, ceilings->fp64_flops};
  return {device.peak_fp32_flops, device.peak_fp64_flops};
}

double View::nearness(const KernelProfile& kernel) const {
  // What a case from host to host reaches says nothing about its kernels.
  return std::max(in_kernel_scope() ? 1 - room : 0, busiest_unit(kernel.counters).share);
}

double blocks_of(const KernelProfile& kernel) {
  return static_cast<double>(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
}

double threads_a_block(const KernelProfile& kernel) {
  return static_cast<double>(kernel.block[0]) * kernel.block[1] * kernel.block[2];
}

std::optional<double> counter(const KernelProfile& kernel, const std::string& name) {
  const auto found = kernel.counters.find(name);
  if (found == kernel.counters.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

std::string plural(double number, const char* one, const char* many) {
  return text::format_count(number) + " " + (number == 1 ? one : many);
}

}  // namespace apod::look
