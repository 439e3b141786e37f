#include "benchmarks/text/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string_view>

namespace apod::text {
namespace {

// What is larger is written as 1.2e+15 in the largest unit: nobody counts its digits.
constexpr double most_shown = 1e9;
// Percentages beyond are not known at all.
constexpr double most_percent = 9999;

struct Unit {
  double size;
  std::string_view name;
};

/// `value` in the largest of `units` (ascending) in which it is not below one once it is rounded,
/// with `digits` significant digits.
std::string scaled(double value, std::span<const Unit> units, int digits) {
  if (!std::isfinite(value)) return "-";
  // 999.96 is shown as 1000 with four digits: that belongs to the next unit.
  const double roundest = 1 - 0.5 * std::pow(10.0, -digits);
  const double magnitude = std::abs(value);
  std::size_t unit = 0;
  while (unit + 1 < units.size() && magnitude >= roundest * units[unit + 1].size) ++unit;
  const double shown = magnitude / units[unit].size;
  if (shown >= most_shown)
    return fmt::format("{:.{}g} {}", value / units[unit].size, digits, units[unit].name);
  int decimals = digits - 1;
  for (double limit = 10; decimals > 0 && shown >= limit * roundest; limit *= 10) --decimals;
  return fmt::format("{:.{}f} {}", value / units[unit].size, decimals, units[unit].name);
}

}  // namespace

std::string format_time(double seconds) {
  static constexpr std::array<Unit, 4> units{{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
  return seconds == 0 ? "0 s" : scaled(seconds, units, 4);
}

std::string format_rate(double per_second, const std::string& unit) {
  static constexpr std::array<Unit, 7> units{
      {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}}};
  const std::string number = scaled(per_second, units, 3);
  return number == "-" ? number : number + unit;
}

std::string format_bytes(double bytes) {
  static constexpr double k = 1024;
  static constexpr std::array<Unit, 7> units{{{1, "B"},
                                              {k, "KiB"},
                                              {k * k, "MiB"},
                                              {k * k * k, "GiB"},
                                              {k * k * k * k, "TiB"},
                                              {k * k * k * k * k, "PiB"},
                                              {k * k * k * k * k * k, "EiB"}}};
  if (std::abs(bytes) < k) return fmt::format("{:.0f} B", bytes);
  return scaled(bytes, units, 3);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  // The cap keeps the conversion defined; nobody waits a million years.
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

}  // namespace apod::text
