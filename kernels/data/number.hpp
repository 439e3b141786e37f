#pragma once

/// \file
/// Numbers of 8 and 16 bits and TF32, as the host rounds to them and reads them. All of them fit
/// fp32.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace apod {
namespace detail {

/// A sign, `exponent_bits` and `fraction_bits`, laid out as in IEEE 754; to the nearest, ties to
/// even. Too large values become infinity.
template <int exponent_bits, int fraction_bits>
std::uint16_t narrowed(double value) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr std::uint64_t infinity = std::uint64_t{(1 << exponent_bits) - 1} << fraction_bits;
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | infinity | 1U << (fraction_bits - 1));
  }
  const double size = std::abs(value);
  const double smallest_normal = std::ldexp(1.0, 1 - bias);
  if (size < smallest_normal) {
    const double steps = std::nearbyint(std::ldexp(size, bias - 1 + fraction_bits));
    return static_cast<std::uint16_t>(sign | static_cast<std::uint64_t>(steps));
  }
  constexpr int dropped = 52 - fraction_bits;
  const auto bits = std::bit_cast<std::uint64_t>(size);
  const std::uint64_t half = (std::uint64_t{1} << (dropped - 1)) - 1;
  const std::uint64_t kept = (bits + half + (bits >> dropped & 1)) >> dropped;
  const std::uint64_t rebiased = kept - (std::uint64_t{1023 - bias} << fraction_bits);
  return static_cast<std::uint16_t>(sign | std::min(rebiased, infinity));
}

}  // namespace detail

inline std::uint16_t to_fp16(double value) {
  return detail::narrowed<5, 10>(value);
}
inline std::uint16_t to_bf16(double value) {
  return detail::narrowed<8, 7>(value);
}

inline float from_fp16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude < 0x400) {  // steps of 2^-24
    const float size = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -size : size;
  }
  const std::uint32_t rebias = magnitude >= 0x7C00 ? (255 - 31) << 23 : (127 - 15) << 23;
  return std::bit_cast<float>(sign | ((magnitude << 13) + rebias));
}
inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// An FP8 number of a sign, `exponent_bits` and `fraction_bits`, to the nearest, ties to even. What
/// is beyond `largest` becomes that, as CUDA converts them (__NV_SATFINITE).
template <int exponent_bits, int fraction_bits>
std::uint8_t to_fp8(double value, double largest) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7F);
  const double size = std::min(std::abs(value), largest);
  const int exponent = size > 0 ? std::max(std::ilogb(size), 1 - bias) : 1 - bias;
  const auto steps =
      static_cast<unsigned>(std::nearbyint(std::ldexp(size, fraction_bits - exponent)));
  // A fraction that is rounded up to the next power of two goes on there.
  const unsigned rebased = static_cast<unsigned>(exponent + bias - 1) << fraction_bits;
  return static_cast<std::uint8_t>(sign | (rebased + steps));
}
/// Open Compute Project, "8-bit Floating Point Specification (OFP8)": E4M3 has no infinity and its
/// largest is 448; that of E5M2 is 57344.
inline std::uint8_t to_e4m3(double value) {
  return to_fp8<4, 3>(value, 448);
}
inline std::uint8_t to_e5m2(double value) {
  return to_fp8<5, 2>(value, 57344);
}
inline float from_e5m2(std::uint8_t bits) {
  return from_fp16(static_cast<std::uint16_t>(bits << 8));
}
inline float from_e4m3(std::uint8_t bits) {
  if ((bits & 0x7FU) == 0x7FU) return std::numeric_limits<float>::quiet_NaN();
  const int exponent = bits >> 3 & 15;
  const int steps = (bits & 7) + (exponent > 0 ? 8 : 0);
  const float size = std::ldexp(static_cast<float>(steps), std::max(exponent, 1) - 10);
  return (bits & 0x80U) != 0 ? -size : size;
}

/// fp32 with 10 bits of fraction, to the nearest, ties to even. May become infinity; a NaN need not
/// stay one.
inline float rounded_to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0xFFFU + (bits >> 13 & 1U)) >> 13 << 13);
}

}  // namespace apod
