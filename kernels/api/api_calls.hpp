#pragma once

/// \file
/// Clean-up that every recording of CUDA calls needs before it becomes a Trace.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod {

/// "cudaMemcpyAsync" of "cudaMemcpyAsync_v3020": names without the toolkit's version.
inline std::string name_without_version(std::string_view name) {
  const auto last = name.rfind("_v");
  if (last == std::string_view::npos || last == 0) return std::string(name);
  const auto digits = name.substr(last + 2);
  const bool is_version = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  return std::string(is_version ? name.substr(0, last) : name);
}

/// Sorts the calls by start and removes driver calls within a runtime call of the same thread,
/// which only implement that call. Returns the correlation of each removed call with that of the
/// call around it, if the two differ.
inline std::unordered_map<std::uint32_t, std::uint32_t> drop_inner_calls(
    std::vector<ApiCall>& calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const ApiCall& a, const ApiCall& b) {
    // Of two that start at once, the one around the other comes first.
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.driver < b.driver;
  });
  struct Outer {
    std::int64_t end_ns;
    std::uint32_t correlation;
  };
  std::unordered_map<std::uint32_t, std::vector<Outer>> open;  // by thread: calls not over yet
  std::unordered_map<std::uint32_t, std::uint32_t> outer_of;
  const auto is_inner = [&](const ApiCall& call) {
    auto& around = open[call.thread];
    while (!around.empty() && around.back().end_ns <= call.start_ns) around.pop_back();
    if (!call.driver) {
      around.push_back({call.end_ns, call.correlation});
      return false;
    }
    if (around.empty() || call.end_ns > around.back().end_ns) return false;
    if (call.correlation != around.back().correlation) {
      outer_of[call.correlation] = around.back().correlation;
    }
    return true;
  };
  // Not std::remove_if, which promises no order of its calls.
  auto kept = calls.begin();
  for (auto& call : calls) {
    if (is_inner(call)) continue;
    if (&*kept != &call) *kept = std::move(call);
    ++kept;
  }
  calls.erase(kept, calls.end());
  return outer_of;
}

}  // namespace apod
