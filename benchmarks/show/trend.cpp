#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/small_file.hpp"
#include "benchmarks/show/about.hpp"
#include "benchmarks/show/comparison_view.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {
namespace {

/// Bars of a case in the list of cases, which has to fit a terminal.
constexpr std::size_t most_bars = 40;
/// Lines of a terminal. What does not fit is counted: of the cases those that have something to
/// tell come first, then the runs of these, then the other cases.
constexpr std::size_t screen = 24;
/// Cases of a list that is read by a person, and those whose runs are listed.
struct Most {
  std::size_t cases;
  std::size_t details;
};
constexpr Most most_of(Audience audience) {
  return audience == Audience::terminal ? Most{20, 2} : Most{200, 20};
}
/// Of a case with more runs than this only those are listed with which a level begins ...
constexpr std::size_t most_runs = 60;
/// ... the last so many.
constexpr std::size_t most_begun = 10;
/// Figures on a page.
constexpr std::size_t most_trends = 12;
/// Histories of fewer cases show the trend of each, changed or not.
constexpr std::size_t few_histories = 6;
/// Enough of a commit's name to find it by.
constexpr std::size_t short_commit = 10;

/// "+5.21 %": with its sign, so that slower and faster differ without colour.
std::string signed_percent(double share) {
  return (share >= 0 ? "+" : "") + text::format_percent(share);
}

/// For every point the segment that begins with it; null where none does.
std::vector<const HistorySegment*> begun_by(const CaseHistory& history) {
  std::vector<const HistorySegment*> begun(history.points.size());
  std::vector<bool> has_begun(history.segments.size());
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const HistoryPoint& point = history.points[i];
    if (!point.failed.empty() || has_begun.at(point.segment)) continue;
    has_begun[point.segment] = true;
    begun[i] = &history.segments[point.segment];
  }
  return begun;
}

/// The runs of a case that are listed.
std::vector<std::size_t> listed_runs(const std::vector<const HistorySegment*>& begun,
                                     bool levels_only) {
  std::vector<std::size_t> listed;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const bool matters = begun[i] != nullptr || i + 1 == begun.size();
    if (!levels_only || matters) listed.push_back(i);
  }
  if (levels_only && listed.size() > most_begun)
    listed.erase(listed.begin(), listed.end() - most_begun);
  return listed;
}

/// What is said of the machine before the first run of an epoch.
Row epoch_row(const HistorySegment& segment) {
  std::string text = segment.epoch_difference;
  if (segment.change) {
    text += fmt::format(": this step of {} is not a change of the code",
                        signed_percent(*segment.change));
  }
  return {.remarks = {{text, Tone::warning}}};
}

std::vector<Span> reasons_of(const CaseHistory& c, const HistorySegment& segment) {
  const double before_s = segment.level_s / (1 + *segment.change);
  std::vector<Span> reasons{
      {fmt::format("level {} -> {}", shown_value(c, before_s), shown_value(c, segment.level_s)),
       Tone::dim}};
  for (const Cause& cause : segment.causes) reasons.push_back({cause.text, Tone::dim});
  return reasons;
}

