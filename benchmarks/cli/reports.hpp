#pragma once

/// \file
/// Reports as commands read, print and write them.

#include <string>
#include <vector>

#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {

/// --format: of standard output.
void declare_format(Flags& flags, show::Format& format, show::Formats formats = show::Formats::all);

/// --x, --y, --by, --facet and --log: which axes a figure has.
void declare_curve(Flags& flags, show::CurveChoice& choice);

/// These reports of --out as outputs of a command.
std::vector<Output> report_outputs(const std::vector<std::string>& paths,
                                   show::Formats formats = show::Formats::all);

/// Writes the report in the format of the path's extension. Throws std::runtime_error.
void write_report(const os::Destination& to, const show::Report& report);
/// Writes every report; a failure does not stop the others. False, with a line on standard error,
/// if one could not be written.
bool write_reports(const std::vector<os::Destination>& all, const show::Report& report);
/// At paths that the user named.
bool write_reports(const std::vector<std::string>& paths, const show::Report& report);

/// A result of a run of `bench` or another program, with the cases that `filter` keeps. Throws
/// std::runtime_error for another file, and if no case is kept.
Result read_any_result(const std::string& file, files::FileKind kind, const text::Pattern& filter);

/// The report of any file that bench writes or reads. `shown` and `filter` are for results of runs.
/// Throws std::runtime_error if the file is damaged, or of another kind.
show::Report report_of(const std::string& file, files::FileKind kind, const show::Shown& shown,
                       const text::Pattern& filter);

/// `title`: the program or the file that the document is about. `file`: the source of the
/// recording, if it is not from a run of ours.
show::Report report_of(const Inspection& inspection, const std::string& title,
                       const std::string& file);

}  // namespace apod::cli
