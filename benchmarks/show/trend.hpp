#pragma once

/// \file
/// A History on its way out: a document for people, a table for plots. The columns are in
/// docs/history.md.

#include <cstdint>
#include <iosfwd>
#include <string>

#include "benchmarks/base/history.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// "3 changes in 2 of 14 cases over 23 runs". A history without a time is said to be one.
std::string summary_line(const History& history);

/// The summary line; a line a case, those that changed first, with a chart of its last runs; the
/// runs of each case that changed, or whose last run failed; then the notes.
Document history_document(const History& history);

/// A row a case and run.
Table history_rows(const History& history);

enum class HistoryFormat : std::uint8_t { text, csv };

/// The format that a file name's extension asks for (.txt, .csv); throws std::invalid_argument
/// naming the extensions otherwise.
HistoryFormat history_format_of(const std::string& path);

/// `style` is for text alone.
void write_history(std::ostream& out, const History& history, HistoryFormat format,
                   const ConsoleStyle& style = {});

}  // namespace apod::show
