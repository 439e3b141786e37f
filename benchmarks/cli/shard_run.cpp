#include "benchmarks/cli/shard_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/found_cases.hpp"
#include "benchmarks/base/os/claim.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/plan/shards.hpp"
#include "benchmarks/run/build_info.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// Whether the file is a result with a measurement that is none of `result`.
bool holds_others(const std::string& path, const Result& result) {
  std::set<std::pair<std::string, double>> here;
  const auto of = [](const Result& one, const Measurement& measurement) {
    return std::pair{one.plan.cases.at(measurement.case_index).id, measurement.wall_s};
  };
  for (const auto& measurement : result.measurements) here.insert(of(result, measurement));
  try {
    const auto there = files::read_result(path);
    return std::any_of(there.measurements.begin(), there.measurements.end(),
                       [&](const auto& one) { return !here.contains(of(there, one)); });
  } catch (const std::exception&) {
    return false;  // it is no result
  }
}

/// Why a result is not that of this shard of the study; empty where it is.
std::string difference(const Result& there, const StudyPart& study, const std::string& shard) {
  if (there.part.plan != study.plan) return "still of another plan";
  if (there.environment.commit != run::build_commit) return "still of another build";
  if (there.part.shard != shard) return "of another shard";
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
    try {
      const auto why = difference(files::read_context(path), files.part, shard.text());
      if (why.empty()) {
        measured.push_back(path);
      } else {
        left_out.add(path, why);
      }
    } catch (const std::exception& error) {
      left_out.add(path, error.what());
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
  if (std::any_of(plan.cases.begin(), plan.cases.end(), is_open)) return {};
  auto identity = run::plan_identity(plan);
  auto part = plan::take_shard(plan, shard, registry);
  part.plan = std::move(identity);
  return part;
}

std::optional<Result> measured_part(const std::string& path, const StudyPart& part,
                                    const std::string& gpu) {
  if (shard_step(path) != ShardStep::written) return std::nullopt;
  try {
    auto there = files::read_result(path);
    const bool failed = std::any_of(there.measurements.begin(), there.measurements.end(),
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
    say(fmt::format("{} of {} shards are measured; the last one makes {}", shards.size(), all,
                    whole));
    return Merging::waits;
  }
  try {
    auto merged = merge_files(shards, files::MergeBy::nothing);
    if (!merged.is_whole()) throw std::runtime_error("some of its cases are missing");
    auto rest = options;
    rest.trace_out.clear();  // each has written its own
    if (!write_results(files.wholes, rest, merged.result)) return Merging::failed;
    std::string names;
    for (const auto& name : files.wholes) names += (names.empty() ? "" : ", ") + name;
    say("the shards are all measured, and merged: " + names);
    return Merging::done;
  } catch (const std::exception& error) {
    say(fmt::format("not merged into {}: {}", whole, error.what()));
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
    // A pipe that nobody writes to would never end.
    if (fs::exists(status) && !is_folder && !fs::is_regular_file(status)) {
      throw std::runtime_error(path + ": is not a regular file");
    }
    auto files = is_folder ? files::result_files({path}).paths() : std::vector{path};
    for (const auto& file : files) {
      try {
        files::naming(file, [&] { merger.add(files::read_result(file), file); });
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
  auto report = show::report_of(result);
  report.is_less_than = [&](const std::string& there) { return holds_others(there, result); };
  write_report(path, report);
}

}  // namespace apod::cli
