#include "benchmarks/base/text/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace apod::text {
namespace {

// A larger value is written as 1.2e+15 in the largest unit: so many digits can't be read.
constexpr double most_shown = 1e9;
// Percentages beyond this mean nothing.
constexpr double most_percent = 9999;

struct Scale {
  double size;
  std::string_view name;
};

/// Without the zeros at the end of a fraction.
std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

/// `value` in the largest of `units` (ascending) in which it rounds to one or more.
std::string scaled(double value, std::span<const Scale> units, Digits digits) {
  if (!std::isfinite(value)) return "-";
  // 999.96 is shown as 1000 with four digits: that belongs to the next unit.
  const double roundest = 1 - 0.5 * std::pow(10.0, -digits.count);
  const double magnitude = std::abs(value);
  std::size_t unit = 0;
  while (unit + 1 < units.size() && magnitude >= roundest * units[unit + 1].size) ++unit;
  const double shown = magnitude / units[unit].size;
  const double of_unit = value / units[unit].size;
  if (shown >= most_shown)
    return fmt::format("{:.{}g} {}", of_unit, digits.count, units[unit].name);
  int decimals = digits.count - 1;
  for (double limit = 10; decimals > 0 && shown >= limit * roundest; limit *= 10) --decimals;
  const auto number = fmt::format("{:.{}f}", of_unit, decimals);
  return fmt::format("{} {}", digits.zeros ? number : without_zeros(number), units[unit].name);
}

}  // namespace

std::string format_time(double seconds, Digits digits) {
  static constexpr std::array<Scale, 4> units{{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
  return seconds == 0 ? "0 s" : scaled(seconds, units, digits);
}

std::string format_rate(double per_second, const std::string& unit, Digits digits) {
  static constexpr std::array<Scale, 7> units{
      {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}}};
  const std::string number = scaled(per_second, units, digits);
  return number == "-" ? number : number + unit;
}

std::string format_bytes(double bytes) {
  static constexpr double k = 1024;
  static constexpr std::array<Scale, 7> units{{{1, "B"},
                                               {k, "KiB"},
                                               {k * k, "MiB"},
                                               {k * k * k, "GiB"},
                                               {k * k * k * k, "TiB"},
                                               {k * k * k * k * k, "PiB"},
                                               {k * k * k * k * k * k, "EiB"}}};
  if (std::abs(bytes) < k) return fmt::format("{:.0f} B", bytes);
  return scaled(bytes, units, {3});
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  // The cap keeps the conversion defined; a million years is enough.
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 3e13)));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string format_percent(double share) {
  if (!std::isfinite(share)) return "-";
  const double percent = share * 100;
  if (std::abs(percent) > most_percent) return percent > 0 ? ">9999 %" : "<-9999 %";
  const int decimals = std::abs(percent) < 9.995 ? 2 : std::abs(percent) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} %", percent, decimals);
}

std::string format_share(double share) {
  return fmt::format("{:.{}f} %", 100 * share, std::abs(share) < 0.0995 ? 1 : 0);
}

std::string format_count(double value) {
  const bool whole = value == std::floor(value) || std::abs(value) >= 99.95;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string format_quantity(double value, Unit unit) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  const Digits measured{4, false};
  const Digits exact{whole ? 15 : measured.count, false};
  static constexpr std::array<Scale, 4> joules{{{1e-6, "uJ"}, {1e-3, "mJ"}, {1, "J"}, {1e3, "kJ"}}};
  static constexpr std::array<Scale, 3> watts{{{1e-3, "mW"}, {1, "W"}, {1e3, "kW"}}};
  switch (unit) {
    case Unit::seconds:
      return format_time(value, measured);
    case Unit::bytes:
      return format_rate(value, "B", exact);
    case Unit::bytes_per_second:
      return format_rate(value, "B/s", measured);
    case Unit::flop_per_second:
      return format_rate(value, "FLOP/s", measured);
    case Unit::megahertz:
      return fmt::format("{:.{}g} MHz", value, measured.count);
    case Unit::joules:
      return scaled(value, joules, measured);
    case Unit::watts:
      return scaled(value, watts, measured);
    case Unit::flop_per_joule:
      return format_rate(value, "FLOP/J", measured);
    case Unit::per_second:
      return format_rate(value, "/s", measured);
    case Unit::share:
      return fmt::format("{:.{}g} %", 100 * value, measured.count);
    case Unit::count:
    case Unit::ratio:
      return fmt::format("{:.{}g}", value, exact.count);
  }
  return "";
}

}  // namespace apod::text
