#pragma once

#include <string>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// Gives the file an unused second name, "PATH.old", "PATH.old2" ..., unless it has one, and
/// returns it. Its first name stays, so that no other run finds the place free. Throws
/// std::runtime_error.
std::string keep_aside(const std::string& path);

/// Whether the file is a result with measurements that `result` does not include: it has more of
/// some case, because its run came further, has more cases or more processes; or it is a shard, and
/// `result` is another one or of another plan. False for anything that is not a result.
bool holds_more(const std::string& path, const Result& result);

/// Whether the file, a result, has a measurement that is none of `result`, or can't be read.
bool holds_others(const std::string& path, const Result& result);

/// Whether the file is a result of another day than `result`. False for any other file.
bool is_of_another_day(const std::string& path, const Result& result);

}  // namespace apod::files
