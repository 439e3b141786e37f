#include "benchmarks/judge/other_processes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

constexpr const char* gpu_fact = "other_gpu_processes";
constexpr const char* load_fact = "other_load";

/// The mean of `number` over what has one; nothing where nothing has.
template <class All, class Number>
std::optional<double> mean_of(const All& all, const Number& number) {
  std::vector<double> numbers;
  for (const auto& one : all) {
    if (const auto value = number(one)) numbers.push_back(*value);
  }
  return numbers.empty() ? std::nullopt : std::optional(stats::mean(numbers));
}

/// A count of processes or processors; a negative one tells nothing.
std::optional<double> find(const SideCase& c, std::string_view name) {
  const auto value = c.facts.find(name);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> number(const SideSession& session, const std::string& key) {
  const auto text = property(session, key);
  return text.empty() ? std::nullopt : std::optional(std::strtod(text.c_str(), nullptr));
}

std::optional<double> processors_of(const Side& side) {
  std::optional<double> most;
  for (const auto& session : side.sessions) {
    const auto count = number(session, "cpus");
    if (count && *count >= 1 && (!most || *count > *most)) most = count;
  }
  return most;
}

std::string few_digits(double value) {
  return value < 10 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

bool differ(std::optional<double> before, std::optional<double> after, double least) {
  return before && after && std::abs(*after - *before) >= least;
}

std::string on_gpu(double before, double after) {
  return fmt::format("other processes on the GPU {} -> {}", few_digits(before), few_digits(after));
}

}  // namespace

OtherProcesses::OtherProcesses(const Side& base, const Side& new_side)
    : base_(machine_of(base)), new_(machine_of(new_side)) {}

OtherProcesses::Machine OtherProcesses::machine_of(const Side& side) {
  Machine machine{processors_of(side), std::nullopt};
  const auto load =
      mean_of(side.sessions, [](const auto& session) { return number(session, "load_average"); });
  if (load) machine.load_average = *load / machine.processors.value_or(1);
  return machine;
}

std::optional<std::string> OtherProcesses::load_change(std::optional<double> before,
                                                       std::optional<double> after) const {
  // A number of processors says little where it is not known of how many.
  if (!before || !after || !base_.processors || !new_.processors) return std::nullopt;
  const double change = *after / *new_.processors - *before / *base_.processors;
  if (std::abs(change) < busy_share) return std::nullopt;
  const bool same = *base_.processors == *new_.processors;
  return fmt::format("processors busy with other processes {}{} -> {} of {:.0f}",
                     few_digits(*before), same ? "" : fmt::format(" of {:.0f}", *base_.processors),
                     few_digits(*after), *new_.processors);
}

std::vector<EnvironmentChange> OtherProcesses::changes(std::span<const CasePair> pairs) const {
  const auto mean = [&](const SideCase* CasePair::*side, const char* fact) {
    return mean_of(pairs, [&](const CasePair& pair) {
      const bool is_on_both = pair.first != nullptr && pair.second != nullptr;
      return is_on_both ? find(*(pair.*side), fact) : std::nullopt;
    });
  };
  const auto gpu_before = mean(&CasePair::first, gpu_fact);
  const auto gpu_after = mean(&CasePair::second, gpu_fact);
  const auto busy_before = mean(&CasePair::first, load_fact);
  const auto busy_after = mean(&CasePair::second, load_fact);
  std::vector<EnvironmentChange> changes;
  if (differ(gpu_before, gpu_after, busy_gpu))
    changes.push_back({gpu_fact, on_gpu(*gpu_before, *gpu_after), false});
  if (busy_before && busy_after) {
    if (auto text = load_change(busy_before, busy_after))
      changes.push_back({load_fact, std::move(*text), false});
  } else if (differ(base_.load_average, new_.load_average, busy_share)) {
    changes.push_back({"load_average",
                       fmt::format("load of the machine per processor {:.2f} -> {:.2f}",
                                   *base_.load_average, *new_.load_average),
                       false});
  }
  return changes;
}

std::string OtherProcesses::disturbance(const SideCase& base, const SideCase& new_case) const {
  const auto gpu_before = find(base, gpu_fact);
  const auto gpu_after = find(new_case, gpu_fact);
  // One that a minority of the processes met is not what their mean shows.
  constexpr double most_of_the_time = 0.5;
  if (differ(gpu_before, gpu_after, most_of_the_time)) return on_gpu(*gpu_before, *gpu_after);
  return load_change(find(base, load_fact), find(new_case, load_fact)).value_or("");
}

std::string others_beside(const Side& side) {
  const auto gpu = mean_of(side.cases, [](const auto& c) { return find(c, gpu_fact); });
  const auto busy = mean_of(side.cases, [](const auto& c) { return find(c, load_fact); });
  std::string text;
  if (gpu.value_or(0) >= busy_gpu) text = "other processes had contexts on the GPU";
  const auto processors = processors_of(side);
  if (processors && busy.value_or(0) >= busy_share * *processors) {
    text += fmt::format("{}other processes kept {} of {:.0f} processors busy",
                        text.empty() ? "" : ", ", few_digits(*busy), *processors);
  }
  return text;
}

}  // namespace apod::judge
