#include "benchmarks/base/kernel_operations.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "benchmarks/base/enclosing_ranges.hpp"

namespace apod {
namespace {

std::int64_t duration_ns(const Activity& kernel) {
  return kernel.end_ns - kernel.start_ns;
}

/// One range, and what was launched within it.
struct OperationRange {
  const NvtxRange* range = nullptr;
  std::vector<const Activity*> kernels;
};

/// In the order of their first kernels.
std::vector<OperationRange> ranges_of(const Trace& trace) {
  EnclosingRanges operations(
      trace, [known = std::map<std::string_view, bool>()](const NvtxRange& range) mutable {
        if (range.domain != annotation_domain) return false;
        const auto [found, is_new] = known.try_emplace(range.name, false);
        if (is_new) found->second = parse_operation(range.name).has_value();
        return found->second;
      });
  std::unordered_map<std::uint32_t, const NvtxRange*> range_of;  // by correlation
  for (const auto& call : trace.calls) {
    if (call.correlation == 0) continue;
    const auto& around = operations.around(call);
    if (!around.empty()) range_of.try_emplace(call.correlation, around.back());
  }
  std::vector<OperationRange> found_ranges;
  std::unordered_map<const NvtxRange*, std::size_t> places;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    const auto found = range_of.find(activity.correlation);
    if (found == range_of.end()) continue;
    const auto [place, is_new] = places.try_emplace(found->second, found_ranges.size());
    if (is_new) found_ranges.push_back({found->second, {}});
    found_ranges[place->second].kernels.push_back(&activity);
  }
  return found_ranges;
}

}  // namespace

KernelOperations::KernelOperations(const Trace& trace) {
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> known;
  for (const auto& [range, kernels] : ranges_of(trace)) {
    const auto* longest = *std::ranges::max_element(
        kernels, [](const auto* a, const auto* b) { return duration_ns(*a) < duration_ns(*b); });
    const auto does_the_work = [&](const Activity* kernel) {
      return kernel->name == longest->name && kernel->grid == longest->grid;
    };
    const auto sharers = static_cast<std::size_t>(std::ranges::count_if(kernels, does_the_work));
    for (const auto* kernel : kernels) {
      const std::size_t parts = does_the_work(kernel) ? sharers : 0;
      const auto [place, is_new] = known.try_emplace({range->name, parts}, distinct_.size());
      if (is_new) {
        auto operation = *parse_operation(range->name);
        operation.flops = parts > 0 ? operation.flops / static_cast<double>(parts) : 0;
        operation.bytes = parts > 0 ? operation.bytes / static_cast<double>(parts) : 0;
        distinct_.push_back(std::move(operation));
      }
      places_.emplace(kernel, place->second);
    }
  }
}

const Operation* KernelOperations::of(const Activity& kernel) const {
  const auto found = places_.find(&kernel);
  return found == places_.end() ? nullptr : &distinct_[found->second];
}

}  // namespace apod
