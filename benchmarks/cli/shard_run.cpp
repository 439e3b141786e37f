#include "benchmarks/cli/shard_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/report/report.hpp"
#include "benchmarks/results/earlier_file.hpp"
#include "benchmarks/results/read_result.hpp"
#include "benchmarks/results/read_side.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// A file of ours, by its name in what goes wrong.
Result read_named(const std::string& path) {
  try {
    return results::read_result(path);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    throw std::runtime_error(what.starts_with(path) ? what : path + ": " + what);
  }
}

std::vector<std::string> shard_files(const std::string& whole, const Shard& shard,
                                     const StudyPart& part) {
  std::vector<std::string> files;
  for (int index = 1; index <= part.shards; ++index) {
    files.push_back(shard_path(whole, {index, shard.count}));
  }
  return files;
}

}  // namespace

void choose_device(Options& options, const ShardChoice& choice, const Registry& registry) {
  const auto* entry = registry.backend(BackendKind::cuda);
  if (options.device || !choice.local || entry == nullptr) return;
  std::string why;
  const auto devices = static_cast<int>(entry->devices(why).size());
  if (devices > 1) options.device = *choice.local % devices;
}

std::optional<Result> measured_part(const std::string& path, const StudyPart& part,
                                    const std::string& gpu) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  try {
    auto there = results::read_result(path);
    const bool failed = std::any_of(there.measurements.begin(), there.measurements.end(),
                                    [](const auto& one) { return !one.failed.empty(); });
    const bool same_gpu = gpu.empty() || there.environment.device.uuid == gpu;
    const bool good = !failed && same_gpu && there.part.plan == part.plan &&
                      there.part.shard == part.shard && !there.interrupted &&
                      there.environment.commit == run::build_commit;
    return good ? std::optional(std::move(there)) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void merge_if_all_are_there(const std::string& whole, const Shard& shard, const StudyPart& part) {
  const auto files = shard_files(whole, shard, part);
  std::size_t there = 0;
  for (const auto& file : files) {
    std::error_code error;
    there += fs::is_regular_file(file, error) ? 1 : 0;
  }
  if (there < files.size()) {
    return say(fmt::format("{} of {} shards are there; once all are: {}", there, files.size(),
                           text::shell_line({"bench", "merge", whole}) + " FILE..."));
  }
  try {
    const auto merged = merge_files(files, results::MergeBy::nothing);
    if (!merged.is_whole()) {
      std::string which;
      for (const auto& name : merged.absent) which += (which.empty() ? "" : ", ") + name;
      return say("not merged yet: shard " + which + " was interrupted; run it again");
    }
    write_merged(whole, merged.result);
    say(fmt::format("all {} shards are there, and merged: {}", files.size(), whole));
  } catch (const std::exception& error) {
    say(fmt::format("not merged into {}: {}", whole, error.what()));
  }
}

results::Merged merge_files(const std::vector<std::string>& paths, results::MergeBy by) {
  results::Merger merger(by);
  results::LeftOut left_out;
  for (const auto& path : paths) {
    const bool is_folder = fs::is_directory(path);
    auto files = is_folder ? results::result_files({path}).paths() : std::vector{path};
    for (const auto& file : files) {
      try {
        auto part = read_named(file);
        try {
          merger.add(std::move(part));
        } catch (const std::exception& error) {
          throw std::runtime_error(file + ": " + error.what());
        }
      } catch (const std::exception& error) {
        if (!is_folder) throw;
        left_out.add(file, error.what());
      }
    }
  }
  for (const auto& note : left_out.notes()) say(note);
  return merger.finish();
}

void write_merged(const std::string& path, const Result& result) {
  write_output(
      path, results::FileKind::apod,
      [&](std::ostream& out) { report::write(out, result, report::format_of(path), {}, {}); },
      [&](const std::string& there) { return results::holds_more(there, result); });
}

}  // namespace apod::cli
