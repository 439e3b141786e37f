#pragma once

#include <cstddef>
#include <future>
#include <system_error>
#include <utility>

namespace apod::os {

/// What `first` and `second` return, the second of which runs in a thread of its own. Both come to
/// their end; where both throw, the first one's exception is thrown on, as if they ran in turn. So
/// they do where no more threads are allowed.
template <class First, class Second>
auto in_parallel(First first, Second second) {
  std::future<decltype(second())> later;
  try {
    later = std::async(std::launch::async, second);
  } catch (const std::system_error&) {
    later = std::async(std::launch::deferred, second);
  }
  // If this throws, the future's destructor waits for the other one.
  auto result = first();
  return std::pair(std::move(result), later.get());
}

/// Calls `range(begin, end)` for all of 0 to `count`: in two halves at once where there are so many
/// (`many`) that a second thread is worth its start.
template <class Range>
void in_halves(std::size_t count, Range range, std::size_t many = 1000) {
  if (count < many) return range(std::size_t{0}, count);
  const auto run = [&](std::size_t begin, std::size_t end) {
    range(begin, end);
    return end;
  };
  in_parallel([&] { return run(0, count / 2); }, [&] { return run(count / 2, count); });
}

}  // namespace apod::os
