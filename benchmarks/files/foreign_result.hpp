#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// A file of another program as if a run of ours had made it, for showing: each case with its times
/// as the samples of one process, because they come from one, and its other numbers as facts. Axes
/// are those of the file, or the parts of its names: BM_copy/1024/threads:4 has `variant` BM_copy,
/// `argument` 1024 and `threads` 4. Throws BadResult as read_side() does.
Result read_foreign_result(const std::string& file);

/// The cases of a file of Google Benchmark or NVBench that a command wrote, with the content of
/// their rows. Remarks on the file are added to `notes`. Throws std::runtime_error.
std::vector<FoundCase> read_benchmarks(const std::string& file, std::vector<std::string>& notes);

}  // namespace apod::files
