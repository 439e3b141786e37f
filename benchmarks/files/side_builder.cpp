#include "benchmarks/files/side_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::files {

void NoteCounts::add(const std::string& text, const std::string& name) {
  if (name.empty()) return noted_.push_back({text, "", 1});
  const auto [found, is_new] = index_.try_emplace(text, noted_.size());
  if (is_new) {
    noted_.push_back({text, name, 1});
  } else {
    ++noted_[found->second].count;
  }
}

std::vector<std::string> NoteCounts::lines() const {
  std::vector<std::string> lines;
  for (const auto& [text, first, count] : noted_) {
    std::string of = first;
    if (count > 1) of = std::to_string(count) + " cases, the first " + first;
    lines.push_back(of.empty() ? text : text + ": " + of);
  }
  return lines;
}

namespace {

/// A filter without a match is held against so many names, for a hint.
constexpr std::size_t most_left_out = 1000;

}  // namespace

Labels together(const Labels& a, const Labels& b) {
  Labels all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

SideFindings together(const SideFindings& a, const SideFindings& b) {
  SideFindings all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::stable_sort(all, [](const auto& x, const auto& y) { return x.first < y.first; });
  const auto same_id = [](const auto& x, const auto& y) { return x.first == y.first; };
  all.erase(std::unique(all.begin(), all.end(), same_id), all.end());
  return all;
}

void CaseTally::fail(const std::string& reason) {
  if (info.failed.empty()) info.failed = reason.empty() ? "failed, no reason given" : reason;
}

void CaseTally::set_version(const std::string& version) {
  if (info.version.empty()) {
    info.version = version;
  } else if (!version.empty() && version != info.version) {
    in_two_ways = true;
    info.failed =
        "one side has measurements with different settings: " + info.version.str() + "; " + version;
  }
}

void CaseTally::merge(CaseTally&& other) {
  info.times.insert(info.times.end(), other.info.times.begin(), other.info.times.end());
  facts.merge(other.facts);
  const auto add = [](auto& here, const auto& there) {
    if (!(here == there)) here = together(here, there);
  };
  add(info.kernel_code, other.info.kernel_code);
  add(info.findings, other.info.findings);
  info.tick_s = std::max(info.tick_s, other.info.tick_s);
  const double strict = std::min(info.threshold, other.info.threshold);
  info.threshold = strict > 0 ? strict : std::max(info.threshold, other.info.threshold);
  if (info.params.empty()) info.params = std::move(other.info.params);
  set_version(other.info.version);
  if (!other.info.failed.empty()) fail(other.info.failed);
  in_two_ways = in_two_ways || other.in_two_ways;
}

void CaseTally::end_file(const std::string& file) {
  if (info.failed.empty()) return;
  info.times.clear();
  failed_in.push_back(file + ": " + info.failed);
}

void CaseTally::merge_file(CaseTally&& later) {
  if (!in_two_ways) info.failed.clear();
  std::move(later.failed_in.begin(), later.failed_in.end(), std::back_inserter(failed_in));
  merge(std::move(later));
}

void Tallies::add(CaseTally&& tally) {
  const auto found = index_.find(tally.info.name);
  if (found != index_.end()) {
    cases[found->second].merge(std::move(tally));
    return;
  }
  check_room_for(1);
  cases.push_back(std::move(tally));
  index_.emplace(cases.back().info.name, cases.size() - 1);
}

void Tallies::check_room_for(std::size_t more) const {
  if (cases.size() + more <= most_cases) return;
  throw std::runtime_error("more than " + std::to_string(most_cases) + " cases");
}

void Tallies::add_all(Tallies&& others) {
  if (cases.empty()) {
    *this = std::move(others);
    return;
  }
  const auto is_new = [&](const CaseTally& tally) { return !index_.contains(tally.info.name); };
  check_room_for(static_cast<std::size_t>(std::ranges::count_if(others.cases, is_new)));
  for (CaseTally& tally : others.cases) {
    const auto found = index_.find(tally.info.name);
    found == index_.end() ? add(std::move(tally))
                          : cases[found->second].merge_file(std::move(tally));
  }
}

SideBuilder::SideBuilder(std::string label, text::Pattern filter, bool wants_spread, Metric metric)
    : filter_(std::move(filter)), wants_spread_(wants_spread), metric_(std::move(metric)) {
  side_.label = std::move(label);
}

void SideBuilder::add_value(CaseTally& tally, const MetricValue& value) {
  any_value_ = true;
  const bool is_time = !value.is_counter && value.note.empty();
  if (is_time && metric_.better == Better::more)
    throw std::runtime_error(metric_.name + ":more: this is a time, so less is better");
  if (!has_ratio(value.value)) {
    const auto name = metric_.is_time() ? "time" : metric_.name;
    return tally.fail(
        is_time ? why_no_time(name, value.value)
                : fmt::format("{}: {} is not positive, so it has no ratio", name, value.value));
  }
  tally.add_time(value.value, session());
  side_.is_counter = side_.is_counter || value.is_counter;
  side_.is_rate = side_.is_rate || (!value.is_counter && !value.note.empty());
  if (metric_.is_time()) return;
  const auto remark = value.note.empty() ? "the time is " + metric_.name : value.note;
  if (std::ranges::find(remarks_, remark) == remarks_.end()) remarks_.push_back(remark);
}

void SideBuilder::lacks_metric(const std::string& name, const std::vector<std::string>& others) {
  note("no " + metric_.name, name);
  for (const auto& other : others) {
    if (std::find(others_.begin(), others_.end(), other) == others_.end()) others_.push_back(other);
  }
}

void SideBuilder::begin(const std::string& file, const std::string& format, bool one_process) {
  drop_unended();
  side_.sessions.push_back({file, format, {}, one_process});
  is_ended_ = false;
  any_case_ = any_value_ = false;
  others_.clear();
  of_file_ = {};
  noted_ = {};
}

void SideBuilder::context(const Result& run) {
  side_.sessions.back().environment = properties_of(run);
}

void SideBuilder::forget_program() {
  for (const auto name : program_properties())
    side_.sessions.back().environment.erase(std::string(name));
}

bool SideBuilder::wants(const std::string& name) {
  if (name.empty()) throw std::runtime_error("a case without a name");
  any_case_ = true;
  const bool wanted = filter_.is_in(name);
  if (!wanted && left_out_.size() < most_left_out) left_out_.push_back(name);
  return wanted;
}

void SideBuilder::add(CaseTally&& tally) {
  // Times of two clocks can't be compared, nor judged by a calibration of the other.
  auto& version = tally.info.version;
  if (!metric_.is_time())
    version = version.str() + (version.empty() ? "metric:" : " metric:") + metric_.name;
  of_file_.add(std::move(tally));
}

void SideBuilder::end() {
  const std::string& file = side_.sessions.back().file;
  std::string notes;
  std::vector<std::string> lines;
  for (const auto& text : noted_.lines()) {
    lines.push_back(file + ": " + text);
    notes += "; " + text;
  }
  if (!any_case_) throw std::runtime_error("nothing was measured" + notes);
  if (!any_value_ && !others_.empty()) throw std::runtime_error(no_such_metric(metric_, others_));
  for (auto& tally : of_file_.cases) tally.end_file(file);
  tallies_.add_all(std::move(of_file_));
  side_.notes.insert(side_.notes.end(), lines.begin(), lines.end());
  is_ended_ = true;
}

void SideBuilder::drop_unended() {
  if (!is_ended_) side_.sessions.pop_back();
  is_ended_ = true;
}

Side SideBuilder::finish(const std::vector<std::string>& left_out) {
  drop_unended();
  if (side_.sessions.empty()) {
    std::string notes;
    for (const auto& note : left_out) notes += "; " + note;
    throw std::runtime_error(side_.label + ": no result is left" + notes);
  }
  side_.notes.insert(side_.notes.begin(), left_out.begin(), left_out.end());
  side_.notes.insert(side_.notes.begin(), remarks_.begin(), remarks_.end());
  if (tallies_.cases.empty()) {
    if (filter_.empty()) throw std::runtime_error(side_.label + ": no case was measured");
    const auto near = text::closest_part(filter_, left_out_);
    throw std::runtime_error("--filter: '" + filter_.expression() + "' matches no case of " +
                             side_.label + text::in_brackets(text::did_you_mean(near)));
  }
  NoteCounts failures;
  side_.cases.reserve(tallies_.cases.size());
  for (; !tallies_.cases.empty(); tallies_.cases.pop_front()) {
    CaseTally& tally = tallies_.cases.front();
    SideCase& info = tally.info;
    info.facts = tally.facts.means();
    if (tally.in_two_ways) info.times.clear();
    if (!info.times.empty()) {
      const std::set<std::string> each(tally.failed_in.begin(), tally.failed_in.end());
      for (const auto& failure : each) failures.add(failure, info.name);
    }
    side_.cases.push_back(std::move(info));
  }
  for (auto& line : failures.lines()) side_.notes.push_back(std::move(line));
  return std::move(side_);
}

}  // namespace apod::files
