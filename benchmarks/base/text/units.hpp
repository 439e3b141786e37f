#pragma once

/// \file
/// Numbers with their units, as a person reads them.

#include <cstdint>
#include <string>

namespace apod::text {

/// The unit of a number, which decides how it is written. Values are kept in the unit named here.
enum class Unit : std::uint8_t {
  count,             ///< a number of things, without a unit
  ratio,             ///< a factor: read as 0.8 or 80%, written as 0.8
  seconds,           ///< a unit of time must be written
  bytes,             ///< a unit may be written
  bytes_per_second,  ///< a unit must be written
  flop_per_second,   ///< a unit must be written
  megahertz,         ///< a unit must be written
  joules,            ///< a unit must be written
  watts,             ///< a unit must be written
  flop_per_joule,    ///< a unit must be written
  per_second,        ///< a rate of things; a unit must be written
  share,             ///< a part of a whole: read as 0.8 or 80%, written as 80 %
};

/// How many significant digits are shown, and whether trailing zeros are: columns of a table keep
/// them, sentences drop them.
struct Digits {
  int count;
  bool zeros = true;
};
inline constexpr Digits in_prose{3, false};

/// "12.34 us", "901.2 us", "1.234 ms": the unit by size (ns, us, ms, s). "-" for anything that is
/// not a number.
std::string format_time(double seconds, Digits digits = {4});
/// "4.55 TB/s": powers of 1000. `unit` is that of one, e.g. "B/s".
std::string format_rate(double per_second, const std::string& unit, Digits digits = {3});
/// "1.50 GiB": three significant digits, powers of 1024; below that "512 B".
std::string format_bytes(double bytes);
/// "12.3 s", "4 min 05 s", "2 h 10 min": how long a person waited.
std::string format_duration(double seconds);
/// "0.42 %" of 0.0042: two decimals below 10 %, one below 100 %, none above.
std::string format_percent(double share);
/// "42 %", "9.9 %": one decimal below 10 %, none above; for sentences.
std::string format_share(double share);
/// "1056", "1.23": whole numbers in full, others with three significant digits or as whole numbers;
/// for sentences.
std::string format_count(double value);
/// Four significant digits with the unit: "12.35 %", "1.5 ms", "1980 MHz". Counts and bytes are
/// compared with exact numbers, so whole ones have all of their digits: "419.4304 MB".
std::string format_quantity(double value, Unit unit);

}  // namespace apod::text
