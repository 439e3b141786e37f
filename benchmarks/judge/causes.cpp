#include "benchmarks/judge/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/judge/recordings.hpp"

namespace apod::judge {
namespace {

/// ", worse" or ", better"; empty of a fact that has no better direction, and of one that differs
/// from process to process: it has no interval.
std::string_view direction(const FactInfo& fact, double before, double after) {
  if (fact.better == Better::neither || fact.needs == FactNeeds::command) return "";
  return (after > before) == (fact.better == Better::more) ? ", better" : ", worse";
}

std::string sentence(const FactInfo& fact, double before, double after) {
  const auto of_sides = [&](const auto& in_words) {
    return fmt::format("{} {} -> {}", fact.label, in_words(before), in_words(after));
  };
  auto text = of_sides([&](double value) { return text::format_quantity(value, fact.unit); });
  // Every digit of a number of bytes is worth it only where the first four are equal.
  const auto rounded = [](double value) { return text::format_rate(value, "B", {4, false}); };
  if (fact.unit == Unit::bytes && rounded(before) != rounded(after)) text = of_sides(rounded);
  if (fact.matters.kind == LeastChange::Kind::relative && before > 0 && after > 0)
    text += fmt::format(" ({:+.1f} %)", 100 * (after / before - 1));
  return text.append(direction(fact, before, after));
}

/// The one change of facts that has a name of its own.
std::optional<Cause> memory_kind(const SideCase& base, const SideCase& new_case) {
  // Whether most bytes are; what copied nothing went from no kind of memory.
  const auto is_pageable = [](const SideCase& c) -> std::optional<bool> {
    const auto pageable = c.facts.find("pageable_bytes");
    const double all = pageable.value_or(0) + c.facts.find("pinned_bytes").value_or(0);
    return pageable && all > 0 ? std::optional(*pageable > all / 2) : std::nullopt;
  };
  const auto before = is_pageable(base);
  const auto after = is_pageable(new_case);
  if (!before || !after || *before == *after) return std::nullopt;
  return Cause{"host_memory", *after ? "copies went from pinned to pageable host memory"
                                     : "copies went from pageable to pinned host memory"};
}

/// The first few of the kernels, so that a case with a hundred of them stays readable.
std::string listed(const std::set<std::string>& kernels) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels) names.push_back(without_parameters(kernel));
  return names.empty() ? "none" : text::first_few(names, 3);
}

/// Kernel -> the hashes that one side has of its machine code; none where it is not known.
using KernelCode = std::map<std::string, std::set<std::string>>;

KernelCode code_of(const SideCase& c) {
  KernelCode code;
  for (const auto& [kernel, hash] : c.kernel_code) {
    auto& hashes = code[kernel];
    if (!hash.empty()) hashes.insert(hash);
  }
  return code;
}

std::set<std::string> kernels_missing_in(const KernelCode& there, const KernelCode& here) {
  std::set<std::string> kernels;
  for (const auto& [kernel, hashes] : here) {
    if (there.count(kernel) == 0) kernels.insert(kernel);
  }
  return kernels;
}

enum class KernelBinary : std::uint8_t { unknown, same, differs };

/// Adds what differs between the machine code of the two sides. "same" means that all of it is
/// known.
KernelBinary compare_kernels(const SideCase& base, const SideCase& new_case,
                             std::vector<Cause>& causes) {
  const KernelCode before = code_of(base);
  const KernelCode after = code_of(new_case);
  if (before.empty() || after.empty()) return KernelBinary::unknown;
  std::set<std::string> changed;
  bool all_known = true;
  for (const auto& [kernel, hashes] : before) {
    const auto found = after.find(kernel);
    if (found == after.end()) continue;
    const bool known = !hashes.empty() && !found->second.empty();
    all_known = all_known && known;
    if (known && hashes != found->second) changed.insert(kernel);
  }
  if (!changed.empty()) causes.push_back({"kernel", "kernel binary differs: " + listed(changed)});
  const auto gone = kernels_missing_in(after, before);
  const auto come = kernels_missing_in(before, after);
  if (!gone.empty() || !come.empty()) {
    causes.push_back(
        {"kernel_names", fmt::format("different kernels: {} -> {}", listed(gone), listed(come))});
  }
  if (!changed.empty() || !gone.empty() || !come.empty()) return KernelBinary::differs;
  return all_known ? KernelBinary::same : KernelBinary::unknown;
}

