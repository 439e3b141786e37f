#include "benchmarks/cli/shard_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/found_cases.hpp"
#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/base/os/turns.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/plan/shards.hpp"
#include "benchmarks/run/environment.hpp"
#include "benchmarks/show/report.hpp"

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
    throw UsageError("SLURM_ARRAY_TASK_ID: " + std::to_string(task) + " is not one of the " +
                     std::to_string(count) + " tasks that start at " + std::to_string(first) +
                     " (name the shard with --shard I/N)");
  }
  const auto& ranks = choice.shard;
  if (std::int64_t{count} * ranks.count > most_shards) {
    throw UsageError("SLURM_ARRAY_TASK_COUNT: " + std::to_string(count) + " tasks with " +
                     std::to_string(ranks.count) + " ranks each are more than " +
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
    refuse_form(flag, text, "I/N", "2/8");
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

namespace {

namespace fs = std::filesystem;

/// Why a result is not that of this shard of the study; empty where it is.
std::string difference(const Result& there, const StudyPart& study, const std::string& shard) {
  if (there.part.plan != study.plan) return "it belongs to another plan";
  if (there.environment.commit != run::build_commit) return "it was measured by another build";
  if (there.part.shard != shard) return "it belongs to another shard";
  return there.interrupted ? "interrupted" : "";
}

/// The files of the study's shards that are measured. Of the others that are there, why they don't
/// count.
std::vector<std::string> measured_files(const RunFiles& files, files::LeftOut& left_out) {
  std::vector<std::string> measured;
  for (int index = 1; index <= files.part.shards; ++index) {
    const Shard shard{index, files.shard.count};
    const auto path = shard_path(files.wholes.front(), shard);
    if (shard_step(path) != ShardStep::written) continue;
    if (os::is_of_another(path)) {
      left_out.add(path, "it belongs to another user (bench merge accepts it)");
      continue;
    }
    try {
      const auto why = difference(files::read_context(path), files.part, shard.text());
      if (why.empty()) {
        measured.push_back(path);
      } else {
        left_out.add(path, why);
      }
    } catch (const std::exception& error) {
      left_out.add_unread(path, error.what());
    }
  }
  return measured;
}

}  // namespace

void choose_device(Options& options, const ShardChoice& choice, const Registry& registry) {
  const auto* entry = registry.backend(BackendKind::cuda);
  if (options.device || !choice.local || entry == nullptr) return;
  std::string why;
  const auto devices = static_cast<int>(entry->devices(why).size());
  if (devices > 1) options.device = *choice.local % devices;
}

StudyPart take_part(Plan& plan, const Shard& shard, const Registry& registry) {
  if (std::ranges::any_of(plan.cases, is_open)) return {};
  auto identity = run::plan_identity(plan);
  auto part = plan::take_shard(plan, shard, registry);
  part.plan = std::move(identity);
  return part;
}

std::optional<Result> measured_part(const std::string& path, const StudyPart& part,
                                    const std::string& gpu) {
  if (shard_step(path) != ShardStep::written || os::is_of_another(path)) return std::nullopt;
  try {
    auto there = files::read_result(path);
    const bool failed = std::ranges::any_of(there.measurements,
                                            [](const auto& one) { return !one.failed.empty(); });
    const bool same_gpu = gpu.empty() || there.environment.device.uuid == gpu;
    const bool good = !failed && same_gpu && difference(there, part, part.shard).empty();
    return good ? std::optional(std::move(there)) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

ShardStep shard_step(const std::string& path) {
  const auto journal = path + ".journal";
  if (os::is_claimed(journal)) return ShardStep::running;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_regular_file(status)) return ShardStep::written;
  if (status.type() != fs::file_type::not_found) return ShardStep::no_file;
  return fs::exists(journal, error) ? ShardStep::interrupted : ShardStep::not_begun;
}

Merging merge_shards(const Options& options, const RunFiles& files) {
  const auto& whole = files.wholes.front();
  files::LeftOut left_out;
  const auto shards = measured_files(files, left_out);
  const auto all = static_cast<std::size_t>(files.part.shards);
  if (shards.size() < all) {
    for (const auto& note : left_out.notes()) say(note);
    say(fmt::format("{} of {} shards are measured; the last shard to finish writes {}",
                    shards.size(), all, whole));
    return Merging::waits;
  }
  try {
    auto merged = merge_files(shards, files::MergeBy::nothing);
    if (!merged.is_whole()) throw std::runtime_error("some cases of the study are missing");
    auto rest = options;
    rest.trace_out.clear();  // each has written its own
    if (!write_results(files.wholes, rest, merged.result)) return Merging::failed;
    say("all shards are measured and merged: " + text::joined(files.wholes, ", "));
    return Merging::done;
  } catch (const std::exception& error) {
    say(fmt::format("the shards were not merged into {}: {}", whole, error.what()));
    return Merging::failed;
  }
}

files::Merged merge_files(const std::vector<std::string>& paths, files::MergeBy by) {
  files::Merger merger(by);
  files::LeftOut left_out;
  for (const auto& path : paths) {
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    const bool is_folder = fs::is_directory(status);
    // A pipe without a writer would never end.
    if (fs::exists(status) && !is_folder && !fs::is_regular_file(status))
      throw std::runtime_error(path + ": is not a regular file");
    auto files = is_folder ? files::result_files({path}).paths() : std::vector{path};
    for (const auto& file : files) {
      try {
        files::naming(file, [&] { merger.add(files::read_result(file), file); });
      } catch (const std::exception& error) {
        if (!is_folder) throw;
        left_out.add_unread(file, error.what());
      }
    }
  }
  for (const auto& note : left_out.notes()) say(note);
  return merger.finish();
}

}  // namespace apod::cli
