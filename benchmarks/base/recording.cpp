#include "benchmarks/base/recording.hpp"

#include "benchmarks/base/text/units.hpp"

namespace apod {
namespace {

std::size_t size_of(Trace& trace) {
  std::size_t size = 0;
  each_timed_list(trace, [&](const auto& items) { size += items.size(); });
  return size;
}

}  // namespace

void FirstEvents::drop_beyond(Trace& trace, std::size_t size) {
  if (size_of(trace) <= size) return;
  std::vector<std::int64_t> starts;
  each_timed_list(trace, [&](const auto& items) {
    for (const auto& item : items) starts.push_back(item.start_ns);
  });
  const auto end = starts.begin() + static_cast<std::ptrdiff_t>(most_);
  std::nth_element(starts.begin(), end, starts.end());
  end_ns_ = *end;
  each_timed_list(trace, [&](auto& items) {
    std::erase_if(items, [&](const auto& item) { return item.start_ns >= end_ns_; });
  });
}

bool FirstEvents::takes(Trace& trace, std::int64_t start_ns) {
  ++seen_;
  drop_beyond(trace, most_ + most_ / 4);  // seldom: each time takes as long as reading some
  return start_ns < end_ns_;
}

void FirstEvents::finish(Trace& trace, const std::string& to_record_less) {
  drop_beyond(trace, most_);
  if (end_ns_ == INT64_MAX) return;
  auto shown_s = 0.0;
  each_timed_list(trace, [&](const auto& items) {
    for (const auto& item : items) {
      const auto from_s =
          1e-9 * (static_cast<double>(end_ns_) - static_cast<double>(item.start_ns));
      shown_s = std::max(shown_s, from_s);
    }
  });
  trace.notes.push_back("only the first " + text::format_time(shown_s, text::in_prose) +
                        " are read: the file has " + std::to_string(seen_) +
                        " events, but bench reads at most " + std::to_string(most_) +
                        " (to record a part: " + to_record_less + ")");
}

}  // namespace apod
