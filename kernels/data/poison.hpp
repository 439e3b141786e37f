#pragma once

/// \file
/// What buffers hold before something writes them, so that what is left of an earlier run can't
/// pass for a result; and what a memory checker wants instead.

#include <cstdint>
#include <cstdlib>

namespace apod {

/// In each byte: a NaN as fp32 and as fp64.
inline constexpr std::uint8_t poison_byte = 0xFF;

/// If it is set, nothing is poisoned: to a tool that looks for reads of what nothing has written,
/// poison is written memory.
inline constexpr const char* no_poison_variable = "APOD_NO_POISON";

inline bool poisons_memory() {
  static const bool poisons = std::getenv(no_poison_variable) == nullptr;
  return poisons;
}

/// If it is set, each array of a kernel has an allocation of its own, whose end a memory checker
/// knows.
inline constexpr const char* arrays_apart_variable = "APOD_ARRAYS_APART";

inline bool keeps_arrays_apart() {
  static const bool keeps = std::getenv(arrays_apart_variable) != nullptr;
  return keeps;
}

}  // namespace apod
