#include "benchmarks/judge/same_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "benchmarks/judge/sessions.hpp"

namespace apod::judge {
namespace {

bool is_on_host(const Side& side) {
  return std::all_of(side.sessions.begin(), side.sessions.end(), [](const SideSession& session) {
    return property(session, "backend") == "host";
  });
}

bool runs_no_kernel(const SideCase& c) {
  return c.facts.find("kernels") == 0.0;
}

bool knows_its_kernels(const SideCase& c) {
  return !c.kernel_code.empty() &&
         std::none_of(c.kernel_code.begin(), c.kernel_code.end(),
                      [](const auto& kernel) { return kernel.second.empty(); });
}

/// What differs, or may; empty where nothing does.
std::string difference(const SideCase& base, const SideCase& new_case, bool on_host) {
  if (!base.failed.empty() || !new_case.failed.empty())
    return "the machine code could not be recorded";
  if (base.params != new_case.params) return "the parameters differ";
  if (base.version != new_case.version) return "the settings differ";
  if (on_host || (runs_no_kernel(base) && runs_no_kernel(new_case))) return "";
  if (!knows_its_kernels(base) || !knows_its_kernels(new_case))
    return "the machine code of the kernels was not recorded";
  return base.kernel_code == new_case.kernel_code ? "" : "the machine code of the kernels differs";
}

}  // namespace

ChangedCases changed_cases(const Side& base, const Side& new_side) {
  const bool on_host = is_on_host(base) && is_on_host(new_side);
  std::map<std::string_view, const SideCase*> others;
  for (const auto& c : new_side.cases) others.emplace(c.name, &c);
  ChangedCases changed;
  std::set<std::string_view> identical;
  std::map<std::string, std::size_t> reasons;
  for (const auto& c : base.cases) {
    const auto other = others.find(c.name);
    const auto why = other == others.end() ? "only the base has this case"
                                           : difference(c, *other->second, on_host);
    if (why.empty()) {
      identical.insert(c.name);
      changed.identical.push_back(c.name);
      continue;
    }
    changed.base.push_back(c.name);
    if (other != others.end()) ++reasons[why];
  }
  for (const auto& c : new_side.cases) {
    if (!identical.contains(c.name)) changed.new_side.push_back(c.name);
  }
  for (const auto& [why, count] : reasons) {
    changed.why.push_back(count == 1 ? "1 case is measured: " + why
                                     : fmt::format("{} cases are measured: {}", count, why));
  }
  return changed;
}

}  // namespace apod::judge
