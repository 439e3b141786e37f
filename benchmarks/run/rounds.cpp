#include "benchmarks/run/rounds.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <unordered_map>

#include "benchmarks/base/estimator.hpp"
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

/// Whether the interval between so many processes is as narrow as is wanted. Where one is missing,
/// nothing is.
bool is_reached(std::vector<ProcessSummary> of_case, int processes, double precision) {
  if (static_cast<int>(of_case.size()) != processes) return true;
  leave_out_throttled(of_case);
  std::vector<double> medians;
  for (const auto& one : of_case) medians.push_back(one.median_s);
  const auto time = estimate_time(medians);
  return time.has_interval() && time.half_width() <= precision * time.value;
}

/// A drift of the machine must not fall on the same cases in every round.
void shuffle(Round& round, int process, const SessionOptions& options) {
  std::mt19937_64 random(options.order_seed + static_cast<std::uint64_t>(process));
  std::shuffle(round.begin(), round.end(), random);
}

}  // namespace

std::vector<Round> first_rounds(const Plan& plan, const SessionOptions& options) {
  const auto all = [](const MeasureSpec&) { return true; };
  // The profiler sees the second round only: no check, no warm-up, every kernel as often as asked.
  if (options.profile_runs > 0)
    return {round_of(plan, 0, Pass::check, all), round_of(plan, 0, Pass::profile, all)};
  int processes = 0;
  for (const auto& experiment : plan.experiments)
    processes = std::max(processes, options.in_process ? 1 : experiment.measure.processes);
  std::vector<Round> rounds;
  for (int process = 0; process < processes; ++process) {
    rounds.push_back(round_of(plan, process, Pass::measure, [&](const MeasureSpec& measure) {
      return options.in_process || process < measure.processes;
    }));
    shuffle(rounds.back(), process, options);
  }
  return rounds;
}

Round further_round(const Result& result, int process, const SessionOptions& options) {
  // By the id of each case, or of each that was found in its output.
  std::vector<std::map<std::string, std::vector<ProcessSummary>>> processes(
      result.plan.cases.size());
  std::vector<double> spent_s(result.plan.cases.size(), 0);
  std::set<std::size_t> failed;
  for (const auto& measurement : result.measurements) {
    const auto index = measurement.case_index;
    // A resumed run may know later processes; what they said must not decide about this one.
    if (!measurement.failed.empty()) failed.insert(index);
    if (measurement.process >= process) continue;
    spent_s[index] += measurement.wall_s;
    for (const auto& part : parts_of(measurement)) {
      if (part.samples_s.empty()) continue;
      processes[index][part.case_id].push_back(summarize_process(part));
    }
  }
  Round round;
  for (const auto& c : result.plan.cases) {
    const auto& measure = result.plan.experiment_of(c).measure;
    // Where an earlier process is missing, the case was done before.
    const bool in_range = process >= measure.processes && process < measure.max_processes;
    if (!in_range || failed.contains(c.index) || spent_s[c.index] >= measure.budget_s) continue;
    const auto& parts = processes[c.index];
    const bool reached = std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
      return is_reached(part.second, process, measure.precision);
    });
    if (!reached) round.push_back({c.index, process, Pass::measure});
  }
  shuffle(round, process, options);
  return round;
}

std::vector<Round> last_rounds(const Plan& plan, const SessionOptions& options) {
  if (options.profile_runs > 0) return {};
  std::vector<Round> rounds;
  // Tracing slows what comes after it in the same process, and reading counters needs the profiler
  // that the tracer holds: each has a round of its own, at the end. So has energy, which needs
  // seconds, and leaves the device warm.
  for (auto round :
       {round_of(plan, 0, Pass::trace, [](const auto& spec) { return spec.trace; }),
        round_of(plan, 0, Pass::counters, [](const auto& spec) { return spec.counters; }),
        round_of(plan, 0, Pass::energy, [](const auto& spec) { return spec.energy; })}) {
    if (!round.empty()) rounds.push_back(std::move(round));
  }
  return rounds;
}

Round by_problem(Round round, const std::vector<std::size_t>& first_of_problem) {
  // The place of a problem is that of one of its steps, chosen without regard to the order: the
  // first step of many would come early in every round.
  struct Chosen {
    std::size_t case_index;
    std::size_t place;
  };
  std::unordered_map<std::size_t, Chosen> chosen;
  for (std::size_t i = 0; i < round.size(); ++i) {
    const auto mine = round[i].case_index;
    auto& place = chosen.try_emplace(first_of_problem[mine], Chosen{mine, i}).first->second;
    if (mine < place.case_index) place = {mine, i};
  }
  std::stable_sort(round.begin(), round.end(), [&](const Step& a, const Step& b) {
    return chosen.at(first_of_problem[a.case_index]).place <
           chosen.at(first_of_problem[b.case_index]).place;
  });
  return round;
}

std::size_t count_steps(const Plan& plan, const SessionOptions& options) {
  std::size_t steps = 0;
  for (const auto& round : first_rounds(plan, options)) steps += round.size();
  for (const auto& round : last_rounds(plan, options)) steps += round.size();
  return steps;
}

}  // namespace apod::run
