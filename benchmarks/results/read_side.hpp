#pragma once

/// \file
/// Result files on their way in: one side of a comparison from the files of this program, of any
/// program that uses Google Benchmark, or of one that uses NVBench.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/model/side.hpp"
#include "benchmarks/results/bad_result.hpp"
#include "benchmarks/text/pattern.hpp"

namespace apod::results {

/// Whether the spread of each process's samples is wanted (ProcessTime::deviation), which takes
/// reading them; only our own files have it.
enum class Samples : std::uint8_t { skip, spread };

/// The files that paths stand for: a file stands for itself, a folder for every `*.json` directly
/// in it, in the order of their names. Throws BadResult: no path, one that can't be read, a folder
/// without any, the same file twice.
std::vector<std::string> result_files(const std::vector<std::string>& paths);

/// Reads result files into one side. A path is a file or a folder; of a folder, every `*.json`
/// directly in it, in the order of their dates, or of their names where one has no date before its
/// rows, and each of them must be a result. Every file is a session of its own; what several files
/// say of one case is pooled. A file's format is told by its content, and only cases whose name
/// `filter` is in are kept. Skipped cases and those that
/// never ran are no cases, but are counted in the notes. A case that failed in one file has no time
/// in the side; neither has one that two files measured in different ways, which would pool unlike
/// times.
///
/// Throws BadResult: no path, a path that can't be read or names no regular file, the same file
/// twice, a file of more than 4 GiB, text that is not JSON, nesting deeper than 64, a key that
/// stands twice in an object, a newer schema than ours, a time that is not positive, an unknown
/// unit, a file without a measured or failed case, a filter that matches nothing.
Side read_side(const std::vector<std::string>& paths, const text::Pattern& filter = {},
               Samples samples = Samples::skip);

}  // namespace apod::results
