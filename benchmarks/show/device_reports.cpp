#include <fmt/format.h>

#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/small_file.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {
namespace {

std::string percent(double share) {
  constexpr double largest_shown = 100;
  if (share > largest_shown) return "over 10000 %";
  return fmt::format("{:.2f} %", 100 * share);
}

/// One row a case; warns where the threshold lies under a floor.
Document calibration_document(const Calibration& calibration) {
  Table table{"",
              {{.name = "case", .align = Align::left, .key = true},
               {"time", "time_s"},
               {"samples", "sample"},
               {"processes", "process"},
               {"sessions", "session"},
               {"floor"}}};
  std::size_t below = 0;
  const auto share = [](double value) { return Cell{percent(value), Tone::plain, value}; };
  // Files that tell one time of each process know nothing of its samples, and sessions of one
  // process nothing of processes.
  const auto known = [&](double value, bool is_known) {
    return is_known ? share(value) : Cell{text::no_value, Tone::dim};
  };
  for (const auto& c : calibration.cases) {
    const bool blind = c.floor > calibration.threshold;
    below += blind ? 1 : 0;
    table.rows.push_back({{{c.name},
                           {text::format_time(c.time_s), Tone::plain, c.time_s},
                           known(c.sample, c.sample > 0),
                           known(c.process, calibration.processes > 1),
                           share(c.session),
                           share(c.floor)}});
    if (blind) table.rows.back().cells.back().tone = Tone::warning;
  }
  Document document;
  document.add(Heading{1,
                       {fmt::format("{} sessions of {}, {} cases", calibration.sessions,
                                    text::counted(static_cast<std::size_t>(calibration.processes),
                                                  "process", "processes"),
                                    calibration.cases.size())}});
  document.add(
      Paragraph{"Standard deviations within a process, between processes and between sessions; "
                "floor: the smallest change that two such files of one session each can show."});
  document.add(std::move(table));
  if (below > 0) {
    document.add(Paragraph{fmt::format(
        "{} of {} cases: two files can't show a change of {}, the floor is above it. Compare side "
        "by side (bench compare --base-bin A --new-bin B --config X), or several sessions a side.",
        below, calibration.cases.size(), percent(calibration.threshold))});
  }
  for (const auto& note : calibration.notes) document.add(Paragraph{note});
  return document;
}

/// A line for each ceiling; what was not measured says so.
Document ceilings_document(const Ceilings& ceilings) {
  Table table{"", {{.name = "ceiling", .align = Align::left, .key = true}, {"measured"}}};
  for (const auto& row : named_ceilings(ceilings)) {
    const bool is_time = *row.unit == '\0';
    Cell cell{"not measured", Tone::dim};
    if (row.value > 0) {
      cell = {is_time ? text::format_time(row.value) : text::format_rate(row.value, row.unit),
              Tone::plain, row.value};
    }
    table.rows.push_back({{{row.name}, std::move(cell)}});
  }
  Document document;
  document.add(Heading{1, {ceilings.gpu}});
  document.add(std::move(table));
  return document;
}

}  // namespace

Report report_of(const Calibration& calibration) {
  return {
      .kind = files::FileKind::calibration,
      .frame = {"bench"},
      .document = [&calibration](Audience) { return calibration_document(calibration); },
      .json = [&calibration](std::ostream& out) { files::write_calibration(out, calibration); }};
}

Report report_of(const Ceilings& ceilings) {
  return {.kind = files::FileKind::ceilings,
          .frame = {"bench"},
          .document = [&ceilings](Audience) { return ceilings_document(ceilings); },
          .json = [&ceilings](std::ostream& out) { files::write_ceilings(out, ceilings); }};
}

}  // namespace apod::show
