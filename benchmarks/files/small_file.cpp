#include "benchmarks/files/small_file.hpp"

// Beside the records that they list, where the compiler looks for them.

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/record/comparison_fields.hpp"
#include "benchmarks/files/record/fields.hpp"

namespace apod::files {

void write_small_file(std::ostream& out, const SmallFile& kind, const record::Json& value) {
  record::Json json = record::Json::object();
  json[kind.mark] = kind.schema;
  json.update(value);
  out << record::dump(json, 1) << '\n';
}

record::Json read_small_file(const std::string& file, const SmallFile& kind) {
  const std::string text = os::read_file(file, kind.most_bytes);
  constexpr std::size_t deepest = 64;
  record::check_shape(text, deepest);
  record::Json json;
  try {
    json = record::Json::parse(text);
  } catch (const record::Json::parse_error& error) {
    const bool cut_off = !text.empty() && error.byte > text.size();
    throw std::runtime_error(cut_off ? "the file is cut off" : "is not JSON");
  } catch (const record::Json::exception&) {
    throw std::runtime_error("is not JSON");
  }
  if (!json.is_object() || !json.contains(kind.mark)) throw std::runtime_error(kind.absent);
  if (json[kind.mark] != kind.schema) {
    throw std::runtime_error("this bench reads only schema " + std::to_string(kind.schema) + ": " +
                             kind.again);
  }
  return json;
}

}  // namespace apod::files

namespace apod {

template <class Archive, record::Is<CalibratedCase> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("version", t.version);
  field("time_s", t.time_s);
  field("sample", t.sample);
  field("process", t.process);
  field("session", t.session);
  field("session_mean", t.session_mean);
  field("floor", t.floor);
}

template <class Archive, record::Is<Calibration> T>
void fields(Archive& field, T& t) {
  field("date", t.date);
  field("config", t.config);
  field("commit", t.commit);
  field("sessions", t.sessions);
  field("processes", t.processes);
  field.if_any("days", t.days);  // earlier files have none of these two
  field.if_any("boards", t.boards);
  field("alpha", t.alpha);
  field("environment", t.environment);
  field("cases", t.cases);
  field.if_any("threshold", t.threshold);  // earlier files have none, and no notes
  field.if_any("notes", t.notes);
}

}  // namespace apod

