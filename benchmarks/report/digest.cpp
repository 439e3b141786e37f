#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "benchmarks/report/case_table.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

/// Counts equal texts, in the order in which they are first seen.
class Groups {
 public:
  void add(const std::string& text, const std::string& id) {
    const auto [found, is_new] = index_.emplace(text, groups_.size());
    if (is_new) groups_.push_back({text::printable(text), 0, text::printable(id)});
    ++groups_[found->second].count;
  }
  std::vector<Group> take() { return std::move(groups_); }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Group> groups_;
};

void add_failure(std::vector<Digest::Failure>& failures, const std::string& reason,
                 const std::string& id) {
  const auto same = std::find_if(failures.begin(), failures.end(),
                                 [&](const auto& failure) { return failure.reason == reason; });
  (same == failures.end() ? failures.emplace_back(Digest::Failure{reason, {}}) : *same)
      .ids.push_back(id);
}

/// Notes of one case, each once, with those that the numbers themselves call for.
std::vector<std::string> notes_of(const CaseSummary& summary, int wanted_processes) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  if (summary.throughput.above_peak) add("above the device's memory peak: the cache answered");
  if (summary.throttled > 0)
    add("throttled while sampling: those samples are kept out where others are left");
  if (summary.status == CaseStatus::measured && summary.processes < wanted_processes) {
    add(fmt::format("measured by {} of {} processes", summary.processes, wanted_processes));
  }
  for (const std::string& note : summary.notes) add(note);
  return notes;
}

}  // namespace

Digest digest(const Result& result, const std::vector<CaseSummary>& summaries) {
  Digest digest;
  Groups skips;
  Groups notes;
  for (const std::string& note : result.environment.device.notes) notes.add(note, "");
  for (const CaseSummary& summary : summaries) {
    const std::string& id = summary.info->id;
    switch (summary.status) {
      case CaseStatus::measured:
        ++digest.measured;
        break;
      case CaseStatus::failed:
        ++digest.failed;
        add_failure(digest.failures, text::printable(summary.reason), text::printable(id));
        break;
      case CaseStatus::skipped:
        ++digest.skipped;
        skips.add(summary.reason, id);
        break;
      case CaseStatus::not_run:
        ++digest.not_run;
        break;
    }
    const int wanted = result.plan.experiment_of(*summary.info).measure.processes;
    for (const std::string& note : notes_of(summary, wanted)) notes.add(note, id);
  }
  digest.skips = skips.take();
  digest.notes = notes.take();
  for (const ExpectationOutcome& outcome : result.expectations) {
    if (outcome.met) {
      ++digest.expectations_met;
      continue;
    }
    Digest::Miss miss;
    if (outcome.place.line > 0) {
      miss.where =
          text::printable(fmt::format("{}:{}", result.plan.config_path, outcome.place.line));
    }
    miss.rule = text::printable(outcome.rule);
    miss.observed = text::printable(outcome.observed);
    if (outcome.case_index < result.plan.cases.size()) {
      miss.id = text::printable(result.plan.cases[outcome.case_index].id);
    }
    digest.missed.push_back(std::move(miss));
  }
  return digest;
}

std::string last_line(const Digest& digest, const Result& result) {
  std::string line = fmt::format("{} measured", digest.measured);
  if (digest.failed > 0) line += fmt::format(", {} failed", digest.failed);
  if (digest.skipped > 0) line += fmt::format(", {} skipped", digest.skipped);
  if (digest.not_run > 0) line += fmt::format(", {} not run", digest.not_run);
  line += " in " + text::format_duration(result.wall_s);
  if (result.interrupted) line += " (interrupted)";
  return line;
}

std::string device_line(const Environment& environment) {
  const DeviceFacts& device = environment.device;
  std::string line = device.name.empty() ? environment.cpu_model : device.name;
  if (line.empty()) line = "unknown device";
  if (device.ecc) line += ", ECC on";
  if (device.mig) line += ", MIG on";
  if (!device.driver_version.empty()) line += ", driver " + device.driver_version;
  if (!device.runtime_version.empty()) line += ", CUDA " + device.runtime_version;
  line += ", apod-bench " + environment.bench_version;
  if (!environment.commit.empty()) line += " (" + environment.commit + ")";
  return text::printable(line);
}

}  // namespace apod::report
