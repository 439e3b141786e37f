#include "kernels/gemm/operand.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "kernels/data/data.hpp"

namespace apod::gemm {
namespace {

/// store(index, value) for each element, by all threads. What `store` returns is what was kept of
/// it: infinity if that is too much for the type.
template <class Store>
void round_all(std::span<const float> values, Shape shape, Number type, const Store& store) {
  parallel_for(static_cast<std::int64_t>(values.size()), [&](std::int64_t first,
                                                             std::int64_t last) {
    for (auto i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (std::isfinite(store(at, values[at]))) continue;
      throw std::runtime_error(
          "row " + std::to_string(i / shape.cols) + ", column " + std::to_string(i % shape.cols) +
          " is " + std::to_string(values[at]) + ", too large for " + std::string(to_string(type)));
    }
  });
}

}  // namespace

void read(Number type, const std::byte* stored, std::int64_t count, float* values) {
  if (!is_16_bit(type)) {
    std::memcpy(values, stored, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  const auto convert = [&](auto from) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, stored + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
      values[i] = from(bits);
    }
  };
  type == Number::fp16 ? convert(from_fp16) : convert(from_bf16);
}

Operand::Operand(std::shared_ptr<const Floats> values, Shape shape, Number type)
    : shape_(shape), type_(type) {
  if (type == Number::fp32) {
    words_ = std::move(values);
  } else if (type == Number::tf32) {
    auto rounded = std::make_shared<Floats>(values->size());
    round_all(*values, shape, type,
              [&](std::size_t i, float value) { return (*rounded)[i] = rounded_to_tf32(value); });
    words_ = std::move(rounded);
  } else {
    halves_.resize(values->size());
    const auto round = [&](auto to, auto from) {
      round_all(*values, shape, type,
                [&](std::size_t i, float value) { return from(halves_[i] = to(value)); });
    };
    type == Number::fp16 ? round(to_fp16, from_fp16) : round(to_bf16, from_bf16);
  }
}

std::span<const std::byte> Operand::bytes() const {
  return is_16_bit(type_) ? std::as_bytes(std::span(halves_)) : std::as_bytes(std::span(*words_));
}

void Operand::read_row(std::int64_t row, std::int64_t first, std::int64_t count,
                       float* values) const {
  const auto element = static_cast<std::size_t>(row * shape_.cols + first);
  read(type_, bytes().data() + element * size_of(type_), count, values);
}

}  // namespace apod::gemm
