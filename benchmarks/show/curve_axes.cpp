#include "benchmarks/show/curve_axes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

/// Work that differs by no more is taken to be the same.
constexpr double same_work = 0.01;

/// Series that one panel has room for.
constexpr std::size_t most_series = 8;
/// Values that are nearer than this share of the range would be one point.
constexpr double least_gap = 0.005;

std::vector<std::string> axis_names(const Cases& cases) {
  std::vector<std::string> names{"experiment", "variant"};
  std::set<std::string> known(names.begin(), names.end());
  for (const auto* summary : cases) {
    for (const auto& [name, value] : summary->info->params.entries()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

CaseAxis axis_called(const std::string& name, const Result& result, const Cases& cases) {
  CaseAxis axis{name, {}, {}};
  for (const auto* summary : cases) {
    axis.values.push_back(name == "experiment" ? std::optional<AxisValue>(
                                                     result.plan.experiment_of(*summary->info).name)
                                               : axis_of(*summary->info, name));
  }
  axis.texts = text::without_shared_parts(axis_texts(axis.values));
  axis.numbers = std::ranges::all_of(
      axis.values, [&](const auto& value) { return quantity_on(name, value) != nullptr; });
  return axis;
}

/// Whether the values of `axes` together tell the value on `other`.
bool tell(const std::vector<const CaseAxis*>& axes, const CaseAxis& other) {
  std::map<std::vector<std::string>, std::string> seen;
  for (std::size_t i = 0; i < other.texts.size(); ++i) {
    std::vector<std::string> key;
    for (const auto* axis : axes) key.push_back(axis->texts[i]);
    const auto [found, is_new] = seen.emplace(std::move(key), other.texts[i]);
    if (!is_new && found->second != other.texts[i]) return false;
  }
  return true;
}

/// A number for each case; the same one for cases that are the same.
using Partition = std::vector<std::size_t>;

/// Those that are in one group of both are in one of the result.
Partition split_by(const Partition& groups, const Partition& by) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  Partition all;
  for (std::size_t i = 0; i < groups.size(); ++i)
    all.push_back(known.try_emplace({groups[i], by[i]}, known.size()).first->second);
  return all;
}

Partition partition_by(const CaseAxis& axis) {
  std::map<std::string, std::size_t> known;
  Partition all;
  for (const auto& text : axis.texts)
    all.push_back(known.try_emplace(text, known.size()).first->second);
  return all;
}

/// The axes without those whose values the others tell.
std::vector<CaseAxis> without_told(std::vector<CaseAxis> axes) {
  if (axes.empty()) return axes;
  const Partition one(axes.front().texts.size(), 0);
  std::vector<Partition> later{one};  // by the axes behind each, the last first
  for (std::size_t i = axes.size(); i-- > 1;)
    later.push_back(split_by(later.back(), partition_by(axes[i])));
  Partition earlier = one;  // by those that are kept
  std::vector<CaseAxis> kept;
  for (auto& axis : axes) {
    const auto is_only = kept.empty() && later.size() == 1;
    const auto others = split_by(earlier, later.back());
    const auto all = split_by(others, partition_by(axis));
    later.pop_back();
    if (!is_only && all == others) continue;
    earlier = split_by(earlier, partition_by(axis));
    kept.push_back(std::move(axis));
  }
  return kept;
}

CaseAxis take(std::vector<CaseAxis>& from, std::size_t index) {
  CaseAxis axis = std::move(from[index]);
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
  return axis;
}

/// Whether no two values are so near that one would hide the other, as 4095 and 4096 do.
bool can_be_told_apart(const CaseAxis& axis) {
  std::set<double> values;
  for (std::size_t i = 0; i < axis.values.size(); ++i) values.insert(axis.number(i));
  const bool wide = *values.begin() > 0 && *values.rbegin() / *values.begin() > 8;
  const auto place = [&](double value) { return wide ? std::log(value) : value; };
  const double range = place(*values.rbegin()) - place(*values.begin());
  if (range < least_gap * std::abs(place(*values.rbegin()))) return false;
  for (auto next = std::next(values.begin()); next != values.end(); ++next) {
    if (place(*next) - place(*std::prev(next)) < least_gap * range) return false;
  }
  return true;
}

std::size_t count_of(const std::vector<CaseAxis>& axes) {
  std::set<std::string> names;
  if (axes.empty()) return 1;
  for (std::size_t i = 0; i < axes.front().texts.size(); ++i) names.insert(name_by(axes, i));
  return names.size();
}

}  // namespace

std::size_t CaseAxis::distinct() const {
  return std::set<std::string>(texts.begin(), texts.end()).size();
}

double CaseAxis::number(std::size_t i) const {
  const auto* number = quantity_on(name, values[i]);
  return number == nullptr ? figure::no_value : static_cast<double>(*number);
}

CurveAxes curve_axes(const Result& result, const Cases& cases, const CurveChoice& choice) {
  CurveAxes axes;
  const auto names = axis_names(cases);
  for (const std::string* wanted : {&choice.x, &choice.by, &choice.facet}) {
    if (wanted->empty() || std::ranges::find(names, *wanted) != names.end()) continue;
    const auto near = text::closest(*wanted, names);
    throw std::invalid_argument(
        "'" + *wanted + "' is not an axis of these cases" +
        text::in_brackets(text::did_you_mean(near, "the axes are " + text::joined(names, ", "))));
  }
  std::vector<CaseAxis> varied;
  for (const auto& name : names) {
    CaseAxis axis = axis_called(name, result, cases);
    const bool named = name == choice.x || name == choice.by || name == choice.facet;
    if (axis.distinct() > 1 || named) varied.push_back(std::move(axis));
  }
  const auto index_of = [&](const std::string& name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < varied.size(); ++i) {
      if (varied[i].name == name) return i;
    }
    return std::nullopt;
  };
  std::optional<std::size_t> x = index_of(choice.x);
  for (std::size_t i = 0; i < varied.size() && choice.x.empty(); ++i) {
    const bool free = varied[i].name != choice.by && varied[i].name != choice.facet;
    const bool more = !x || varied[i].distinct() > varied[*x].distinct();
    const bool fit = varied[i].numbers && varied[i].distinct() > 1;
    if (fit && free && more && can_be_told_apart(varied[i])) x = i;
  }
  if (x && varied[*x].numbers) {
    axes.x = take(varied, *x);
  } else if (x) {
    axes.by.push_back(take(varied, *x));  // rows of words
  }
  if (const auto i = index_of(choice.facet)) axes.facet.push_back(take(varied, *i));
  if (const auto i = index_of(choice.by)) axes.by.push_back(take(varied, *i));
  // What follows from the axes that are shown already says nothing more.
  const auto drop_told = [&] {
    std::vector<const CaseAxis*> shown;
    if (axes.x) shown.push_back(&*axes.x);
    for (const auto* group : {&axes.by, &axes.facet}) {
      for (const auto& axis : *group) shown.push_back(&axis);
    }
    if (!shown.empty())
      std::erase_if(varied, [&](const CaseAxis& axis) { return tell(shown, axis); });
  };
  drop_told();
  // Few series: all of them in one panel.
  auto together = axes.by;
  together.insert(together.end(), varied.begin(), varied.end());
  if (choice.facet.empty() && (!axes.x || count_of(together) <= most_series)) {
    axes.by = axes.x ? std::move(together) : without_told(std::move(together));
    return axes;
  }
  if (axes.by.empty() && !varied.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < varied.size(); ++i) {
      const bool fits = varied[i].distinct() <= most_series;
      const bool variant = varied[i].name == "variant";
      if (fits && (variant || varied[best].distinct() > most_series)) best = i;
    }
    axes.by.push_back(take(varied, best));
    drop_told();
  }
  for (auto& axis : varied)
    (choice.facet.empty() ? axes.facet : axes.by).push_back(std::move(axis));
  return axes;
}

