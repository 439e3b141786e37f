#include "benchmarks/run/rounds.hpp"

#include <algorithm>
#include <random>

#include "benchmarks/run/session.hpp"

namespace apod::run {
namespace {

using record::Pass;

/// One step for each case that is not skipped and whose experiment is `wanted`.
template <class Wanted>
Round round_of(const Plan& plan, int process, Pass pass, Wanted wanted) {
  Round round;
  for (const auto& c : plan.cases) {
    const bool runs = c.skip.empty() && wanted(plan.experiment_of(c).measure);
    if (runs) round.push_back({c.index, process, pass});
  }
  return round;
}

}  // namespace

std::vector<Round> make_rounds(const Plan& plan, const SessionOptions& options) {
  const auto all = [](const MeasureSpec&) { return true; };
  // The profiler sees the second round only: no check, no warm-up, every kernel as often as asked.
  if (options.profile_runs > 0) {
    return {round_of(plan, 0, Pass::check, all), round_of(plan, 0, Pass::profile, all)};
  }
  std::vector<Round> rounds;
  std::mt19937_64 random(options.order_seed);
  int processes = 0;
  for (const auto& experiment : plan.experiments) {
    processes = std::max(processes, options.in_process ? 1 : experiment.measure.processes);
  }
  for (int process = 0; process < processes; ++process) {
    auto round = round_of(plan, process, Pass::measure, [&](const MeasureSpec& measure) {
      return options.in_process || process < measure.processes;
    });
    // A drift of the machine must not fall on the same cases in every round.
    std::shuffle(round.begin(), round.end(), random);
    rounds.push_back(std::move(round));
  }
  // Tracing slows what comes after it in the same process, and reading counters needs the profiler
  // that the tracer holds: each has a round of its own, at the end.
  for (auto round :
       {round_of(plan, 0, Pass::trace, [](const auto& spec) { return spec.trace; }),
        round_of(plan, 0, Pass::counters, [](const auto& spec) { return spec.counters; })}) {
    if (!round.empty()) rounds.push_back(std::move(round));
  }
  return rounds;
}

std::size_t count_steps(const Plan& plan, const SessionOptions& options) {
  std::size_t steps = 0;
  for (const auto& round : make_rounds(plan, options)) steps += round.size();
  return steps;
}

}  // namespace apod::run
