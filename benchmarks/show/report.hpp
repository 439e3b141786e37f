#pragma once

/// \file
/// A Result on its way out: JSON, CSV, Markdown, HTML, JUnit, the console. Each derives what it
/// shows from the samples with summarize().

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::show {

enum class Format : std::uint8_t { json, csv, markdown, html, junit, console };

/// The format that a file name's extension asks for (.json, .csv, .md, .html, .xml, .txt); throws
/// std::invalid_argument naming the extensions otherwise.
Format format_of(const std::string& path);

/// What a document of a run has beside its tables of cases.
struct Shown {
  std::vector<std::string> columns = {};  ///< see run_document()
  bool explanation = false;
  bool timers = false;
};

/// `style` is for the console alone. Throws std::invalid_argument for columns that it can't show,
/// which are all of JSON.
void write(std::ostream& out, const Result& result, Format format, const ConsoleStyle& style = {},
           const Shown& shown = {});

/// A document for people, whether they read it in a terminal, as Markdown or as a page. Throws
/// std::invalid_argument for JUnit, which knows only tests.
void write(std::ostream& out, const Document& document, Format format, const ConsoleStyle& style);

}  // namespace apod::show
