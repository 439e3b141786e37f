#include "benchmarks/files/merge_results.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <stdexcept>
#include <tuple>

#include "benchmarks/base/text/plain.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::files {
namespace {

constexpr int most_shards = 100'000;

Machine machine_of(const Environment& environment) {
  const auto& device = environment.device;
  return {environment.host_name, device.name + (device.uuid.empty() ? "" : " " + device.uuid),
          device.driver_version, device.pinned_to};
}

/// What tells devices apart: on the host, the host.
std::string device_label(const Environment& environment) {
  const auto uuid = short_uuid(environment.device);
  return uuid.empty() ? environment.host_name : uuid;
}

/// Positions of the part's cases in the whole. Throws std::runtime_error where they can't be.
std::vector<std::size_t> positions_of(const Result& part) {
  const std::size_t count = part.plan.cases.size();
  const std::string lie = "the file is not a valid shard of the study that it names";
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

/// The number of a shard, "2/8", and how many there are; {0, 0} for anything else.
std::pair<int, int> numbers_of(const std::string& shard) {
  std::pair<int, int> numbers{0, 0};
  const char* end = shard.data() + shard.size();
  const auto [slash, bad] = std::from_chars(shard.data(), end, numbers.first);
  if (bad != std::errc{} || slash == end || *slash != '/') return {0, 0};
  const auto [rest, also] = std::from_chars(slash + 1, end, numbers.second);
  const bool good = also == std::errc{} && rest == end && numbers.first >= 1 &&
                    numbers.first <= numbers.second && numbers.second <= most_shards;
  return good ? numbers : std::pair{0, 0};
}

/// Throws std::runtime_error where records point nowhere.
void check_records(const Result& part) {
  const auto count = part.plan.cases.size();
  const auto& origin = part.part;
  const bool shard_is_good =
      origin.shard.empty() || numbers_of(origin.shard).second >= std::max(origin.shards, 1);
  bool good = shard_is_good && origin.shards >= 0 && origin.shards <= most_shards;
  for (const auto& c : part.plan.cases) {
    good =
        good && c.experiment < part.plan.experiments.size() && (!c.baseline || *c.baseline < count);
  }
  for (const auto& m : part.measurements) good = good && m.case_index < count;
  for (const auto& outcome : part.expectations) good = good && outcome.case_index < count;
  if (!good) throw std::runtime_error("the file is not a valid shard of the study that it names");
}

void refuse_other(const std::string& what, const std::string& here, const std::string& there,
                  const std::string& name, const std::string& hint = "") {
  if (here == there) return;
  throw std::runtime_error("its " + what + " is '" + text::printable(here) + "', but in " + name +
                           " it is '" + text::printable(there) + "'" + hint);
}

/// A rule is met where it is in all results, and missed where it is in any.
void take_missed(std::vector<ExpectationOutcome>& all, const std::vector<ExpectationOutcome>& one) {
  if (all.empty()) all = one;
  for (std::size_t i = 0; i < std::min(all.size(), one.size()); ++i) {
    const bool is_worse = one[i].state == RuleState::missed || all[i].state == RuleState::met;
    if (is_worse && all[i].state != RuleState::missed) all[i] = one[i];
  }
}

/// The theoretical ones, to be compared or replaced.
template <typename Device>
auto peaks_of(Device& device) {
  return std::tie(device.peak_memory_bytes_per_s, device.peak_transfer_bytes_per_s,
                  device.peak_fp32_flops, device.peak_fp64_flops);
}

/// What tells one measurement from another: its samples, or what a thin result keeps of them.
std::vector<double> times_of(const Measurement& measurement) {
  if (!measurement.quantiles) return measurement.samples_s;
  const auto& kept = *measurement.quantiles;
  return {kept.p25_s, kept.median_s, kept.p75_s, kept.p99_s};
}

}  // namespace

std::uint64_t checksum_of(const Result& result) {
  std::uint64_t sum = 0;
  for (const auto& one : result.measurements) {
    const auto times = times_of(one);
    const auto bytes = std::as_bytes(std::span(times));
    sum += Fnv1a().add(one.case_id).add("\xFF").add(one.failed).add("\xFF").add(bytes).value();
  }
  return sum;
}

void Merger::check_fits(const Result& part) const {
  if (part.part.plan.empty()) {
    throw std::runtime_error(
        "does not say which plan it belongs to: an older bench wrote it, or it was merged with "
        "--by");
  }
  check_records(part);
  const auto value = [&](const Machine& machine) {
    return by_ == MergeBy::host ? machine.host : machine.device;
  };
  std::set<std::string> values;
  for (const auto& machine : part.part.machines) values.insert(value(machine));
  if (by_ != MergeBy::nothing && values.size() > 1) {
    throw std::runtime_error("was already merged from " + std::to_string(values.size()) +
                             (by_ == MergeBy::host ? " hosts" : " devices") +
                             ": name the files that were merged instead");
  }
  if (!first_) return;
  if (part.plan.experiments.size() != head_.plan.experiments.size() ||
      part.part.plan != head_.part.plan || part.part.cases != head_.part.cases) {
    throw std::runtime_error("its plan differs from the plan of " + name_);
  }
  if (part.plan.config_text != head_.plan.config_text)
    throw std::runtime_error("its experiment file differs from the experiment file of " + name_);
  refuse_other("build", part.environment.commit, head_.environment.commit, name_);
  if (by_ != MergeBy::nothing) return;
  const auto& device = part.environment.device;
  const auto known = devices_.find(device.backend);
  if (known == devices_.end()) return;
  const auto& before = known->second.second;
  const char* hint = " (to make the machine an axis, add --by device or --by host)";
  refuse_other("device", device.name, before.name, "the earlier files", hint);
  refuse_other("driver", device.driver_version, before.driver_version, "the earlier files", hint);
}

void Merger::check_measurement(const Measurement& measurement, const Position& position) const {
  const auto held = cases_.find(position);
  if (held == cases_.end()) return;
  const auto there = held->second.measurements.find({measurement.process, measurement.machine});
  if (there == held->second.measurements.end()) return;
  const auto& before = there->second;
  // A shard that was run again has what failed before.
  const bool differ = before.failed.empty() && measurement.failed.empty() &&
                      times_of(before) != times_of(measurement);
  if (!differ) return;
  throw std::runtime_error(
      "'" + text::printable(measurement.case_id) + "', process " +
      std::to_string(measurement.process) +
      ", has two different measurements from one machine (leave out one of the files)");
}

void Merger::add(Result part, const std::string& name) {
  check_fits(part);
  const auto machine = machine_of(part.environment);
  const auto label = by_ == MergeBy::host     ? machine.host
                     : by_ == MergeBy::device ? device_label(part.environment)
                                              : std::string();
  std::vector<Position> positions;
  for (const auto position : positions_of(part)) positions.emplace_back(position, label);
  for (auto& measurement : part.measurements) {
    if (measurement.machine.empty()) measurement.machine = machine.name();
    check_measurement(measurement, positions.at(measurement.case_index));
  }
  if (cases_.size() + positions.size() > most_cases &&
      std::any_of(positions.begin(), positions.end(), [&](const auto& position) {
        return cases_.size() >= most_cases && !cases_.contains(position);
      })) {
    throw std::runtime_error("together the files have too many cases; the limit is " +
                             std::to_string(most_cases));
  }
  // Of several parts with a case the whole one speaks for it, then the first by name and date.
  take_cases(part, positions, machine.name(),
             (part.interrupted ? "1 " : "0 ") + machine.name() + " " + part.environment.date);
  auto& origin = part.part;
  if (origin.machines.empty()) origin.machines.push_back(machine);
  machines_.insert(origin.machines.begin(), origin.machines.end());
  // A merged part no longer knows its shards.
  const bool same_count = shard_count_ == 0 || shard_count_ == origin.shards;
  shard_count_ = same_count && origin.shards > 0 ? origin.shards : -1;
  if (!part.interrupted) shards_.insert(numbers_of(origin.shard).first);
  if (!origin.shard.empty()) shard_ = origin.shard;
  // A merged part without some cases was not whole for these alone: others may bring them.
  if (origin.shard.empty() && origin.positions.empty()) {
    auto& uncut = whole_[machine.name()];
    uncut = uncut || !part.interrupted;
  }
  const std::pair first{positions.empty() ? origin.cases : positions.front().first, machine.name()};
  const auto& device = part.environment.device;
  const auto known = devices_.find(device.backend);
  if (known != devices_.end())
    same_peaks_ = same_peaks_ && peaks_of(known->second.second) == peaks_of(device);
  same_ceilings_ = same_ceilings_ && (!first_ || part.ceilings == head_.ceilings);
  if (known == devices_.end() || first < known->second.first)
    devices_.insert_or_assign(device.backend, std::pair{first, device});
  if (first_ && *first_ <= first) return;
  first_ = first;
  name_ = name;
  part.measurements.clear();
  part.findings.clear();
  part.expectations.clear();
  part.plan.cases.clear();
  head_ = std::move(part);
}

void Merger::take_cases(Result& part, const std::vector<Position>& positions,
                        const std::string& machine, const std::string& from) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    auto& held = cases_[positions[i]];
    const bool is_first = held.from.empty() || from < held.from;
    if (!is_first) continue;
    held.from = from;
    held.info = part.plan.cases[i];
    if (held.info.baseline) held.info.baseline = positions.at(*held.info.baseline).first;
    held.findings = i < part.findings.size() ? std::move(part.findings[i]) : std::vector<Finding>();
  }
  // Of one machine's parts the first speaks for its rules, too.
  std::vector<std::vector<ExpectationOutcome>> outcomes(positions.size());
  for (auto& outcome : part.expectations)
    outcomes.at(outcome.case_index).push_back(std::move(outcome));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    auto& [part_of, judged] = cases_[positions[i]].expectations[machine];
    if (!part_of.empty() && part_of <= from) continue;
    part_of = from;
    judged = std::move(outcomes[i]);
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
  if (const auto gpu = devices_.find(BackendKind::cuda); gpu != devices_.end())
    result.environment.device = gpu->second.second;
  std::map<Position, std::size_t> index_of;
  std::vector<std::size_t> seen;
  for (const auto& [position, held] : cases_) {
    index_of.emplace(position, index_of.size());
    if (seen.empty() || seen.back() != position.first) seen.push_back(position.first);
  }
  result.wall_s = 0;
  for (auto& [position, held] : cases_) {
    auto& info = held.info;
    info.index = index_of.at(position);
    if (info.baseline) info.baseline = index_of.at({*info.baseline, position.second});
    name(info, position.second);
    std::set<std::string> machines;
    for (const auto& [key, measurement] : held.measurements) machines.insert(key.second);
    merged.pooled += machines.size() > 1 ? 1 : 0;
    if (machines.empty() && info.skip.empty()) ++merged.missing;
    int process = 0;
    for (auto& [key, measurement] : held.measurements) {
      auto& kept = result.measurements.emplace_back(std::move(measurement));
      kept.case_index = info.index;
      kept.case_id = info.id;
      if (machines.size() > 1) kept.process = process++;
      if (machines_.size() == 1) kept.machine.clear();
      result.wall_s += kept.wall_s;
    }
    std::vector<ExpectationOutcome> judged;
    for (const auto& [machine, own] : held.expectations) take_missed(judged, own.second);
    for (auto& outcome : judged) {
      outcome.case_index = info.index;
      result.expectations.push_back(std::move(outcome));
    }
    result.findings.push_back(std::move(held.findings));
    result.plan.cases.push_back(std::move(info));
  }
  const auto unseen = result.part.cases - seen.size();
  merged.missing += unseen;
  for (int index = 1; index <= shard_count_; ++index) {
    if (shards_.contains(index)) continue;
    merged.absent.push_back(std::to_string(index) + shard_.substr(shard_.find('/')));
  }
  for (const auto& [machine, uncut] : whole_) {
    if (!uncut) merged.cut_short.push_back(machine);
  }
  result.interrupted = !merged.is_whole();
  auto& part = result.part;
  part.shard.clear();
  part.shards = 0;
  part.positions.clear();
  if (unseen > 0) part.positions = std::move(seen);
  part.machines.assign(machines_.begin(), machines_.end());
  text::drop_flag(result.command_line, "--shard", true);
  if (by_ != MergeBy::nothing) {
    // Shares would be of the first device's.
    if (!same_peaks_) peaks_of(result.environment.device) = std::tuple(0, 0, 0, 0);
    if (!same_ceilings_) result.ceilings.reset();
    part.plan.clear();  // nothing can be added
    for (auto& experiment : result.plan.experiments)
      experiment.swept.emplace_back(by_ == MergeBy::host ? "host" : "device");
  }
  return merged;
}

}  // namespace apod::files
