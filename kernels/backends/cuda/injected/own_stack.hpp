#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace apod::cuda {

/// Whether the address lies on the stack of the calling thread. False also where its bounds can't
/// be found out.
inline bool lies_on_own_stack(const void* address) {
  struct Stack {
    void* begin = nullptr;
    std::size_t bytes = 0;
    Stack() {
      pthread_attr_t attributes;
      if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
      (void)::pthread_attr_getstack(&attributes, &begin, &bytes);
      (void)::pthread_attr_destroy(&attributes);
    }
  };
  thread_local const Stack own;
  const auto number = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  return number(address) - number(own.begin) < own.bytes;
}

}  // namespace apod::cuda
