#pragma once

/// \file
/// Which shard of a study this process measures, and where its result goes.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"

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

}  // namespace apod::cli
