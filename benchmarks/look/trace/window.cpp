#include "benchmarks/look/trace/window.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/trace/find_steps.hpp"
#include "benchmarks/look/trace/seconds.hpp"

namespace apod::trace {
namespace {

/// Whether `text` is `first`, the separator, and `second`.
bool is_pair(std::string_view text, std::string_view first, char separator,
             std::string_view second) {
  return text.size() == first.size() + 1 + second.size() && text.starts_with(first) &&
         text[first.size()] == separator && text.ends_with(second);
}

template <class Matches>
FoundRange nth(const Trace& trace, std::size_t index, const Matches& matches) {
  FoundRange found{nullptr, index, 0};
  for (const auto& range : trace.ranges) {
    if (range.end_ns <= range.start_ns || !matches(range)) continue;
    if (found.count++ == index) found.range = &range;
  }
  return found;
}

FoundRange find(const Trace& trace, std::string_view text, std::size_t index) {
  const auto named = nth(trace, index, [&](const NvtxRange& range) { return range.name == text; });
  if (named.range != nullptr) return named;
  return nth(trace, index, [&](const NvtxRange& range) {
    return is_pair(text, range.name, '@', range.domain) ||
           is_pair(text, range.domain, ':', range.name);
  });
}

/// Takes "/2" from the end of `text`; nothing where it does not end so.
std::optional<std::size_t> take_index(std::string_view& text) {
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::size_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, index);
  if (error != std::errc{} || stop != end) return std::nullopt;
  text = text.substr(0, slash);
  return index;
}

}  // namespace

FoundRange look_up_range(const Trace& trace, std::string_view text) {
  const auto whole = find(trace, text, 0);
  if (whole.range != nullptr) return whole;
  auto rest = text;
  if (const auto index = take_index(rest)) return find(trace, rest, *index);
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return {};
  auto name = text.substr(0, at);
  const auto index = take_index(name);
  if (!index) return {};
  return find(trace, std::string(name).append(text.substr(at)), *index);
}

void refuse_range(const Trace& trace, const std::string& flag, const std::string& why,
                  const std::string& name) {
  std::set<std::string> names;
  for (const auto& range : trace.ranges) names.insert(range.name);
  if (names.empty()) throw std::runtime_error(flag + ": no NVTX ranges were recorded");
  throw std::runtime_error(
      flag + ": " + why + " '" + text::printable(name) + "'" +
      text::in_brackets(text::did_you_mean(text::closest(name, {names.begin(), names.end()}))) +
      "; --table nvtx lists the ranges");
}

bool has_more_like(const Trace& trace, const NvtxRange& range) {
  const auto name = numbered(range.name);
  return std::ranges::count_if(trace.ranges, [&](const NvtxRange& other) {
           return other.domain == range.domain && other.end_ns > other.start_ns &&
                  numbered(other.name) == name;
         }) > 1;
}

Trace window_of(Trace trace, const NvtxRange& range) {
  const auto from = range.start_ns;
  const auto to = range.end_ns;
  const auto outside = [&](const auto& item) {
    return item.start_ns < from || item.start_ns >= to;
  };
  std::unordered_map<std::uint32_t, const ApiCall*> launches;
  for (const auto& call : trace.calls) {
    if (call.correlation != 0) launches.try_emplace(call.correlation, &call);
  }
  std::unordered_set<std::uint32_t> own;  // devices
  std::erase_if(trace.activities, [&](const Activity& activity) {
    const auto launch = launches.find(activity.correlation);
    if (launch == launches.end()) return outside(activity);
    const auto& call = *launch->second;
    if (!outside(call) && call.thread == range.thread) own.insert(activity.device);
    return outside(call);
  });
  // Another rank has the same range on a thread of its own.
  const bool has_ranks = std::ranges::any_of(trace.ranges, [&](const NvtxRange& other) {
    return other.thread != range.thread && other.name == range.name && !outside(other);
  });
  std::erase_if(trace.activities, [&](const Activity& activity) {
    return has_ranks && !own.empty() && !own.contains(activity.device);
  });
  std::erase_if(trace.calls, outside);
  std::erase_if(trace.synchronizations, outside);
  std::erase_if(trace.overheads, outside);
  std::erase_if(trace.ranges, outside);
  return trace;
}

std::vector<std::uint32_t> devices_of(const Trace& trace) {
  std::map<std::uint32_t, double> busy_s;
  for (const auto& activity : trace.activities) busy_s[activity.device] += seconds_of(activity);
  std::vector<std::uint32_t> devices;
  for (const auto& [device, time] : busy_s) devices.push_back(device);
  std::ranges::stable_sort(devices, [&](auto a, auto b) { return busy_s[a] > busy_s[b]; });
  return devices;
}

Trace on_device(Trace trace, std::uint32_t device) {
  std::unordered_set<std::uint32_t> elsewhere;
  for (const auto& activity : trace.activities) {
    if (activity.device != device) elsewhere.insert(activity.correlation);
  }
  elsewhere.erase(0);
  // One call may give work to several devices: a graph, or a copy between two.
  for (const auto& activity : trace.activities) {
    if (activity.device == device) elsewhere.erase(activity.correlation);
  }
  std::erase_if(trace.activities, [&](const auto& activity) { return activity.device != device; });
  std::erase_if(trace.calls,
                [&](const auto& call) { return elsewhere.contains(call.correlation); });
  return trace;
}

}  // namespace apod::trace
