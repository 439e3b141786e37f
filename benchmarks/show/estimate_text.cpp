#include "benchmarks/show/estimate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::show {
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

}  // namespace

std::string change_text(const Estimate& change) {
  if (!std::isfinite(change.value)) return "";
  const double half = change.half_width() * 100;
  const double value = change.value * 100;
  if (value > most_percent) return ">9999 %";
  const int decimals = std::abs(value) >= 1000                   ? 0
                       : std::abs(value) >= 100 || half >= 0.095 ? 1
                                                                 : 2;
  const std::string text = fmt::format("{:+.{}f} %", value, decimals);
  if (!std::isfinite(half) || half <= 0) return text;
  if (change.lopsided() || half >= far_percent) {
    const int ends = half >= far_percent ? 0 : decimals;
    return fmt::format("{}, {} to {} %", text, signed_percent(change.low * 100, ends),
                       signed_percent(change.high * 100, ends));
  }
  const double least = std::pow(10.0, -decimals);
  return fmt::format("{} ±{}{:.{}f}", text, half < least / 2 ? "<" : "", std::max(half, least),
                     decimals);
}

bool is_undecided(const Estimate& change) {
  return change.has_interval() && change.low <= 0 && change.high >= 0;
}

std::string marked_change(const Estimate& change) {
  return (is_undecided(change) ? "~ " : "") + change_text(change);
}

std::string interval_text(const Estimate& time) {
  if (!(time.high > time.low && time.value > 0 && std::isfinite(time.high))) return "";
  if (time.lopsided()) return time_range(std::max(time.low, 0.0), time.high);
  return "±" + text::format_percent(time.half_width() / time.value);
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
    case Unit::count:
      break;
  }
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : text::no_value;
}

}  // namespace apod::show
