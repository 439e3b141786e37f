#include "benchmarks/report/enclosing_ranges.hpp"

#include <algorithm>

namespace apod::report {

EnclosingRanges::EnclosingRanges(const Trace& trace) {
  for (const auto& range : trace.ranges) {
    if (range.end_ns > range.start_ns) threads_[range.thread].ranges.push_back(&range);
  }
  for (auto& [number, thread] : threads_) {
    std::stable_sort(thread.ranges.begin(), thread.ranges.end(), [](const auto* a, const auto* b) {
      return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
    });
  }
}

const std::vector<const NvtxRange*>& EnclosingRanges::around(const ApiCall& call) {
  const auto found = threads_.find(call.thread);
  if (found == threads_.end()) return nothing_;
  Thread& thread = found->second;
  while (thread.next < thread.ranges.size() &&
         thread.ranges[thread.next]->start_ns <= call.start_ns) {
    thread.open.push_back(thread.ranges[thread.next++]);
  }
  std::erase_if(thread.open, [&](const auto* range) { return range->end_ns <= call.start_ns; });
  return thread.open;
}

}  // namespace apod::report
