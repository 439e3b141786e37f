#pragma once

/// \file
/// A History on its way out: text for people, CSV for plots. The columns are in docs/history.md.

#include <cstdint>
#include <iosfwd>
#include <string>

#include "benchmarks/model/history.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::report {

enum class HistoryFormat : std::uint8_t { text, csv };

/// The format that a file name's extension asks for (.txt, .csv); throws std::invalid_argument
/// naming the extensions otherwise.
HistoryFormat history_format_of(const std::string& path);

/// "3 changes in 2 of 14 cases over 23 runs". A history without a time is said to be one.
std::string summary_line(const History& history);

/// Text: the summary line, then a block a case, those that changed first, then the notes. CSV: a
/// line a case and run, RFC 4180.
void write_history(std::ostream& out, const History& history, HistoryFormat format,
                   const ConsoleStyle& style = {});

}  // namespace apod::report
