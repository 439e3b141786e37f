#include "benchmarks/cli/shard_choice.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/flag_values.hpp"

namespace apod::cli {
namespace {

constexpr int most_shards = 100'000;

/// The variables in which a launcher tells a process its rank, from 0, the number of ranks, and the
/// rank among those of this machine.
struct Launcher {
  const char* rank;
  const char* size;
  const char* local;
};

/// Open MPI, MPICH, PMIx, srun. Under mpirun within a batch job Slurm's own are set and wrong, so
/// they come last.
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},  // of srun, which sets SLURM_LOCALID
    {"PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

/// Of a batch script Slurm says SLURM_PROCID=0 too; only a task has a step. Those of batch scripts
/// and of salloc's shell have numbers from 0xfffffff0 on.
bool is_set(const Launcher& launcher, const Variable& variable) {
  if (variable(launcher.rank).empty() || variable(launcher.size).empty()) return false;
  if (std::string(launcher.rank).find("SLURM") == std::string::npos) return true;
  constexpr std::size_t digits_of_specials = 10;  // 4294967280 and more
  const auto step = variable("SLURM_STEP_ID");
  return !step.empty() && step.size() < digits_of_specials;
}

int number(const Variable& variable, const char* name, int least, int most) {
  return parse_count(name, variable(name), least, most);
}

ShardChoice by_rank(const Variable& variable) {
  for (const auto& launcher : launchers) {
    if (!is_set(launcher, variable)) continue;
    const int size = number(variable, launcher.size, 1, most_shards);
    ShardChoice choice;
    choice.shard = {number(variable, launcher.rank, 0, size - 1) + 1, size};
    choice.source = launcher.rank;
    for (const char* local : {launcher.local, "SLURM_LOCALID"}) {
      if (choice.local || variable(local).empty()) continue;
      choice.local = number(variable, local, 0, most_shards);
    }
    return choice;
  }
  return {};
}

/// Every task of an array is one part of the study, and its ranks are parts of that.
void divide_by_array(const Variable& variable, ShardChoice& choice) {
  if (variable("SLURM_ARRAY_TASK_ID").empty()) return;
  constexpr int any = 1 << 30;
  const int count = number(variable, "SLURM_ARRAY_TASK_COUNT", 1, most_shards);
  const int first = number(variable, "SLURM_ARRAY_TASK_MIN", 0, any);
  const int step = variable("SLURM_ARRAY_TASK_STEP").empty()
                       ? 1
                       : number(variable, "SLURM_ARRAY_TASK_STEP", 1, any);
  const int task = number(variable, "SLURM_ARRAY_TASK_ID", first, any);
  const int index = (task - first) / step;
  if (index >= count) {
    throw UsageError("SLURM_ARRAY_TASK_ID: " + std::to_string(task) + " is none of " +
                     std::to_string(count) + " tasks from " + std::to_string(first) +
                     " on (say which shard this is: --shard I/N)");
  }
  const auto& ranks = choice.shard;
  if (std::int64_t{count} * ranks.count > most_shards) {
    throw UsageError("SLURM_ARRAY_TASK_COUNT: " + std::to_string(count) + " tasks of " +
                     std::to_string(ranks.count) + " ranks are more than " +
                     std::to_string(most_shards) + " shards");
  }
  choice.shard = {index * ranks.count + ranks.index, count * ranks.count};
  choice.source =
      choice.source.empty() ? "SLURM_ARRAY_TASK_ID" : "SLURM_ARRAY_TASK_ID and " + choice.source;
}

}  // namespace

Shard parse_shard(const std::string& flag, const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos || text.find_first_not_of("0123456789/") != std::string::npos ||
      slash != text.rfind('/')) {
    throw UsageError(flag + ": '" + text + "' is not of the form I/N, such as 2/8");
  }
  const int count = parse_count(flag, text.substr(slash + 1), 1, most_shards);
  return {parse_count(flag, text.substr(0, slash), 1, count), count};
}

ShardChoice choose_shard(const std::optional<Shard>& asked, const Variable& variable) {
  auto choice = by_rank(variable);
  divide_by_array(variable, choice);
  if (asked) {
    choice.shard = *asked;
    choice.source.clear();
  } else if (const auto text = variable("APOD_SHARD"); !text.empty()) {
    choice.shard = parse_shard("APOD_SHARD", text);
    choice.source = "APOD_SHARD";
  }
  return choice;
}

ShardChoice choose_shard(const std::optional<Shard>& asked) {
  return choose_shard(asked, [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  });
}

std::string shard_path(const std::string& path, const Shard& shard) {
  if (shard.is_all()) return path;
  std::filesystem::path result = path;
  const auto extension = result.extension();
  result.replace_extension();
  return result.string() + "." + std::to_string(shard.index) + "-of-" +
         std::to_string(shard.count) + extension.string();
}

}  // namespace apod::cli
