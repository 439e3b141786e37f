#include "kernels/data/element.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace apod {
namespace {

template <class T>
void write_as(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

void write_real(ElementType type, double value, std::byte* at) {
  switch (type) {
    case ElementType::f16:
      return write_as(to_fp16(value), at);
    case ElementType::bf16:
      return write_as(to_bf16(value), at);
    case ElementType::e4m3:
      return write_as(to_e4m3(value), at);
    case ElementType::e5m2:
      return write_as(to_e5m2(value), at);
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
  // FP8 has no infinity, or is not rounded to it: beyond half a step from its largest value there
  // is nothing (Micikevicius and others, "FP8 Formats for Deep Learning", table 1).
  if (type == ElementType::e4m3) return std::abs(value) < 448 + 16;
  if (type == ElementType::e5m2) return std::abs(value) < 57344 + 4096;
  write_real(type, value, bytes.data());
  return std::isfinite(read_element(type, bytes.data()).real);
}

double as_double(ElementType type, const Element& element) {
  if (!is_whole(type)) return element.real;
  return is_signed(type) || type == ElementType::boolean ? static_cast<double>(element.whole)
                                                         : static_cast<double>(element.natural);
}

}  // namespace apod
