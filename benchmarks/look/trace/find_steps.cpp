#include "benchmarks/look/trace/find_steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::trace {
namespace {

constexpr double least_covered = 0.5;  ///< of the launches; ours
constexpr std::size_t least_repeats = 3;
constexpr double often = 0.8;  ///< a range that lies between so many of the steps is a part of them
constexpr double long_apart = 0.1;  ///< of a step: what is shorter is not set apart

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// Whether a word of the name says that it is what a program repeats.
bool says_step(std::string_view name) {
  static constexpr std::array<std::string_view, 6> words{"step",  "iter",  "batch",
                                                         "frame", "token", "request"};
  std::string small(name);
  for (auto& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return small.find(word) != std::string::npos; });
}

bool matches(std::string_view name, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t cut = 0; cut <= name.size(); ++cut) {
    if (matches(name.substr(cut), pattern)) return true;
  }
  return false;
}

using Ranges = std::vector<const NvtxRange*>;

struct Candidate {
  std::uint32_t thread = 0;
  std::string name;
  Ranges ranges;
  std::size_t launches = 0;  ///< within them
  double mean_ns = 0;
  bool covers = false;
  bool own = false;  ///< its thread gave work to the device
  bool may = true;   ///< be the steps: the user named no others

  auto rank() const { return std::tuple(own, says_step(name), ranges.size() >= 5, mean_ns); }
};

std::size_t launched_within(const std::vector<Launched>& launched, std::int64_t from,
                            std::int64_t to) {
  const auto before = [](const Launched& one, std::int64_t at) { return one.at_ns < at; };
  return static_cast<std::size_t>(std::lower_bound(launched.begin(), launched.end(), to, before) -
                                  std::lower_bound(launched.begin(), launched.end(), from, before));
}

