#pragma once

/// \file
/// The NVTX ranges around a call.

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod {

class EnclosingRanges {
 public:
  /// Of all ranges of the trace, or of the `wanted` ones.
  explicit EnclosingRanges(const Trace& trace,
                           const std::function<bool(const NvtxRange&)>& wanted = {});

  /// The ranges of the call's thread that are open when it starts, the outermost first. Calls of a
  /// thread must be asked for in order of their start. Valid until the next question.
  const std::vector<const NvtxRange*>& around(const ApiCall& call);

 private:
  struct Thread {
    std::vector<const NvtxRange*> ranges;  ///< by start, of equal ones the longer first
    std::size_t next = 0;                  ///< the first that was not open yet
    std::vector<const NvtxRange*> open;
    std::vector<std::int64_t> first_end_ns;  ///< of each open one and those below it

    void push(const NvtxRange* range);
    void pop();
  };
  std::unordered_map<std::uint32_t, Thread> threads_;
  std::vector<const NvtxRange*> nothing_;
};

}  // namespace apod
