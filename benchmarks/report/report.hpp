#pragma once

/// \file
/// A Result on its way out: JSON, CSV, Markdown, the console. Each derives what it shows from the
/// samples with summarize().

#include <cstdint>
#include <iosfwd>
#include <string>

#include "benchmarks/model/result.hpp"
#include "benchmarks/report/run_result.hpp"

namespace apod::report {

enum class Format : std::uint8_t { json, csv, markdown, console };

/// The format that a file name's extension asks for (.json, .csv, .md, .txt); throws
/// std::invalid_argument naming the extensions otherwise.
Format format_of(const std::string& path);

/// `style` is for the console alone.
void write(std::ostream& out, const Result& result, Format format, const ConsoleStyle& style = {},
           const Shown& shown = {});

// For the commands, until they call the renderers themselves.
inline void write_csv(std::ostream& out, const Result& result) {
  write(out, result, Format::csv);
}
inline void write_markdown(std::ostream& out, const Result& result) {
  write(out, result, Format::markdown);
}
inline void write_console(std::ostream& out, const Result& result, const ConsoleStyle& style) {
  write(out, result, Format::console, style);
}
inline void write_timers(std::ostream& out, const Result& result, const ConsoleStyle& style) {
  render_terminal(out, timers_document(result), style);
}

}  // namespace apod::report
