#pragma once

/// \file
/// A run that measures one shard: it goes on where it stopped, and the last one merges them all.

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"
#include "benchmarks/cli/measuring.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/shard_choice.hpp"
#include "benchmarks/files/merge_results.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Gives each rank of this machine a GPU of its own, as far as there are any, where --device names
/// none.
void choose_device(Options& options, const ShardChoice& choice, const Registry& registry);

/// Takes from the plan what is of this shard. Empty where its cases can't be told before it runs:
/// they have no place in a whole that must be known to all.
StudyPart take_part(Plan& plan, const Shard& shard, const Registry& registry);
inline constexpr const char* found_later =
    "cases that a command tells of in its output can't be measured in parts";

/// The result at `path`, if it is that of this part, whole, without a failure, of this build and,
/// where it was asked for, of this GPU.
std::optional<Result> measured_part(const std::string& path, const StudyPart& part,
                                    const std::string& gpu);

/// How far a shard is, as far as that can be told without reading what it wrote: its result may be
/// that of an interrupted run. A run holds its journal until its result is safe.
enum class ShardStep : std::uint8_t { not_begun, running, interrupted, written, no_file };
ShardStep shard_step(const std::string& path);

/// What `look` finds at the shard's step. A run may come further meanwhile, and take away what it
/// looks at: where it throws, it looks once more if the step is another one then.
template <class Look>
auto at_step(const std::string& path, Look look) {
  const auto step = shard_step(path);
  try {
    return look(step);
  } catch (const std::exception&) {
    const auto now = shard_step(path);
    if (now == step) throw;
    return look(now);
  }
}

/// The last shard to end makes one result of all.
enum class Merging : std::uint8_t { waits, done, failed };

/// Merges the files of all shards into the wholes if each is measured: a file of another plan or
/// build is yet to be. Says what came of it.
Merging merge_shards(const Options& options, const RunFiles& files);

/// Reads parts and merges them. A path is a file or a folder; of a folder what is no such part is
/// left out, and said. Throws std::runtime_error with the file.
files::Merged merge_files(const std::vector<std::string>& paths, files::MergeBy by);

/// The result that several parts made, to `path`.
void write_merged(const std::string& path, const Result& result);

}  // namespace apod::cli
