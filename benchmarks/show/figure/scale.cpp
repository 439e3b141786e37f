#include "benchmarks/show/figure/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace apod::figure {
namespace {

using text::Unit;

/// The steps that are easiest to read first, and what each criterion counts: simplicity, coverage,
/// density, legibility. Both as in the paper.
constexpr std::array<double, 6> steps{1, 5, 2, 2.5, 4, 3};
constexpr double weight_of_simplicity = 0.25;
constexpr double weight_of_coverage = 0.2;
constexpr double weight_of_density = 0.5;
constexpr double weight_of_legibility = 0.05;
constexpr double most_skipped = 6;
constexpr int most_ticks = 12;
/// Where a logarithmic axis has fewer decades, powers of ten are too few ticks.
constexpr double few_decades = 1.5;
/// Far enough from the ends of what a double holds for squares, and room beside the values.
constexpr double largest_value = 1e150;
constexpr double near_last_tick = 0.9;
/// Values whose relative distance is less are taken to be equal.
constexpr double least_range = 1e-9;

double simplicity(std::size_t step, double skipped, double low, double high, double width) {
  const double rest = std::fmod(std::abs(low), width);
  const bool has_zero = std::min(rest, width - rest) < 1e-10 * width && low <= 0 && high >= 0;
  return 1 - static_cast<double>(step) / (steps.size() - 1) - skipped + 1 + (has_zero ? 1 : 0);
}

double coverage(double low, double high, double first, double last) {
  const double range = 0.1 * (high - low);
  return 1 - 0.5 * (std::pow(high - last, 2) + std::pow(low - first, 2)) / (range * range);
}

double density(double count, double wanted, double low, double high, double first, double last) {
  const double is = (count - 1) / (last - first);
  const double should = (wanted - 1) / (std::max(last, high) - std::min(first, low));
  return 2 - std::max(is / should, should / is);
}

/// Powers of `base` between the ends: all of them, or so that their exponents are multiples of 2, 5
/// or 10, and about `wanted` are left.
std::vector<double> powers(double base, double low, double high, double wanted) {
  const double first = std::ceil(std::log(low) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(high) / std::log(base) + 1e-9);
  double step = 100;
  for (const double round : {10.0, 5.0, 2.0, 1.0}) {
    if (last - first <= round * wanted) step = round;
  }
  std::vector<double> values;
  for (double i = std::ceil(first / step) * step; i <= last; i += step)
    values.push_back(std::pow(base, i));
  return values;
}

/// 1, 2 and 5 times powers of ten between the ends.
std::vector<double> round_multiples(double low, double high) {
  std::vector<double> values;
  for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= low && factor * power <= high) values.push_back(factor * power);
    }
  }
  return values;
}

/// Of a logarithmic axis of few decades.
std::vector<double> ratio_values(double low, double high, double wanted) {
  const auto values = round_multiples(low, high);
  return values.size() > 2 ? values : round_values(low, high, wanted);
}

struct Prefix {
  double factor;
  const char* text;
};

/// From the largest_value.
std::vector<Prefix> prefixes_of(Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    case Unit::bytes:
      return {{1099511627776.0, "TiB"},
              {1073741824.0, "GiB"},
              {1048576, "MiB"},
              {1024, "KiB"},
              {1, "B"}};
    case Unit::bytes_per_second:
      return {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}};
    case Unit::flop_per_second:
      return {
          {1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1, "FLOP/s"}};
    case Unit::flop_per_joule:
      return {{1e12, "TFLOP/J"}, {1e9, "GFLOP/J"}, {1e6, "MFLOP/J"}, {1, "FLOP/J"}};
    case Unit::per_second:
      return {{1e12, "T/s"}, {1e9, "G/s"}, {1e6, "M/s"}, {1e3, "k/s"}, {1, "/s"}};
    case Unit::share:
      return {{0.01, "%"}};
    case Unit::megahertz:
      return {{1, "MHz"}};
    case Unit::joules:
      return {{1, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}};
    case Unit::watts:
      return {{1, "W"}};
    case Unit::count:
    case Unit::ratio:
      break;
  }
  return {{1, ""}};
}

/// "0.25", "12", "1e8", "2.5e7".
std::string plain_number(double value) {
  if (value != 0 && (std::abs(value) >= 1e6 || std::abs(value) < 1e-4)) {
    std::string text = fmt::format("{:.3g}", value);
    const auto e = text.find('e');
    if (e == std::string::npos) return text;
    return text.substr(0, e) + fmt::format("e{}", std::stoi(text.substr(e + 1)));
  }
  return fmt::format("{:.6g}", value);
}

/// A tick that says its own unit, as those of many decades do.
std::string with_unit(double value, const Axis& axis) {
  if (axis.unit == Unit::count || axis.unit == Unit::ratio) {
    const double power = std::log2(value);
    const bool is_power = axis.scale == Scale::log2 && std::abs(power - std::round(power)) < 1e-9;
    if (is_power && std::abs(power) >= 10) return fmt::format("2^{:.0f}", power);
    return std::abs(std::log10(value)) >= 4 ? plain_number(value) : fmt::format("{:.6g}", value);
  }
  for (const auto& [factor, text] : prefixes_of(axis.unit)) {
    if (value >= factor * (1 - 1e-9)) return plain_number(value / factor) + " " + text;
  }
  const auto least = prefixes_of(axis.unit).back();
  return plain_number(value / least.factor) + " " + least.text;
}

