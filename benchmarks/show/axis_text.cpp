#include "benchmarks/show/axis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace apod::show {
namespace {

/// Numbers below are easier to read with all their digits.
constexpr std::int64_t large = 8192;
/// A number with more digits before its zeros is not round.
constexpr std::size_t most_digits = 3;

bool is_power_of_two(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::string as_power_of_two(std::int64_t number) {
  return fmt::format("2^{}", std::countr_zero(static_cast<std::uint64_t>(number)));
}

/// The digits of a positive number before the zeros at its end.
std::string digits_of(std::int64_t number) {
  auto digits = std::to_string(number);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

bool is_round(std::int64_t number) {
  return number > 0 && digits_of(number).size() <= most_digits;
}

std::string as_power_of_ten(std::int64_t number) {
  auto digits = digits_of(number);
  if (digits.size() > 1) digits.insert(1, ".");
  return fmt::format("{}e{}", digits, std::to_string(number).size() - 1);
}

}  // namespace

std::optional<AxisValue> axis_of(const Case& c, const std::string& name) {
  if (const AxisValue* value = c.params.find(name)) return *value;
  if (name == "variant" && !c.variant.empty()) return c.variant;
  return std::nullopt;
}

std::vector<std::string> axis_texts(const std::vector<std::optional<AxisValue>>& values) {
  std::vector<std::int64_t> numbers;
  for (const auto& value : values) {
    if (!value) continue;
    if (const auto* number = std::get_if<std::int64_t>(&*value)) numbers.push_back(*number);
  }
  const auto all = [&](const auto& is_so) {
    return std::all_of(numbers.begin(), numbers.end(), is_so);
  };
  std::string (*write)(std::int64_t) = [](std::int64_t number) { return std::to_string(number); };
  if (!all([](std::int64_t number) { return number < large; })) {
    if (all(is_power_of_two)) {
      write = as_power_of_two;
    } else if (all(is_round)) {
      write = as_power_of_ten;
    }
  }
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const auto& value : values) {
    const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    texts.push_back(number != nullptr ? write(*number) : value ? to_string(*value) : "");
  }
  return texts;
}

}  // namespace apod::show
