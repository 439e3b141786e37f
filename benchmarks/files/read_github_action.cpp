#include "benchmarks/files/read_github_action.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <string_view>

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

ForeignRow row_of(const Piece& bench, const std::string& suite) {
  ForeignRow row{.name = suite + text_at(bench, "name")};
  const Piece& value = look_up(bench, "value");
  // Some tools write their numbers as text.
  const double number =
      value.is_string() ? text_number_or_nan(text_of(value)) : number_or_nan(value);
  take_time(row, number, text_of(look_up(bench, "unit")));
  return row;
}

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
  const auto per = unit.rfind('/');
  const auto seconds = per == unit.npos ? std::nullopt : seconds_in(unit.substr(per + 1));
  if (!seconds) {
    throw std::runtime_error(row.name + ": its unit " + text::in_quotes(unit) + " is not a time");
  }
  if (!(number > 0)) {
    row.failed = !std::isfinite(number) ? "its rate is not a finite number"
                                        : fmt::format("a rate of {} {} has no time", number, unit);
    return;
  }
  row.times_s.push_back(*seconds / number);
  row.way = "time:1 / " + unit;
  // Of several times the rate is that of their median.
  if (row.times_s.size() == 1) row.numbers.push_back({unit.substr(0, per) + "/s", 0, "/s"});
  row.numbers.front().value = 1 / stats::median(row.times_s);
}

GithubActionFile::GithubActionFile(const std::string& file) : file_(file) {
  auto text = os::read_file(file, longest_text);
  const auto begin = text.find('{');
  const auto end = text.rfind('}');
  if (begin == text.npos || end == text.npos || end < begin) {
    throw std::runtime_error("there are no runs in it");
  }
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
  if (runs_.empty()) throw std::runtime_error("there are no runs in it");
  std::stable_sort(runs_.begin(), runs_.end(),
                   [](const Run& a, const Run& b) { return a.date < b.date; });
}

void GithubActionFile::read(std::size_t index, Events& events) const {
  const Run& run = runs_.at(index);
  ForeignRows rows(events, file_, "github-action-benchmark", Reads::json);
  take_property(rows.run, "commit", run.commit);
  take_property(rows.run, "date", run.date);
  for (const auto& [suite, part] : run.parts) {
    take_property(rows.run, "tool", text_of(look_up(*part, "tool")));
    std::size_t at = 0;
    for (const Piece& bench : array_at(*part, "benches")) {
      rows.row("benches[" + std::to_string(at++) + "]",
               [&, &suite = suite] { return std::optional(row_of(bench, suite)); });
    }
  }
  rows.finish();
}

void read_github_action(const std::string& file, Events& events) {
  const GithubActionFile history(file);
  if (history.runs() > 1) {
    events.note("the last of its " + std::to_string(history.runs()) +
                    " runs is read; bench history shows all",
                "");
  }
  history.read(history.runs() - 1, events);
}

}  // namespace apod::files