std::string name_by(const std::vector<CaseAxis>& axes, std::size_t i) {
  std::string name;
  for (const auto& axis : axes) {
    if (!axis.values[i]) continue;
    const bool number = std::holds_alternative<std::int64_t>(*axis.values[i]);
    if (!name.empty()) name += &axis == &axes[1] && axes[0].name == "experiment" ? ": " : ", ";
    name += (number ? axis.name + " " : "") + axis.texts[i];
  }
  return name;
}

bool are_rivals(const Result& result, const Cases& cases, const CurveAxes& axes) {
  return std::ranges::any_of(cases, [&](const CaseSummary* summary) {
    if (!summary->info->baseline) return false;
    const Case& base = result.plan.cases.at(*summary->info->baseline);
    if (base.experiment != summary->info->experiment) return false;
    return std::ranges::any_of(axes.by, [&](const CaseAxis& axis) {
      return axis_of(*summary->info, axis.name) != axis_of(base, axis.name);
    });
  });
}

std::map<double, std::map<std::string, std::size_t>> fastest_at(const Cases& cases,
                                                                const CurveAxes& axes) {
  std::map<double, std::map<std::string, std::size_t>> best;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!axes.x || !axes.x->values[i]) continue;
    auto& here = best[axes.x->number(i)];
    const auto [found, is_first] = here.try_emplace(name_by(axes.facet, i), i);
    if (!is_first && cases[i]->time().value < cases[found->second]->time().value) found->second = i;
  }
  return best;
}