void write_ticks(Ruler& ruler, const Axis& axis, const std::vector<double>& values, bool decades) {
  ruler.title = axis.title;
  if (decades) {
    for (const double value : values) ruler.ticks.push_back({value, with_unit(value, axis)});
    return;
  }
  const double far = std::max(std::abs(ruler.low), std::abs(ruler.high));
  const auto prefixes = prefixes_of(axis.unit);
  auto used =
      std::ranges::find_if(prefixes, [&](const Prefix& prefix) { return far >= prefix.factor; });
  if (used == prefixes.end()) --used;
  if (*used->text != '\0') ruler.title += std::string(ruler.title.empty() ? "" : ", ") + used->text;
  for (const double value : values) {
    const double shown = std::abs(value) < 1e-12 * far ? 0 : value / used->factor;
    ruler.ticks.push_back({value, plain_number(shown)});
  }
}

}  // namespace

bool has_place(Scale scale, double value) {
  return std::abs(value) <= largest_value && (scale == Scale::linear || value >= 1 / largest_value);
}

Map::Map(Scale scale, double low, double high, double from, double to)
    : scale_(scale), low_(low), high_(high), from_(from), to_(to) {}

double Map::place(double value) const {
  return scale_ == Scale::linear ? value : std::log(value);
}

double Map::operator()(double value) const {
  if (!has_place(scale_, value)) return value > 0 ? to_ : from_;
  const double share = (place(value) - place(low_)) / (place(high_) - place(low_));
  return from_ + share * (to_ - from_);
}

std::vector<double> round_values(double low, double high, double wanted) {
  double best = -2;
  std::vector<double> found{low, high};
  for (double skipped = 1; skipped <= most_skipped; ++skipped) {
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (int count = 2; count <= most_ticks; ++count) {
        const double about = (high - low) / (count + 1) / (skipped * steps[step]);
        const double first_power = std::ceil(std::log10(about));
        for (double power = first_power; power < first_power + 3; ++power) {
          const double width = skipped * steps[step] * std::pow(10.0, power);
          const double reach = width * (count - 1);
          const double begin = std::floor(high / width) * skipped - (count - 1) * skipped;
          const double end = std::ceil(low / width) * skipped;
          for (double start = begin; start <= end; ++start) {
            const double first = start * width / skipped;
            const double last = first + reach;
            const double score =
                weight_of_simplicity * simplicity(step, skipped, first, last, width) +
                weight_of_coverage * coverage(low, high, first, last) +
                weight_of_density * density(count, wanted, low, high, first, last) +
                weight_of_legibility;
            if (score <= best) continue;
            best = score;
            found.clear();
            for (int i = 0; i < count; ++i) found.push_back(first + width * i);
          }
        }
      }
    }
  }
  return found;
}

Ruler ruler_of(const Axis& axis, std::span<const double> values, double wanted) {
  Ruler ruler;
  const bool is_log = axis.scale != Scale::linear;
  if (values.empty()) {
    ruler = {is_log ? 1.0 : 0.0, is_log ? 10.0 : 1.0, axis.title, {}};
    return ruler;
  }
  const auto [least, most] = std::ranges::minmax_element(values);
  ruler.low = *least;
  ruler.high = *most;
  if (is_log) {
    const double room =
        std::max(0.025 * (std::log(ruler.high) - std::log(ruler.low)), std::log(1.1));
    ruler.low /= std::exp(room);
    ruler.high *= std::exp(room);
  } else {
    if (axis.from_zero) ruler.low = std::min(ruler.low, 0.0);
    if (axis.from_zero) ruler.high = std::max(ruler.high, 0.0);
    double room = 0.04 * (ruler.high - ruler.low);
    const double magnitude = std::max(std::abs(ruler.low), std::abs(ruler.high));
    if (!(room > least_range * magnitude)) room = magnitude == 0 ? 1 : 0.1 * magnitude;
    if (!axis.from_zero || ruler.low < 0) ruler.low -= room;
    if (!axis.from_zero || ruler.high > 0) ruler.high += room;
  }
  if (!axis.ticks.empty()) {
    ruler.title = axis.title;
    ruler.ticks = axis.ticks;
    return ruler;
  }
  const bool decades = is_log && std::log10(ruler.high) - std::log10(ruler.low) >= few_decades;
  auto ticks = decades  ? powers(axis.scale == Scale::log2 ? 2 : 10, ruler.low, ruler.high, wanted)
               : is_log ? ratio_values(ruler.low, ruler.high, wanted)
                        : round_values(ruler.low, ruler.high, wanted);
  const auto outside = [&](double tick) { return tick < ruler.low || tick > ruler.high; };
  std::erase_if(ticks, outside);
  if (is_log && ticks.size() < 2) {  // one tick tells no scale
    ticks = ratio_values(ruler.low, ruler.high, wanted);
    std::erase_if(ticks, outside);
  }
  // A value far above the last tick would be hard to read.
  if (!is_log && axis.from_zero && ticks.size() > 1 && ticks.back() < near_last_tick * *most) {
    ticks.push_back(2 * ticks.back() - ticks[ticks.size() - 2]);
    ruler.high = std::max(ruler.high, ticks.back());
  }
  write_ticks(ruler, axis, ticks, decades);
  return ruler;
}

}  // namespace apod::figure
