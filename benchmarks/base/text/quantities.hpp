#pragma once

/// \file
/// Parses the quantities that a person writes in files and on the command line: counts, times,
/// shares, rates.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "benchmarks/base/text/units.hpp"

namespace apod::text {

/// A value, or what is wrong with the text and what to write instead.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string message;
  std::string hint;

  static Parsed good(T value) { return {std::move(value), {}, {}}; }
  static Parsed bad(std::string message, std::string hint = {}) {
    return {std::nullopt, std::move(message), std::move(hint)};
  }
};

/// A whole number: 1000000, 1_000_000, 1e6, 1.5e6, 2^28, 64Mi (Ki, Mi, Gi, Ti are powers of 1024).
/// Negative numbers are accepted here, so that each axis can say what it allows.
Parsed<std::int64_t> parse_count(std::string_view text);

/// Seconds from "5s", "200ms", "50us", "10ns", "2min" or "1h". The unit is required.
Parsed<double> parse_seconds(std::string_view text);

/// 0.005 from "0.5%". The percent sign is required.
Parsed<double> parse_share(std::string_view text);

/// A number measured in `unit`: "5ms", "800GB/s", "1.2TFLOP/s", "64MiB", "1500MHz", "30%" (0.3),
/// "2^20". Other units are refused; if a unit is required, only 0 may have none.
Parsed<double> parse_quantity(std::string_view text, Unit unit);

/// A unit by its name, and its size in the unit that values are kept in.
struct NamedUnit {
  Unit unit = Unit::count;
  double factor = 1;
};
/// Of "ms", "GB/s", "%" and so on; "" is a count. Nothing if no unit has this name.
std::optional<NamedUnit> unit_called(std::string_view name);

/// Whether numbers of `unit` must be written with it.
bool demands_unit(Unit unit);

/// The finite decimal number that `text` begins with, and what follows it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text);

/// Without the spaces, tabs and line breaks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace apod::text
