#pragma once

/// \file
/// Whether an address lies on the stack of the calling thread.

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace apod::cuda {

/// False also where the bounds of the stack can't be found out.
inline bool lies_on_own_stack(const void* address) {
  struct Bounds {
    const char* begin = nullptr;
    const char* end = nullptr;
    Bounds() {
      pthread_attr_t attributes;
      if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
      void* lowest = nullptr;
      std::size_t bytes = 0;
      if (::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
        begin = static_cast<const char*>(lowest);
        end = begin + bytes;
      }
      (void)::pthread_attr_destroy(&attributes);
    }
  };
  thread_local const Bounds bounds;
  const auto* place = static_cast<const char*>(address);
  return !std::less<>()(place, bounds.begin) && std::less<>()(place, bounds.end);
}

}  // namespace apod::cuda
