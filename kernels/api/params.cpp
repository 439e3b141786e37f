#include "kernels/api/params.hpp"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace apod {

std::string to_string(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string to_string(const Shape& shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
}

std::optional<Shape> parse_shape(std::string_view text) {
  const auto side = [](std::string_view digits) -> std::int64_t {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() ? value : 0;
  };
  const auto cross = text.find('x');
  Shape shape;
  shape.rows = side(text.substr(0, cross));
  shape.cols = cross == std::string_view::npos ? shape.rows : side(text.substr(cross + 1));
  if (shape.rows < 1 || shape.cols < 1) return std::nullopt;
  if (shape.rows > std::numeric_limits<std::int64_t>::max() / shape.cols) return std::nullopt;
  return shape;
}

void Params::set(std::string_view name, AxisValue value) {
  for (auto& [key, old] : entries_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  entries_.emplace_back(std::string(name), std::move(value));
}

const AxisValue* Params::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::int64_t Params::integer(std::string_view name) const {
  const auto* value = find(name);
  if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) fail(name);
  return std::get<std::int64_t>(*value);
}

std::int64_t Params::integer_or(std::string_view name, std::int64_t fallback) const {
  return has(name) ? integer(name) : fallback;
}

const std::string& Params::text(std::string_view name) const {
  const auto* value = find(name);
  if (value == nullptr || !std::holds_alternative<std::string>(*value)) fail(name);
  return std::get<std::string>(*value);
}

Shape Params::shape(std::string_view name) const {
  const auto* value = find(name);
  if (value == nullptr) fail(name);
  const auto shape = parse_shape(to_string(*value));
  if (!shape) fail(name);
  return *shape;
}

void Params::fail(std::string_view name) {
  throw std::out_of_range("axis '" + std::string(name) +
                          "' is absent or has a value of another type");
}

}  // namespace apod
