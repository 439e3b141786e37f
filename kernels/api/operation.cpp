#include "kernels/api/operation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace apod {
namespace {

constexpr std::string_view prefix = "op ";
constexpr std::string_view separator = ", ";
constexpr std::string_view flops_unit = " FLOPs";
constexpr std::string_view bytes_unit = " bytes";
constexpr std::size_t longest_text = 200;
constexpr double largest_number = 9223372036854775808.0;  // 2^63

bool is_text(std::string_view text) {
  const auto fits = [](char c) { return c >= ' ' && c <= '~' && c != ','; };
  return !text.empty() && text.size() <= longest_text &&
         std::all_of(text.begin(), text.end(), fits);
}

bool is_amount(double number) {
  return number >= 0 && number <= largest_number;  // false for NaN
}

std::string whole(double number) {
  return std::to_string(static_cast<std::uint64_t>(std::round(number)));
}

/// The number before `unit`, where there is nothing but digits.
std::optional<double> amount(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  const auto value = static_cast<double>(number);
  return is_amount(value) ? std::optional(value) : std::nullopt;
}

std::atomic<OperationListener*> current{nullptr};

}  // namespace

std::string encode(const Operation& operation) {
  std::string range(prefix);
  for (const auto& text : {operation.name, operation.direction, operation.shapes, operation.type}) {
    if (!is_text(text)) {
      throw std::invalid_argument("'" + text +
                                  "' can't describe an operation: use ASCII without commas");
    }
    range += text;
    range += separator;
  }
  if (!is_amount(operation.flops) || !is_amount(operation.bytes)) {
    throw std::invalid_argument("an operation can't have " + std::to_string(operation.flops) +
                                " FLOPs and " + std::to_string(operation.bytes) + " bytes");
  }
  range += whole(operation.flops).append(flops_unit).append(separator);
  range += whole(operation.bytes).append(bytes_unit);
  return range;
}

std::optional<Operation> parse_operation(std::string_view range) {
  if (!range.starts_with(prefix)) return std::nullopt;
  range.remove_prefix(prefix.size());
  std::array<std::string_view, 6> fields;
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const auto end = range.find(separator);
    if (end == std::string_view::npos) return std::nullopt;
    fields[i] = range.substr(0, end);
    range.remove_prefix(end + separator.size());
  }
  fields.back() = range;
  if (!std::all_of(fields.begin(), fields.begin() + 4, is_text)) return std::nullopt;
  const auto flops = amount(fields[4], flops_unit);
  const auto bytes = amount(fields[5], bytes_unit);
  if (!flops || !bytes) return std::nullopt;
  return Operation{std::string(fields[0]),
                   std::string(fields[1]),
                   std::string(fields[2]),
                   std::string(fields[3]),
                   *flops,
                   *bytes};
}

void show_operations(OperationListener* listener) {
  current.store(listener, std::memory_order_release);
}

OperationListener* OperationScope::listening() {
  auto* listener = current.load(std::memory_order_acquire);
  return listener != nullptr && listener->listens() ? listener : nullptr;
}

}  // namespace apod
