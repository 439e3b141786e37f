#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/cli/inspect_request.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/look/switches.hpp"
#include "benchmarks/run/inspected_program.hpp"

namespace apod::cli {
namespace {

/// What one process says about a step.
struct RunOfProgram {
  double step_s = 0;
  double start_s = 0;
  std::map<std::string, double> kernels;  ///< launches a step by name
  std::map<std::string, double> copies;   ///< by kind and memory
};

/// Nothing where no step is judged.
std::optional<RunOfProgram> run_of(const Inspection& inspection) {
  if (inspection.steps.empty()) return std::nullopt;
  const auto& steps = inspection.steps.front().steps;
  if (steps.steady.empty() || inspection.steady.empty()) return std::nullopt;
  RunOfProgram run{.step_s = steps.median_s(), .start_s = steps.start_s};
  const auto a_step = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(steps.steady.size());
  };
  for (const auto& kernel : inspection.steady.kernels)
    run.kernels[kernel.name] += a_step(kernel.time.count);
  for (const auto& copy : inspection.steady.copies) {
    run.copies[fmt::format("{} {} {}", copy.name, to_string(copy.source),
                           to_string(copy.target))] += a_step(copy.time.count);
  }
  return run;
}

double sum(const std::map<std::string, double>& counts) {
  double all = 0;
  for (const auto& [name, count] : counts) all += count;
  return all;
}

/// What a step does otherwise; empty: nothing.
std::string difference(const RunOfProgram& base, const RunOfProgram& with) {
  std::size_t others = 0;
  for (const auto& [name, count] : with.kernels) others += base.kernels.contains(name) ? 0 : 1;
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (others > 0) add(fmt::format("{} of {} kernels are different", others, with.kernels.size()));
  const auto counted = [&](const char* what, double before, double after) {
    if (std::abs(before - after) < 0.5) return;
    add(fmt::format("{:.0f} -> {:.0f} {} per step", before, after, what));
  };
  counted("launches", sum(base.kernels), sum(with.kernels));
  counted("copies", sum(base.copies), sum(with.copies));
  if (text.empty() && base.copies != with.copies) add("the copies use different kinds of memory");
  return text;
}

double at_most_s(const Inspection& inspection, std::string_view finding) {
  for (const auto& one : inspection.findings) {
    if (one.id == finding) return one.gain * inspection.steps.front().steps.mean_s();
  }
  return 0;
}

/// One way to run the program; the first is without a switch.
struct Way {
  std::string name;
  run::InspectedProgram program;
  std::vector<double> steps_s;
  std::vector<double> starts_s;
  std::optional<RunOfProgram> first;
  std::string failed;

  void add(const RunOfProgram& run) {
    steps_s.push_back(run.step_s);
    starts_s.push_back(run.start_s);
    if (!first) first = run;
  }
};

void run_once(const Part& part, Way& way) {
  auto recording = run::run_inspected(way.program);
  if (const int code = recording.exit_code.value_or(0); code != 0) {
    way.failed = fmt::format("the program ended with exit code {}", code);
    return;
  }
  const auto run = run_of(inspection_of({.recording = std::move(recording)}, part));
  if (run) {
    way.add(*run);
  } else {
    way.failed = "no step was recorded";
  }
}

TriedSwitch judged(const Way& base, const Way& with, const Inspection& first) {
  TriedSwitch tried{.name = with.name, .finding = std::string(look::finding_of_switch(with.name))};
  tried.at_most_s = at_most_s(first, tried.finding);
  tried.failed = with.failed.empty() ? base.failed : with.failed;
  if (!tried.failed.empty()) return tried;
  tried.rounds = with.steps_s.size();
  tried.base_s = stats::median(base.steps_s);
  tried.with_s = stats::median(with.steps_s);
  tried.change = stats::paired_change(with.steps_s, base.steps_s);
  tried.start_base_s = stats::median(base.starts_s);
  tried.start_with_s = stats::median(with.starts_s);
  tried.differs = difference(*base.first, *with.first);
  return tried;
}

}  // namespace

std::vector<TriedSwitch> try_switches(const InspectRequest& request, const Inspection& first) {
  const auto before = run_of(first);
  if (!before) throw std::runtime_error("--try: no step was recorded, so no saving can be shown");
  std::vector<Way> ways{{.name = "without", .program = request.program}};
  for (const auto& name : request.tries) {
    ways.push_back({.name = name, .program = request.program});
    ways.back().program.variables = look::variables_of(name);
  }
  for (auto& way : ways) way.program.silent = true;
  ways.front().add(*before);
  say(fmt::format("--try runs the program {} more times; the program's output is not shown",
                  request.rounds * ways.size() - 1));
  for (std::size_t round = 0; round < request.rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      auto& way = ways[(round + i) % ways.size()];
      if ((round > 0 || &way != &ways.front()) && way.failed.empty()) run_once(request.part, way);
    }
    if (!ways.front().failed.empty()) break;
  }
  std::vector<TriedSwitch> tried;
  for (std::size_t i = 1; i < ways.size(); ++i) tried.push_back(judged(ways[0], ways[i], first));
  return tried;
}

}  // namespace apod::cli
