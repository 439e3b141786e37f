#pragma once

/// \file
/// The terminal and its signals, for every command.

#include <iosfwd>
#include <optional>

#include "benchmarks/cli/flags.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {

/// From here on the first SIGINT, SIGTERM or SIGHUP asks for an orderly end. Others within a second
/// count as the same request: a terminal and a parent such as timeout(1) each send one. A later one
/// ends the process at once, as usual.
void watch_signals();
/// Whether a signal has asked for the end.
bool stop_asked();

/// Columns of the terminal at `descriptor`; without a terminal $COLUMNS, else nothing.
std::optional<int> terminal_width(int descriptor);

/// Where GitHub Actions gets annotations, and null elsewhere: standard output if that is text for
/// people, else standard error. GitHub reads both.
std::ostream* annotations_stream(bool text);
/// How text on standard output looks.
show::ConsoleStyle console_style(ColorChoice choice);

}  // namespace apod::cli
