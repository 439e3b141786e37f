#pragma once

#include <cstddef>
#include <future>
#include <system_error>
#include <utility>

namespace apod::os {

/// The results of `first` and `second`; the second runs in a thread of its own. Both run to their
/// end; if both throw, the first one's exception is rethrown, as if they ran in turn. They do run
/// in turn if no more threads are allowed.
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

/// Calls `range(begin, end)` for all of 0 to `count`: in two halves at once if there are enough
/// (`many`) to be worth the start of a second thread.
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