/// Ranges of one thread and name pattern that follow each other.
std::vector<Candidate> candidates_of(const Trace& trace, const std::vector<Launched>& launched,
                                     const std::string& wanted) {
  std::map<std::tuple<std::uint32_t, bool, std::string, std::string>, Ranges> groups;
  for (const auto& range : trace.ranges) {
    if (range.end_ns <= range.start_ns) continue;
    const bool named = !wanted.empty() && matches(range.name, wanted);
    auto name = named ? wanted : numbered(range.name);
    groups[{range.thread, named || wanted.empty(), named ? "" : range.domain, std::move(name)}]
        .push_back(&range);
  }
  std::set<std::uint32_t> threads;
  for (const auto& one : launched) threads.insert(one.thread);
  std::vector<Candidate> all;
  for (auto& [key, ranges] : groups) {
    std::sort(ranges.begin(), ranges.end(),
              [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
    bool apart = true;
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      apart = apart && ranges[i]->start_ns >= ranges[i - 1]->end_ns;
    }
    if (!apart) continue;
    Candidate one{std::get<0>(key), std::get<3>(key), ranges};
    one.may = std::get<1>(key);
    one.own = threads.contains(one.thread);
    for (const auto* range : ranges) {
      one.launches += launched_within(launched, range->start_ns, range->end_ns);
      one.mean_ns +=
          static_cast<double>(range->end_ns - range->start_ns) / static_cast<double>(ranges.size());
    }
    const auto all_between =
        launched_within(launched, ranges.front()->start_ns, ranges.back()->end_ns);
    one.covers = one.launches > 0 && static_cast<double>(one.launches) >=
                                         least_covered * static_cast<double>(all_between);
    const bool same = std::all_of(ranges.begin(), ranges.end(),
                                  [&](const auto* r) { return r->name == ranges[0]->name; });
    if (same && (wanted.empty() || !one.may)) one.name = ranges[0]->name;
    all.push_back(std::move(one));
  }
  return all;
}

/// Ranges of the thread between the steps that are not in most of them: a validation, a checkpoint.
Ranges set_apart(const std::vector<Candidate>& all, const Candidate& steps,
                 std::vector<std::string>& names) {
  Ranges apart;
  for (const auto& other : all) {
    if (&other == &steps || other.thread != steps.thread) continue;
    if (other.mean_ns < long_apart * steps.mean_ns) continue;
    Ranges between;
    std::set<const NvtxRange*> before;  // steps that such a range follows
    for (const auto* range : other.ranges) {
      const auto next = std::lower_bound(
          steps.ranges.begin(), steps.ranges.end(), range->end_ns,
          [](const NvtxRange* step, std::int64_t end) { return step->start_ns < end; });
      if (next == steps.ranges.begin() || next == steps.ranges.end()) continue;
      const auto* last = *(next - 1);
      if (last->end_ns > range->start_ns) continue;
      between.push_back(range);
      before.insert(last);
    }
    if (static_cast<double>(before.size()) >=
        often * static_cast<double>(steps.ranges.size() - 1)) {
      continue;
    }
    apart.insert(apart.end(), between.begin(), between.end());
    const auto count = between.size();
    if (count > 0) names.push_back(other.name + " (" + std::to_string(count) + ")");
  }
  std::sort(apart.begin(), apart.end(),
            [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
  return apart;
}

/// What find_range finds each range by: of several with one name "step/2" is the third.
std::unordered_map<const NvtxRange*, std::string> own_names(const Trace& trace) {
  std::map<std::string, Ranges> by_name;
  for (const auto& range : trace.ranges) {
    if (range.end_ns > range.start_ns) by_name[range.name].push_back(&range);
  }
  std::unordered_map<const NvtxRange*, std::string> names;
  for (const auto& [name, ranges] : by_name) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      names[ranges[i]] = ranges.size() == 1 ? name : name + '/' + std::to_string(i);
    }
  }
  return names;
}

Marks marks_of(const Trace& trace, const std::vector<Candidate>& all, const Candidate& steps) {
  const auto names = own_names(trace);
  Marks found{StepsBy::ranges, steps.name, {}, {}};
  const auto apart = set_apart(all, steps, found.apart);
  auto next = apart.begin();
  std::int64_t from = steps.ranges.front()->start_ns;
  for (const auto* range : steps.ranges) {
    for (; next != apart.end() && (*next)->end_ns <= range->start_ns; ++next) {
      // One may lie within another.
      if ((*next)->end_ns <= from) continue;
      found.marks.push_back({names.at(*next), from, (*next)->end_ns, (*next)->start_ns, false});
      from = (*next)->end_ns;
    }
    found.marks.push_back({names.at(range), from, range->end_ns, range->start_ns, true});
    from = range->end_ns;
  }
  return found;
}

/// What tells launches apart: kernel, grid and block, or the kind of the copy.
std::vector<std::uint32_t> keys_of(const std::vector<Launched>& launched) {
  using Key =
      std::tuple<std::string_view, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>>;
  std::map<Key, std::uint32_t> numbers;
  std::vector<std::uint32_t> keys;
  keys.reserve(launched.size());
  for (const auto& one : launched) {
    const auto& activity = *one.activity;
    const Key key{activity.name, activity.grid, activity.block};
    keys.push_back(
        numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return keys;
}

struct Period {
  std::vector<std::size_t> at;  ///< the first launch of each repetition
  double explained = 0;         ///< share of the launches, or of their time where that is less
  std::int64_t pause_ns = 0;    ///< sum of those before each: where a step begins
};

/// Repetitions that begin with each of `at`: segments with the same sequence of keys as most have.
Period period_of(std::vector<std::size_t> at, const std::vector<std::uint64_t>& hashes,
                 const std::vector<std::uint64_t>& powers, const std::vector<Launched>& launched) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> kinds;
  const auto kind = [&](std::size_t from, std::size_t to) {
    return std::pair(to - from, hashes[to] - hashes[from] * powers[to - from]);
  };
  for (std::size_t i = 0; i + 1 < at.size(); ++i) ++kinds[kind(at[i], at[i + 1])];
  const auto usual = std::max_element(
      kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Period found;
  // The last repetition has no successor: it counts where its launches are the same.
  const auto length = usual->first.first;
  const auto last = at.back();
  const bool whole = last + length < hashes.size() && kind(last, last + length) == usual->first;
  const auto repeats = usual->second + (whole ? 1 : 0);
  if (repeats < least_repeats) return found;
  std::int64_t all_ns = 0;
  std::int64_t repeated_ns = 0;
  for (std::size_t i = 0; i < launched.size(); ++i) {
    const auto& activity = *launched[i].activity;
    all_ns += activity.end_ns - activity.start_ns;
    if (i >= at.front() && i < last + length) repeated_ns += activity.end_ns - activity.start_ns;
  }
  found.explained =
      std::min(static_cast<double>(length * repeats) / static_cast<double>(launched.size()),
               all_ns > 0 ? static_cast<double>(repeated_ns) / static_cast<double>(all_ns) : 1);
  for (const auto first : at) {
    if (first > 0) found.pause_ns += launched[first].at_ns - launched[first - 1].at_ns;
  }
  if (whole) at.push_back(last + length);
  found.at = std::move(at);
  return found;
}

Marks find_period(const std::vector<Launched>& launched) {
  constexpr std::size_t most_kinds = 2000;  // of launches: the rarest are looked at
  const auto keys = keys_of(launched);
  std::map<std::uint32_t, std::vector<std::size_t>> places;
  std::vector<std::uint64_t> hashes{0};
  std::vector<std::uint64_t> powers{1};
  constexpr std::uint64_t base = 0x9E3779B97F4A7C15U;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    places[keys[i]].push_back(i);
    hashes.push_back(hashes.back() * base + keys[i] + 1);
    powers.push_back(powers.back() * base);
  }
  std::vector<const std::vector<std::size_t>*> rarest;
  for (const auto& [key, at] : places) {
    if (at.size() >= least_repeats) rarest.push_back(&at);
  }
  std::stable_sort(rarest.begin(), rarest.end(),
                   [](const auto* a, const auto* b) { return a->size() < b->size(); });
  if (rarest.size() > most_kinds) rarest.resize(most_kinds);
  Period best;
  for (const auto* at : rarest) {
    if (!best.at.empty() && at->size() > best.at.size()) break;  // a shorter period
    auto period = period_of(*at, hashes, powers, launched);
    if (period.explained < least_covered) continue;
    if (best.at.empty() || period.pause_ns > best.pause_ns) best = std::move(period);
  }
  Marks found;
  if (best.at.empty()) return found;
  found.by = StepsBy::launches;
  const auto& first = *launched[best.at.front()].activity;
  found.name = first.kind == Activity::Kind::kernel ? short_kernel_name(first.name) : first.name;
  for (std::size_t i = 0; i + 1 < best.at.size(); ++i) {
    const auto from = launched[best.at[i]].at_ns;
    const auto to = best.at[i + 1] < launched.size() ? launched[best.at[i + 1]].at_ns
                                                     : launched.back().at_ns + 1;
    found.marks.push_back({"repetition " + std::to_string(i), from, to, from, true});
  }
  return found;
}

[[noreturn]] void refuse(const Trace& trace, const std::string& wanted) {
  std::set<std::string> names;
  for (const auto& range : trace.ranges) names.insert(range.name);
  const auto near = text::closest(wanted, {names.begin(), names.end()});
  throw std::runtime_error("--step: " +
                           (names.empty() ? "no NVTX ranges were recorded"
                                          : "no range has a name like '" + text::printable(wanted) +
                                                "'" + text::in_brackets(text::did_you_mean(near)) +
                                                "; --table nvtx lists the ranges"));
}

}  // namespace

std::string numbered(const std::string& name) {
  for (const bool in_words : {false, true}) {
    std::string text;
    bool any = false;
    for (std::size_t i = 0; i < name.size();) {
      const bool in_word = i > 0 && is_letter(name[i - 1]);
      std::size_t end = i;
      while (end < name.size() && is_digit(name[end])) ++end;
      if (end == i) {
        text += name[i++];
        continue;
      }
      const bool replaced = !in_word || in_words;
      text += replaced ? "N" : name.substr(i, end - i);
      any = any || replaced;
      i = end;
    }
    if (any) return text;
  }
  return name;
}

Marks find_steps(const Trace& trace, const std::vector<Launched>& launched,
                 const std::string& wanted) {
  const auto all = candidates_of(trace, launched, wanted);
  if (std::none_of(all.begin(), all.end(), [](const auto& one) { return one.may; }) &&
      !wanted.empty()) {
    refuse(trace, wanted);
  }
  const auto least = wanted.empty() ? std::size_t{2} : std::size_t{1};
  std::size_t most = 0;
  for (const auto& one : all) most = one.covers && one.may ? std::max(most, one.launches) : most;
  const Candidate* best = nullptr;
  for (const auto& one : all) {
    const bool plain = one.name == one.ranges.front()->name;  // nothing but its repetition tells
    const bool enough = one.ranges.size() >= (plain && wanted.empty() ? least_repeats : least);
    if (!one.may || !one.covers || !enough || 2 * one.launches < most) continue;
    if (best == nullptr || one.rank() > best->rank()) best = &one;
  }
  if (best != nullptr) return marks_of(trace, all, *best);
  if (!wanted.empty()) {
    throw std::runtime_error("--step: nothing was launched on this device within '" +
                             text::printable(wanted) + "'");
  }
  return launched.size() < least_repeats ? Marks{} : find_period(launched);
}

}  // namespace apod::trace
