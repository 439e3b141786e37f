#pragma once

/// \file
/// Types of the elements of arrays and of scalar arguments, as kernels that come in files have
/// them, and how the host reads and writes one.

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/api/types.hpp"

namespace apod {

/// `c64` and `c128` are complex numbers of two f32 or f64, the real part first.
enum class ElementType : std::uint8_t {
  f16,
  bf16,
  f32,
  f64,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  boolean,
  c64,
  c128
};
template <>
struct EnumNames<ElementType> {
  static constexpr std::array<std::string_view, 15> names{"f16", "bf16", "f32",  "f64", "i8",
                                                          "i16", "i32",  "i64",  "u8",  "u16",
                                                          "u32", "u64",  "bool", "c64", "c128"};
};

constexpr bool is_complex(ElementType type) {
  return type == ElementType::c64 || type == ElementType::c128;
}
constexpr bool is_real(ElementType type) {
  return type <= ElementType::f64;
}
/// Integers and bool.
constexpr bool is_whole(ElementType type) {
  return type > ElementType::f64 && type <= ElementType::boolean;
}
constexpr bool is_signed(ElementType type) {
  return type >= ElementType::i8 && type <= ElementType::i64;
}

/// Bytes of one element, which is also its alignment but for c64 and c128: half of it.
constexpr std::size_t size_of(ElementType type) {
  constexpr std::array<std::size_t, 15> sizes{2, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 8, 16};
  return sizes[static_cast<std::size_t>(type)];
}

/// One element in the widest type of its kind.
struct Element {
  double real = 0;            ///< of floating and complex types
  double imaginary = 0;       ///< of complex types
  std::int64_t whole = 0;     ///< of signed integers and bool
  std::uint64_t natural = 0;  ///< of unsigned integers
};

Element read_element(ElementType type, const std::byte* at);
/// The nearest value that the type has; of real types infinity where it has none so large.
void write_real(ElementType type, double value, std::byte* at);
/// The low bits; of real and complex types the nearest value, of bool whether it is not 0.
void write_whole(ElementType type, std::int64_t value, std::byte* at);
/// Whether an integer type holds the value; every other type does.
bool holds(ElementType type, std::int64_t value);
/// The value as a double, which rounds integers beyond 2^53; of complex types the real part.
double as_double(ElementType type, const Element& element);

}  // namespace apod
