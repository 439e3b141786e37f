#pragma once

/// \file
/// From CUPTI's host records to those of a trace. Plain C++: no toolkit.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod::cuda {

/// Builds NVTX ranges from their two records.
class RangeEnds {
 public:
  void start(std::uint32_t id, NvtxRange range) { open_[id] = std::move(range); }
  /// An end whose start was not seen belongs to no range of the trace.
  void end(std::uint32_t id, std::int64_t time_ns, std::vector<NvtxRange>& ranges) {
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    found->second.end_ns = time_ns;
    ranges.push_back(std::move(found->second));
    open_.erase(found);
  }
  /// Stores the ranges that are still open, with this end.
  void take_open(std::int64_t now_ns, std::vector<NvtxRange>& ranges) {
    for (auto& [id, range] : open_) {
      range.end_ns = now_ns;
      ranges.push_back(std::move(range));
    }
    open_.clear();
  }

 private:
  std::unordered_map<std::uint32_t, NvtxRange> open_;
};

}  // namespace apod::cuda
