#pragma once

/// \file
/// A Result on its way out: JSON, CSV, Markdown, the console. Each derives what it shows from the
/// samples with summarize().

#include <iosfwd>
#include <string>

#include "benchmarks/model/result.hpp"
#include "benchmarks/model/summary.hpp"

namespace apod::report {

enum class Format : std::uint8_t { json, csv, markdown, console };

/// The format that a file name's extension asks for (.json, .csv, .md, .txt); throws
/// std::invalid_argument naming the extensions otherwise.
Format format_of(const std::string& path);

struct ConsoleStyle {
  bool color = false;
  int width = 120;  ///< columns
};

/// A superset of Google Benchmark's JSON, schema 1: see docs/result-format.md. Written row by row,
/// so that a result of 10,000 cases needs no second copy in memory.
void write_json(std::ostream& out, const Result& result);
void write_csv(std::ostream& out, const Result& result);
void write_markdown(std::ostream& out, const Result& result);
void write_console(std::ostream& out, const Result& result, const ConsoleStyle& style);
void write(std::ostream& out, const Result& result, Format format);

/// The built-in timers: total, average, maximum, minimum and count of each phase of each case.
void write_timers(std::ostream& out, const Result& result, const ConsoleStyle& style);

/// "12.3 us", "901 us", "1.23 ms": four significant digits, unit by size.
std::string format_time(double seconds);
std::string format_rate(double per_second, const std::string& unit);  ///< "4.55 TB/s"
std::string format_bytes(double bytes);                               ///< "1.50 GiB"

}  // namespace apod::report