Table table_of(const CaseHistory& history, bool levels_only) {
  const auto& points = history.points;
  const bool dates =
      std::ranges::any_of(points, [](const auto& point) { return !point.date.empty(); });
  Table table;
  // Without dates the names of the files are the order of time.
  table.columns = {{.name = dates ? "date" : "file", .align = Align::left, .key = true},
                   {.name = "commit", .align = Align::left, .priority = 60},
                   {history.is_counter ? "value"
                    : history.is_rate  ? "rate"
                                       : "time"},
                   {.name = "interval", .priority = 50},
                   {.name = "change", .align = Align::left}};
  const auto begun = begun_by(history);
  const auto listed = listed_runs(begun, levels_only);
  if (listed.size() < points.size()) {
    table.rows.push_back(
        {.remarks = {{fmt::format("showing {} of {}: the first run of each level, and the last "
                                  "run (for all: --out FILE.csv)",
                                  listed.size(), text::counted(points.size(), "run")),
                      Tone::dim}}});
  }
  for (const auto i : listed) {
    const HistoryPoint& point = points[i];
    const HistorySegment* segment = begun[i];
    if (segment != nullptr && !segment->epoch_difference.empty())
      table.rows.push_back(epoch_row(*segment));
    Row& row = table.rows.emplace_back();
    row.cells = {{(dates ? point.date : point.file).str()},
                 {point.commit.str().substr(0, short_commit)}};
    if (!point.failed.empty()) {
      row.cells.insert(row.cells.end(), {{"failed", Tone::bad}, {}, {}});
      row.remarks = {{point.failed.str()}};
      continue;
    }
    row.cells.push_back({shown_value(history, point.time_s.value)});
    row.cells.push_back({interval_text(point.time_s)});
    row.cells.emplace_back();
    if (point.outlier) {
      const bool last = i + 1 == points.size();
      row.cells.back() = {
          last ? "only this run differs: wait for the next run" : "outlier, not counted",
          Tone::dim};
    }
    if (segment != nullptr && segment->together > 0 && segment->change) {
      row.cells.back() = {fmt::format("{} with {}", signed_percent(*segment->change),
                                      text::counted(segment->together - 1, "other case")),
                          Tone::dim};
    }
    if (segment != nullptr && segment->is_step() && !segment->is_change())
      row.cells.back() = {signed_percent(*segment->change) + ", small", Tone::dim};
    if (segment != nullptr && segment->is_change()) {
      const bool slower = *segment->change > 0;
      row.cells.back() = {signed_percent(*segment->change) + (slower ? " slower" : " faster"),
                          slower ? Tone::bad : Tone::good};
      row.remarks = reasons_of(history, *segment);
    }
  }
  return table;
}

/// The last runs of a case.
Cell chart_of(const CaseHistory& history) {
  const auto& points = history.points;
  std::vector<Bar> bars;
  const auto begun = begun_by(history);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const HistorySegment* segment = begun[i];
    bars.push_back({points[i].time_s.value, points[i].outlier, !points[i].failed.empty(),
                    segment != nullptr && segment->is_change()});
  }
  bars.erase(bars.begin(),
             bars.end() - static_cast<std::ptrdiff_t>(std::min(bars.size(), most_bars)));
  return {.text = chart(bars), .chart = bars};
}

/// The file of the newest run, by its date and then its name.
std::string newest_file(const History& history) {
  const HistoryPoint* newest = nullptr;
  for (const CaseHistory& c : history.cases) {
    if (c.points.empty()) continue;
    const HistoryPoint& last = c.points.back();
    const bool later = newest == nullptr || last.date > newest->date ||
                       (last.date == newest->date &&
                        ::strverscmp(last.file.str().c_str(), newest->file.str().c_str()) > 0);
    if (later) newest = &last;
  }
  return newest == nullptr ? "" : newest->file.str();
}

/// How far the newest run lies from the case's level, where it lies alone.
std::optional<double> alone(const CaseHistory& c, const std::string& newest) {
  const bool reaches = !c.points.empty() && c.points.back().file == newest;
  return reaches ? c.last_outlier() : std::nullopt;
}

/// Whether its time is known to have changed: by a step, by small steps together, or slowly.
bool has_moved(const CaseHistory* c) {
  return c->changes() > 0 || c->drift() != nullptr ||
         std::abs(c->total_change()) >= least_that_matters;
}

/// Runs on two levels have no level in between.
Cell level_of(const CaseHistory& c) {
  if (c.last_segment() == nullptr) return {"failed", Tone::bad};
  if (const auto turns = c.turns()) return {shown_value(c, turns->last_s)};
  constexpr std::size_t fewest = 4;  // the mean of fewer runs may be a time that none of them had
  const auto& last = c.points.back();
  if (c.points.size() < fewest && last.failed.empty() && !last.outlier)
    return {shown_value(c, last.time_s.value)};
  const auto open = c.open_step();
  return {shown_value(c, open ? open->after_s : c.last_segment()->level_s)};
}

