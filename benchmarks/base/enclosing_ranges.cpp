#include "benchmarks/base/enclosing_ranges.hpp"

#include <algorithm>
#include <utility>

namespace apod {

EnclosingRanges::EnclosingRanges(const Trace& trace,
                                 const std::function<bool(const NvtxRange&)>& wanted) {
  for (const auto& range : trace.ranges) {
    if (range.end_ns <= range.start_ns || (wanted && !wanted(range))) continue;
    threads_[range.thread].ranges.push_back(&range);
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
  const auto is_over = [&](const NvtxRange* range) { return range->end_ns <= call.start_ns; };
  while (thread.next < thread.ranges.size() &&
         thread.ranges[thread.next]->start_ns <= call.start_ns) {
    thread.push(thread.ranges[thread.next++]);
  }
  // Nested ranges end in the order of the stack; all are looked at only where one does not.
  while (!thread.open.empty() && is_over(thread.open.back())) thread.pop();
  if (!thread.open.empty() && thread.first_end_ns.back() <= call.start_ns) {
    const auto open = std::exchange(thread.open, {});
    thread.first_end_ns.clear();
    for (const auto* range : open) {
      if (!is_over(range)) thread.push(range);
    }
  }
  return thread.open;
}

void EnclosingRanges::Thread::push(const NvtxRange* range) {
  first_end_ns.push_back(open.empty() ? range->end_ns
                                      : std::min(first_end_ns.back(), range->end_ns));
  open.push_back(range);
}

void EnclosingRanges::Thread::pop() {
  first_end_ns.pop_back();
  open.pop_back();
}

}  // namespace apod
