#include "benchmarks/cli/print_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/memory.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::cli {
namespace {

constexpr std::size_t cases_shown = 60;

/// No bytes are no value.
show::Cell bytes_cell(std::uint64_t bytes) {
  if (bytes == 0) return {};
  return {.text = text::format_bytes(static_cast<double>(bytes))};
}

/// "46 s to 3 min 10 s": where cases get further processes until they are precise.
std::string time_text(const plan::TimeRange& time) {
  const auto least = text::format_duration(time.least_s);
  const auto most = text::format_duration(time.most_s);
  return least == most ? least : least + " to " + most;
}

/// What would be started, as the file says it, for a reader who has to trust it.
show::List commands_of(const Plan& plan) {
  show::List lines;
  for (const auto& experiment : plan.experiments) {
    if (experiment.kernel) {
      for (const auto& launch : experiment.kernel->spec.launches) {
        lines.items.push_back(
            {fmt::format("{} launches: {} in {}", experiment.name, launch.kernel, launch.file)});
      }
    }
    if (!experiment.command) continue;
    const auto& command = *experiment.command;
    const auto add = [&](const std::string& what, const std::string& text) {
      lines.items.push_back({fmt::format("{} {} {}", experiment.name, what, text)});
    };
    for (const auto& [what, words] : {std::pair{"sets up:", &command.setup},
                                      {"runs:", &command.words},
                                      {"cleans up:", &command.cleanup}}) {
      if (!words->empty()) add(what, text::shell_line(*words));
    }
    if (!command.cwd.empty()) add("in:", command.cwd);
    for (const auto& [name, value] : command.env) add("with:", name + "=" + value);
    if (command.finds_cases()) {
      add("finds its cases", fmt::format("when it runs ({})", to_string(command.reads)));
    }
  }
  return lines;
}

}  // namespace

std::size_t print_plan(const Plan& plan, const Registry& registry,
                       const show::ConsoleStyle& style) {
  plan::CaseMemory peak;
  std::size_t runs = 0;
  std::map<std::string, std::size_t> skipped;
  show::Table cases{.columns = {{.name = "case", .align = show::Align::left, .key = true},
                                {.name = "device memory"},
                                {.name = "host memory"}}};
  for (const auto& c : plan.cases) {
    if (!c.skip.empty()) {
      ++skipped[c.skip];
      continue;
    }
    const auto memory = plan::memory_of(plan, c, registry);
    peak.device_bytes = std::max(peak.device_bytes, memory.device_bytes);
    peak.host_bytes = std::max(peak.host_bytes, memory.host_bytes);
    if (runs++ >= cases_shown) continue;
    cases.rows.push_back(
        {{{.text = c.id}, bytes_cell(memory.device_bytes), bytes_cell(memory.host_bytes)}});
  }

  show::Document document;
  document.add(show::Heading{.title = {plan.name}, .detail = plan.description});
  document.add(std::move(cases));
  show::List rest;
  if (runs > cases_shown)
    rest.items.push_back({fmt::format("... and {} more", runs - cases_shown)});
  for (const auto& [reason, count] : skipped) {
    rest.items.push_back({fmt::format("{} skipped: {}", count, reason)});
  }
  document.add(std::move(rest));
  auto commands = commands_of(plan);
  const bool has_commands =
      std::any_of(plan.experiments.begin(), plan.experiments.end(),
                  [](const auto& experiment) { return experiment.command.has_value(); });
  document.add(std::move(commands));
  document.add(show::Paragraph{
      fmt::format(
          "{} would run, about {}{}; the largest needs {} device, {} host. Nothing was run.",
          text::counted(runs, "case"), time_text(plan::estimate_run(plan, registry)),
          has_commands ? " beside the commands, whose time is not known" : "",
          text::format_bytes(static_cast<double>(peak.device_bytes)),
          text::format_bytes(static_cast<double>(peak.host_bytes))),
      true});
  show::render_terminal(std::cout, document, style);
  if (runs == 0 && !skipped.empty()) say("every case is skipped: " + skipped.begin()->first);
  return runs;
}

}  // namespace apod::cli
