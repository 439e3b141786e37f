#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace apod {

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

}  // namespace apod
