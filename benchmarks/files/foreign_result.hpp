#pragma once

#include <string>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// A file of Google Benchmark or NVBench as if a run of ours had made it, to be shown: each case
/// with its times as the samples of one process, because that is what they come from. Axes are
/// those that the file tells, or the parts of its names: BM_copy/1024/threads:4 has `variant`
/// BM_copy, `argument` 1024 and `threads` 4. Throws BadResult as read_side() does.
Result read_foreign_result(const std::string& file);

}  // namespace apod::files