/// What its runs do beside its changes; empty where that is nothing.
std::string movement_of(const CaseHistory& c, const std::string& newest) {
  if (const auto last = alone(c, newest)) {
    return fmt::format(
        "the last run differs by {} from the last level: the next run will show whether this is a "
        "new "
        "level",
        signed_percent(*last));
  }
  if (const auto turns = c.turns()) {
    return "the runs alternate between " +
           text::joined(turns->levels_s, " and ",
                        [&](double level) { return shown_value(c, level); });
  }
  if (const auto* drift = c.drift()) {
    return fmt::format("drifts by {} over {}{}", signed_percent(drift->change),
                       drift->runs < c.points.size() ? "the last " : "",
                       text::counted(drift->runs, "run"));
  }
  if (const auto open = c.open_step()) {
    return fmt::format(
        "the last {} runs differ by {} from the runs before them (at {}): too few runs to show a "
        "change",
        open->runs, signed_percent(open->after_s / open->before_s - 1),
        shown_value(c, open->before_s));
  }
  return "";
}

/// How far it moved in all, of ln time: cases are listed by it.
double distance_of(const CaseHistory& c) {
  return std::abs(std::log1p(c.total_change()));
}

/// A line a case.
Table case_list(const std::vector<const CaseHistory*>& cases, const std::string& newest) {
  const bool is_long =
      std::ranges::any_of(cases, [](const CaseHistory* c) { return c->points.size() > most_bars; });
  Table table;
  table.columns = {{.name = "case", .align = Align::left, .key = true},
                   {.name = "runs", .priority = 50},
                   {.name = "last level", .priority = 60},
                   {"change"},
                   {"changes"},
                   {.name = is_long ? fmt::format("last {} runs", most_bars) : "each run",
                    .align = Align::left}};
  for (const CaseHistory* c : cases) {
    const double change = c->total_change();
    const bool small = std::ranges::any_of(c->segments, &HistorySegment::is_step);
    const bool changed = c->changes() > 0;
    const Tone tone = change > 0 ? Tone::bad : Tone::good;
    table.rows.push_back({{{c->name},
                           {std::to_string(c->points.size())},
                           level_of(*c),
                           has_moved(c) ? Cell{signed_percent(change), tone} : Cell{},
                           changed ? Cell{std::to_string(c->changes())}
                           : small ? Cell{"small", Tone::dim}
                                   : Cell{},
                           chart_of(*c)}});
    if (auto text = movement_of(*c, newest); !text.empty())
      table.rows.back().remarks = {{std::move(text), Tone::warning}};
  }
  return table;
}

/// How cases moved: those that changed first; all of a few, changed or not.
void add_figures(Document& document, const History& history) {
  std::vector<const CaseHistory*> ordered;
  for (const CaseHistory& c : history.cases) ordered.push_back(&c);
  std::stable_partition(ordered.begin(), ordered.end(), has_moved);
  std::size_t drawn = 0;
  for (const CaseHistory* c : ordered) {
    const bool worth = has_moved(c) || history.cases.size() <= few_histories;
    if (!worth || c->segments.empty() || c->points.size() < 2 || drawn == most_trends) continue;
    ++drawn;
    document.add(trend_figure(*c));
  }
}

/// Whether its runs are listed: there is something to explain.
bool has_detail(const CaseHistory* c, const std::string& newest) {
  return has_moved(c) || alone(*c, newest) ||
         (!c->points.empty() && !c->points.back().failed.empty());
}

/// Lines of a row on a terminal.
std::size_t lines_of(const Row& row) {
  constexpr std::size_t of_line = 70;  // of a remark
  std::size_t lines = row.cells.empty() ? 0 : 1;
  for (const auto& remark : row.remarks) lines += 1 + remark.text.size() / of_line;
  return lines;
}

constexpr std::size_t lines_of_frame = 3;  ///< of a table: the names of its columns, and two rules

std::size_t lines_of(const Table& table) {
  std::size_t lines = lines_of_frame;
  for (const Row& row : table.rows) lines += lines_of(row);
  return lines;
}

