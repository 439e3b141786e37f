#include "benchmarks/plan/filter.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "benchmarks/base/found_cases.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::plan {
namespace {

/// Keeps the cases that are wanted, and their baselines.
template <class Wanted>
bool keep(Plan& plan, Wanted wanted) {
  std::vector<bool> kept(plan.cases.size(), false);
  bool any = false;
  for (const auto& c : plan.cases) {
    if (!wanted(c)) continue;
    any = true;
    kept[c.index] = true;
    if (c.baseline) kept[*c.baseline] = true;
  }
  if (any) keep_cases(plan, kept);
  return any;
}

}  // namespace

void keep_cases(Plan& plan, const std::vector<bool>& kept) {
  std::vector<std::size_t> new_index(plan.cases.size(), 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (!kept[i]) continue;
    new_index[i] = count;
    if (count != i) plan.cases[count] = std::move(plan.cases[i]);
    plan.cases[count].index = count;
    ++count;
  }
  plan.cases.resize(count);
  for (auto& c : plan.cases) {
    if (c.baseline && !kept[*c.baseline]) c.baseline.reset();
    if (c.baseline) c.baseline = new_index[*c.baseline];
  }
}

bool apply_filter(Plan& plan, const text::Pattern& filter) {
  // The cases behind an open case are compared with the filter once they are found.
  return keep(plan, [&](const Case& c) { return is_open(c) || filter.is_in(c.id); });
}

bool apply_filter(Result& result, const text::Pattern& filter) {
  std::vector<std::string> ids;  // a filter moves cases
  for (const auto& c : result.plan.cases) ids.push_back(c.id);
  if (!apply_filter(result.plan, filter)) return false;
  // Cases keep their order, so one pass finds where each has gone.
  std::vector<std::optional<std::size_t>> now_at(ids.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < ids.size() && next < result.plan.cases.size(); ++i) {
    if (ids[i] == result.plan.cases[next].id) now_at[i] = next++;
  }
  const auto move_all = [&](auto& records) {
    std::erase_if(records, [&](auto& one) {
      const bool kept = one.case_index < now_at.size() && now_at[one.case_index];
      if (kept) one.case_index = *now_at[one.case_index];
      return !kept;
    });
  };
  move_all(result.measurements);
  move_all(result.expectations);
  move_all(result.traces);
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    if (now_at[i]) std::swap(result.findings[*now_at[i]], result.findings[i]);
  }
  result.findings.resize(std::min(next, result.findings.size()));
  if (next < ids.size()) result.wall_s = 0;  // it is that of all
  return true;
}

std::vector<std::string> take_ids(Plan& plan, const std::vector<std::string>& ids) {
  std::map<std::string_view, Case*> cases;
  for (auto& c : plan.cases) cases.emplace(c.id, &c);
  std::vector<std::string> unknown;
  for (const std::string& id : ids) {
    if (cases.contains(id)) continue;
    // One that is found in the output of a case is called after it.
    Case* open = nullptr;
    auto end = id.rfind('/');
    for (; end != std::string::npos && end > 0 && open == nullptr; end = id.rfind('/', end - 1)) {
      const auto found = cases.find(std::string_view(id).substr(0, end));
      if (found == cases.end() || !is_open(*found->second)) continue;
      open = found->second;
      open->wanted.push_back(id.substr(end + 1));
    }
    if (open == nullptr) unknown.push_back(id);
  }
  const std::set<std::string_view> whole(ids.begin(), ids.end());
  for (auto& c : plan.cases) {
    if (whole.contains(c.id)) c.wanted.clear();
    if (c.wanted.empty() || !c.baseline) continue;
    // Each is compared with that of its name.
    auto& baseline = plan.cases.at(*c.baseline);
    if (is_open(baseline) && !whole.contains(baseline.id))
      baseline.wanted.insert(baseline.wanted.end(), c.wanted.begin(), c.wanted.end());
  }
  for (auto& c : plan.cases) {
    std::sort(c.wanted.begin(), c.wanted.end());
    c.wanted.erase(std::unique(c.wanted.begin(), c.wanted.end()), c.wanted.end());
  }
  return unknown;
}

bool keep_only(Plan& plan, const std::vector<std::string>& ids) {
  const std::set<std::string> wanted(ids.begin(), ids.end());
  return keep(plan, [&](const Case& c) { return !c.wanted.empty() || wanted.contains(c.id); });
}

Diagnostic no_match(const Plan& plan, const text::Pattern& filter) {
  std::vector<std::string> ids;
  for (const auto& c : plan.cases) ids.push_back(c.id);
  const auto near = text::closest_part(filter, ids);
  return {"--filter",
          {},
          "'" + filter.expression() + "' matches none of " + std::to_string(ids.size()) + " cases",
          text::did_you_mean(near, "example of a case id: " + ids.front())};
}

}  // namespace apod::plan
