#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/case_columns.hpp"
#include "benchmarks/show/curve_title.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

using figure::Figure;
using figure::Scale;

constexpr std::size_t most_panels = 12;
constexpr std::size_t most_drawn_rows = 60;  ///< or lines
/// Axes of fewer values have a tick at each.
constexpr std::size_t few_ticks = 9;
/// From this ratio of the largest to the smallest value on, ratios matter more than differences.
constexpr double wide_x = 8;
constexpr double wide_times = 20;
constexpr double wide_rates = 100;
constexpr double wide_bars = 30;

/// A line to hold values against is in reach up to this multiple of the largest.
constexpr double in_reach = 4;
/// Below this share of the largest, a time to hold values against lies on the axis.
constexpr double in_sight = 0.02;
/// A few values this many times as large as all others press these together on a linear scale.
constexpr double far_above = 3;
constexpr std::size_t few_of = 5;     ///< one in so many
constexpr std::size_t most_lone = 3;  ///< lone points that a note names
/// What differs by less is the same ceiling.
constexpr double same_ceiling = 0.01;

/// The value that `of` has for all cases with a number; 0 if they differ.
template <class Of>
double common(const std::vector<Plotted>& shown, const Of& of) {
  double least = 0;
  double most = 0;
  for (const auto& item : shown) {
    const double value = of(*item.summary);
    if (std::isnan(value)) continue;
    if (!(value > 0)) return 0;
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  return most <= least * (1 + same_ceiling) ? most : 0;
}

/// What the bandwidth of both directions together is where the longer one has its full rate.
double at_share(const CaseSummary& summary, double share) {
  return share > 0 ? summary.value("bandwidth") / share : 0;
}

/// The measured ceiling and the theoretical peak of the fact, where they are the same for all cases
/// and in reach.
std::vector<figure::Guide> guides_of(const Result& result, const std::vector<Plotted>& shown,
                                     const std::string& fact) {
  std::vector<figure::Guide> guides;
  double most = 0;
  for (const auto& item : shown) most = std::max(most, item.value.value);
  const auto add = [&](const std::string& name, double value, bool dashed) {
    if (!(value > 0) || value > most * in_reach) return;
    if (fact == "time" && value < most * in_sight) return;
    guides.push_back(figure::level_guide(name + " " + fact_text(fact, value), value, dashed));
  };
  const double ceiling = common(shown, [&](const CaseSummary& s) {
    if (!s.roofline) return 0.0;
    const bool bytes =
        s.roofline->nearest == Bound::memory || s.roofline->nearest == Bound::transfer;
    if (fact == "time") return s.time().value * s.roofline->share;
    if (fact == "bus_bandwidth")
      return s.roofline->nearest == Bound::peer ? s.roofline->ceiling : 0;
    if (fact == "bandwidth" && s.fact("transfer_bytes") != nullptr)
      return at_share(s, bytes ? s.roofline->share : 0);
    if (fact == "bandwidth") {
      const double memory = s.roofline->memory_ceiling_bytes_per_s;
      return memory > 0 ? memory : (bytes ? s.roofline->ceiling : 0.0);
    }
    // Small problems of an experiment may be bound by memory, which says nothing of arithmetic.
    if (fact != "flops") return 0.0;
    return is_arithmetic(s.roofline->nearest) ? s.roofline->ceiling : figure::no_value;
  });
  add(fact == "time" ? "at the measured ceiling" : "measured ceiling", ceiling, false);
  const auto& device = result.environment.device;
  const bool on_device = std::ranges::all_of(
      shown, [&](const Plotted& item) { return item.summary->info->backend == device.backend; });
  if (!on_device) return guides;
  const double peak = common(shown, [&](const CaseSummary& s) {
    const Bound bound = s.peak.bound;
    if (fact == "bandwidth") {
      return s.fact("transfer_bytes") != nullptr ? at_share(s, s.value("share_of_peak"))
                                                 : device.peak_memory_bytes_per_s;
    }
    if (fact != "flops") return 0.0;
    if (bound == Bound::memory) return figure::no_value;
    return bound == Bound::fp64 ? device.peak_fp64_flops
                                : (bound == Bound::fp32 ? device.peak_fp32_flops : 0.0);
  });
  add("peak", peak, true);
  return guides;
}

std::vector<Plotted> plotted_cases(const Cases& cases, const std::string& fact) {
  std::vector<Plotted> shown;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (const auto value = value_of(*cases[i], fact)) shown.push_back({i, cases[i], *value});
  }
  return shown;
}

