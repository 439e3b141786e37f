#pragma once

/// \file
/// The order of a trace. Internal to inspect/.

#include <algorithm>
#include <vector>

namespace apod::look {

template <class Item>
void sort_by_start(std::vector<Item>& items) {
  const auto before = [](const Item& a, const Item& b) { return a.start_ns < b.start_ns; };
  // Recordings are mostly in order already, and moving a million entries is slow.
  if (!std::is_sorted(items.begin(), items.end(), before)) {
    std::stable_sort(items.begin(), items.end(), before);
  }
}

}  // namespace apod::look
