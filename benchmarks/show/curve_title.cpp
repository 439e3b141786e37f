#include "benchmarks/show/curve_title.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

/// Characters of names in a title.
constexpr std::size_t longest_names = 80;

/// Which ceiling that of guides_of is.
Bound ceiling_of(const std::vector<Plotted>& shown, const std::string& fact) {
  if (fact == "bus_bandwidth") return Bound::peer;
  for (const auto& item : shown) {
    const auto& roofline = item.summary->roofline;
    if (fact == "bandwidth")
      return item.summary->fact("transfer_bytes") != nullptr ? Bound::transfer : Bound::memory;
    if (roofline && is_arithmetic(roofline->nearest)) return roofline->nearest;
  }
  return Bound::unknown;
}

/// Whether the one may take the place of the other: they share a baseline, or differ in the variant
/// alone. An upload is no rival of a download, however fast it is.
bool can_replace(const Case& a, const Case& b) {
  const bool together =
      a.baseline == b.index || b.baseline == a.index || (a.baseline && a.baseline == b.baseline);
  if (together) return true;
  const auto rest = [](const Case& one) {
    auto entries = one.params.entries();
    std::erase_if(entries, [](const auto& entry) { return entry.first == "variant"; });
    return entries;
  };
  return a.variant != b.variant && rest(a) == rest(b);
}

/// Whether the value is shown to rise, or fall, to `item`: its line ends there.
bool ends_its_line(const Line& line, const CaseAxis& x, const Plotted& item,
                   const std::string& fact) {
  bool moves = false;
  for (const auto* one : line) {
    if (x.number(one->index) > x.number(item.index)) return false;
    moves = moves || order_of(*one->summary, *item.summary, fact) != 0;
  }
  return moves;
}
}  // namespace

std::string line_name(const CurveAxes& axes, const Plotted& item) {
  return name_by(axes.facet, item.index) + "\n" + name_by(axes.by, item.index);
}

std::map<std::string, Line> lines_of(const std::vector<Plotted>& shown, const CurveAxes& axes) {
  std::map<std::string, Line> lines;
  for (const auto& item : shown) lines[line_name(axes, item)].push_back(&item);
  return lines;
}

std::string point_text(const Plotted& shown, const std::string& where, const std::string& fact) {
  const std::string interval = fact == "delta" ? "" : interval_text(shown.value, fact);
  return where + (where.empty() ? "" : ": ") +
         (fact == "delta" ? change_text(shown.value) : fact_text(fact, shown.value.value)) +
         (interval.empty() ? "" : " " + interval);
}

