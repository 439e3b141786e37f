#pragma once

/// \file
/// Arrays of a problem: large, and written as a whole before they are read.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace apod {

/// Takes the page faults of new memory on all threads, and asks the system for large pages: on one
/// thread, faults cost more than making the values. The content of the memory is lost.
void touch_pages(void* memory, std::size_t bytes);

/// Memory whose pages are there. Elements that are given no value are left without one: a
/// std::vector would zero them on one thread.
template <class T>
struct ArrayAllocator {
  using value_type = T;

  ArrayAllocator() = default;
  template <class U>
  ArrayAllocator(const ArrayAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    T* const memory = std::allocator<T>().allocate(count);
    touch_pages(memory, count * sizeof(T));
    return memory;
  }
  void deallocate(T* memory, std::size_t count) { std::allocator<T>().deallocate(memory, count); }

  template <class U>
  void construct(U* element) {
    ::new (static_cast<void*>(element)) U;
  }
  template <class U, class... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    ::new (static_cast<void*>(element)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const ArrayAllocator&, const ArrayAllocator&) = default;
};

/// `Array<T>(count)` has indeterminate values.
template <class T>
using Array = std::vector<T, ArrayAllocator<T>>;

/// The arrays of problems.
using Floats = Array<float>;

}  // namespace apod
