#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "kernels/api/registry.hpp"

namespace apod {

/// The axes of a case of `family` in `scope`, in the order of Case::params: `variant` (its choices
/// are the registered variants), the family's own, those that variants declare, in end_to_end scope
/// `streams`, `threads`, `host_memory`, `stream_pool`, `order` and `chunk_launch`, and `programs`.
/// Only this function knows them all.
std::vector<AxisSpec> axes_of(const Registry& registry, const Family& family, Scope scope);

/// The axes of an experiment's cases. Those of a command are its own.
std::vector<AxisSpec> axes_of(const Registry& registry, const Experiment& experiment);

/// The family of an experiment: the registered one of its workload, or that of its kernel file.
/// Null if there is none. Throws file::SpecError.
const Family* family_of(const Registry& registry, const Experiment& experiment);

/// Likewise the variant.
std::optional<VariantEntry> variant_of(const Registry& registry, const Experiment& experiment,
                                       const std::string& variant);

/// Why these values of the harness's own axes can't be had together; nothing when they can.
std::optional<std::string> axes_reject(const Params& params);

/// Axes that variants of the family declare. What several call by one name is the first's.
std::vector<AxisSpec> axes_of_variants(const Registry& registry, std::string_view family);

/// Why `entry`, which was built, can't run with these values; empty if it can.
std::string axes_reject(const VariantEntry& entry, const Params& params);

/// Launches that the host made for `kernels` kernels; 0 (unknown) if one launch held several.
double host_launches(const Params& params, double kernels);

/// Whether a table can leave out an axis with this value in all of its cases: one thread, one
/// program, chunks in turn, kernels one by one.
bool goes_without_saying(std::string_view axis, const AxisValue& value);

/// The number of a case on an axis; null for words, and where numbers are the names of things: of a
/// device, stream, rank or process.
const std::int64_t* quantity_on(std::string_view axis, const std::optional<AxisValue>& value);

/// The axis called `name`, or null if there is none.
const AxisSpec* find_axis(const std::vector<AxisSpec>& specs, std::string_view name);

}  // namespace apod
