#pragma once

#include <future>
#include <utility>

namespace apod::cli {

/// What `first` and `second` return, the second of which runs in a thread of its own. Both come to
/// their end; where both throw, the first one's exception is thrown on, as if they ran in turn.
template <class First, class Second>
auto in_parallel(First first, Second second) {
  auto later = std::async(std::launch::async, std::move(second));
  // If this throws, the future's destructor waits for the other one.
  auto result = first();
  return std::pair(std::move(result), later.get());
}

}  // namespace apod::cli
