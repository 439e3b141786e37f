#include "benchmarks/cli/quantities.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

#include "benchmarks/cli/usage_error.hpp"

namespace apod::cli {
namespace {

struct Quantity {
  double value = 0;
  std::string unit;
};

/// A number and the word behind it, with or without a space between.
std::optional<Quantity> split(const std::string& text) {
  Quantity quantity;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, quantity.value);
  if (error != std::errc()) return std::nullopt;
  const std::string unit(rest, end);
  const auto begin = unit.find_first_not_of(' ');
  quantity.unit = begin == std::string::npos ? "" : unit.substr(begin);
  return quantity;
}

[[noreturn]] void refuse(const std::string& flag, const std::string& text,
                         const std::string& hint) {
  throw UsageError(flag + ": '" + text + "' " + hint);
}

/// The number that the whole of `text` is; nothing where it is none.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

double parse_share(const std::string& flag, const std::string& text, Zero zero) {
  constexpr const char* hint = "is no share between 0 and 1 (write 1% or 0.01)";
  const auto quantity = split(text);
  if (!quantity || (!quantity->unit.empty() && quantity->unit != "%")) refuse(flag, text, hint);
  const double share = quantity->unit == "%" ? quantity->value / 100 : quantity->value;
  const bool enough = share > 0 || (share == 0 && zero == Zero::allowed);
  if (!(enough && share < 1)) refuse(flag, text, hint);
  return share;
}

double parse_seconds(const std::string& flag, const std::string& text, Zero zero) {
  static const std::map<std::string, double> units{
      {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
  constexpr const char* hint = "is no time (write 90s or 2m)";
  constexpr double longest = 7 * 86400.0;
  const auto quantity = split(text);
  if (quantity && quantity->unit.empty()) {
    refuse(flag, text, "has no unit (write " + text + "s or " + text + "m)");
  }
  const auto unit = quantity ? units.find(quantity->unit) : units.end();
  if (unit == units.end()) refuse(flag, text, hint);
  const double seconds = quantity->value * unit->second;
  const bool enough = seconds > 0 || (seconds == 0 && zero == Zero::allowed);
  if (!(enough && seconds <= longest)) refuse(flag, text, hint);
  return seconds;
}

std::uint64_t parse_seed(const std::string& flag, const std::string& text) {
  if (const auto seed = number_of<std::uint64_t>(text)) return *seed;
  refuse(flag, text, "is no whole number from 0 to 2^64 - 1");
}

int parse_count(const std::string& flag, const std::string& text, int least, int most) {
  const auto count = number_of<int>(text);
  if (count && *count >= least && *count <= most) return *count;
  refuse(flag, text,
         "is no whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

double parse_number(const std::string& flag, const std::string& text, double least, double most) {
  const auto number = number_of<double>(text);
  if (number && *number >= least && *number <= most) return *number;
  refuse(flag, text, fmt::format("is no number from {:g} to {:g}", least, most));
}

}  // namespace apod::cli
