#include "benchmarks/report/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benchmarks/report/csv_row.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

/// Enough of a commit's name to find it by.
constexpr std::size_t short_commit = 10;

std::string counted(std::size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// "+5.21 %": with its sign, so that slower and faster are told apart without colour.
std::string signed_percent(double share) {
  return (share >= 0 ? "+" : "") + text::format_percent(share);
}

/// The segment that begins with point `i`; null where none does.
const HistorySegment* begun_by(const CaseHistory& history, std::size_t i) {
  const HistoryPoint& point = history.points[i];
  if (!point.failed.empty()) return nullptr;
  for (std::size_t before = i; before-- > 0;) {
    if (!history.points[before].failed.empty()) continue;
    if (history.points[before].segment == point.segment) return nullptr;
    break;
  }
  return &history.segments.at(point.segment);
}

/// One block of the text.
class CaseBlock {
 public:
  explicit CaseBlock(const CaseHistory& history) : history_(history) {}

  Table table() {
    const bool dates = any(&HistoryPoint::date);
    const bool commits = any(&HistoryPoint::commit);
    // Without dates the names of the files are the order of time.
    if (dates) add({"date", false}, [](const HistoryPoint& p) { return p.date; });
    if (!dates) add({"file", false}, [](const HistoryPoint& p) { return p.file; });
    if (commits) {
      add({"commit", false, 60},
          [](const HistoryPoint& p) { return p.commit.substr(0, short_commit); });
    }
    table_.columns.insert(table_.columns.end(),
                          {Column{"time"}, Column{"±", true, 50}, Column{"change", false}});
    for (std::size_t i = 0; i < history_.points.size(); ++i) add_point(i);
    return std::move(table_);
  }

 private:
  using Label = std::string (*)(const HistoryPoint&);

  bool any(std::string HistoryPoint::*text) const {
    return std::any_of(history_.points.begin(), history_.points.end(),
                       [&](const HistoryPoint& point) { return !(point.*text).empty(); });
  }

  void add(Column column, Label label) {
    table_.columns.push_back(std::move(column));
    labels_.push_back(label);
  }

  void add_point(std::size_t i) {
    const HistoryPoint& point = history_.points[i];
    const HistorySegment* segment = begun_by(history_, i);
    if (segment != nullptr && !segment->epoch_difference.empty()) add_epoch(*segment);
    std::vector<Cell> row;
    for (const Label label : labels_) {
      const std::string text = text::printable(label(point));
      row.push_back({text.empty() ? text::no_value : text});
    }
    if (!point.failed.empty()) {
      row.insert(
          row.end(),
          {{"failed", Tone::bad}, {text::no_value, Tone::dim}, {text::printable(point.failed)}});
      table_.rows.push_back(std::move(row));
      return;
    }
    row.insert(row.end(),
               {{text::format_time(point.time_s.value)}, {format_spread(point.time_s)}, {}});
    const bool changed = segment != nullptr && segment->is_change();
    if (point.outlier) row.back() = {"outlier, not counted", Tone::dim};
    if (changed) row.back() = change_of(*segment);
    table_.rows.push_back(std::move(row));
    if (changed) add_reasons(*segment);
  }

  void add_line(const std::string& text, Tone tone) {
    table_.rows.push_back({{"    " + text::printable(text), tone}});
  }

  void add_epoch(const HistorySegment& segment) {
    std::string text = segment.epoch_difference;
    if (segment.change) {
      text += fmt::format(": a step of {} that says nothing of the code",
                          signed_percent(*segment.change));
    }
    add_line(text, Tone::warning);
  }

  void add_reasons(const HistorySegment& segment) {
    const double before_s = segment.level_s / (1 + *segment.change);
    add_line(fmt::format("level {} -> {}", text::format_time(before_s),
                         text::format_time(segment.level_s)),
             Tone::dim);
    for (const Cause& cause : segment.causes) add_line(cause.text, Tone::dim);
  }

  static Cell change_of(const HistorySegment& segment) {
    const bool slower = *segment.change > 0;
    return {signed_percent(*segment.change) + (slower ? " slower" : " faster"),
            slower ? Tone::bad : Tone::good};
  }

  const CaseHistory& history_;
  Table table_;
  std::vector<Label> labels_;
};

void write_text(std::ostream& out, const History& history, const ConsoleStyle& style) {
  out << paint(summary_line(history), Tone::title, style) << '\n';
  std::vector<const CaseHistory*> cases;
  for (const CaseHistory& c : history.cases) cases.push_back(&c);
  std::stable_partition(cases.begin(), cases.end(),
                        [](const CaseHistory* c) { return c->changes() > 0; });
  for (const CaseHistory* c : cases) {
    // The name in full, however long: a person copies it into --case.
    out << '\n'
        << paint(text::printable(c->name), Tone::title, style) << "  "
        << counted(c->points.size(), "run") << ", " << counted(c->changes(), "change") << '\n';
    print(out, CaseBlock(*c).table(), style);
  }
  if (!history.notes.empty()) {
    out << '\n'
        << paint(fmt::format("notes ({})", history.notes.size()), Tone::warning, style) << '\n';
    for (const std::string& note : history.notes) out << "  " << text::printable(note) << '\n';
  }
}

void write_csv_row(std::ostream& out, const CaseHistory& history, std::size_t i) {
  const HistoryPoint& point = history.points[i];
  CsvRow row(out);
  row.add(history.name);
  row.add(point.date);
  row.add(point.commit);
  row.add(point.file);
  if (!point.failed.empty()) return row.add_nothing(7);
  row.add(point.time_s.value);
  row.add(point.time_s.low);
  row.add(point.time_s.high);
  const HistorySegment& segment = history.segments.at(point.segment);
  row.add(point.segment);
  row.add(segment.level_s);
  const HistorySegment* begun = begun_by(history, i);
  begun != nullptr && begun->is_change() ? row.add(*begun->change) : row.add_nothing(1);
  row.add(segment.epoch);
}

void write_csv(std::ostream& out, const History& history) {
  {
    CsvRow header(out);
    for (const char* name : {"case", "date", "commit", "file", "time_s", "time_low_s",
                             "time_high_s", "segment", "level_s", "change", "epoch"}) {
      header.add(std::string(name));
    }
  }
  for (const CaseHistory& c : history.cases) {
    for (std::size_t i = 0; i < c.points.size(); ++i) write_csv_row(out, c, i);
  }
}

}  // namespace

HistoryFormat history_format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".txt") return HistoryFormat::text;
  if (extension == ".csv") return HistoryFormat::csv;
  throw std::invalid_argument("'" + path + "': the extension says no format (.csv or .txt)");
}

std::string summary_line(const History& history) {
  std::size_t changes = 0;
  std::size_t changed = 0;
  std::size_t measured = 0;
  for (const CaseHistory& c : history.cases) {
    changes += c.changes();
    changed += c.changes() > 0 ? 1 : 0;
    measured += c.segments.empty() ? 0 : 1;
  }
  const std::string runs = counted(history.runs, "run");
  if (measured == 0) return "nothing to show: no case has a time in " + runs;
  const std::string cases = counted(measured, "case");
  if (changes == 0) return fmt::format("no change in {} over {}", cases, runs);
  return fmt::format("{} in {} of {} over {}", counted(changes, "change"), changed, cases, runs);
}

void write_history(std::ostream& out, const History& history, HistoryFormat format,
                   const ConsoleStyle& style) {
  if (format == HistoryFormat::csv) return write_csv(out, history);
  write_text(out, history, style);
}

}  // namespace apod::report
