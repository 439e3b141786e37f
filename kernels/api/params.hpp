#pragma once

/// \file
/// The parameters of one case: axis name -> value, in the order in which the axes were declared.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod {

/// A value of an axis: an integer (element counts, stream counts) or a word (variant, memory kind,
/// an image shape such as "200x200").
using AxisValue = std::variant<std::int64_t, std::string>;

/// The value as a person writes it.
std::string to_string(const AxisValue& value);

/// A two-dimensional shape, in elements.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Reads "200x300", or "200" for a square; nothing when `text` is neither, or when a side is < 1
/// or the product does not fit 63 bits.
std::optional<Shape> parse_shape(std::string_view text);
std::string to_string(const Shape& shape);

/// Ordered axis values of one case. Small, so look-up is linear.
class Params {
 public:
  void set(std::string_view name, AxisValue value);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const AxisValue* find(std::string_view name) const;

  /// The integer value of `name`. Throws std::out_of_range when it is absent or not an integer.
  std::int64_t integer(std::string_view name) const;
  std::int64_t integer_or(std::string_view name, std::int64_t fallback) const;
  /// The word value of `name`. Throws std::out_of_range when it is absent or not a word.
  const std::string& text(std::string_view name) const;
  /// The shape value of `name`; an integer n is the square n x n. Throws like `text`.
  Shape shape(std::string_view name) const;

  /// The enumeration value of `name`, or `fallback` when the axis is absent. Throws
  /// std::out_of_range when the word names no value of E.
  template <NamedEnum E>
  E choice_or(std::string_view name, E fallback) const {
    if (!has(name)) return fallback;
    const auto value = parse<E>(text(name));
    if (!value) fail(name);
    return *value;
  }

  const std::vector<std::pair<std::string, AxisValue>>& entries() const { return entries_; }
  friend bool operator==(const Params&, const Params&) = default;

 private:
  [[noreturn]] static void fail(std::string_view name);
  std::vector<std::pair<std::string, AxisValue>> entries_;
};

/// An axis of a workload that an experiment may sweep. Configs are checked against it, `--list`
/// prints it.
struct AxisSpec {
  enum class Kind : std::uint8_t { integer, choice, shape };
  std::string name;
  Kind kind = Kind::integer;
  std::string help;                    ///< one line, for `--list`
  AxisValue default_value;             ///< used when the experiment does not name the axis
  std::vector<std::string> choices{};  ///< the allowed words, for Kind::choice
  std::int64_t min = 1;                ///< smallest value, for Kind::integer and each shape side
  std::int64_t max = std::int64_t{1} << 40;  ///< largest value, likewise
};

/// An axis of whole numbers, such as a count of elements.
inline AxisSpec count_axis(std::string name, std::string help, std::int64_t usual,
                           std::int64_t max = std::int64_t{1} << 36) {
  return {.name = std::move(name), .help = std::move(help), .default_value = usual, .max = max};
}
/// An axis of words; the first is the default.
inline AxisSpec choice_axis(std::string name, std::string help, std::vector<std::string> choices) {
  AxisSpec axis{.name = std::move(name), .kind = AxisSpec::Kind::choice, .help = std::move(help)};
  axis.default_value = choices.front();
  axis.choices = std::move(choices);
  return axis;
}

}  // namespace apod
