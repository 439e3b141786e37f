#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {
namespace {

using figure::Color;
using figure::Figure;

constexpr std::size_t most_changes = 50;

/// What a title says of a case, by how sure its change is; nothing of one that did not move.
constexpr std::array<const char*, 3> said_of{"moved most clearly", "may have moved", nullptr};
std::size_t place_of(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::improvement ? 0
         : verdict == Verdict::suspect                                     ? 1
                                                                           : 2;
}

/// How clearly the case has moved: its change / the smallest that was detectable.
double clarity(const CaseComparison& c) {
  const double seen = c.detectable.value_or(std::max(c.threshold, 1e-9));
  return std::abs(std::log1p(c.change.value)) / std::max(seen, 1e-9);
}

std::size_t series_of_verdict(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
      return 0;
    case Verdict::improvement:
      return 1;
    default:
      return 2;
  }
}

/// "2026-11-21", and where two runs are of one day, "2026-11-21 01:49"; the files where there are
/// no dates.
std::vector<std::string> names_of_runs(const CaseHistory& history) {
  constexpr std::size_t day = 10;
  constexpr std::size_t minute = 16;
  const auto named = [&](std::size_t digits) {
    std::vector<std::string> names;
    for (const auto& point : history.points) {
      names.push_back(point.date.empty() ? point.file.str() : point.date.str().substr(0, digits));
      if (!point.date.empty() && names.back().size() > day) names.back()[day] = ' ';
    }
    return names;
  };
  const auto days = named(day);
  const bool distinct = std::set<std::string>(days.begin(), days.end()).size() == days.size();
  return distinct ? days : named(minute);
}

}  // namespace

Figure changes_figure(const Comparison& comparison) {
  Figure figure;
  std::vector<const CaseComparison*> cases;
  for (const auto& c : comparison.cases) {
    if (is_judged(c) && std::isfinite(c.change.value)) cases.push_back(&c);
  }
  if (cases.empty()) return figure;
  std::ranges::stable_sort(cases,
                           [](const auto* a, const auto* b) { return clarity(*a) > clarity(*b); });
  figure::Panel panel;
  panel.series = {{"slower", figure::Mark::dots, {}, {Color::Meaning::worse}},
                  {"faster", figure::Mark::dots, {}, {Color::Meaning::better}},
                  {"no certain change", figure::Mark::dots, {}, {Color::Meaning::undecided}}};
  double threshold = comparison.options.threshold;
  for (const auto* c : cases) {
    if (panel.rows.size() == most_changes) break;
    threshold = c->threshold > 0 ? c->threshold : threshold;
    panel.series[series_of_verdict(c->verdict)].points.push_back(
        {c->change.value, static_cast<double>(panel.rows.size()), c->change.low, c->change.high,
         fmt::format("{}: {}, {}", c->name, times_of(*c), to_string(c->verdict)),
         anchor_of(comparison, *c)});
    panel.rows.push_back(name_of(comparison, *c));
  }
  panel.rows = text::without_shared_parts(panel.rows);
  if (cases.size() > most_changes) {
    figure.notes.push_back(fmt::format("the {} clearest of {} changes; all are in the table",
                                       most_changes, cases.size()));
  }
  panel.guides.push_back(figure::upright_guide("", 0));
  figure.id = "figure-changes";
  // The surest kind of change that there is.
  const auto surest =
      std::ranges::min_element(cases, {}, [&](const auto* c) { return place_of(c->verdict); });
  const char* said = said_of[place_of((*surest)->verdict)];
  figure.title = said == nullptr ? "No case changed clearly"
                                 : fmt::format("{} {}: {}", name_of(comparison, **surest), said,
                                               change_text((*surest)->change));
  figure.description =
      "sorted by the ratio of the change to the smallest detectable change; lines: 95 % intervals; "
      "grey area: "
      "below the threshold of " +
      text::format_percent(threshold);
  figure.x = {"change of the time (left of 0: faster)", text::Unit::share};
  figure.band = {-threshold, threshold};
  figure.band_name = "threshold";
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure trend_figure(const CaseHistory& history) {
  Figure figure;
  figure::Panel panel;
  figure::Series times{"", figure::Mark::dots, {}, {{}, 0}};
  struct Reach {
    double first = -1;
    double last = -1;
  };
  std::vector<Reach> reaches(history.segments.size());
  std::size_t failed = 0;
  bool outliers = false;
  std::string last;  // commit or run that changed the time
  const auto names = names_of_runs(history);
  // More than a screen has dots for would only make the page large.
  constexpr std::size_t most_drawn = 1000;
  const auto each = (history.points.size() + most_drawn - 1) / most_drawn;
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const HistoryPoint& point = history.points[i];
    const auto x = static_cast<double>(i);
    figure.x.ticks.push_back({x, names[i]});
    if (!point.failed.empty()) {
      ++failed;
      continue;
    }
    Reach& reach = reaches.at(point.segment);
    if (reach.first < 0) {
      reach.first = x;
      const auto& segment = history.segments[point.segment];
      if (segment.is_change()) {
        last = point.commit.empty() ? names[i] : point.commit.str().substr(0, 10);
        panel.guides.push_back(figure::upright_guide(last, x - 0.5, true));
      }
    }
    reach.last = x;
    const bool ends = reach.first == x || i + 1 == history.points.size();
    if (i % each != 0 && !ends && !point.outlier) continue;
    outliers = outliers || point.outlier;
    times.points.push_back(
        {x, point.time_s.value, point.time_s.low, point.time_s.high,
         fmt::format("{}: {}{}", names[i], shown_value(history, point.time_s.value),
                     point.outlier ? ", an outlier" : ""),
         "", point.outlier ? figure::Look::cross : figure::Look::plain});
  }
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    if (reaches[i].first < 0) continue;
    const double level = history.segments[i].level_s;
    panel.guides.push_back({"", {{reaches[i].first - 0.4, level}, {reaches[i].last + 0.4, level}}});
  }
  panel.series.push_back(std::move(times));
  figure.panels.push_back(std::move(panel));
  figure.id = "figure-trend-" + text::slug(history.name);
  std::replace(figure.id.begin(), figure.id.end(), '.', '-');
  figure.x.title = "run";
  figure.y = {history.is_counter ? "value"
              : history.is_rate  ? "1 / rate"
                                 : "time",
              history.is_counter ? text::Unit::ratio : text::Unit::seconds};
  const auto changes = history.changes();
  const auto* drift = history.drift();
  figure.title = fmt::format(
      "{}: {} in {}", history.name,
      drift != nullptr ? fmt::format("a drift of {:+.1f} % (over {})", 100 * drift->change,
                                     text::counted(drift->runs, "run"))
      : changes == 0   ? "no change"
                       : fmt::format("{}, {:+.1f} % {} {},", text::counted(changes, "change"),
                                     100 * history.total_change(),
                                   changes == 1 ? "with" : "together, the last with", last),
      text::counted(history.points.size(), "run"));
  figure.aspect = 0.2;
  figure.description = "lines: the level between two changes; y does not begin at 0";
  if (outliers) figure.description += "; crosses: outliers";
  if (each > 1) figure.notes.push_back(fmt::format("only one in {} runs is drawn", each));
  if (failed > 0) figure.notes.push_back(fmt::format("{} failed", failed));
  return figure;
}

}  // namespace apod::show
