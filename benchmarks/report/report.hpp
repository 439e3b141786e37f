#pragma once

/// \file
/// A Result on its way out: JSON, CSV, Markdown, the console. Each derives what it shows from the
/// samples with summarize().

#include <cstdint>
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

void write_csv(std::ostream& out, const Result& result);
void write_markdown(std::ostream& out, const Result& result);
void write_console(std::ostream& out, const Result& result, const ConsoleStyle& style);
void write(std::ostream& out, const Result& result, Format format);

/// The built-in timers: total, average, maximum, minimum and count of each phase of each case.
void write_timers(std::ostream& out, const Result& result, const ConsoleStyle& style);

/// "-34.2 % ±0.8" of -0.342 from -0.350 to -0.334: a relative change with its interval, whose width
/// decides the decimals. "+10.0 % -15.0/+70.0" where it is lopsided; no width leaves it out.
std::string format_change(const Estimate& change);
/// "3.78 %", half the interval's width relative to the value; "-3.10/+45.2 %" where it is lopsided.
/// "-" where there is no interval.
std::string format_spread(const Estimate& estimate);

}  // namespace apod::report
