#include "benchmarks/run/collector.hpp"

#include <algorithm>
#include <utility>

#include "benchmarks/look/trace/counters.hpp"

namespace apod::run {

using record::Pass;

bool Collector::is_done(const Step& step) const {
  return failed_.contains(step.case_index) ||
         done_.contains({step.case_index, step.process, step.pass});
}

void Collector::add(JournalEntry entry) {
  auto& measurement = entry.measurement;
  const std::tuple step{measurement.case_index, measurement.process, entry.pass};
  const bool failed = !measurement.failed.empty();
  // A case whose traced run gave a wrong answer is wrong, however well it was timed before.
  const bool wrong = failed && measurement.stage == "verify";
  if (entry.pass != Pass::measure && !wrong) {
    if (attach(entry.pass, std::move(measurement))) done_.insert(step);
    return;
  }
  done_.insert(step);
  if (failed) failed_.insert(measurement.case_index);
  result_.measurements.push_back(std::move(measurement));
}

/// A pass after the timed ones has no samples of its own: its facts join the case's first
/// measurement. A case that was measured well stays measured when such a pass failed. False where
/// the case has no measurement to join, as in a damaged journal: the pass is made again after one.
bool Collector::attach(Pass pass, Measurement extra) {
  const auto found =
      std::find_if(result_.measurements.begin(), result_.measurements.end(),
                   [&](const Measurement& one) { return one.case_index == extra.case_index; });
  if (found == result_.measurements.end()) return false;
  const bool traced = pass == Pass::trace;
  for (const auto& [name, value] : extra.facts) found->facts[name] = value;
  if (traced) {
    found->kernel_code = std::move(extra.kernel_code);
    // Where a resumed run traces again, the counters are there already.
    std::swap(found->profile, extra.profile);
  }
  for (auto& one : extra.found) {
    for (auto& there : found->found) {
      if (there.name != one.name) continue;
      for (const auto& [name, value] : one.facts) there.facts[name] = value;
      there.kernel_code = std::move(one.kernel_code);
      there.profile = std::move(one.profile);
    }
  }
  trace::join_counters(extra.profile, found->profile);
  found->notes.insert(found->notes.end(), extra.notes.begin(), extra.notes.end());
  if (!extra.failed.empty()) {
    found->notes.push_back("no " + std::string(to_string(pass)) + ": " + extra.failed);
  }
  return true;
}

void Collector::note_device(const DeviceFacts& facts) {
  auto& device = result_.environment.device;
  if (device.name.empty() || facts.backend == BackendKind::cuda) device = facts;
}

}  // namespace apod::run
