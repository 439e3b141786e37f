#include "benchmarks/look/finding_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/look/thresholds.hpp"

namespace apod::look {
std::optional<double> fact(const Evidence& evidence, const std::string& name) {
  const auto found = evidence.facts.find(name);
  if (found == evidence.facts.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

double span_s(const Evidence& evidence) {
  if (evidence.steps != nullptr && evidence.steps->mean_s() > 0)
    return evidence.steps->mean_s() * static_cast<double>(evidence.steps->steady.size());
  if (const auto span = fact(evidence, "span"); span && *span > 0) return *span;
  const double sum = evidence.profile.work_s();
  return std::isfinite(sum) ? sum : 0;
}

double busy_s(const Evidence& evidence) {
  const double span = fact(evidence, "span").value_or(span_s(evidence));
  const auto idle = fact(evidence, "idle");
  const double busy = fact(evidence, "busy").value_or(idle ? 1 - *idle : 1);
  return busy > 0 && busy <= 1 ? busy * span : span;
}

double streams_used(const Evidence& evidence) {
  if (const auto distinct = fact(evidence, "distinct_streams")) return *distinct;
  return fact(evidence, "traced_streams").value_or(0);
}

bool on_gpu(const Evidence& evidence) {
  return evidence.asked == nullptr || evidence.asked->backend == BackendKind::cuda;
}

std::optional<Roofline> roofline_of(const Evidence& evidence) {
  if (evidence.asked == nullptr || evidence.ceilings == nullptr) return std::nullopt;
  const CaseEvidence& asked = *evidence.asked;
  const auto found =
      roofline(work_of(asked.traffic, asked.time_s, asked.end_to_end, asked.params, evidence.facts),
               *evidence.ceilings);
  if (!found.is_known()) return std::nullopt;
  return found;
}

double room(const Evidence& evidence) {
  const auto found = roofline_of(evidence);
  return found ? std::clamp(1 - found->share, 0.0, 1.0) : 1;
}

double nearness(const Evidence& evidence, const KernelProfile& kernel) {
  // What a case from host to host reaches says nothing about its kernels.
  const bool kernels_alone = evidence.asked != nullptr && !evidence.asked->end_to_end;
  return std::max(kernels_alone ? 1 - room(evidence) : 0, busiest_unit(kernel.counters).share);
}

double gain(const Evidence& evidence, double share) {
  return std::isfinite(share) ? std::clamp(share, 0.0, room(evidence)) : 0;
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

std::vector<Weighed> kernels_that_matter(const Evidence& evidence) {
  std::vector<Weighed> kernels;
  const double span = span_s(evidence);
  const double busy = busy_s(evidence);
  if (!(span > 0) || !(busy > 0)) return kernels;
  struct SameName {
    const KernelProfile* longest = nullptr;
    double total_s = 0;
    int shapes = 0;
  };
  std::map<std::string_view, SameName> by_name;
  std::vector<std::string_view> in_order;
  for (const auto& kernel : evidence.profile.kernels) {
    auto& same = by_name[kernel.name];
    if (same.shapes++ == 0) in_order.push_back(kernel.name);
    if (same.longest == nullptr || kernel.time.total_s > same.longest->time.total_s)
      same.longest = &kernel;
    same.total_s += kernel.time.total_s;
  }
  const double alone = kernels_alone(evidence);
  for (const auto& name : in_order) {
    const auto& [longest, total_s, shapes] = by_name.at(name);
    const double share = std::min(1.0, alone * total_s / busy);
    if (share < threshold::kernel_matters.value) continue;
    kernels.push_back({longest, share, std::min(1.0, alone * total_s / span), shapes});
  }
  return kernels;
}

double kernels_alone(const Evidence& evidence) {
  double sum = 0;
  for (const auto& kernel : evidence.profile.kernels) sum += kernel.time.total_s;
  const auto covered = fact(evidence, "kernel_time");
  return covered && *covered > 0 && sum > *covered ? *covered / sum : 1;
}

Counts::Counts(const Evidence& evidence)
    : steps_(evidence.steps != nullptr && evidence.steps->repeats()
                 ? static_cast<double>(evidence.steps->steady.size())
                 : 0) {}

std::string plural(double number, const char* one, const char* many) {
  return text::format_count(number) + " " + (number == 1 ? one : many);
}

}  // namespace apod::look
