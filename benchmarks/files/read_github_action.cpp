#include "benchmarks/files/read_github_action.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/formats.hpp"

namespace apod::files {
namespace {

/// The seconds of a unit of time as the tools write it: "ns/iter", "ms/op", "sec"; nothing where it
/// is not a time.
std::optional<double> seconds_in(std::string_view unit) {
  unit = unit.substr(0, unit.find('/'));
  if (unit == "sec" || unit == "second" || unit == "seconds") unit = "s";
  const auto known = text::unit_called(unit);
  return known && known->unit == Unit::seconds ? std::optional(known->factor) : std::nullopt;
}

/// A rate as a number of a row, and how many in a second one of its unit is.
struct Rate {
  std::string name;
  double factor = 1;
};

/// Of "ops/ms", "kHz", "GFLOPS"; nothing where the unit is no rate.
std::optional<Rate> rate_in(std::string_view unit) {
  const auto per = unit.rfind('/');
  if (per != unit.npos) {
    const auto seconds = seconds_in(unit.substr(per + 1));
    return seconds ? std::optional(Rate{std::string(unit.substr(0, per)) + "/s", 1 / *seconds})
                   : std::nullopt;
  }
  for (const std::string_view name : {"Hz", "FLOPS", "FPS", "fps", "rps", "qps"}) {
    if (!unit.ends_with(name)) continue;
    const auto prefix = unit.substr(0, unit.size() - name.size());
    for (const auto& [letter, factor] :
         {std::pair{"", 1.0}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}) {
      if (prefix == letter) return Rate{std::string(name), factor};
    }
  }
  return std::nullopt;
}

double value_of(const Piece& bench) {
  const Piece& value = look_up(bench, "value");
  // Some tools write their numbers as text.
  return value.is_string() ? text_number_or_nan(text_of(value)) : number_or_nan(value);
}

/// The rows of one tool's run. What the action writes as rows of their own belongs to others: of Go
/// "NAME - allocs/op" is another number of NAME, and of Google Benchmark "NAME_median" is an
/// aggregate of NAME's repetitions.
class Suite {
 public:
  Suite(const Piece& run, std::string prefix, ForeignRows& rows)
      : benches_(array_at(run, "benches")), prefix_(std::move(prefix)), rows_(rows) {
    const auto tool = text_of(look_up(run, "tool"));
    is_go_ = tool == "go";
    if (tool != "googlecpp") return;
    for (const Piece& bench : benches_) names_.insert(text_of(look_up(bench, "name")));
  }

  void read() {
    std::size_t at = 0;
    for (const Piece& bench : benches_) {
      rows_.row("benches[" + std::to_string(at++) + "]", [&] {
        take(bench);
        return std::optional<ForeignRow>();
      });
    }
    flush();
  }

 private:
  void take(const Piece& bench) {
    std::string name = text_at(bench, "name");
    const auto unit = text_of(look_up(bench, "unit"));
    const std::string end = " - " + unit;
    if (is_go_ && name.ends_with(end)) {
      name.resize(name.size() - end.size());
      if (last_ && last_->name == prefix_ + name) {
        if (!seconds_in(unit)) last_->numbers.push_back({unit, value_of(bench)});
        return;
      }
    } else if (is_aggregate(name)) {
      return;
    }
    flush();
    ForeignRow row{.name = prefix_ + name};
    take_time(row, value_of(bench), unit);
    if (!names_.empty()) row.failed = why_too_short(row.times_s);
    last_ = std::move(row);
  }

  /// Whether the row counts for nothing: the repetitions do, or another aggregate of them. Of that
  /// which does, makes the name that of the case.
  bool is_aggregate(std::string& name) const {
    const auto bar = name.rfind('_');
    if (bar == name.npos) return false;
    const auto of = name.substr(0, bar);
    const auto what = name.substr(bar);
    const bool has_all = names_.contains(of + "_mean") && names_.contains(of + "_stddev");
    if (!has_all || (what != "_mean" && what != "_median" && what != "_stddev" && what != "_cv"))
      return false;
    const bool has_median = names_.contains(of + "_median");
    if (names_.contains(of) || what != (has_median ? "_median" : "_mean")) return true;
    name = of;
    return false;
  }

