#pragma once

/// \file
/// A run that measures one shard: it continues where it stopped, and the last one merges them all.

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"
#include "benchmarks/cli/measuring.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/files/merge_results.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// An environment variable; empty if it is not set.
using Variable = std::function<std::string(const char* name)>;

/// The shard from a flag or a launcher.
struct ShardChoice {
  Shard shard;
  std::string source;        ///< "SLURM_PROCID"; empty: the flag, or none
  std::optional<int> local;  ///< number among the processes of this machine
};

/// "2/8". Throws UsageError naming `flag` if the text does not have this form, or is out of range.
Shard parse_shard(const std::string& flag, const std::string& text);

/// From --shard, else APOD_SHARD, else the rank that mpirun or srun gave this process, within the
/// task of a Slurm array if there is one; 1/1 without any. A batch script is not a task itself.
/// Throws UsageError if a launcher's variables make no sense.
ShardChoice choose_shard(const std::optional<Shard>& asked, const Variable& variable);
/// The same from the environment of this process.
ShardChoice choose_shard(const std::optional<Shard>& asked);

/// Where a shard's result goes: "r.json" becomes "r.2-of-8.json". The whole keeps its name.
std::string shard_path(const std::string& path, const Shard& shard);

/// Gives each rank of this machine its own GPU, as far as there are any, if --device names none.
void choose_device(Options& options, const ShardChoice& choice, const Registry& registry);

/// Keeps only this shard's cases in the plan. Empty if its cases are known only after it has run:
/// they can't be part of a whole that every shard must know.
StudyPart take_part(Plan& plan, const Shard& shard, const Registry& registry);
inline constexpr const char* found_later =
    "a study whose cases come from a command's output can't be divided into shards";

/// The result at `path`, if it is that of this part, complete, without a failure, of this build
/// and, if a GPU was asked for, of this GPU.
std::optional<Result> measured_part(const std::string& path, const StudyPart& part,
                                    const std::string& gpu);

/// How far a shard is, as far as that is known without reading its result, which may be that of an
/// interrupted run. A run holds its journal until its result is safe.
enum class ShardStep : std::uint8_t { not_begun, running, interrupted, written, no_file };
ShardStep shard_step(const std::string& path);

/// What `look` returns at the shard's step. A run may progress meanwhile and remove the file: if
/// `look` throws, it is called once more if the step has changed.
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

/// Reads parts and merges them. A path is a file or a folder; other files in a folder are left out,
/// with a message. Throws std::runtime_error with the file.
files::Merged merge_files(const std::vector<std::string>& paths, files::MergeBy by);

}  // namespace apod::cli
