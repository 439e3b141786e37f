#include "benchmarks/judge/unpaired.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

using CasesByName = std::map<std::string_view, const SideCase*>;

CasesByName cases_by_name(const Side& side) {
  CasesByName cases;
  for (const auto& c : side.cases) cases.emplace(c.name, &c);
  return cases;
}

/// "x is left out: why", or "3 cases, the first x, are left out: why"; nothing where there is none.
void note_left_out(const std::vector<std::string>& names, const char* why,
                   std::vector<std::string>& notes) {
  if (names.empty()) return;
  const bool one = names.size() == 1;
  notes.push_back(
      one ? fmt::format("{} is left out: {}", names[0], why)
          : fmt::format("{} cases (the first: {}) are left out: {}", names.size(), names[0], why));
}

/// How much of the longer name is at the begin or the end of both.
double likeness(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  std::size_t front = 0;
  while (front < a.size() && a[front] == b[front]) ++front;
  std::size_t back = 0;
  while (front + back < a.size() && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return static_cast<double>(front + back) / static_cast<double>(b.size());
}

double time_of_case(const Side& side, const SideCase& c) {
  return c.times.empty() ? 0 : estimate_time(medians_of(side, c)).value;
}

bool is_zero(const SideCase& c) {
  return c.times.empty() && c.failed.ends_with(": 0 s is not a time");
}

}  // namespace

std::vector<std::string> take_out_settled(Side& base, Side& new_side) {
  const auto after = cases_by_name(new_side);
  const auto days = days_of(base);
  std::vector<std::string> gone;
  std::set<std::string> zero;
  // One partial run, or one night in which a case failed, removes nothing.
  constexpr std::size_t many_days = 5;
  const auto lacks_last = [&](const SideCase& c, std::size_t last) {
    return std::ranges::none_of(c.times, [&](const ProcessTime& time) {
      return days.of_session[time.session] + last >= days.count;  // or without a date
    });
  };
  std::erase_if(base.cases, [&](const SideCase& c) {
    if (!lacks_last(c, 1)) return false;
    const auto other = after.find(c.name);
    if (other == after.end()) {
      if (c.times.empty() || !c.failed.empty() || !lacks_last(c, many_days)) return false;
      gone.push_back(c.name);
      return true;
    }
    const bool failed_otherwise = c.times.empty() && !is_zero(c);
    if (!is_zero(*other->second) || failed_otherwise) return false;
    zero.insert(c.name);
    return true;
  });
  std::erase_if(new_side.cases, [&](const SideCase& c) { return zero.contains(c.name); });
  std::vector<std::string> notes;
  note_left_out(gone, "missing on the new side and in the last five days of the base", notes);
  note_left_out({zero.begin(), zero.end()}, "the value is 0 on both sides", notes);
  return notes;
}

std::vector<std::string> renamed_cases(const Side& base, const Side& new_side) {
  constexpr std::size_t most = 200;  // more are another suite
  constexpr double near_names = 0.6;
  const double alike = std::log(1.1);
  const auto before = cases_by_name(base);
  const auto after = cases_by_name(new_side);
  std::vector<std::string> names;
  for (const auto& c : new_side.cases) {
    if (!before.contains(c.name) && !c.times.empty()) names.push_back(c.name);
  }
  if (names.size() > most) return {};
  std::size_t count = 0;
  std::string first;
  for (const auto& c : base.cases) {
    if (after.contains(c.name) || c.times.empty()) continue;
    const double time_s = time_of_case(base, c);
    std::string near;
    double best = near_names;
    for (const auto& name : names) {
      const double ratio = time_of_case(new_side, *after.at(name)) / time_s;
      if (std::abs(std::log(ratio)) > alike || likeness(c.name, name) < best) continue;
      best = likeness(c.name, name);
      near = name;
    }
    if (near.empty()) continue;
    std::erase(names, near);
    if (count++ == 0) first = fmt::format("{} -> {}", c.name, near);
  }
  if (count == 0) return {};
  const auto what = count == 1 ? first : fmt::format("{} cases, such as {}", count, first);
  return {fmt::format("perhaps renamed: {} (similar names, times within 10 %)", what)};
}

void tell_times(const Side& base, const Side& new_side, Comparison& comparison) {
  constexpr double unlikely = 500;
  const auto before = cases_by_name(base);
  const auto after = cases_by_name(new_side);
  std::size_t far = 0;
  std::string first;
  for (auto& c : comparison.cases) {
    if (c.verdict == Verdict::invalid && before.contains(c.name) && after.contains(c.name)) {
      const double base_s = time_of_case(base, *before.at(c.name));
      const double new_s = time_of_case(new_side, *after.at(c.name));
      if (base_s > 0 && new_s > 0) {
        c.base_s = base_s;
        c.new_s = new_s;
        c.change = {new_s / base_s - 1};
      }
    }
    if (c.base_s > 0 && c.new_s > 0 &&
        std::abs(std::log(c.new_s / c.base_s)) > std::log(unlikely) && far++ == 0) {
      first = c.name;
    }
  }
  if (far == 0) return;
  comparison.notes.insert(
      comparison.notes.begin(),
      fmt::format(
          "{} (the first: {}) changed by more than a factor of 500: perhaps the unit changed",
          text::counted(far, "case"), first));
}

}  // namespace apod::judge
