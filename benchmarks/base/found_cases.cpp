#include "benchmarks/base/found_cases.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace apod {
namespace {

std::string id_of(const std::string& of_all, const std::string& name) {
  return of_all + "/" + name;
}

class Placing {
 public:
  Placing(Result& result, const text::Pattern& filter) : result_(result), filter_(filter) {}

  void run() {
    auto& plan = result_.plan;
    open_ = std::move(plan.cases);
    plan.cases.clear();
    for (const auto& c : open_) names_.push_back(names_of(c));
    std::vector<std::set<std::string>> kept(open_.size());
    for (const auto& c : open_) {
      for (const auto& name : names_[c.index]) {
        if (!filter_.is_in(id_of(c.id, name))) continue;
        kept[c.index].insert(name);
        if (c.baseline) kept[*c.baseline].insert(name);
      }
    }
    for (const auto& c : open_) place(c, kept[c.index]);
    for (const auto& c : open_) {
      if (c.baseline) link(*c.baseline, c.index);
    }
    auto measurements = std::move(result_.measurements);
    result_.measurements.clear();
    for (auto& measurement : measurements) share_out(std::move(measurement));
  }

 private:
  /// Of the cases that are to be: what is wanted, else what any process told of.
  std::vector<std::string> names_of(const Case& c) const {
    if (!is_open(c)) return {};
    std::vector<std::string> names = c.wanted;
    std::set<std::string> known(names.begin(), names.end());
    for (const auto& measurement : result_.measurements) {
      if (measurement.case_index != c.index || !c.wanted.empty()) continue;
      for (const auto& one : measurement.found) {
        if (known.insert(one.name).second) names.push_back(one.name);
      }
    }
    return names;
  }

  void place(const Case& c, const std::set<std::string>& kept) {
    auto& of_case = placed_[c.index];
    const auto add = [&](const std::string& name, Case one) {
      one.index = result_.plan.cases.size();
      one.baseline.reset();
      one.wanted.clear();
      of_case[name] = one.index;
      result_.plan.cases.push_back(std::move(one));
    };
    if (names_[c.index].empty()) add("", c);
    for (const auto& name : names_[c.index]) {
      if (!kept.contains(name)) continue;
      auto one = c;
      one.id = id_of(c.id, name);
      one.params.set(found_axis, name);
      add(name, std::move(one));
      auto& swept = result_.plan.experiments.at(c.experiment).swept;
      if (std::ranges::find(swept, found_axis) == swept.end()) swept.emplace_back(found_axis);
    }
  }

  /// Each case that came of `index` gets the one of its name that came of `baseline` as its own.
  void link(std::size_t baseline, std::size_t index) {
    for (const auto& [name, place] : placed_[index]) {
      const auto base = placed_[baseline].find(name);
      if (base != placed_[baseline].end()) result_.plan.cases[place].baseline = base->second;
    }
  }

  void share_out(Measurement measurement) {
    const auto& cases = placed_[measurement.case_index];
    std::map<std::string, Measurement> parts;
    for (auto& part : parts_of(measurement)) {
      auto name = part.case_id.substr(measurement.case_id.size());
      parts.emplace(name.empty() ? name : name.substr(1), std::move(part));
    }
    for (const auto& [name, index] : cases) {
      const auto found = parts.find(name);
      Measurement part = found != parts.end() ? std::move(found->second) : measurement;
      if (found == parts.end() && part.failed.empty()) {
        part.found.clear();
        part.samples_s.clear();
        part.stage = "read";
        part.failed = "process " + std::to_string(part.process) + " did not report this case";
      }
      part.case_index = index;
      part.case_id = result_.plan.cases[index].id;
      result_.measurements.push_back(std::move(part));
    }
  }

  Result& result_;
  const text::Pattern& filter_;
  std::vector<Case> open_;                       ///< the plan's cases before
  std::vector<std::vector<std::string>> names_;  ///< by their index
  /// By that index too: what came of it by name, "" for itself, and its index now.
  std::map<std::size_t, std::map<std::string, std::size_t>> placed_;
};

}  // namespace

bool is_open(const Case& c) {
  const auto* value = c.params.find(found_axis);
  return value != nullptr && *value == AxisValue(std::string(not_yet_found));
}

void place_found_cases(Result& result, const text::Pattern& filter) {
  const auto& cases = result.plan.cases;
  if (std::none_of(cases.begin(), cases.end(), is_open)) return;
  for (auto& experiment : result.plan.experiments) {
    if (filter.empty()) continue;
    for (auto& rule : experiment.expectations) {
      if (rule.narrowed_by == Narrowing::found_later) rule.narrowed_by = Narrowing::filter;
    }
  }
  Placing(result, filter).run();
}

}  // namespace apod