  void flush() {
    if (last_) rows_.add(*std::exchange(last_, std::nullopt));
  }

  const Piece& benches_;
  std::string prefix_;
  ForeignRows& rows_;
  std::set<std::string> names_;  ///< of Google Benchmark's rows
  bool is_go_ = false;
  std::optional<ForeignRow> last_;  ///< which the next ones may belong to
};

/// As ISO 8601 writes it, of ms since 1970.
std::string date_of(const Piece& ms) {
  constexpr double last = 253402300799.0;  // of the year 9999
  const double seconds = ms.is_number() ? ms.get<double>() / 1000 : -1;
  if (!(seconds >= 0 && seconds <= last)) return "";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

void take_time(ForeignRow& row, double number, const std::string& unit) {
  if (const auto seconds = seconds_in(unit)) {
    row.times_s.push_back(number * *seconds);
    return;
  }
  const auto rate = rate_in(unit);
  if (!rate) throw BadRow(row.name, "its unit " + text::in_quotes(unit) + " is not a time");
  if (!(number > 0)) {
    row.failed = !std::isfinite(number)
                     ? "its rate is not a finite number"
                     : fmt::format("a rate of {} {} can't be turned into a time", number, unit);
    return;
  }
  row.times_s.push_back(1 / (number * rate->factor));
  row.way = "time:1 / " + rate->name;  // whatever its prefix
  // Of several times the rate is that of their median.
  if (row.times_s.size() == 1) row.numbers.push_back({rate->name, 0, "/s"});
  row.numbers.front().value = 1 / stats::median(row.times_s);
}

GithubActionFile::GithubActionFile(const std::string& file) : file_(file) {
  auto text = os::read_file(file, longest_text);
  const auto begin = text.find('{');
  const auto end = text.rfind('}');
  if (begin == text.npos || end == text.npos || end < begin)
    throw std::runtime_error("the file has no runs");
  json_ = read_members(text.substr(begin, end - begin + 1));
  const Piece& entries = look_up(json_, "entries");
  if (!entries.is_object()) throw std::runtime_error("entries: missing");
  for (const auto& [suite, runs] : entries.items()) {
    const auto prefix = entries.size() > 1 ? suite + "/" : "";
    for (const Piece& run : runs) {
      const auto commit = text_of(look_up(look_up(run, "commit"), "id"));
      const auto same = [&](const Run& known) {
        return known.commit == commit && known.parts.back().first != prefix;
      };
      auto found = std::find_if(runs_.rbegin(), runs_.rend(), same);
      if (commit.empty() || found == runs_.rend()) {
        runs_.push_back({commit, date_of(look_up(run, "date")), {}});
        found = runs_.rbegin();
      }
      found->parts.emplace_back(prefix, &run);
    }
  }
  if (runs_.empty()) throw std::runtime_error("the file has no runs");
  std::ranges::stable_sort(runs_, [](const Run& a, const Run& b) { return a.date < b.date; });
}

void GithubActionFile::read(std::size_t index, Events& events) const {
  const Run& run = runs_.at(index);
  ForeignRows rows(events, file_, "github-action-benchmark", Reads::json);
  take_property(rows.run, "commit", run.commit);
  take_property(rows.run, "date", run.date);
  for (const auto& [suite, part] : run.parts) {
    take_property(rows.run, "tool", text_of(look_up(*part, "tool")));
    Suite(*part, suite, rows).read();
  }
  rows.finish();
}

void read_github_action(const std::string& file, Events& events) {
  const GithubActionFile history(file);
  if (history.runs() > 1) {
    events.note("only the last of " + std::to_string(history.runs()) +
                    " runs in the file is read (to show all runs: bench history)",
                "");
  }
  history.read(history.runs() - 1, events);
}

}  // namespace apod::files
