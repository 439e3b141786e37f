#pragma once

#include <string>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// A result file of ours as the run held it: what write_json wrote of the one that this returns is
/// the file again. Its plan has no expectations, for their outcomes are kept, and there are no
/// traces. What files of older programs lack keeps its default.
///
/// Throws std::runtime_error with the place, but not the file: text that is not JSON, nesting
/// deeper than 64, a duplicate key in an object, another schema than ours, a value of another type
/// or outside of what can be measured, records that contradict each other.
Result read_result(const std::string& file);

/// What such a file says of its run before its records: no case, no measurement. Of a large file
/// little is read. Throws as read_result, but for what stands in the records.
Result read_context(const std::string& file);

}  // namespace apod::files
