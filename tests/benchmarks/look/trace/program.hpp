#pragma once

/// \file
/// A program made by hand: a thread that launches work for a device. Times are in nanoseconds.

#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/api/activity.hpp"

namespace apod::trace {

constexpr double milli = 1e-3;
constexpr double near = 0.03 * milli;  ///< of a time, s
constexpr std::int64_t us = 1'000;
constexpr std::int64_t ms = 1'000'000;

/// Its host goes from call to call; its device runs what it is given, in order.
struct Program {
  Trace trace;
  std::int64_t now = 0;  ///< of the host
  std::uint32_t device = 0;
  std::uint32_t thread = 1;

  /// A call of 5 us that gives the device a kernel, which starts 5 us later or when the device is
  /// free.
  Activity& launch(const std::string& name, std::int64_t length) {
    call("cudaLaunchKernel", 5 * us);
    auto& activity = start(name, length);
    activity.grid = {1000, 1, 1};
    activity.block = {256, 1, 1};
    return activity;
  }
  Activity& copy(std::int64_t length, std::uint64_t bytes, MemoryKind source = MemoryKind::pinned) {
    call("cudaMemcpyAsync", 5 * us);
    auto& activity = start("HtoD", length);
    activity.kind = Activity::Kind::copy;
    activity.bytes = bytes;
    activity.source = source;
    return activity;
  }
  void call(const std::string& name, std::int64_t length) {
    trace.calls.push_back({name, false, now, now + length, thread, ++last_});
    now += length;
  }
  void wait() {
    const auto until = std::max(now + 1 * us, free_ + 1 * us);
    call("cudaDeviceSynchronize", until - now);
  }
  void think(std::int64_t length) { now += length; }
  template <class Body>
  void range(const std::string& name, const Body& body) {
    const auto from = now;
    body();
    trace.ranges.push_back({"", name, from, now, thread});
  }
  /// As a tracer writes it.
  Trace done() const {
    Trace sorted = trace;
    const auto by_start = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
    std::stable_sort(sorted.activities.begin(), sorted.activities.end(), by_start);
    std::stable_sort(sorted.calls.begin(), sorted.calls.end(), by_start);
    std::stable_sort(sorted.ranges.begin(), sorted.ranges.end(), by_start);
    return sorted;
  }
  /// What another one did beside it, with ids of its own.
  void join(const Program& other) {
    joined_ += 100'000;
    for (auto call : other.trace.calls) {
      call.correlation += joined_;
      trace.calls.push_back(call);
    }
    for (auto activity : other.trace.activities) {
      activity.correlation += joined_;
      trace.activities.push_back(activity);
    }
    trace.ranges.insert(trace.ranges.end(), other.trace.ranges.begin(), other.trace.ranges.end());
  }

 private:
  Activity& start(const std::string& name, std::int64_t length) {
    auto& activity = trace.activities.emplace_back();
    activity.name = name;
    activity.start_ns = std::max(now + 5 * us, free_ + 1 * us);
    activity.end_ns = activity.start_ns + length;
    activity.device = device;
    activity.stream = 7;
    activity.correlation = last_;
    free_ = activity.end_ns;
    return activity;
  }
  std::uint32_t last_ = 0;
  std::uint32_t joined_ = 0;
  std::int64_t free_ = 0;
};

}  // namespace apod::trace
