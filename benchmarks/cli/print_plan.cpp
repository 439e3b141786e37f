#include "benchmarks/cli/print_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "benchmarks/cli/messages.hpp"
#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/memory.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::cli {
namespace {

constexpr std::size_t cases_shown = 60;

std::string memory_text(const plan::CaseMemory& memory) {
  return fmt::format("{} device, {} host",
                     text::format_bytes(static_cast<double>(memory.device_bytes)),
                     text::format_bytes(static_cast<double>(memory.host_bytes)));
}

}  // namespace

std::size_t print_plan(const Plan& plan, const Registry& registry) {
  const auto line = [](const std::string& text) { std::cout << text::printable(text) << '\n'; };
  line(plan.name + (plan.description.empty() ? "" : ": " + plan.description));
  plan::CaseMemory peak;
  std::size_t runs = 0;
  std::map<std::string, std::size_t> skipped;
  for (const auto& c : plan.cases) {
    if (!c.skip.empty()) {
      ++skipped[c.skip];
      continue;
    }
    const auto memory = plan::memory_of(plan, c, registry);
    peak.device_bytes = std::max(peak.device_bytes, memory.device_bytes);
    peak.host_bytes = std::max(peak.host_bytes, memory.host_bytes);
    if (runs++ < cases_shown) line(fmt::format("  {}  [{}]", c.id, memory_text(memory)));
  }
  if (runs > cases_shown) line(fmt::format("  ... and {} more", runs - cases_shown));
  for (const auto& [reason, count] : skipped) line(fmt::format("  {} skipped: {}", count, reason));
  line(fmt::format("{} {} would run, about {}; the largest needs {}. Nothing was run.", runs,
                   runs == 1 ? "case" : "cases",
                   text::format_duration(plan::estimate_seconds(plan, registry)),
                   memory_text(peak)));
  if (runs == 0 && !skipped.empty()) say("every case is skipped: " + skipped.begin()->first);
  return runs;
}

}  // namespace apod::cli
