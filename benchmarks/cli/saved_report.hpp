#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "benchmarks/report/report.hpp"
#include "benchmarks/results/file_kind.hpp"

namespace apod::cli {

/// Prints what it was made for.
using PrintReport = std::function<void(std::ostream& out, report::Format format)>;

/// What compare, history, calibrate and ceilings wrote as JSON, read to be printed again. `style`
/// is for the console. Throws std::runtime_error where the file is damaged, or of another kind.
PrintReport saved_report(results::FileKind kind, const std::string& file,
                         const report::ConsoleStyle& style);

}  // namespace apod::cli