std::string message_of(const std::vector<Plotted>& shown, const CurveAxes& axes,
                       const std::string& fact, double ceiling_value) {
  const auto* info = find_fact(fact);
  const bool less = info == nullptr || info->better != Better::more;
  // As in the headline, an uncertain value can't win by chance.
  const auto is_better = [&](const Plotted& a, const Plotted& b) {
    return less ? at_most(a.value) < at_most(b.value) : at_least(a.value) > at_least(b.value);
  };
  const auto are_apart = [&](const Plotted& a, const Plotted& b) {
    return order_of(*a.summary, *b.summary, fact) != 0;
  };
  auto best = std::ranges::min_element(shown, is_better);
  // Where times overlap, the change against the baseline may still show which is less.
  for (auto one = shown.begin(); one != shown.end(); ++one) {
    if (order_of(*one->summary, *best->summary, fact) == (less ? -1 : 1)) best = one;
  }
  const auto second_of = [&](const Line& among) {
    const Plotted* second = nullptr;
    for (const auto* one : among) {
      if (one->summary == best->summary) continue;
      if (second == nullptr || is_better(*one, *second)) second = one;
    }
    return second;
  };
  std::string name = fact == "speedup" ? "the speedup over the baseline" : spoken(fact);
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  std::string with = name_by(axes.facet, best->index);
  const std::string by = name_by(axes.by, best->index);
  if (!by.empty()) with += (with.empty() ? "" : ", ") + by;
  with = text::shorten(text::printable(with), longest_names);
  const std::string value = point_text(*best, "", fact);
  std::string message;
  if (axes.x) {
    const auto at = [&](const Plotted& item) {
      return axes.x->name + " " + axes.x->texts[item.index];
    };
    const auto line = lines_of(shown, axes).at(line_name(axes, *best));
    const Plotted& most = **std::ranges::max_element(
        line, [](const Plotted* a, const Plotted* b) { return a->value.value < b->value.value; });
    const auto least_x = [&](const Plotted& item) {
      return std::ranges::all_of(shown, [&](const Plotted& other) {
        return axes.x->number(item.index) <= axes.x->number(other.index);
      });
    };
    if (less && least_x(*best) && ends_its_line(line, *axes.x, most, fact)) {
      // It grows with x, which is more of a message than where it is least.
      return fmt::format("{} rises from {} at {} to {} at {}{}", name, value, at(*best),
                         point_text(most, "", fact), at(most),
                         with.empty() ? "" : " (" + with + ")");
    }
    const auto* second = second_of(line);
    if (ends_its_line(line, *axes.x, *best, fact)) {
      message = fmt::format("{} {} to {} at {}", name, less ? "falls" : "rises", value, at(*best));
    } else if (second != nullptr && !are_apart(*best, *second)) {
      message = fmt::format("{} is {} at {}, not clearly different from {}", name, value, at(*best),
                            at(*second));
    } else {
      message =
          fmt::format("{} is {} at {}: {}", name, less ? "lowest" : "highest", at(*best), value);
    }
    if (!with.empty()) message += " (" + with + ")";
  } else {
    const auto named = [&](const Plotted& item) {
      const auto facet = name_by(axes.facet, item.index);
      const auto row = name_by(axes.by, item.index);
      return text::shorten(
          text::printable(facet + (facet.empty() || row.empty() ? "" : ", ") + row), longest_names);
    };
    const auto worst = std::ranges::max_element(shown, is_better);
    const bool all_rivals = std::ranges::all_of(shown, [&](const Plotted& item) {
      return item.summary == best->summary ||
             can_replace(*item.summary->info, *best->summary->info);
    });
    if (!all_rivals && !are_apart(*best, *worst)) {
      return fmt::format("{} is {} with {}, not clearly different from {}", name, value,
                         named(*best), named(*worst));
    }
    const auto other = point_text(*worst, "", fact);
    if (!all_rivals && other == value)
      return fmt::format("{} is {} in each of {} cases", name, value, shown.size());
    if (!all_rivals) {
      return fmt::format("{} goes from {} with {} to {} with {}", name, value, named(*best), other,
                         named(*worst));
    }
    Line rows;
    for (const auto& item : shown) rows.push_back(&item);
    const auto* second = second_of(rows);
    message =
        second != nullptr && !are_apart(*best, *second)
            ? fmt::format("{} is {} with {}, not clearly different from {}", name, value, with,
                          named(*second))
            : fmt::format("{} is {} with {}: {}", name, less ? "lowest" : "highest", with, value);
  }
  if (ceiling_value > 0 && is_rate(fact)) {
    const double share = best->value.value / ceiling_value;
    const auto bound = ceiling_of(shown, fact);
    const std::string ceiling = fmt::format("the measured {} ceiling", to_string(bound));
    if (share < visibly_above) {
      message += fmt::format(", {} of {}", fact_text("share_of_ceiling", share), ceiling);
    } else {
      message += ", above " + ceiling;
      // Work that was stated, and not done this way.
      if (bound == Bound::fp32 || bound == Bound::fp64 || bound == Bound::tensor)
        message +=
            fmt::format(" (the {} units do only a part of the counted work)", to_string(bound));
    }
  }
  return message;
}

std::string winners_of(const Result& result, const Cases& cases, const CurveAxes& axes) {
  if (!axes.x || axes.by.empty() || !are_rivals(result, cases, axes)) return "";
  std::size_t points = 0;
  std::map<std::string, std::size_t> wins;
  std::set<std::string> level;  // with another, somewhere
  for (const auto& [x, panels] : fastest_at(cases, axes)) {
    points += panels.size();
    for (const auto& [panel, fastest] : panels) {
      const auto all = as_fast_as(cases, axes, fastest);
      for (const auto i : all) {
        const auto* speedup = cases[i]->fact("speedup");
        if (speedup == nullptr) continue;
        if ((speedup->has_interval() ? speedup->low : speedup->value) <= 1) continue;
        ++wins[name_by(axes.by, i)];
        if (all.size() > 1) level.insert(name_by(axes.by, i));
      }
    }
  }
  const auto most = std::ranges::max_element(wins, {}, [](const auto& one) { return one.second; });
  if (most == wins.end()) return "No line beats its baseline";
  return fmt::format("{} is the fastest{}, and beats the baseline, at {} of {} points",
                     text::shorten(text::printable(most->first), longest_names),
                     level.contains(most->first) ? ", or as fast as another" : "", most->second,
                     points);
}

}  // namespace apod::show
