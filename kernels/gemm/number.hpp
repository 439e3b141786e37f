#pragma once

/// \file
/// The types of a product's inputs, as the host rounds to them and reads them.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/api/types.hpp"

namespace apod::gemm {

/// Type of the inputs; sums and the result are fp32. tf32 has the range of fp32 and 10 bits behind
/// the leading one, in the 4 bytes of an fp32.
enum class Type : std::uint8_t { fp32, tf32, fp16, bf16 };

constexpr bool is_16_bit(Type type) {
  return type == Type::fp16 || type == Type::bf16;
}

/// Bytes of one element.
constexpr std::size_t size_of(Type type) {
  return is_16_bit(type) ? 2 : 4;
}

namespace detail {

/// The bits of an fp32 without its lowest `bits`, rounded to the nearest, ties to even. May become
/// infinity; what was a NaN need not stay one.
constexpr std::uint32_t without_low_bits(float value, unsigned bits) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (1U << (bits - 1)) - 1;
  return (all + half + (all >> bits & 1U)) >> bits << bits;
}

}  // namespace detail

inline float rounded_to_tf32(float value) {
  return std::bit_cast<float>(detail::without_low_bits(value, 13));
}

inline std::uint16_t to_bf16(float value) {
  return static_cast<std::uint16_t>(detail::without_low_bits(value, 16) >> 16);
}

inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// To the nearest, ties to even; infinity from 65520 on. For finite values.
inline std::uint16_t to_fp16(float value) {
  constexpr std::uint32_t infinity = 0x7C00;
  constexpr std::uint32_t rebias = (127 - 15) << 10;
  const float size = std::abs(value);
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0U;
  if (size >= 65520) return static_cast<std::uint16_t>(sign | infinity);
  // Below the smallest normal number the steps are 2^-24; 1024 of them are that number.
  const std::uint32_t magnitude = size < 0x1p-14F
                                      ? static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24F))
                                      : (detail::without_low_bits(size, 13) >> 13) - rebias;
  return static_cast<std::uint16_t>(sign | magnitude);
}

inline float from_fp16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude < 0x400) {
    const float size = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -size : size;
  }
  const std::uint32_t rebias = magnitude >= 0x7C00 ? (255 - 31) << 23 : (127 - 15) << 23;
  return std::bit_cast<float>(sign | ((magnitude << 13) + rebias));
}

}  // namespace apod::gemm

template <>
struct apod::EnumNames<apod::gemm::Type> {
  static constexpr std::array<std::string_view, 4> names{"fp32", "tf32", "fp16", "bf16"};
};