void check_fact(const Cases& cases, const std::string& fact) {
  if (fact.empty()) return;
  std::vector<std::string> names;
  for (const auto* summary : cases) {
    if (value_of(*summary, fact)) return;
    for (const auto& entry : summary->facts) names.push_back(entry.first);
  }
  const auto near = text::closest(fact, names);
  throw std::invalid_argument("none of these cases has the fact '" + fact + "'" +
                              text::in_brackets(text::did_you_mean(near, to_see_facts)));
}

/// From which value on points press all others together on a linear scale: a few points, or whole
/// lines. Infinite where none do. `are_few`: they can be said in words.
double far_limit(const std::vector<Plotted>& shown, const CurveAxes& axes, bool& are_few) {
  std::vector<double> values;
  for (const auto& item : shown) values.push_back(item.value.value);
  std::ranges::sort(values, std::greater<>());
  const auto lines = lines_of(shown, axes);
  double limit = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (!(values[k] > 0 && values[k - 1] >= far_above * values[k])) continue;
    bool are_lines = true;
    bool are_points = true;
    bool are_others_lines = false;
    for (const auto& [name, line] : lines) {
      const auto above = std::ranges::count_if(
          line, [&](const auto* one) { return one->value.value >= values[k - 1]; });
      are_lines = are_lines && (above == 0 || above == std::ssize(line));
      are_points = are_points && (above == 0 || line.size() == 1);
      are_others_lines = are_others_lines || (above == 0 && line.size() > 1);
    }
    const bool one_in_few = k * few_of <= values.size();
    if (!one_in_few && !(are_lines && are_others_lines)) continue;
    limit = values[k - 1];
    are_few = one_in_few || (are_points && k <= most_lone);
  }
  return limit;
}

text::Unit unit_of(const std::string& fact) {
  const auto* info = find_fact(fact);
  return info == nullptr ? text::Unit::ratio : info->unit;
}

/// All that is drawn: a wide interval must not press the values together on a linear scale.
std::vector<double> with_intervals(const std::vector<Plotted>& shown) {
  std::vector<double> values;
  for (const auto& item : shown) {
    values.push_back(item.value.value);
    for (const double end : {item.value.low, item.value.high}) {
      if (end > 0 && std::isfinite(end)) values.push_back(end);
    }
  }
  return values;
}

double ratio_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  return values.empty() || !(*least > 0) ? 0 : *most / *least;
}

Scale x_scale(const std::vector<double>& values, std::optional<bool> wanted) {
  const bool log = wanted.value_or(ratio_of(values) >= wide_x);
  if (!log || !(ratio_of(values) > 0)) return Scale::linear;
  const auto powers = std::ranges::count_if(values, [](double value) {
    return value >= 1 && std::has_single_bit(static_cast<std::uint64_t>(value));
  });
  return 2 * static_cast<std::size_t>(powers) > values.size() ? Scale::log2 : Scale::log10;
}

std::set<const CaseSummary*> baselines_of(const Cases& cases) {
  std::set<std::size_t> indices;
  for (const auto* summary : cases) {
    if (summary->info->baseline) indices.insert(*summary->info->baseline);
  }
  std::set<const CaseSummary*> found;
  for (const auto* summary : cases) {
    if (indices.contains(summary->info->index)) found.insert(summary);
  }
  return found;
}

figure::Panel& panel_of(Figure& figure, const std::string& title) {
  for (auto& panel : figure.panels) {
    if (panel.title == title) return panel;
  }
  return figure.panels.emplace_back(figure::Panel{title});
}

figure::Series& series_of(figure::Panel& panel, const std::string& name, figure::Mark mark,
                          Page& page) {
  for (auto& series : panel.series) {
    if (series.name == name) return series;
  }
  return panel.series.emplace_back(figure::Series{name, mark, {}, page.color_of(name)});
}

