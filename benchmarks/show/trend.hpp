#pragma once

/// \file
/// A History on its way out: a document for people, a table for plots. The columns are in
/// docs/history.md.

#include <string>

#include "benchmarks/base/history.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// "3 changes in 2 of 14 cases over 23 runs". For a history without a time it says that.
std::string summary_line(const History& history);

/// The summary line; a line per case, those that changed first, with a chart of its last runs; the
/// runs of each case that changed, or whose last run failed; then the notes. A page has figures of
/// how cases changed.
Document history_document(const History& history, Audience audience);

/// A row a case and run.
Table history_rows(const History& history);

}  // namespace apod::show