/// Findings that only one side has. Both sides must be traced, or both not: an untraced case has
/// almost no findings.
void compare_findings(const SideCase& base, const SideCase& new_case, std::vector<Cause>& causes) {
  if (base.facts.find("span").has_value() != new_case.facts.find("span").has_value()) return;
  const auto tell = [&](const SideFindings& here, const SideFindings& there, const char* what) {
    for (const auto& [id, evidence] : here) {
      const bool in_both =
          std::ranges::any_of(there, [&](const auto& other) { return other.first == id; });
      if (in_both) continue;
      causes.push_back(
          {"findings/" + id.str(), what + id.str() + (evidence.empty() ? "" : ": " + evidence)});
    }
  };
  tell(new_case.findings, base.findings, "new finding: ");
  tell(base.findings, new_case.findings, "finding gone: ");
}

/// "1.2 ms -> 3.5 ms (+191.7 %)".
std::string changed_time(double before, double after) {
  auto text = fmt::format("{} -> {}", text::format_quantity(before, Unit::seconds),
                          text::format_quantity(after, Unit::seconds));
  if (before > 0 && after > 0) text += fmt::format(" ({:+.1f} %)", 100 * (after / before - 1));
  return text;
}

const char* direction(double before, double after) {
  return after > before ? ", worse" : ", better";
}

/// Of one traced run a side less than a tenth is no cause.
bool differ(double before, double after) {
  return std::abs(after - before) >= 0.1 * before;
}

/// Of the kernels of a traced run; 0 where a side has no launch.
std::map<std::string, LaunchChange> launches_by_name(const SideCase& base,
                                                     const SideCase& new_case) {
  std::map<std::string, LaunchChange> all;
  const auto take = [&](const Facts& facts, std::string_view prefix, double LaunchChange::*place) {
    for (const auto& [fact, value] : facts) {
      if (fact.str().starts_with(prefix)) all[fact.str().substr(prefix.size())].*place = value;
    }
  };
  take(base.facts, kernel_time_of, &LaunchChange::before_s);
  take(base.facts, launches_of, &LaunchChange::before);
  take(new_case.facts, kernel_time_of, &LaunchChange::after_s);
  take(new_case.facts, launches_of, &LaunchChange::after);
  return all;
}

std::string count_text(double launches) {
  return text::format_quantity(launches, Unit::count);
}

/// The kernels that account for most of it, each with all its launches.
void compare_kernel_times(const SideCase& base, const SideCase& new_case,
                          std::vector<Cause>& causes) {
  constexpr std::size_t shown = 3;
  constexpr double least_share = 0.01;  // of the time of all kernels
  const auto all = launches_by_name(base, new_case);
  double before_s = 0;
  double after_s = 0;
  std::vector<std::pair<std::string, LaunchChange>> moved;
  for (const auto& [name, launches] : all) {
    before_s += launches.before_s;
    after_s += launches.after_s;
    if (differ(launches.before_s, launches.after_s)) moved.emplace_back(name, launches);
  }
  // One that ran no kernel, or was not traced.
  if (before_s <= 0 || after_s <= 0) return;
  const auto size = [](const auto& one) {
    return std::abs(one.second.after_s - one.second.before_s);
  };
  std::erase_if(moved, [&](const auto& one) { return size(one) < least_share * before_s; });
  std::ranges::stable_sort(moved, std::ranges::greater(), size);
  if (moved.size() > shown) moved.resize(shown);
  for (const auto& [name, one] : moved) {
    const auto times =
        (one.before == one.after ? "" : count_text(one.before) + " -> ") + count_text(one.after);
    causes.push_back({std::string(kernel_time_of) + name,
                      fmt::format("kernel {}: {}, {} launch{}{}", without_parameters(name),
                                  changed_time(one.before_s, one.after_s), times,
                                  times == "1" ? "" : "es", direction(one.before_s, one.after_s))});
  }
}

/// What the device of a program did. This is not the time of the program.
void compare_device_times(const SideCase& base, const SideCase& new_case,
                          std::vector<Cause>& causes) {
  for (const auto& [name, what] : {std::pair{"kernel_time", "time during which a kernel runs"},
                                   std::pair{"copy_time", "time during which a copy runs"}}) {
    const auto before = base.facts.find(name).value_or(0);
    const auto after = new_case.facts.find(name).value_or(0);
    if (before <= 0 || after <= 0 || !differ(before, after)) continue;
    causes.push_back({name, fmt::format("{} {}{}", what, changed_time(before, after),
                                        direction(before, after))});
  }
  compare_kernel_times(base, new_case, causes);
}

/// Whether the fact would be known of cases like these: one of a command, or a row of another
/// program's file, has none of a kernel's, and a kernel has none of a command's.
bool is_to_be_known(const FactInfo& fact, const SideCase& base, const SideCase& new_case) {
  const auto either = [&](std::string_view name) {
    return base.facts.find(name).has_value() || new_case.facts.find(name).has_value();
  };
  if (either(fact.name)) return true;
  const auto has_own = [](const SideCase& c) {
    return std::ranges::any_of(c.facts,
                               [](const auto& one) { return !is_of_one_kernel(one.first.str()); });
  };
  const bool any = has_own(base) || has_own(new_case);
  return any && fact.needs != FactNeeds::command && !either("wall_time");
}

