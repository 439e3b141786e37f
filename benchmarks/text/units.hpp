#pragma once

/// \file
/// Numbers with their units, as a person reads them.

#include <string>

namespace apod::text {

/// "12.34 us", "901.2 us", "1.234 ms": four significant digits, unit by size (ns, us, ms, s). "-"
/// for what is no number.
std::string format_time(double seconds);
/// "4.55 TB/s": three significant digits, powers of 1000. `unit` is that of one, e.g. "B/s".
std::string format_rate(double per_second, const std::string& unit);
/// "1.50 GiB": three significant digits, powers of 1024; below that "512 B".
std::string format_bytes(double bytes);
/// "12.3 s", "4 min 05 s", "2 h 10 min": how long a person waited.
std::string format_duration(double seconds);
/// "0.42 %" of 0.0042: two decimals below 10 %, one below 100 %, none above.
std::string format_percent(double share);

}  // namespace apod::text
