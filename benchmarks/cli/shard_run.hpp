#pragma once

/// \file
/// A run that measures one shard: it goes on where it stopped, and the last one merges them all.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/shard_choice.hpp"
#include "benchmarks/model/part.hpp"
#include "benchmarks/results/merge_results.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Gives each rank of this machine a GPU of its own, as far as there are any, where --device names
/// none.
void choose_device(Options& options, const ShardChoice& choice, const Registry& registry);

/// The result at `path`, if it is that of this part, whole, without a failure, of this build and,
/// where it was asked for, of this GPU.
std::optional<Result> measured_part(const std::string& path, const StudyPart& part,
                                    const std::string& gpu);

/// Merges the files of all shards into `whole` if each of them is there; says which are not.
void merge_if_all_are_there(const std::string& whole, const Shard& shard, const StudyPart& part);

/// Reads parts and merges them. A path is a file or a folder; of a folder what is no such part is
/// left out, and said. Throws std::runtime_error with the file.
results::Merged merge_files(const std::vector<std::string>& paths, results::MergeBy by);

/// The result that several parts made, to `path`.
void write_merged(const std::string& path, const Result& result);

}  // namespace apod::cli
