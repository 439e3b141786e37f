#include "benchmarks/cli/quantities.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <optional>

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

[[noreturn]] void refuse(const std::string& flag, const std::string& text, const char* hint) {
  throw CLI::ValidationError(flag, "'" + text + "' " + hint);
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
    throw CLI::ValidationError(flag,
                               "'" + text + "' has no unit (write " + text + "s or " + text + "m)");
  }
  const auto unit = quantity ? units.find(quantity->unit) : units.end();
  if (unit == units.end()) refuse(flag, text, hint);
  const double seconds = quantity->value * unit->second;
  const bool enough = seconds > 0 || (seconds == 0 && zero == Zero::allowed);
  if (!(enough && seconds <= longest)) refuse(flag, text, hint);
  return seconds;
}

std::uint64_t parse_seed(const std::string& flag, const std::string& text) {
  std::uint64_t seed = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seed);
  if (error == std::errc() && rest == end) return seed;
  refuse(flag, text, "is no whole number from 0 to 2^64 - 1");
}

}  // namespace apod::cli
