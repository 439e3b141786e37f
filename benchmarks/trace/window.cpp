#include "benchmarks/trace/window.hpp"

#include <charconv>
#include <unordered_map>

namespace apod::trace {
namespace {

/// The `index`-th range of that name, in any domain where `domain` is null.
const NvtxRange* find(const Trace& trace, std::string_view name, const std::string_view* domain,
                      std::size_t index) {
  for (const auto& range : trace.ranges) {
    const bool is_it = range.end_ns > range.start_ns && range.name == name &&
                       (domain == nullptr || range.domain == *domain);
    if (is_it && index-- == 0) return &range;
  }
  return nullptr;
}

const NvtxRange* find(const Trace& trace, std::string_view text, std::size_t index) {
  if (const auto* range = find(trace, text, nullptr, index)) return range;
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return nullptr;
  const auto domain = text.substr(at + 1);
  return find(trace, text.substr(0, at), &domain, index);
}

}  // namespace

const NvtxRange* find_range(const Trace& trace, std::string_view text) {
  if (const auto* range = find(trace, text, 0)) return range;
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos) return nullptr;
  std::size_t index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, index);
  if (error != std::errc{} || stop != end) return nullptr;
  return find(trace, text.substr(0, slash), index);
}

Trace window_of(Trace trace, const NvtxRange& range) {
  const auto from = range.start_ns;
  const auto to = range.end_ns;
  const auto outside = [&](const auto& item) {
    return item.start_ns < from || item.start_ns >= to;
  };
  std::unordered_map<std::uint32_t, bool> launched_outside;
  for (const auto& call : trace.calls) {
    if (call.correlation != 0) launched_outside.try_emplace(call.correlation, outside(call));
  }
  std::erase_if(trace.activities, [&](const Activity& activity) {
    const auto launch = launched_outside.find(activity.correlation);
    return launch != launched_outside.end() ? launch->second : outside(activity);
  });
  std::erase_if(trace.calls, outside);
  std::erase_if(trace.synchronizations, outside);
  std::erase_if(trace.overheads, outside);
  std::erase_if(trace.ranges, outside);
  return trace;
}

}  // namespace apod::trace
