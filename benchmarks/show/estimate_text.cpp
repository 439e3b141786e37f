#include "benchmarks/show/estimate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"

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
  const auto all = [&](const auto& is_so) { return std::ranges::all_of(numbers, is_so); };
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

namespace {

// Percentages beyond are not known at all.
constexpr double most_percent = 9999;
/// An interval that reaches further has no decimals.
constexpr double far_percent = 1000;

std::string signed_percent(double percent, int decimals) {
  return percent > most_percent ? ">9999" : fmt::format("{:+.{}f}", percent, decimals);
}

/// "12.1 to 96.0 us": both ends in the unit of the upper one.
std::string time_range(double low, double high) {
  static constexpr std::array<std::pair<double, const char*>, 4> units{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  const auto unit =
      std::find_if(units.begin(), units.end() - 1, [&](const auto& u) { return high >= u.first; });
  const double upper = high / unit->first;
  const int decimals = upper >= 100 ? 0 : upper >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} to {:.{}f} {}", low / unit->first, decimals, upper, decimals,
                     unit->second);
}

/// Of the percent of a change: as many as its interval is worth.
int decimals_of(const Estimate& change) {
  const double value = std::abs(change.value) * 100;
  const double half = change.half_width() * 100;
  return value >= 1000 ? 0 : value >= 100 || half >= 0.095 ? 1 : 2;
}

}  // namespace

std::string change_text(const Estimate& change) {
  if (!std::isfinite(change.value)) return "";
  const double half = change.half_width() * 100;
  const double value = change.value * 100;
  if (value > most_percent) return ">9999 %";
  const int decimals = decimals_of(change);
  const std::string text = fmt::format("{:+.{}f} %", value, decimals);
  if (!std::isfinite(half) || half <= 0) return text;
  // "-28 % ±30" of an interval that ends below 0 would say what is not so.
  const bool misleads = is_undecided(change) != (std::abs(value) <= half);
  if (change.lopsided() || half >= far_percent || misleads) {
    const int ends = half >= far_percent ? 0 : decimals;
    return fmt::format("{}, {} to {} %", text, signed_percent(change.low * 100, ends),
                       signed_percent(change.high * 100, ends));
  }
  const double least = std::pow(10.0, -decimals);
  return fmt::format("{} ±{}{:.{}f}", text, half < least / 2 ? "<" : "", std::max(half, least),
                     decimals);
}

std::string beside_change(const Estimate& change, double share) {
  if (!std::isfinite(change.value) || share * 100 > most_percent)
    return text::format_percent(share);
  const int decimals = decimals_of(change);
  const double scale = std::pow(10.0, decimals);
  const double size = std::abs(change.value);
  const double written = std::round(size * 100 * scale) / scale;
  const auto usual = text::format_percent(share);
  const bool turned = (std::stod(usual) - written) * (share - size) < 0;
  return turned ? fmt::format("{:.{}f} %", share * 100, decimals) : usual;
}

bool is_undecided(const Estimate& change) {
  const double scale = 100 * std::pow(10.0, decimals_of(change));
  return change.has_interval() && std::round(change.low * scale) <= 0 &&
         std::round(change.high * scale) >= 0;
}

std::string marked_change(const Estimate& change) {
  return (is_undecided(change) ? "~ " : "") + change_text(change);
}

std::string fact_text(const std::string& name, double value) {
  const FactInfo* info = find_fact(name);
  switch (info == nullptr ? Unit::count : info->unit) {
    case Unit::share:
      return text::format_percent(value);
    case Unit::seconds:
      return text::format_time(value);
    case Unit::bytes:
      return text::format_bytes(value);
    case Unit::bytes_per_second:
      return text::format_rate(value, "B/s");
    case Unit::flop_per_second:
      return text::format_rate(value, "FLOP/s");
    case Unit::megahertz:
      return fmt::format("{:.0f} MHz", value);
    case Unit::joules:
    case Unit::watts:
    case Unit::flop_per_joule:
    case Unit::per_second:
      return text::format_quantity(value, info->unit);
    case Unit::ratio:
      return std::isfinite(value) ? fmt::format("{:.4g}", value) : text::no_value;
    case Unit::count:
      if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
      break;
  }
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : text::no_value;
}

std::string interval_text(const Estimate& value, const std::string& fact) {
  if (!(value.high > value.low && value.value > 0 && std::isfinite(value.high))) return "";
  if (!value.lopsided()) return "±" + text::format_percent(value.half_width() / value.value);
  const double low = std::max(value.low, 0.0);
  if (fact == "time") return time_range(low, value.high);
  return fact_text(fact, low) + " to " + fact_text(fact, value.high);
}

}  // namespace apod::show
