#pragma once

/// \file
/// Types of the elements of arrays and of scalar arguments, as kernels that come in files have
/// them, and how the host reads and writes one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/api/types.hpp"
#include "kernels/data/number.hpp"

namespace apod {

/// `e4m3` and `e5m2` are FP8, `c64` and `c128` complex numbers of two f32 or f64, the real part
/// first.
enum class ElementType : std::uint8_t {
  f16,
  bf16,
  e4m3,
  e5m2,
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
  static constexpr std::array<std::string_view, 17> names{
      "f16", "bf16", "e4m3", "e5m2", "f32", "f64",  "i8",  "i16", "i32",
      "i64", "u8",   "u16",  "u32",  "u64", "bool", "c64", "c128"};
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

/// Bytes of one element, which is also its alignment, except for c64 and c128: half of it.
constexpr std::size_t size_of(ElementType type) {
  constexpr std::array<std::size_t, 17> sizes{2, 2, 1, 1, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 8, 16};
  return sizes[static_cast<std::size_t>(type)];
}

/// One element in the widest type of its kind.
struct Element {
  double real = 0;            ///< of floating and complex types
  double imaginary = 0;       ///< of complex types
  std::int64_t whole = 0;     ///< of signed integers and bool
  std::uint64_t natural = 0;  ///< of unsigned integers
};

namespace detail {
template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
}  // namespace detail

inline Element read_element(ElementType type, const std::byte* at) {
  switch (type) {
    case ElementType::f16:
      return {.real = static_cast<double>(from_fp16(detail::read_as<std::uint16_t>(at)))};
    case ElementType::bf16:
      return {.real = static_cast<double>(from_bf16(detail::read_as<std::uint16_t>(at)))};
    case ElementType::e4m3:
      return {.real = static_cast<double>(from_e4m3(detail::read_as<std::uint8_t>(at)))};
    case ElementType::e5m2:
      return {.real = static_cast<double>(from_e5m2(detail::read_as<std::uint8_t>(at)))};
    case ElementType::f32:
      return {.real = static_cast<double>(detail::read_as<float>(at))};
    case ElementType::f64:
      return {.real = detail::read_as<double>(at)};
    case ElementType::i8:
      return {.whole = detail::read_as<std::int8_t>(at)};
    case ElementType::i16:
      return {.whole = detail::read_as<std::int16_t>(at)};
    case ElementType::i32:
      return {.whole = detail::read_as<std::int32_t>(at)};
    case ElementType::i64:
      return {.whole = detail::read_as<std::int64_t>(at)};
    case ElementType::u8:
      return {.natural = detail::read_as<std::uint8_t>(at)};
    case ElementType::u16:
      return {.natural = detail::read_as<std::uint16_t>(at)};
    case ElementType::u32:
      return {.natural = detail::read_as<std::uint32_t>(at)};
    case ElementType::u64:
      return {.natural = detail::read_as<std::uint64_t>(at)};
    case ElementType::boolean:  // poison is neither true nor false
      return {.whole = detail::read_as<std::uint8_t>(at)};
    case ElementType::c64:
      return {.real = static_cast<double>(detail::read_as<float>(at)),
              .imaginary = static_cast<double>(detail::read_as<float>(at + sizeof(float)))};
    case ElementType::c128:
      return {.real = detail::read_as<double>(at),
              .imaginary = detail::read_as<double>(at + sizeof(double))};
  }
  return {};
}

/// work(type), with a type known at compile time if it is a usual one, so that a loop over elements
/// in `work` need not check it repeatedly.
template <class Work>
decltype(auto) with_known(ElementType type, const Work& work) {
  switch (type) {
    case ElementType::f32:
      return work(std::integral_constant<ElementType, ElementType::f32>{});
    case ElementType::f64:
      return work(std::integral_constant<ElementType, ElementType::f64>{});
    case ElementType::i32:
      return work(std::integral_constant<ElementType, ElementType::i32>{});
    case ElementType::u32:
      return work(std::integral_constant<ElementType, ElementType::u32>{});
    case ElementType::u8:
      return work(std::integral_constant<ElementType, ElementType::u8>{});
    default:
      return work(type);
  }
}

/// The nearest value of the type; for real types infinity if the value is too large.
void write_real(ElementType type, double value, std::byte* at);
/// The low bits; for real and complex types the nearest value, for bool whether it is not 0.
void write_whole(ElementType type, std::int64_t value, std::byte* at);
/// Whether an integer type holds the value; every other type does.
bool holds(ElementType type, std::int64_t value);
/// Whether a real or complex type holds a number near the value: it is finite, and not too large.
bool holds_real(ElementType type, double value);
/// The value as a double, which rounds integers beyond 2^53; of complex types the real part.
double as_double(ElementType type, const Element& element);

}  // namespace apod
