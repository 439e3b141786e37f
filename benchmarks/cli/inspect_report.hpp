#pragma once

/// \file
/// What `bench inspect` shows of a recording.

#include <iosfwd>

#include "benchmarks/cli/inspect_options.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/export/kernel_table.hpp"

namespace apod::cli {

/// Prints what was asked for to standard output.
void print_inspection(std::ostream& out, const InspectRequest& request,
                      const Inspection& inspection, const show::ConsoleStyle& style);

/// The same to each of the files of --out, in the format that its extension tells; a .json is the
/// recording.
void write_inspection(const InspectRequest& request, const Inspection& inspection);

/// The timeline for Perfetto.
void write_timeline(const InspectRequest& request, const Recording& recording);

/// How the kernel table is written.
exports::KernelTableStyle kernel_table_style(const InspectRequest& request);

}  // namespace apod::cli
