#include <fmt/format.h>

#include <algorithm>
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
      Paragraph{"Standard deviations within a process, between processes and between sessions. "
                "The floor is the smallest change that two files with one session each can show."});
  document.add(std::move(table));
  if (below > 0) {
    document.add(
        Paragraph{fmt::format("In {} of {} cases, two files can't show a change of {}. Compare "
                              "side by side (bench compare --base-bin A --new-bin B --config X), "
                              "or use several sessions per side.",
                              below, calibration.cases.size(), percent(calibration.threshold))});
  }
  for (const auto& note : calibration.notes) document.add(Paragraph{note});
  return document;
}

/// The GPUs that have links, in the order of the file.
std::vector<std::string> linked(const Ceilings& ceilings) {
  std::vector<std::string> gpus;
  for (const Link& link : ceilings.links) {
    for (const auto& gpu : {link.to, link.from}) {
      if (std::ranges::find(gpus, gpu) == gpus.end()) gpus.push_back(gpu);
    }
  }
  return gpus;
}

/// A row for each GPU that fetches, a column for each that it fetches from, by its number: eight
/// fit on a phone.
Table links_table(const Ceilings& ceilings, const std::string& what, double Link::*rate) {
  constexpr double giga = 1e9;
  const auto gpus = linked(ceilings);
  Table table{what + ", GB/s, from the GPU of the column to the GPU of the row",
              {{.name = "to", .align = Align::left, .key = true}},
              {},
              true};
  for (std::size_t i = 0; i < gpus.size(); ++i)
    table.columns.push_back({.name = std::to_string(i), .id = "from " + gpus[i]});
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    table.rows.push_back({{{fmt::format("{}: {}", i, gpus[i])}}});
    for (const auto& from : gpus) {
      Cell cell{from == gpus[i] ? "" : "not measured", Tone::dim};
      for (const Link& link : ceilings.links) {
        if (link.to != gpus[i] || link.from != from || !(link.*rate > 0)) continue;
        const double value = link.*rate / giga;
        cell = {fmt::format("{:.{}f}", value,
                            value < 10    ? 2
                            : value < 100 ? 1
                                          : 0),
                Tone::plain, link.*rate};
      }
      table.rows.back().cells.push_back(std::move(cell));
    }
  }
  return table;
}

/// A row for each GPU that fetches, a dot for each that it fetches from.
figure::Figure links_figure(const Ceilings& ceilings) {
  const auto gpus = linked(ceilings);
  figure::Figure figure{.id = "links", .x = {"rate", text::Unit::bytes_per_second}};
  figure.x.from_zero = true;
  figure::Panel panel{.rows = gpus};
  double least = 0;
  double most = 0;
  std::size_t color = 0;
  for (const auto& [name, rate] :
       {std::pair{"one way", &Link::one_way_bytes_per_s},
        std::pair{"both ways, together", &Link::both_ways_bytes_per_s}}) {
    figure::Series series{name, figure::Mark::dots, {}, {{}, color++}};
    for (const Link& link : ceilings.links) {
      const double value = link.*rate;
      if (!(value > 0)) continue;
      const auto row = std::ranges::find(gpus, link.to) - gpus.begin();
      series.points.push_back({.x = value,
                               .y = static_cast<double>(row),
                               .text = link.from + " to " + link.to + ", " + name + ": " +
                                       text::format_rate(value, "B/s")});
      if (color > 1) continue;
      least = least > 0 ? std::min(least, value) : value;
      most = std::max(most, value);
    }
    panel.series.push_back(std::move(series));
  }
  figure.title = "In one direction, the links between the GPUs reach " +
                 text::format_rate(least, "B/s") + " to " + text::format_rate(most, "B/s");
  figure.panels.push_back(std::move(panel));
  return figure;
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
  if (ceilings.links.empty()) return document;
  document.add(links_table(ceilings, "one way", &Link::one_way_bytes_per_s));
  document.add(links_table(ceilings, "sum of both directions, used at the same time",
                           &Link::both_ways_bytes_per_s));
  document.add(links_figure(ceilings));
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
