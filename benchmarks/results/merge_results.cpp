#include "benchmarks/results/merge_results.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/text/plain.hpp"

namespace apod::results {
namespace {

Machine machine_of(const Environment& environment) {
  const auto& device = environment.device;
  return {environment.host_name, device.name + (device.uuid.empty() ? "" : " " + device.uuid),
          device.driver_version};
}

/// Positions of the part's cases in the whole. Throws std::runtime_error where they can't be.
std::vector<std::size_t> positions_of(const Result& part) {
  const std::size_t count = part.plan.cases.size();
  const std::string lie = "what it says of its place in the whole can't be true";
  if (part.part.cases > most_cases) throw std::runtime_error(lie);
  auto positions = part.part.positions;
  if (positions.empty()) {
    for (std::size_t i = 0; i < count; ++i) positions.push_back(i);
  }
  const bool ascending = std::is_sorted(positions.begin(), positions.end()) &&
                         std::adjacent_find(positions.begin(), positions.end()) == positions.end();
  const bool inside = positions.empty() || positions.back() < part.part.cases;
  if (positions.size() != count || !ascending || !inside) throw std::runtime_error(lie);
  return positions;
}

/// The number of a shard of a known count, "2/8"; 0 for anything else.
int number_of(const std::string& shard) {
  int number = 0;
  const auto [slash, bad] = std::from_chars(shard.data(), shard.data() + shard.size(), number);
  return bad == std::errc{} && *slash == '/' ? number : 0;
}

void refuse_other(const std::string& what, const std::string& here, const std::string& there,
                  const std::string& hint = "") {
  if (here == there) return;
  throw std::runtime_error("of " + what + " '" + text::printable(here) +
                           "', and those before of '" + text::printable(there) + "'" + hint);
}

/// The command of the whole: without the shard.
std::vector<std::string> without_shard(std::vector<std::string> words) {
  for (auto word = words.begin(); word != words.end();) {
    if (*word == "--shard" && word + 1 != words.end()) {
      word = words.erase(word, word + 2);
    } else if (word->starts_with("--shard=")) {
      word = words.erase(word);
    } else {
      ++word;
    }
  }
  return words;
}

}  // namespace

void Merger::check_fits(const Result& part) const {
  if (part.part.plan.empty()) {
    throw std::runtime_error(
        "does not say which plan it is a part of: an older bench made it, or it is merged with an "
        "axis");
  }
  if (!first_) return;
  if (part.part.plan != head_.part.plan || part.part.cases != head_.part.cases) {
    throw std::runtime_error(
        "of another plan than those before: " + text::shell_line(part.command_line) +
        " (those before: " + text::shell_line(head_.command_line) + ")");
  }
  refuse_other("build", part.environment.commit, head_.environment.commit);
  if (by_ != MergeBy::nothing) return;
  const auto& device = part.environment.device;
  const auto& before = head_.environment.device;
  const char* hint = " (--by device or --by host makes them an axis)";
  refuse_other("device", device.name, before.name, hint);
  refuse_other("driver", device.driver_version, before.driver_version, hint);
}

void Merger::check_measurement(const Measurement& measurement, const Position& position) const {
  const auto held = cases_.find(position);
  if (held == cases_.end()) return;
  const auto there = held->second.measurements.find({measurement.process, measurement.machine});
  if (there == held->second.measurements.end()) return;
  const auto& before = there->second;
  // A shard that was run again has what failed before.
  const bool differ = before.failed.empty() && measurement.failed.empty() &&
                      before.samples_s != measurement.samples_s;
  if (!differ) return;
  throw std::runtime_error("'" + text::printable(measurement.case_id) + "', process " +
                           std::to_string(measurement.process) +
                           ", was measured twice by one machine, with other times (leave one of "
                           "the files out)");
}

void Merger::add(Result part) {
  check_fits(part);
  const auto machine = machine_of(part.environment);
  const auto label = by_ == MergeBy::host     ? machine.host
                     : by_ == MergeBy::device ? machine.device
                                              : std::string();
  std::vector<Position> positions;
  for (const auto position : positions_of(part)) positions.emplace_back(position, label);
  for (auto& measurement : part.measurements) {
    if (measurement.machine.empty()) measurement.machine = machine.name();
    check_measurement(measurement, positions.at(measurement.case_index));
  }
  take_cases(part, positions, machine.name());
  auto& origin = part.part;
  if (origin.machines.empty()) origin.machines.push_back(machine);
  machines_.insert(origin.machines.begin(), origin.machines.end());
  // A merged part no longer knows its shards.
  const bool same_count = shard_count_ == 0 || shard_count_ == origin.shards;
  shard_count_ = same_count && origin.shards > 0 ? origin.shards : -1;
  shards_.insert(number_of(origin.shard));
  const std::pair first{positions.empty() ? origin.cases : positions.front().first, machine.name()};
  if (first_ && *first_ <= first) return;
  first_ = first;
  part.measurements.clear();
  part.findings.clear();
  part.expectations.clear();
  part.plan.cases.clear();
  head_ = std::move(part);
}

void Merger::take_cases(Result& part, const std::vector<Position>& positions,
                        const std::string& machine) {
  std::vector<Held*> taken(positions.size(), nullptr);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    auto& held = cases_[positions[i]];
    const bool is_first = held.from.empty() || machine <= held.from;
    if (!is_first) continue;
    taken[i] = &held;
    held.from = machine;
    held.info = part.plan.cases[i];
    if (held.info.baseline) held.info.baseline = positions.at(*held.info.baseline).first;
    held.findings = i < part.findings.size() ? std::move(part.findings[i]) : std::vector<Finding>();
    held.expectations.clear();
  }
  for (auto& outcome : part.expectations) {
    if (auto* held = taken.at(outcome.case_index)) held->expectations.push_back(std::move(outcome));
  }
  for (auto& measurement : part.measurements) {
    auto& held = cases_.at(positions[measurement.case_index]);
    const std::pair key{measurement.process, measurement.machine};
    auto& there = held.measurements[key];
    const bool better = there.case_id.empty() || !there.failed.empty();
    if (better) there = std::move(measurement);
  }
}