namespace apod::files {
namespace {

constexpr SmallFile calibration_file{
    .mark = "apod_calibration",
    .schema = 2,
    .most_bytes = 64 << 20,
    .absent = "is not a calibration (to make one: bench calibrate)",
    .again = "calibrate again"};
// Of ln time. No machine spreads by more; a file that says so is damaged.
constexpr double largest_deviation = 10;

void check_amount(const std::string& name, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw std::runtime_error(name + ": is negative or not a number");
}

/// Throws with the file's name what the reading and `check` throw.
template <class T>
T read_value(const std::string& file, const SmallFile& kind, void (*check)(const T&)) {
  return naming(file, [&] {
    T value;
    record::Reader::read(read_small_file(file, kind), value);
    check(value);
    return value;
  });
}

void check(const CalibratedCase& c) {
  for (const double value : {c.time_s, c.sample, c.process, c.session, c.session_mean, c.floor})
    check_amount("cases: " + c.name, value);
  for (const double value : {c.sample, c.process, c.session, c.session_mean}) {
    if (value > largest_deviation)
      throw std::runtime_error("cases: " + c.name + ": a standard deviation is too large");
  }
}

void check(const Calibration& calibration) {
  std::set<std::string> names;
  for (const auto& c : calibration.cases) {
    check(c);
    if (!names.insert(c.name).second)
      throw std::runtime_error("cases: " + c.name + ": occurs twice");
  }
  if (calibration.sessions < 2 || calibration.processes < 1)
    throw std::runtime_error("has fewer than two sessions, or no process");
  if (!(calibration.threshold > 0 && calibration.threshold < 1))
    throw std::runtime_error("threshold: not a share between 0 and 1");
}

}  // namespace

void write_calibration(std::ostream& out, const Calibration& calibration) {
  write_small_file(out, calibration_file, record::Writer::write(calibration));
}

Calibration read_calibration(const std::string& file) {
  return read_value<Calibration>(file, calibration_file, check);
}

namespace {

constexpr SmallFile ceilings_file{.mark = "apod_ceilings",
                                  .schema = 1,
                                  .most_bytes = 1 << 16,
                                  .absent = "has no ceilings (to make such a file: bench ceilings)",
                                  .again = "measure again"};

void check(const Ceilings& ceilings) {
  for (const auto& [name, value, unit] : named_ceilings(ceilings)) check_amount(name, value);
  for (const Link& link : ceilings.links) {
    check_amount(link.from + " to " + link.to, link.one_way_bytes_per_s);
    check_amount(link.from + " to " + link.to, link.both_ways_bytes_per_s);
  }
  if (measured_only_in(ceilings, {}).empty()) {
    throw std::runtime_error(
        "none of its ceilings was measured: measure again with bench ceilings");
  }
}

}  // namespace

void write_ceilings(std::ostream& out, const Ceilings& ceilings) {
  write_small_file(out, ceilings_file, record::Writer::write(ceilings));
}

Ceilings read_ceilings(const std::string& file) {
  return read_value<Ceilings>(file, ceilings_file, check);
}

namespace {

constexpr int history_schema = 1;

/// Throws std::runtime_error where what is shown of the case would not fit together.
void check(const CaseHistory& history) {
  const auto refuse = [&](const std::string& what) {
    throw std::runtime_error(history.name + ": " + what);
  };
  for (const HistoryPoint& point : history.points) {
    if (!point.failed.empty()) continue;
    if (point.segment >= history.segments.size()) refuse("a point belongs to no segment");
    if (!(point.time_s.value > 0) || std::isinf(point.time_s.value))
      refuse("a time is not positive");
  }
  // A level is made of medians of processes, and a time is their mean, with an interval from three
  // processes on.
  constexpr double most_apart = 2;
  constexpr double rounding = 0.01;
  struct Times {
    double least = 0;
    double most = 0;
  };
  std::vector<Times> all(history.segments.size());
  for (const HistoryPoint& point : history.points) {
    if (!point.failed.empty() || point.outlier) continue;
    auto& [least, most] = all[point.segment];
    const auto& time = point.time_s;
    const auto low = time.has_interval() ? time.low : time.value;
    least = most == 0 ? low : std::min(least, low);
    most = std::max(most, time.has_interval() ? time.high : time.value);
  }
  for (std::size_t i = 0; i < history.segments.size(); ++i) {
    const HistorySegment& segment = history.segments[i];
    const auto [least, most] = all[i];
    const bool is_level =
        segment.level_s >= least / most_apart && segment.level_s <= most * most_apart;
    if (most > 0 && !is_level) refuse("damaged: a 'level_s' is outside the times of its segment");
    if (!segment.change || segment.drift) continue;
    const double before_s = segment.level_s / (1 + *segment.change);
    const auto begin = history.segments.begin();
    const bool follows = std::any_of(
        begin, begin + static_cast<std::ptrdiff_t>(i), [&](const HistorySegment& before) {
          return std::abs(before.level_s - before_s) <= rounding * before_s;
        });
    if (!follows) refuse("a change does not fit any earlier level");
  }
}

}  // namespace

void write_history_json(std::ostream& out, const History& history) {
  out << "{\n  \"kind\": \"history\",\n  \"schema\": " << history_schema
      << ",\n  \"runs\": " << history.runs
      << ",\n  \"environment\": " << indented(record::Writer::write(history.environment))
      << ",\n  \"notes\": " << indented(record::Writer::write(history.notes));
  ArrayWriter cases(out, "cases");
  for (const CaseHistory& one : history.cases) cases.add(record::Writer::write(one));
  cases.close();
  out << "\n}\n";
}

History read_history(const std::string& file) {
  History history;
  bool has_schema = false;
  read_pieces(file, {}, [&](const std::string& member, std::size_t index, const Piece& piece) {
    if (member == "schema") has_schema = true;
    if (member == "schema" && piece != history_schema)
      throw std::runtime_error("this bench reads only schema " + std::to_string(history_schema));
    if (member == "runs") record::Reader::read(piece, history.runs);
    if (member == "environment") record::Reader::read(piece, history.environment);
    if (member == "notes") record::Reader::read(piece, history.notes.emplace_back());
    if (member == "cases") {
      record::Reader::read(element(piece, index), history.cases.emplace_back());
      check(history.cases.back());
    }
    return true;
  });
  if (!has_schema) throw std::runtime_error("schema: missing");
  return history;
}

}  // namespace apod::files