int order_of(const CaseSummary& a, const CaseSummary& b, const std::string& fact) {
  const Estimate here = value_of(a, fact).value_or(Estimate{});
  const Estimate there = value_of(b, fact).value_or(Estimate{});
  // Of different work a rate does not follow from the time.
  constexpr double same_work = 1e-3;
  const double work = here.value * a.time().value / (there.value * b.time().value);
  const bool as_rate = is_rate(fact) && std::abs(work - 1) < same_work;
  if (fact == "time" || as_rate) {
    for (const auto& [one, other, sign] : {std::tuple{&a, &b, 1}, std::tuple{&b, &a, -1}}) {
      const auto* delta = one->fact("delta");
      if (delta == nullptr || !delta->has_interval()) continue;
      if (one->info->baseline != other->info->index) continue;
      return is_undecided(*delta) ? 0 : (delta->value > 0) == as_rate ? -sign : sign;
    }
  }
  constexpr double error_alone = 0.02;
  const auto end = [](const Estimate& one, double sign) {
    if (!one.has_interval()) return one.value * (1 + sign * error_alone);
    return sign < 0 ? one.low : one.high;
  };
  return end(here, 1) < end(there, -1) ? -1 : end(here, -1) > end(there, 1) ? 1 : 0;
}

std::vector<std::size_t> as_fast_as(const Cases& cases, const CurveAxes& axes, std::size_t i) {
  std::vector<std::size_t> level;
  for (std::size_t j = 0; j < cases.size(); ++j) {
    const bool is_beside = axes.x->values[j] && axes.x->number(j) == axes.x->number(i) &&
                           name_by(axes.facet, j) == name_by(axes.facet, i);
    if (is_beside && (j == i || order_of(*cases[i], *cases[j], "time") >= 0)) level.push_back(j);
  }
  return level;
}

std::vector<std::string> case_labels(const Result& result, const Cases& cases) {
  CurveAxes axes = curve_axes(result, cases, {});
  std::vector<CaseAxis> all = std::move(axes.by);
  all.insert(all.begin(), axes.facet.begin(), axes.facet.end());
  if (axes.x) all.push_back(std::move(*axes.x));
  std::stable_partition(all.begin(), all.end(),
                        [](const CaseAxis& axis) { return axis.name == "experiment"; });
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    labels.push_back(name_by(all, i));
    if (labels.back().empty()) labels.back() = cases[i]->info->id;
  }
  return labels;
}

std::optional<Estimate> value_of(const CaseSummary& summary, const std::string& fact) {
  if (const auto* known = summary.fact(fact)) return *known;
  const auto end = summary.number(fact);
  return end ? std::optional(Estimate{*end}) : std::nullopt;
}

std::string rate_of_bytes(const CaseSummary& summary) {
  return summary.fact("bus_bandwidth") != nullptr ? "bus_bandwidth" : "bandwidth";
}

std::string compared_fact(const Cases& cases) {
  double least = 0;
  double most = 0;
  std::size_t computing = 0;
  std::size_t moving = 0;
  std::set<std::string> rates;
  for (const auto* summary : cases) {
    const double bandwidth = summary->value(rate_of_bytes(*summary));
    computing += summary->computes ? 1 : 0;
    rates.insert(rate_of_bytes(*summary));
    moving += bandwidth > 0 ? 1 : 0;
    const double work = std::max(bandwidth, summary->value("flops")) * summary->time().value;
    least = summary == cases.front() ? work : std::min(least, work);
    most = std::max(most, work);
  }
  if (most <= least * (1 + same_work)) return "time";
  if (2 * computing > cases.size()) return "flops";
  return moving == cases.size() && rates.size() == 1 ? *rates.begin() : "time";
}

bool is_rate(const std::string& fact) {
  return fact == "bandwidth" || fact == "bus_bandwidth" || fact == "flops";
}

std::string spoken(std::string fact) {
  if (fact == "flops") return "arithmetic rate";
  if (fact == "speedup") return "times as fast as the baseline";
  std::replace(fact.begin(), fact.end(), '_', ' ');
  return fact;
}

}  // namespace apod::show
