#include "kernels/api/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace apod {
namespace {

template <class T>
void write_as(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof value);
}

/// The multiple of 2^(exponent - fraction bits) next to `size`, ties to even. 2^lowest is the
/// smallest normal number.
double rounded(double size, int fraction_bits, int lowest) {
  if (size == 0 || !std::isfinite(size)) return size;
  const int exponent = std::max(std::ilogb(size), lowest);
  const double unit = std::ldexp(1.0, exponent - fraction_bits);
  return std::nearbyint(size / unit) * unit;
}

std::uint16_t to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = rounded(std::abs(value), 10, -14);
  if (std::isnan(size)) return static_cast<std::uint16_t>(sign | 0x7E00);
  if (size >= 65536) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<int>(size * 0x1p24));
  const int exponent = std::ilogb(size);
  const int fraction = static_cast<int>(std::ldexp(size, 10 - exponent)) - 1024;
  return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | fraction);
}

std::uint16_t to_bfloat(double value) {
  if (std::isnan(value)) return 0x7FC0;
  const double size = rounded(std::abs(value), 7, -126);
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(size));
  return static_cast<std::uint16_t>((std::signbit(value) ? 0x8000 : 0) | bits >> 16);
}

}  // namespace

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double size = 0;
  if (exponent == 31) {
    size = fraction == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    size = std::ldexp(fraction, -24);
  } else {
    size = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

void write_real(ElementType type, double value, std::byte* at) {
  switch (type) {
    case ElementType::f16:
      return write_as(to_half(value), at);
    case ElementType::bf16:
      return write_as(to_bfloat(value), at);
    case ElementType::f32:
      return write_as(static_cast<float>(value), at);
    case ElementType::f64:
      return write_as(value, at);
    case ElementType::c64:
      write_as(static_cast<float>(value), at);
      return write_as(0.0F, at + sizeof(float));
    case ElementType::c128:
      write_as(value, at);
      return write_as(0.0, at + sizeof(double));
    default: {
      const double nearest = std::nearbyint(value);
      const bool fits = nearest >= -0x1p63 && nearest < 0x1p63;
      return write_whole(type, fits ? static_cast<std::int64_t>(nearest) : 0, at);
    }
  }
}

void write_whole(ElementType type, std::int64_t value, std::byte* at) {
  if (!is_whole(type)) return write_real(type, static_cast<double>(value), at);
  if (type == ElementType::boolean) value = value != 0 ? 1 : 0;
  // The low bytes come first on every machine that CUDA runs on.
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(at, &value, size_of(type));
}

bool holds(ElementType type, std::int64_t value) {
  if (!is_whole(type)) return true;
  if (type == ElementType::boolean) return value == 0 || value == 1;
  const auto bits = 8 * size_of(type);
  if (is_signed(type)) {
    if (bits == 64) return true;
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    return value >= -half && value < half;
  }
  return value >= 0 && (bits == 64 || value < std::int64_t{1} << bits);
}

bool holds_real(ElementType type, double value) {
  if (is_whole(type) || !std::isfinite(value)) return false;
  std::array<std::byte, 16> bytes{};
  write_real(type, value, bytes.data());
  return std::isfinite(read_element(type, bytes.data()).real);
}

double as_double(ElementType type, const Element& element) {
  if (!is_whole(type)) return element.real;
  return is_signed(type) || type == ElementType::boolean ? static_cast<double>(element.whole)
                                                         : static_cast<double>(element.natural);
}

}  // namespace apod