/// The runs of cases, a table each.
class Details {
 public:
  Details(const std::vector<const CaseHistory*>& cases, std::size_t most, bool is_on_screen,
          std::size_t used)
      : used_(used) {
    for (const CaseHistory* c : cases) {
      if (is_full_ = all_.size() == most || (is_on_screen && used_ >= screen); is_full_) return;
      const bool is_long = c->points.size() > most_runs;
      auto table = table_of(*c, is_long);
      if (is_on_screen && !is_long && used_ + lines_of(table) > screen) table = table_of(*c, true);
      if (is_full_ = is_on_screen && !all_.empty() && used_ + lines_of(table) > screen; is_full_)
        return;
      constexpr std::size_t above = 2;  // a blank line and the heading
      used_ += above + lines_of(table);
      all_.emplace_back(c, std::move(table));
    }
  }

  /// Of a terminal, with what is above.
  std::size_t used() const { return used_; }
  void add_to(Document& document) {
    for (auto& [c, table] : all_) {
      document.add(Heading{
          2,
          {c->name},
          text::counted(c->points.size(), "run") + ", " + text::counted(c->changes(), "change")});
      document.add(std::move(table));
    }
    if (!is_full_) return;
    document.add(Paragraph{
        Span{"the runs of further cases are not listed (to choose cases: --filter)", Tone::dim}});
  }

 private:
  std::vector<std::pair<const CaseHistory*, Table>> all_;
  std::size_t used_;
  bool is_full_ = false;
};

/// "3 changes in 2 of 14 cases over 23 runs". For a history without a time it says that.
std::string summary_line(const History& history) {
  std::size_t changes = 0;
  std::size_t drifts = 0;
  std::ptrdiff_t all_steps = 0;
  std::size_t moved = 0;
  std::size_t measured = 0;
  std::size_t lone = 0;
  std::size_t turns = 0;
  std::set<std::string> together;  // runs
  const auto newest = newest_file(history);
  for (const CaseHistory& c : history.cases) {
    lone += alone(c, newest) ? 1 : 0;
    turns += c.turns() ? 1 : 0;
    const auto begun = begun_by(c);
    for (std::size_t i = 0; i < begun.size(); ++i) {
      const auto& point = c.points[i];
      if (begun[i] != nullptr && begun[i]->together > 0)
        together.insert(point.date.str() + point.file.str() + point.commit.str());
    }
    changes += c.changes();
    all_steps += std::ranges::count_if(c.segments, &HistorySegment::is_step);
    drifts += c.drift() != nullptr ? 1 : 0;
    moved += has_moved(&c) ? 1 : 0;
    measured += c.segments.empty() ? 0 : 1;
  }
  const std::string runs = text::counted(history.runs, "run");
  if (measured == 0) return "nothing to show: no case has a time in " + runs;
  const std::string cases = text::counted(measured, "case");
  std::string more;
  if (!together.empty()) {
    more +=
        fmt::format("; in {} most cases changed together", text::counted(together.size(), "run"));
  }
  const auto small = static_cast<std::size_t>(all_steps) - changes;
  if (small > 0) more += "; " + text::counted(small, "small step");
  if (turns > 0) more += "; alternating levels in " + text::counted(turns, "case");
  if (lone > 0) more += "; only the last run differs in " + text::counted(lone, "case");
  if (moved == 0) return fmt::format("no change shown in {} over {}{}", cases, runs, more);
  const auto what =
      changes + drifts == 0 ? "small steps that add up"
      : drifts == 0         ? text::counted(changes, "change")
      : changes == 0        ? text::counted(drifts, "drift")
                     : text::counted(changes, "change") + " and " + text::counted(drifts, "drift");
  return fmt::format("{} in {} of {} over {}{}", what, moved, cases, runs, more);
}

