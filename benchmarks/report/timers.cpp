#include <map>
#include <ostream>

#include "benchmarks/report/case_table.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

/// The phases of one case over all of its processes, in order of first use.
std::vector<PhaseTime> merged(const std::vector<const Measurement*>& processes) {
  std::vector<PhaseTime> phases;
  for (const Measurement* measurement : processes) {
    for (const PhaseTime& phase : measurement->phases) {
      if (phase.count > 0) add_phase(phases, phase);
    }
  }
  return phases;
}

}  // namespace

void write_timers(std::ostream& out, const Result& result, const ConsoleStyle& style) {
  std::map<std::size_t, std::vector<const Measurement*>> by_case;
  for (const Measurement& measurement : result.measurements) {
    by_case[measurement.case_index].push_back(&measurement);
  }
  Table table;
  table.columns = {{"phase", false}, {"total"}, {"average"}, {"maximum"}, {"minimum"}, {"count"}};
  for (const auto& [index, processes] : by_case) {
    const std::vector<PhaseTime> phases = merged(processes);
    if (phases.empty()) continue;
    table.rows.push_back({{text::printable(result.plan.cases.at(index).id), Tone::title}});
    for (const PhaseTime& phase : phases) {
      table.rows.push_back({{text::printable(phase.name)},
                            {text::format_time(phase.total_s)},
                            {text::format_time(phase.total_s / static_cast<double>(phase.count))},
                            {text::format_time(phase.max_s)},
                            {text::format_time(phase.min_s)},
                            {std::to_string(phase.count)}});
    }
  }
  if (table.rows.empty()) {
    out << "timers: no case got as far as a phase that is timed\n";
    return;
  }
  out << paint("timers", Tone::title, style) << "  host time of each phase, over all processes\n";
  print(out, std::move(table), style);
}

}  // namespace apod::report
