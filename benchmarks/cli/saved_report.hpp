#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "benchmarks/files/file_kind.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {

/// Prints what it was made for.
using PrintReport = std::function<void(std::ostream& out, show::Format format)>;

/// What compare, history, calibrate and ceilings wrote as JSON, read to be printed again. `style`
/// is for the console. Throws std::runtime_error where the file is damaged, or of another kind.
PrintReport saved_report(files::FileKind kind, const std::string& file,
                         const show::ConsoleStyle& style);

}  // namespace apod::cli
