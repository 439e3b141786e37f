#pragma once

/// \file
/// Where the cells of a key are in a table. For .cu files only.

#include <cstddef>

namespace apod::groupby {

/// The key is the slot.
struct Dense {
  static constexpr std::size_t slot_bytes = 0;  ///< that a block's own table needs for each slot
  /// Whether a slot is found without looking at the table: then a row takes little work.
  static constexpr bool is_at_once = true;

  __device__ Dense in_block(int*) const { return {}; }
  __device__ unsigned slot_of(int key) const { return static_cast<unsigned>(key); }
  __device__ int key_of(unsigned slot) const { return static_cast<int>(slot); }
};

/// Open addressing: a key lies in the first free slot from its own one on. For tables of 2^(32 -
/// shift) slots, zero at first, that never become full.
struct Hash {
  static constexpr std::size_t slot_bytes = sizeof(int);
  static constexpr bool is_at_once = false;
  static constexpr int none = -1;

  int* keys = nullptr;  ///< key + 1; 0: free
  int shift = 0;

  __device__ Hash in_block(int* own_keys) const { return {own_keys, shift}; }
  /// Takes a slot for a key that has none.
  __device__ unsigned slot_of(int key) const {
    const unsigned last = ~0U >> shift;
    // Knuth, "The Art of Computer Programming", vol. 3, 6.4: 2^32 / the golden ratio.
    unsigned slot = static_cast<unsigned>(key) * 0x9e3779b9U >> shift;
    while (true) {
      // An existing key stays. One that is not seen yet shows in the exchange.
      int found = static_cast<volatile int*>(keys)[slot];
      if (found == 0) found = atomicCAS(keys + slot, 0, key + 1);
      if (found == 0 || found == key + 1) return slot;
      slot = (slot + 1) & last;
    }
  }
  /// `none` if the slot is free.
  __device__ int key_of(unsigned slot) const { return keys[slot] - 1; }
};

}  // namespace apod::groupby