/// Keeps the lines that a reader can tell apart, and notes how many there were.
void keep_first_lines(Figure& figure, std::vector<Plotted>& shown, const CurveAxes& axes) {
  std::set<std::string> kept;
  std::set<std::string> left;
  std::erase_if(shown, [&](const Plotted& item) {
    auto name = line_name(axes, item);
    if (kept.size() < most_drawn_rows) kept.insert(name);
    if (kept.contains(name)) return false;
    left.insert(std::move(name));
    return true;
  });
  if (left.empty()) return;
  figure.notes.push_back(fmt::format("the first {} of {} lines; all are in the table", kept.size(),
                                     kept.size() + left.size()));
}

void add_lines(Figure& figure, std::vector<Plotted> shown, const CurveAxes& axes,
               const std::string& fact, const CurveChoice& choice, Page& page) {
  const auto are_wide = [&](const std::vector<Plotted>& some) {
    return ratio_of(with_intervals(some)) > (is_rate(fact) ? wide_rates : wide_times);
  };
  bool are_few = false;
  const double limit =
      fact != "time" ? std::numeric_limits<double>::infinity() : far_limit(shown, axes, are_few);
  auto near = shown;
  std::erase_if(near, [&](const Plotted& item) { return item.value.value >= limit; });
  // A few far below all others lie near 0 on a linear scale, which leaves the others their room.
  std::ranges::sort(near, {}, [](const Plotted& item) { return item.value.value; });
  for (auto k = near.size() / few_of; k > 0; --k) {
    if (near[k].value.value < far_above * near[k - 1].value.value) continue;
    near.erase(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(k));
    break;
  }
  are_few = are_few && !choice.log_y.value_or(are_wide(near));
  const bool logarithmic =
      !are_few && choice.log_y.value_or(std::isfinite(limit) || are_wide(near));
  std::erase_if(shown, [&](const Plotted& item) {
    if (!are_few || item.value.value < limit) return false;
    const std::string by = name_by(axes.by, item.index);
    figure.notes.push_back(
        "not drawn, because it is far above the others: " +
        point_text(item,
                   (by.empty() ? "" : by + ", ") + axes.x->name + " " + axes.x->texts[item.index],
                   fact));
    return true;
  });
  keep_first_lines(figure, shown, axes);
  std::vector<double> xs;
  std::vector<double> ys;
  std::map<double, std::string> ticks;
  for (const auto& item : shown) {
    xs.push_back(axes.x->number(item.index));
    ys.push_back(item.value.value);
    ticks.emplace(xs.back(), axes.x->texts[item.index]);
  }
  figure.x = {axes.x->name, text::Unit::count, x_scale(xs, choice.log_x)};
  if (ticks.size() < few_ticks) {
    for (const auto& [value, text] : ticks) figure.x.ticks.push_back({value, text});
  }
  const double ratio = ratio_of(ys);
  const bool wide = logarithmic && ratio_of(with_intervals(shown)) > 0;
  figure.y = {spoken(fact), unit_of(fact), wide ? Scale::log10 : Scale::linear};
  figure.y.from_zero =
      figure.y.scale == Scale::linear && fact != "delta" && (ratio > 1.3 || choice.from_zero);
  figure.y.also = choice.also;
  for (const auto& item : shown) {
    figure::Panel& panel = panel_of(figure, name_by(axes.facet, item.index));
    auto& series = series_of(panel, name_by(axes.by, item.index), figure::Mark::line, page);
    const std::string where = axes.x->name + " " + axes.x->texts[item.index] +
                              (series.name.empty() ? "" : ", " + series.name);
    series.points.push_back({axes.x->number(item.index), item.value.value, item.value.low,
                             item.value.high, point_text(item, where, fact),
                             anchor_of(*item.summary->info)});
  }
}

