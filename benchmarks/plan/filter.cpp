#include "benchmarks/plan/filter.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "benchmarks/text/closest.hpp"

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
  const auto near = text::closest(filter, {parts.begin(), parts.end()});
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

/// Keeps the cases that are wanted, and their baselines.
template <class Wanted>
bool keep(Plan& plan, Wanted wanted) {
  std::vector<bool> kept(plan.cases.size(), false);
  bool any = false;
  for (const auto& c : plan.cases) {
    if (!wanted(c.id)) continue;
    any = true;
    kept[c.index] = true;
    if (c.baseline) kept[*c.baseline] = true;
  }
  if (any) compact(plan, kept);
  return any;
}

constexpr std::size_t longest_filter = 256;
constexpr double most_repeats = 20;

/// How often the counts of an expression, such as {2,10}, repeat a part at most. They multiply
/// where one is inside another; that they always do is assumed.
double repeats_of(const std::string& filter) {
  double repeats = 1;
  for (std::size_t at = filter.find('{'); at != std::string::npos; at = filter.find('{', at + 1)) {
    double most = 1;
    double number = 0;
    for (std::size_t i = at + 1; i < filter.size() && filter[i] != '}'; ++i) {
      const bool digit = filter[i] >= '0' && filter[i] <= '9';
      number = digit ? 10 * number + (filter[i] - '0') : 0;
      most = std::max(most, number);
    }
    repeats *= most;
  }
  return repeats;
}

void add(Diagnostics& diagnostics, const std::string& message, const std::string& hint) {
  diagnostics.push_back({flag, {}, message, hint});
}

}  // namespace

std::optional<std::regex> read_filter(const std::string& filter, Diagnostics& diagnostics) {
  if (filter.size() > longest_filter) {
    add(diagnostics, "the expression has " + std::to_string(filter.size()) + " characters",
        "it may have " + std::to_string(longest_filter));
    return std::nullopt;
  }
  if (repeats_of(filter) > most_repeats) {
    add(diagnostics, "'" + filter + "' repeats a part more than 20 times", "write * or +");
    return std::nullopt;
  }
  try {
    // Backtracking would take exponential time for expressions such as (a*)*b, and overflow the
    // stack on long ids. The library's other way to match does neither, but can't refer back.
    return std::regex(filter, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    const bool refers_back = error.code() == std::regex_constants::error_complexity;
    // The library's other codes are not to be trusted: it calls "*" a mismatched parenthesis.
    add(diagnostics,
        "'" + filter +
            (refers_back ? "' refers back to what it matched" : "' is not a regular expression"),
        "characters such as ( [ { * + ? \\ stand for themselves after a \\");
    return std::nullopt;
  }
}

bool apply_filter(Plan& plan, const std::regex& expression) {
  return keep(plan, [&](const std::string& id) { return std::regex_search(id, expression); });
}

bool apply_filter(Result& result, const std::regex& expression) {
  std::vector<std::string> ids;  // a filter moves cases
  for (const auto& c : result.plan.cases) ids.push_back(c.id);
  if (!apply_filter(result.plan, expression)) return false;
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
  return true;
}

bool keep_only(Plan& plan, const std::vector<std::string>& ids) {
  const std::set<std::string> wanted(ids.begin(), ids.end());
  return keep(plan, [&](const std::string& id) { return wanted.count(id) > 0; });
}

Diagnostic no_match(const Plan& plan, const std::string& filter) {
  return {flag,
          {},
          "'" + filter + "' matches none of " + std::to_string(plan.cases.size()) + " cases",
          hint_for(plan, filter)};
}

}  // namespace apod::plan