/// Tells the cases of one position apart.
void Merger::name(Case& info, const std::string& label) const {
  if (by_ == MergeBy::nothing) return;
  const std::string axis = by_ == MergeBy::host ? "host" : "device";
  info.id += "/" + axis + ":" + label;
  info.params.set(axis, label);
}

Merged Merger::finish() {
  if (!first_) throw std::runtime_error("there is nothing to merge");
  Merged merged;
  auto& result = merged.result = std::move(head_);
  std::map<Position, std::size_t> index_of;
  std::vector<std::size_t> seen;
  for (const auto& [position, held] : cases_) {
    index_of.emplace(position, index_of.size());
    if (seen.empty() || seen.back() != position.first) seen.push_back(position.first);
  }
  result.wall_s = 0;
  result.interrupted = seen.size() < result.part.cases;
  for (auto& [position, held] : cases_) {
    auto& info = held.info;
    info.index = index_of.at(position);
    if (info.baseline) info.baseline = index_of.at({*info.baseline, position.second});
    name(info, position.second);
    std::set<std::string> machines;
    for (const auto& [key, measurement] : held.measurements) machines.insert(key.second);
    merged.pooled += machines.size() > 1 ? 1 : 0;
    result.interrupted = result.interrupted || (machines.empty() && info.skip.empty());
    int process = 0;
    for (auto& [key, measurement] : held.measurements) {
      auto& kept = result.measurements.emplace_back(std::move(measurement));
      kept.case_index = info.index;
      kept.case_id = info.id;
      if (machines.size() > 1) kept.process = process++;
      if (machines_.size() == 1) kept.machine.clear();
      result.wall_s += kept.wall_s;
    }
    for (auto& outcome : held.expectations) {
      outcome.case_index = info.index;
      result.expectations.push_back(std::move(outcome));
    }
    result.findings.push_back(std::move(held.findings));
    result.plan.cases.push_back(std::move(info));
  }
  merged.missing = result.part.cases - seen.size();
  for (int index = 1; index <= shard_count_ && merged.missing > 0; ++index) {
    if (shards_.contains(index)) continue;
    merged.absent.push_back(std::to_string(index) +
                            result.part.shard.substr(result.part.shard.find('/')));
  }
  auto& part = result.part;
  part.shard.clear();
  part.shards = 0;
  part.positions.clear();
  if (merged.missing > 0) part.positions = std::move(seen);
  part.machines.assign(machines_.begin(), machines_.end());
  result.command_line = without_shard(std::move(result.command_line));
  if (by_ != MergeBy::nothing) {
    part.plan.clear();  // nothing can be added
    for (auto& experiment : result.plan.experiments) {
      experiment.swept.emplace_back(by_ == MergeBy::host ? "host" : "device");
    }
  }
  return merged;
}

}  // namespace apod::results