void add_rows(Figure& figure, const std::vector<Plotted>& all, CurveAxes axes,
              const std::string& fact, const CurveChoice& choice, Page& page) {
  // Of what tells cases apart, the last axis with few values are the bars of a row.
  std::vector<CaseAxis> bars;
  if (!choice.by.empty() && axes.by.size() > 1) {
    const auto named =
        std::ranges::find_if(axes.by, [&](const CaseAxis& axis) { return axis.name == choice.by; });
    if (named != axes.by.end()) {
      bars.push_back(*named);
      axes.by.erase(named);
    }
  }
  std::vector<Plotted> shown = all;
  if (shown.size() > most_drawn_rows) {
    figure.notes.push_back(fmt::format("the first {} of {} cases; all are in the table",
                                       most_drawn_rows, shown.size()));
    shown.resize(most_drawn_rows);
  }
  const double drawn = ratio_of(with_intervals(shown));
  const bool wide = choice.log_y.value_or(drawn > wide_bars) && drawn > 0;
  const auto mark = wide ? figure::Mark::dots : figure::Mark::bars;
  figure.x = {spoken(fact), unit_of(fact), wide ? Scale::log10 : Scale::linear, !wide};
  figure.x.also = choice.also;
  for (const auto& item : shown) {
    figure::Panel& panel = panel_of(figure, name_by(axes.facet, item.index));
    const std::string row = name_by(axes.by, item.index);
    auto at = std::ranges::find(panel.rows, row);
    if (at == panel.rows.end()) at = panel.rows.insert(panel.rows.end(), row);
    auto& series = series_of(panel, name_by(bars, item.index), mark, page);
    series.points.push_back({item.value.value, static_cast<double>(at - panel.rows.begin()),
                             item.value.low, item.value.high, point_text(item, row, fact),
                             anchor_of(*item.summary->info)});
  }
}

}  // namespace

Figure curve_figure(const Result& result, const Cases& cases, const CurveChoice& choice,
                    Page& page) {
  Figure figure;
  const std::string asked = fact_called(choice.y);
  check_fact(cases, asked);
  const std::string fact = asked.empty() ? compared_fact(cases) : asked;
  const auto shown = plotted_cases(cases, fact);
  if (shown.size() < 2) return figure;
  const CurveAxes axes = curve_axes(result, cases, choice);
  auto guides = guides_of(result, shown, fact);
  const bool has_ceiling = !guides.empty() && !guides.front().dashed;
  const double ceiling = has_ceiling ? guides.front().path.front().second : 0;
  if (fact == "speedup" && axes.x) guides.push_back(figure::level_guide("baseline", 1, true));
  figure.id = page.figure_id(fact);
  if (fact == "speedup") figure.title = winners_of(result, cases, axes);
  if (figure.title.empty()) figure.title = message_of(shown, axes, fact, ceiling);
  if (axes.x) {
    add_lines(figure, shown, axes, fact, choice, page);
  } else {
    add_rows(figure, shown, axes, fact, choice, page);
  }
  const auto baselines = baselines_of(cases);
  std::set<std::string> hollow;
  for (const auto* summary : baselines) hollow.insert(anchor_of(*summary->info));
  for (auto& panel : figure.panels) {
    for (auto& series : panel.series) {
      for (auto& point : series.points) {
        if (hollow.contains(point.about)) point.look = figure::Look::hollow;
      }
    }
    if (axes.x) {
      panel.guides = guides;
      continue;
    }
    for (const auto& guide : guides) {
      panel.guides.push_back(
          figure::upright_guide(guide.name, guide.path.front().second, guide.dashed));
    }
  }
  if (figure.panels.size() > most_panels) {
    figure.notes.push_back(fmt::format("the first {} of {} panels; all are in the table",
                                       most_panels, figure.panels.size()));
    figure.panels.resize(most_panels);
  }
  const bool intervals =
      std::ranges::any_of(shown, [](const Plotted& item) { return item.value.has_interval(); });
  const auto note = [&](bool so, const char* text) {
    if (so) figure.description += (figure.description.empty() ? "" : "; ") + std::string(text);
  };
  const bool log_x = figure.x.scale != Scale::linear;
  const bool log_y = axes.x && figure.y.scale != Scale::linear;
  note(intervals,
       axes.x ? "bands and bars: 95 % intervals" : "lines at the ends of bars: 95 % intervals");
  note(!hollow.empty(), "hollow: the baseline");
  note(log_x && log_y, "both scales are logarithmic");
  note(log_x != log_y, log_x ? "the scale of x is logarithmic" : "the scale of y is logarithmic");
  note(axes.x && !log_y && !figure.y.from_zero && fact != "delta", "y does not begin at 0");
  return figure;
}

}  // namespace apod::show
