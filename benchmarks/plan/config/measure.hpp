#pragma once

/// \file
/// The `measure:` block.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/plan/config/keys.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

/// The keys that it may have, in the order in which they are applied.
const std::vector<std::string>& measure_keys();
/// The same with their readers.
const Keys& measure_table();

/// Sets one key from its text; the value of the result is meaningless. Asking for a graph makes the
/// cache hot: launches in one graph follow each other without a flush between them.
Parsed<bool> set_measure(MeasureSpec& measure, const std::string& key, const std::string& word);

/// layered() for blocks of `measure`: a number in the inner block's `processes` also replaces the
/// outer block's `max_processes`.
Fields layered_measure(const Fields& outer, const Fields& inner);

/// Reads a block over the defaults; nothing if any of it is wrong.
std::optional<MeasureSpec> read_measure(Fields fields, const Registry& registry,
                                        Problems& problems);

/// A metric of `counters`, if it has the form of one and the profiler's library, if there is one,
/// knows it for some chip.
Parsed<std::string> parse_metric(const std::string& name, const Registry& registry);

/// Adds a problem for values that contradict each other: a minimum above a maximum, a timeout
/// before the end. For a command only the processes count: it has no warm-up, and no samples or
/// launches of ours.
void check_measure(const MeasureSpec& measure, bool of_command, SourcePlace place,
                   Problems& problems);

}  // namespace apod::config
