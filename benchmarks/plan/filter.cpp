#include "benchmarks/plan/filter.hpp"

#include <regex>
#include <set>
#include <vector>

namespace apod::plan {
namespace {

constexpr const char* flag = "--filter";

/// The part of a case id (an experiment, a variant, "streams:4") that looks most like the filter.
std::string hint_for(const Plan& plan, const std::string& filter) {
  std::set<std::string> parts;
  for (const auto& c : plan.cases) {
    for (std::size_t start = 0; start <= c.id.size();) {
      const auto end = std::min(c.id.find('/', start), c.id.size());
      parts.insert(c.id.substr(start, end - start));
      start = end + 1;
    }
  }
  const auto near = closest(filter, {parts.begin(), parts.end()});
  return near.empty() ? "a case is called " + plan.cases.front().id
                      : "did you mean '" + near + "'?";
}

/// Drops the cases that are not kept, and renumbers what is left.
void compact(Plan& plan, const std::vector<bool>& kept) {
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
    if (!c.baseline) continue;
    if (kept[*c.baseline]) {
      c.baseline = new_index[*c.baseline];
    } else {
      c.baseline.reset();
    }
  }
}

}  // namespace

bool apply_filter(Plan& plan, const std::string& filter, Diagnostics& diagnostics) {
  if (filter.empty()) return true;
  try {
    const std::regex expression(filter, std::regex::ECMAScript | std::regex::optimize);
    std::vector<bool> kept(plan.cases.size(), false);
    std::vector<bool> matched(plan.cases.size(), false);
    bool any = false;
    for (const auto& c : plan.cases) {
      matched[c.index] = std::regex_search(c.id, expression);
      any = any || matched[c.index];
    }
    if (!any) {
      diagnostics.push_back(
          {flag,
           {},
           "'" + filter + "' matches none of " + std::to_string(plan.cases.size()) + " cases",
           hint_for(plan, filter)});
      return false;
    }
    for (const auto& c : plan.cases) {
      if (!matched[c.index]) continue;
      kept[c.index] = true;
      if (c.baseline) kept[*c.baseline] = true;
    }
    compact(plan, kept);
    return true;
  } catch (const std::regex_error& error) {
    // The library's other codes are not to be trusted: it calls "*" a mismatched parenthesis.
    const bool too_slow = error.code() == std::regex_constants::error_complexity ||
                          error.code() == std::regex_constants::error_stack;
    diagnostics.push_back(
        {flag,
         {},
         "'" + filter + (too_slow ? "' takes too long to match" : "' is not a regular expression"),
         "characters such as ( [ { * + ? \\ stand for themselves after a \\"});
    return false;
  }
}

}  // namespace apod::plan
