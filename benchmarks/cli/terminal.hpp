#pragma once

/// \file
/// The terminal and its signals, for every command.

#include <iosfwd>

#include "benchmarks/cli/flags.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {

/// From here on the first SIGINT, SIGTERM or SIGHUP asks for an orderly end. Others that follow
/// within a second belong to it: a terminal and a parent such as timeout(1) send one each. A later
/// one ends at once, as ever.
void watch_signals();
/// Whether a signal has asked for the end.
bool stop_asked();

/// Columns of the terminal behind `descriptor`; where it is none $COLUMNS, and 80 without that.
int terminal_width(int descriptor);

/// Whether standard output gets colour. Asked for none, it has some on a terminal that can, unless
/// NO_COLOR is set (no-color.org).
bool wants_color(ColorChoice choice);
/// Where GitHub Actions gets annotations, and null elsewhere: standard output where that is text
/// for people, else standard error. GitHub reads both.
std::ostream* annotations_stream(bool text);
/// How text on standard output looks.
show::ConsoleStyle console_style(ColorChoice choice);

}  // namespace apod::cli
