#pragma once

/// \file
/// What `bench report` and `bench plot` share: which axes a figure has, and whose result it is of.

#include <string>

#include "benchmarks/base/result.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/files/file_kind.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::cli {

/// --x, --y, --by, --facet and --log.
void declare_curve(Flags& flags, show::CurveChoice& choice);

/// A result of a run, ours or theirs, with the cases that `filter` keeps. Throws std::runtime_error
/// for a file that is none, and where no case is kept.
Result read_any_result(const std::string& file, files::FileKind kind, const text::Pattern& filter);

}  // namespace apod::cli
