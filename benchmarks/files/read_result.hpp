#pragma once

#include <string>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// A result file of ours as the run held it: write_json() of this result gives the same file again.
/// Its plan has no expectations, because their outcomes are kept, and there are no traces. What
/// files of older programs lack keeps its default.
///
/// Throws std::runtime_error with the place, but not the file: text that is not JSON, nesting
/// deeper than 64, a duplicate key in an object, another schema than ours, a value of another type
/// or outside of what can be measured, records that contradict each other.
Result read_result(const std::string& file);

/// The part of such a file before its records: no case, no measurement. Only the start of a large
/// file is read. Throws as read_result, except for mistakes in the records.
Result read_context(const std::string& file);

}  // namespace apod::files