/// A processor's time that is little of a command's whole time moves it little, whatever its share.
bool may_move(const FactInfo& fact, double before, double after, const SideCase& base) {
  if (fact.needs != FactNeeds::command || fact.unit != Unit::seconds) return true;
  constexpr double least_share = 0.05;
  return std::abs(after - before) >= least_share * base.facts.find("wall_time").value_or(0);
}

/// Whether a property can change a time, like the build and the load of the machine. Names of
/// machines and people belong in the head of a report.
bool may_move_a_time(const std::string& key) {
  // A case has facts of its own for these.
  if (key == "other_gpu_processes" || key == "other_load") return false;
  // Another command is said once, of the whole comparison.
  if (key == "command" || key == "exit_code") return false;
  const auto* known = find_property(key);
  return known == nullptr || known->is_cause;
}

}  // namespace

std::string LaunchChange::text() const {
  return fmt::format("{} -> {} launches, together {}", count_text(before), count_text(after),
                     changed_time(before_s, after_s));
}

std::optional<LaunchChange> launch_change(const SideCase& base, const SideCase& new_case) {
  const auto value = [](const SideCase& c, std::string_view fact) {
    return c.facts.find(std::string(fact) + c.name).value_or(0);
  };
  const LaunchChange change{value(base, launches_of), value(new_case, launches_of),
                            value(base, kernel_time_of), value(new_case, kernel_time_of)};
  const bool known = change.before > 0 && change.after > 0 && change.before_s > 0 &&
                     change.after_s > 0 && change.before != change.after;
  return known ? std::optional(change) : std::nullopt;
}

std::vector<Cause> causes_of(const SideCase& base, const SideCase& new_case,
                             const std::vector<EnvironmentChange>& environment) {
  std::vector<Cause> causes;
  std::vector<std::string> unknown;
  if (auto cause = memory_kind(base, new_case)) causes.push_back(std::move(*cause));
  if (const auto change = launch_change(base, new_case))
    causes.push_back({"launches", change->text()});
  compare_findings(base, new_case, causes);
  const KernelBinary binary = compare_kernels(base, new_case, causes);
  const bool of_kernels = !base.facts.find("wall_time") && !new_case.facts.find("wall_time");
  if (binary == KernelBinary::unknown && of_kernels) unknown.emplace_back("kernel binary");
  if (!of_kernels) compare_device_times(base, new_case, causes);
  bool any_recorded = !base.kernel_code.empty() || !new_case.kernel_code.empty();
  for (const auto& fact : known_facts()) {
    if (fact.matters.kind == LeastChange::Kind::none) continue;
    auto before = base.facts.find(fact.name);
    auto after = new_case.facts.find(fact.name);
    any_recorded = any_recorded || before || after;
    if (fact.name == "memory_places") {  // earlier results had one and don't say so
      before = before.value_or(1);
      after = after.value_or(1);
    }
    if (!before || !after) {
      if (is_to_be_known(fact, base, new_case)) unknown.emplace_back(fact.label);
    } else if (matters(fact, *before, *after) && may_move(fact, *before, *after, base)) {
      causes.push_back({std::string(fact.name), sentence(fact, *before, *after)});
    }
  }
  for (const auto& change : environment) {
    if (may_move_a_time(change.key)) causes.push_back({"environment/" + change.key, change.text});
  }
  const bool same_binary = binary == KernelBinary::same;
  if (causes.empty() && any_recorded) {
    causes.push_back({"none", same_binary ? "kernel binary and all recorded facts are equal"
                                          : "no recorded fact differs"});
  } else if (same_binary) {
    causes.push_back({"kernel", "kernel binary is the same"});
  }
  if (any_recorded && !unknown.empty()) {
    causes.push_back(
        {"unknown", "not recorded on at least one side: " + text::first_few(unknown, 3)});
  }
  return causes;
}

std::vector<std::string> finding_changes(const Side& base, const Side& new_side) {
  std::vector<std::string> changes;
  if (!are_recordings(base) || !are_recordings(new_side)) return changes;
  for (const auto& c : base.cases) {
    const auto other = std::ranges::find_if(
        new_side.cases, [&](const auto& candidate) { return candidate.name == c.name; });
    if (other == new_side.cases.end()) continue;
    std::vector<Cause> causes;
    compare_findings(c, *other, causes);
    for (auto& cause : causes) changes.push_back(std::move(cause.text));
  }
  return changes;
}

}  // namespace apod::judge