/// The summary line; a line per case, those that changed first, with a chart of its last runs; the
/// runs of each case that changed, or whose last run failed; then the notes. A page has figures of
/// how cases changed.
Document history_document(const History& history, Audience audience) {
  Document document;
  document.add(Heading{1, {summary_line(history)}});
  const auto newest = newest_file(history);
  std::vector<const CaseHistory*> cases;
  for (const CaseHistory& c : history.cases) cases.push_back(&c);
  const auto quiet = std::stable_partition(
      cases.begin(), cases.end(), [&](const CaseHistory* c) { return has_detail(c, newest); });
  std::stable_sort(cases.begin(), quiet, [](const CaseHistory* a, const CaseHistory* b) {
    return distance_of(*a) > distance_of(*b);
  });
  const auto telling = static_cast<std::size_t>(quiet - cases.begin());
  const bool is_on_screen = audience == Audience::terminal && cases.size() > few_histories;
  const std::vector<const CaseHistory*> first(
      cases.begin(),
      cases.begin() + static_cast<std::ptrdiff_t>(std::min(cases.size(), most_of(audience).cases)));
  auto list = case_list(first, newest);
  std::size_t used = 1 + lines_of_frame;
  std::size_t listed = 0;
  const auto take_until = [&](std::size_t end) {
    for (; listed < std::min(end, first.size()); ++listed) {
      const auto lines = lines_of(list.rows[listed]);
      const bool rest = listed + 1 < cases.size();
      constexpr std::size_t for_the_rest = 5;  // its count, and that its runs are not listed
      const bool fits = used + lines + (rest ? for_the_rest : 0) <= screen;
      if (is_on_screen && !fits && listed >= few_histories) return;
      used += lines;
    }
  };
  take_until(telling);
  std::vector<const CaseHistory*> explained;
  std::copy_if(first.begin(), first.end(), std::back_inserter(explained),
               [&](const CaseHistory* c) { return has_detail(c, newest); });
  Details details(explained, most_of(audience).details, is_on_screen,
                  listed < std::min(telling, first.size()) ? screen : used);
  used = details.used();
  if (listed == telling) take_until(cases.size());
  list.rows.resize(listed);
  document.add(std::move(list));
  if (audience == Audience::page) add_figures(document, history);
  if (listed < cases.size()) {
    document.add(
        Paragraph{{{fmt::format("and {} (to choose cases: --filter; for all: --out FILE.csv)",
                                text::counted(cases.size() - listed, "further case")),
                    Tone::dim}}});
  }
  details.add_to(document);
  document.add(Heading{2, {fmt::format("notes ({})", history.notes.size()), Tone::warning}},
               list_of(history.notes));
  return document;
}

/// A row a case and run: docs/history.md.
Table history_rows(const History& history) {
  Table table;
  for (const char* name : {"case", "date", "commit", "file", "time_s", "time_low_s", "time_high_s",
                           "segment", "level_s", "change", "epoch", "drift"}) {
    table.columns.push_back({name});
  }
  const auto number = [](double value) { return Cell{"", Tone::plain, value}; };
  for (const CaseHistory& c : history.cases) {
    const auto starts = begun_by(c);
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      const HistoryPoint& point = c.points[i];
      auto& cells = table.rows.emplace_back().cells;
      cells = {{c.name}, {point.date.str()}, {point.commit.str()}, {point.file.str()}};
      if (point.failed.empty()) {
        const HistorySegment& segment = c.segments.at(point.segment);
        const HistorySegment* begun = starts[i];
        cells.push_back(number(point.time_s.value));
        cells.push_back(number(point.time_s.low));
        cells.push_back(number(point.time_s.high));
        cells.push_back({std::to_string(point.segment)});
        cells.push_back(number(segment.level_s));
        cells.push_back(begun != nullptr && begun->is_step() ? number(*begun->change) : Cell{});
        cells.push_back({std::to_string(segment.epoch)});
        const bool drifts = &segment == c.last_segment() && segment.drift;
        cells.push_back(drifts && i + 1 == c.points.size() ? number(segment.drift->change)
                                                           : Cell{});
      }
      cells.resize(table.columns.size());
    }
  }
  return table;
}

}  // namespace

Report report_of(const History& history) {
  Report report{.kind = files::FileKind::history,
                .frame = {"bench history", beside({text::counted(history.runs, "run"),
                                                   about(history.environment)})}};
  report.document = [&history](Audience audience) { return history_document(history, audience); };
  report.rows = [&history] { return history_rows(history); };
  report.json = [&history](std::ostream& out) { files::write_history_json(out, history); };
  return report;
}

}  // namespace apod::show
