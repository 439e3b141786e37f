#include "benchmarks/look/trace/find_steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/trace/window.hpp"

namespace apod::trace {
namespace {

constexpr double least_covered = 0.5;   ///< of the launches; ours
constexpr double least_part = 1.0 / 3;  ///< of the program that the repetitions must be; ours
constexpr std::size_t least_repeats = 3;
constexpr std::size_t many_repeats = 5;
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
  return text::holds_any(text::lower(name), words);
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

  auto rank() const {
    return std::tuple(own, says_step(name), ranges.size() >= many_repeats, mean_ns);
  }
};

std::size_t launched_within(const std::vector<Launched>& launched, std::int64_t from,
                            std::int64_t to) {
  return static_cast<std::size_t>(std::ranges::lower_bound(launched, to, {}, &Launched::at_ns) -
                                  std::ranges::lower_bound(launched, from, {}, &Launched::at_ns));
}

/// Ranges of one thread and name pattern that follow each other.
std::vector<Candidate> candidates_of(const Trace& trace, const std::vector<Launched>& launched,
                                     const std::string& wanted) {
  std::map<std::tuple<std::uint32_t, bool, std::string, std::string>, Ranges> groups;
  for (const auto& range : trace.ranges) {
    if (range.end_ns <= range.start_ns) continue;
    const bool named = !wanted.empty() && matches(range.name, wanted);
    // XLA marks each of its operations so, and NCCL its calls: parts of a step.
    if (!named && (range.name.starts_with("Thunk:") || range.domain == "NCCL")) continue;
    auto name = named ? wanted : numbered(range.name);
    groups[{range.thread, named || wanted.empty(), named ? "" : range.domain, std::move(name)}]
        .push_back(&range);
  }
  std::set<std::uint32_t> threads;
  for (const auto& one : launched) threads.insert(one.thread);
  std::vector<Candidate> all;
  for (auto& [key, ranges] : groups) {
    std::ranges::sort(ranges, {}, [](auto* one) { return std::pair(one->start_ns, -one->end_ns); });
    // A pattern may match a step and what lies within it, too: the outermost count.
    if (std::get<1>(key) && !wanted.empty()) {
      std::int64_t end = INT64_MIN;
      std::erase_if(ranges, [&](const auto* range) {
        const bool within = range->end_ns <= end;
        end = std::max(end, range->end_ns);
        return within;
      });
    }
    bool apart = true;
    for (std::size_t i = 1; i < ranges.size(); ++i)
      apart = apart && ranges[i]->start_ns >= ranges[i - 1]->end_ns;
    if (!apart) continue;
    // PyTorch's profiler opens one more range after the last step, in which nothing is launched.
    while (ranges.size() > 1 &&
           launched_within(launched, ranges.back()->start_ns, ranges.back()->end_ns) == 0) {
      ranges.pop_back();
    }
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
    constexpr auto end = std::numeric_limits<std::int64_t>::max();
    const auto all_after = launched_within(launched, ranges.front()->start_ns, end);
    const auto least = std::max(least_covered * static_cast<double>(all_between),
                                wanted.empty() ? least_part * static_cast<double>(all_after) : 0);
    one.covers = one.launches > 0 && static_cast<double>(one.launches) >= least;
    const bool same =
        std::ranges::all_of(ranges, [&](const auto* r) { return r->name == ranges[0]->name; });
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
      const auto next =
          std::ranges::lower_bound(steps.ranges, range->end_ns, {}, &NvtxRange::start_ns);
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
  std::ranges::sort(apart, {}, &NvtxRange::start_ns);
  return apart;
}

/// What look_up_range finds each range by: of several with one name "step/2" is the third.
std::unordered_map<const NvtxRange*, std::string> own_names(const Trace& trace) {
  std::map<std::string, Ranges> by_name;
  for (const auto& range : trace.ranges) {
    if (range.end_ns > range.start_ns) by_name[range.name].push_back(&range);
  }
  std::unordered_map<const NvtxRange*, std::string> names;
  for (const auto& [name, ranges] : by_name) {
    for (std::size_t i = 0; i < ranges.size(); ++i)
      names[ranges[i]] = ranges.size() == 1 ? name : name + '/' + std::to_string(i);
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

/// Launches by number: of the same kernel or kind of copy, and of the same grid and block as well.
struct Keys {
  std::vector<std::uint32_t> name;
  std::vector<std::uint32_t> shape;
};

Keys keys_of(const std::vector<Launched>& launched) {
  using Shape =
      std::tuple<std::uint32_t, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>>;
  std::map<std::string_view, std::uint32_t> names;
  std::map<Shape, std::uint32_t> shapes;
  const auto number = [](auto& numbers, const auto& key) {
    return numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  Keys keys;
  for (const auto& one : launched) {
    const auto& activity = *one.activity;
    keys.name.push_back(number(names, std::string_view(activity.name)));
    keys.shape.push_back(number(shapes, Shape{keys.name.back(), activity.grid, activity.block}));
  }
  return keys;
}

using Firsts = std::vector<std::size_t>;  ///< launches, by their place in the order

/// Repetitions that begin with one kind of launch. They are alike if their number of launches is
/// that of most, give or take a tenth: a library chooses other kernels for other shapes.
struct Period {
  Firsts at;                  ///< the first launch of each repetition, then the end of the last
  std::size_t usual = 0;      ///< launches of most
  double dense = 0;           ///< share of those from the first to the last of them
  double explained = 0;       ///< share of all launches that lie in repetitions alike
  std::int64_t pause_ns = 0;  ///< sum of those before each: where a step begins

  std::size_t count() const { return at.size() - 1; }
  std::size_t length(std::size_t i) const { return at[i + 1] - at[i]; }
  bool is_alike(std::size_t i) const {
    const auto more = std::max(length(i), usual) - std::min(length(i), usual);
    return more <= usual / 10;
  }
};

/// How many launches of one stretch the other one has, too, in whatever order.
std::size_t in_common(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (const auto name : one) ++counts[name];
  return static_cast<std::size_t>(std::ranges::count_if(other, [&](const auto name) {
    const auto found = counts.find(name);
    return found != counts.end() && found->second-- > 0;
  }));
}

/// Of the host before a launch, or of the device before an operation whose launch is not known.
std::int64_t pause_before(std::size_t i, const std::vector<Launched>& launched) {
  const auto& before = launched[i - 1];
  const auto from = launched[i].thread == 0 ? before.activity->end_ns : before.at_ns;
  return std::max<std::int64_t>(0, launched[i].at_ns - from);
}

/// Explains nothing if the repetitions are not dense, or a small part of the program. \p times: at
/// i the time of the first i operations.
Period period_of(Firsts at, const std::vector<Launched>& launched,
                 const std::vector<std::uint32_t>& names,
                 std::initializer_list<const std::vector<std::int64_t>*> times) {
  Firsts lengths;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) lengths.push_back(at[i + 1] - at[i]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  Period found{std::move(at), *middle};
  // The last repetition has no successor: it counts if it launches what the one before did. Two
  // threads may launch in another order.
  const auto of_usual = [&](std::size_t from) {
    return std::span(names).subspan(from, found.usual);
  };
  if (found.at.back() + found.usual <= names.size() &&
      found.length(found.count() - 1) == found.usual &&
      in_common(of_usual(found.at.end()[-2]), of_usual(found.at.back())) == found.usual) {
    found.at.push_back(found.at.back() + found.usual);
  }
  std::size_t first = 0;
  while (first < found.count() && !found.is_alike(first)) ++first;
  auto last = found.count();
  while (last > first && !found.is_alike(last - 1)) --last;
  found.at = Firsts(found.at.begin() + static_cast<std::ptrdiff_t>(first),
                    found.at.begin() + static_cast<std::ptrdiff_t>(last + 1));
  std::size_t alike = 0;
  std::size_t in_alike = 0;
  for (std::size_t i = 0; i < found.count(); ++i) {
    if (!found.is_alike(i)) continue;
    ++alike;
    in_alike += found.length(i);
    if (found.at[i] > 0) found.pause_ns += pause_before(found.at[i], launched);
  }
  const auto share = [](auto part, auto whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
  };
  const auto from = found.at.front();
  const auto to = found.at.back();
  found.dense = share(in_alike, to - from);
  const bool enough = alike >= least_repeats && found.dense >= least_covered &&
                      std::ranges::all_of(times, [&](const auto* time) {
                        return share((*time)[to] - (*time)[from], time->back()) >= least_part;
                      });
  if (enough) found.explained = share(in_alike, launched.size());
  return found;
}

/// Whether most of some repetitions launch about the same kernels as the one in the middle.
bool same_work(const Period& period, const std::vector<std::uint32_t>& names) {
  constexpr std::size_t most_looked_at = 9;
  constexpr std::size_t most_launches = 4096;  // of one repetition
  Firsts alike;
  for (std::size_t i = 0; i < period.count(); ++i) {
    if (period.is_alike(i)) alike.push_back(i);
  }
  const auto launches = [&](std::size_t i) {
    const auto from = period.at[alike[i]];
    return std::span(names).subspan(from, std::min(period.length(alike[i]), most_launches));
  };
  const auto usual = launches(alike.size() / 2);
  const auto looked_at = std::min(most_looked_at, alike.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    const auto both = in_common(usual, launches(i * (alike.size() - 1) / (looked_at - 1)));
    const auto all = std::min(period.usual, most_launches);
    if (static_cast<double>(both) >= often * static_cast<double>(all)) ++same;
  }
  return 4 * same >= 3 * looked_at;
}

/// Whether the steps are the `longer` repetitions. The `shorter` ones may be layers of a network:
/// then the longer ones cover launches that several layers in a row do not. If the longer ones are
/// few, as epochs are, they must also begin after longer pauses. Of loops that follow each other
/// the one that launches more counts; if they launch about as much the later, for inputs are made
/// first.
bool is_better(const Period& longer, const Period& shorter) {
  constexpr double more = 1.1;
  if (longer.at.front() >= shorter.at.back()) return more * longer.explained > shorter.explained;
  if (shorter.at.front() >= longer.at.back()) return longer.explained > more * shorter.explained;
  if (10 * longer.usual <= 11 * shorter.usual) {  // the same, with another beginning
    return longer.explained > 1.02 * shorter.explained ||
           (longer.explained > 0.98 * shorter.explained && longer.pause_ns > shorter.pause_ns);
  }
  const bool enough = longer.count() >= many_repeats || shorter.count() < many_repeats ||
                      longer.pause_ns > shorter.pause_ns;
  return enough && longer.dense > 1.005 * shorter.dense &&
         longer.explained > least_covered * shorter.explained;
}

/// Repetitions begin with launches of one kind, or with the first in each range of a name: phases.
Period best_period(const std::vector<Launched>& launched, const std::vector<Candidate>& ranges) {
  const auto keys = keys_of(launched);
  std::vector<std::int64_t> busy{0};
  std::vector<std::int64_t> kernels{0};
  for (const auto& one : launched) {
    const auto length = one.activity->end_ns - one.activity->start_ns;
    busy.push_back(busy.back() + length);
    kernels.push_back(kernels.back() + (one.activity->kind == Activity::Kind::kernel ? length : 0));
  }
  std::vector<Firsts> all;
  for (const auto* numbers : {&keys.shape, &keys.name}) {
    std::map<std::uint32_t, Firsts> places;
    for (std::size_t i = 0; i < numbers->size(); ++i) places[(*numbers)[i]].push_back(i);
    for (auto& [key, at] : places) all.push_back(std::move(at));
  }
  for (const auto& one : ranges) {
    auto& at = all.emplace_back();
    for (const auto* range : one.ranges) {
      const auto first = launched_within(launched, INT64_MIN, range->start_ns);
      if (one.own && (at.empty() || first > at.back())) at.push_back(first);
    }
  }
  std::vector<Period> periods;
  for (auto& at : all) {
    if (at.size() < least_repeats) continue;
    auto period = period_of(std::move(at), launched, keys.name, {&busy, &kernels});
    if (period.explained >= least_part) periods.push_back(std::move(period));
  }
  std::ranges::stable_sort(periods, [](const auto& a, const auto& b) { return a.usual < b.usual; });
  int tries = 100;  // of those that look better, as each is read again
  Period best;
  for (auto& period : periods) {
    const bool better = best.at.empty() || is_better(period, best);
    if (better && tries-- > 0 && same_work(period, keys.name)) best = std::move(period);
  }
  return best;
}

Marks find_period(const std::vector<Launched>& launched, const std::vector<Candidate>& ranges) {
  Marks found;
  const auto period = best_period(launched, ranges);
  if (period.at.empty()) return found;
  found.by = StepsBy::launches;
  const auto& first = *launched[period.at.front()].activity;
  found.name = first.kind == Activity::Kind::kernel ? short_kernel_name(first.name) : first.name;
  std::size_t others = 0;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < period.count(); ++i) {
    const auto from = launched[period.at[i]].at_ns;
    const auto end = period.at[i + 1];
    const auto to = end < launched.size() ? launched[end].at_ns : launched.back().at_ns + 1;
    const bool alike = period.is_alike(i);
    const auto number = alike ? steps++ : others++;
    found.marks.push_back({"repetition " + std::to_string(number), from, to, from, alike});
  }
  double shortest_ns = std::numeric_limits<double>::max();
  for (const auto& one : ranges) {
    const bool around = one.own && one.ranges.size() == 1 && one.mean_ns < shortest_ns &&
                        one.ranges[0]->start_ns <= found.marks.front().from_ns &&
                        one.ranges[0]->end_ns >= found.marks.back().to_ns;
    if (!around) continue;
    found.within = one.ranges[0]->name;
    shortest_ns = one.mean_ns;
  }
  if (others > 0) {
    found.apart.push_back("repetitions with a different number of launches (" +
                          std::to_string(others) + ")");
  }
  return found;
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
                 const std::string& wanted, bool by_ranges) {
  const auto all = candidates_of(trace, launched, wanted);
  if (std::ranges::none_of(all, [](const auto& one) { return one.may; }) && !wanted.empty())
    refuse_range(trace, "--step", "no range has a name like", wanted);
  const auto least = wanted.empty() ? std::size_t{2} : std::size_t{1};
  const auto repeats = [&](const Candidate& one) {
    const bool plain = one.name == one.ranges.front()->name;  // nothing but its repetition tells
    const bool enough = one.ranges.size() >= (plain && wanted.empty() ? least_repeats : least);
    return one.may && one.covers && enough;
  };
  std::size_t most = 0;
  for (const auto& one : all) most = repeats(one) ? std::max(most, one.launches) : most;
  const Candidate* best = nullptr;
  for (const auto& one : all) {
    if (!by_ranges || !repeats(one) || 2 * one.launches < most) continue;
    if (best == nullptr || one.rank() > best->rank()) best = &one;
  }
  if (best != nullptr) {
    auto marks = marks_of(trace, all, *best);
    marks.sure = !wanted.empty() || says_step(best->name);
    return marks;
  }
  if (!wanted.empty()) {
    throw std::runtime_error("--step: nothing was launched on this device within '" +
                             text::printable(wanted) + "'");
  }
  return launched.size() < least_repeats ? Marks{} : find_period(launched, all);
}

}  // namespace apod::trace
