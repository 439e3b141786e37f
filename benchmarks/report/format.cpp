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

#include "benchmarks/report/report.hpp"

namespace apod::report {
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

std::string format_change(const Estimate& change) {
  if (!std::isfinite(change.value)) return "-";
  const double half = change.half_width() * 100;
  const double value = change.value * 100;
  if (value > most_percent) return ">9999 %";
  const int decimals = std::abs(value) >= 1000                   ? 0
                       : std::abs(value) >= 100 || half >= 0.095 ? 1
                                                                 : 2;
  std::string text = fmt::format("{:+.{}f} %", value, decimals);
  if (std::isfinite(half) && half >= 1000) return text + " ±>999";
  if (std::isfinite(half) && change.lopsided()) {
    return text + fmt::format(" {:+.{}f}/{:+.{}f}", change.low * 100 - value, decimals,
                              change.high * 100 - value, decimals);
  }
  if (std::isfinite(half) && half > 0) {
    const double least = std::pow(10.0, -decimals);
    text +=
        fmt::format(" ±{}{:.{}f}", half < least / 2 ? "<" : "", std::max(half, least), decimals);
  }
  return text;
}

std::string format_spread(const Estimate& estimate) {
  if (!(estimate.high > estimate.low && estimate.value > 0)) return "-";
  if (!estimate.lopsided()) return format_percent(estimate.half_width() / estimate.value);
  const std::string below = format_percent((estimate.value - estimate.low) / estimate.value);
  return "-" + below.substr(0, below.find(' ')) + "/+" +
         format_percent((estimate.high - estimate.value) / estimate.value);
}

Format format_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") return Format::json;
  if (extension == ".csv") return Format::csv;
  if (extension == ".md") return Format::markdown;
  if (extension == ".txt") return Format::console;
  throw std::invalid_argument("'" + path +
                              "': the extension says no format (.json, .csv, .md or .txt)");
}

void write(std::ostream& out, const Result& result, Format format) {
  switch (format) {
    case Format::json:
      return write_json(out, result);
    case Format::csv:
      return write_csv(out, result);
    case Format::markdown:
      return write_markdown(out, result);
    case Format::console:
      return write_console(out, result, {});
  }
}

}  // namespace apod::report
