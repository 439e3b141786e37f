#include "benchmarks/run/trials.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/facts.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/run/compile_check.hpp"

namespace apod::run {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// One process. A look has a fifth of the time: it need only tell good from bad.
MeasureSpec spec_for(MeasureSpec spec, const TrialAsk& ask) {
  constexpr double least_timeout_s = 1;
  spec.processes = spec.max_processes = 1;
  spec.trace = spec.counters = false;
  spec.energy = ask.energy;
  spec.timeout_s = std::min(spec.timeout_s, std::max(ask.limit_s, least_timeout_s));
  if (ask.care == search::Care::full) return spec;
  constexpr double share = 5;
  constexpr int least_samples = 5;
  constexpr double least_precision = 0.02;
  spec.precision = std::max(spec.precision, least_precision);
  spec.max_time_s /= share;
  spec.min_samples = std::min(spec.min_samples, least_samples);
  return spec;
}

double number_of(const Measurement& measurement, const std::string& objective) {
  double value = nothing;
  if (objective == "time") {
    if (measurement.is_timed()) value = summarize_process(measurement).median_s;
  } else {
    const auto facts = facts_of(measurement);
    if (const auto found = facts.find(objective); found != facts.end()) value = found->second;
  }
  if (!(value > 0)) return nothing;
  return more_is_better(objective) ? -std::log(value) : std::log(value);
}

}  // namespace

bool more_is_better(const std::string& objective) {
  const auto* fact = find_fact(objective);
  return fact != nullptr && fact->better == Better::more;
}

bool needs_energy(const std::string& objective) {
  const auto* fact = find_fact(objective);
  return fact != nullptr && fact->needs == FactNeeds::energy;
}

Trials::Trials(const Registry& registry, TrialOptions options, const SessionListener& listener)
    : registry_(registry), options_(std::move(options)), listener_(listener) {
  for (auto& entry : options_.session.resumed) {
    auto& there = resumed_[{entry.measurement.process, entry.measurement.case_id}];
    there.push_back(std::move(entry));
  }
  options_.session.resumed.clear();
}

std::optional<Plan> Trials::plan_of(const plan::Space& space, std::span<const plan::RowIndex> rows,
                                    const TrialAsk& ask, std::string& why_not) const {
  ExperimentConfig config{options_.config_name,
                          options_.description,
                          options_.config_path,
                          options_.config_text,
                          {space.experiment_of(rows)}};
  auto& experiment = config.experiments.front();
  experiment.measure = spec_for(experiment.measure, ask);
  auto outcome = plan::expand(config, registry_, options_.expand);
  if (!outcome.plan) why_not = to_string(outcome.diagnostics.front());
  return std::move(outcome.plan);
}

TrialBatch Trials::measure(const plan::Space& space, std::span<const plan::RowIndex> rows,
                           const TrialAsk& ask) {
  TrialBatch batch;
  std::string why_not;
  auto plan = plan_of(space, rows, ask, why_not);
  if (!plan && rows.size() > 1) {
    // One of them needs more than the machine has: it costs itself alone.
    for (const auto row : rows) {
      const auto one = measure(space, std::span(&row, 1), ask);
      batch.trials.insert(batch.trials.end(), one.trials.begin(), one.trials.end());
      batch.seconds += one.seconds;
      if ((batch.stopped = one.stopped)) break;
    }
    return batch;
  }
  const int process = processes_++;
  if (!plan) {
    ++failures_[why_not];
    batch.trials.push_back({rows.front(), std::vector(options_.objectives.size(), nothing)});
    return batch;
  }
  if (all_.plan.experiments.empty()) {
    all_.plan = *plan;
    all_.plan.cases.clear();
  }
  auto session = options_.session;
  session.compiled = true;
  std::map<std::string, std::string> skipped;
  std::vector<std::string> ids;
  for (auto& c : plan->cases) {
    ids.push_back(c.id);
    session.compiled &= !compiled_.insert(c.id).second;
    if (index_.emplace(c.id, all_.plan.cases.size()).second) {
      all_.plan.cases.push_back(c);
      all_.plan.cases.back().index = all_.plan.cases.size() - 1;
    }
    if (!c.skip.empty()) skipped[c.id] = c.skip;
    const auto known = resumed_.find({process, c.id});
    if (known == resumed_.end()) continue;
    // An end between the passes of a case: all of it is measured again.
    const auto wants_energy = plan->experiment_of(c).measure.energy;
    const bool is_whole = std::ranges::any_of(known->second, [&](const JournalEntry& entry) {
      return !wants_energy || entry.pass == record::Pass::energy ||
             !entry.measurement.failed.empty();
    });
    if (!is_whole) continue;
    for (auto& entry : known->second) {
      batch.seconds += entry.measurement.wall_s;
      keep(std::move(entry.measurement), entry.pass);
    }
    c.skip = "measured before";
  }
  const bool runs = std::ranges::any_of(plan->cases, [](const Case& c) { return c.skip.empty(); });
  if (runs) {
    if (!mark_) mark_ = std::chrono::steady_clock::now();
    using namespace std::chrono_literals;
    const bool compiles =
        compiling_.valid() && compiling_.wait_for(0s) != std::future_status::ready;
    auto listener = listener_;
    listener.finished = [&](const Case& c, const Measurement& finished) {
      auto measurement = finished;
      measurement.process = process;
      if (compiles) measurement.facts.erase("other_load");  // our own compilers are in it
      const auto now = std::chrono::steady_clock::now();
      // All that a search takes belongs to some case: also starting processes and thinking.
      measurement.wall_s = std::chrono::duration<double>(now - *mark_).count();
      mark_ = now;
      batch.seconds += measurement.wall_s;
      const auto pass =
          measurement.stage == "energy" ? record::Pass::energy : record::Pass::measure;
      if (options_.session.journal != nullptr)
        options_.session.journal->append({measurement, pass});
      keep(std::move(measurement), pass);
      listener_.finished(c, finished);
    };
    session.journal = nullptr;
    session.order_seed += static_cast<std::uint64_t>(process);
    auto result = run_session(std::move(*plan), registry_, session, listener);
    batch.stopped = result.interrupted;
    if (all_.environment.date.empty()) all_.environment = std::move(result.environment);
  }
  for (std::size_t i = 0; i < rows.size() && i < ids.size(); ++i) {
    if (const auto why = skipped.find(ids[i]); why != skipped.end()) {
      ++failures_[why->second];
      batch.trials.push_back({rows[i], std::vector(options_.objectives.size(), nothing)});
    } else if (const auto there = measured_.find({process, ids[i]}); there != measured_.end()) {
      std::string failed;
      batch.trials.push_back({rows[i], values_of(there->second, ask.energy, failed)});
      if (!failed.empty()) ++failures_[failed];
    }
  }
  return batch;
}

void Trials::prepare(const plan::Space& space, std::span<const plan::RowIndex> rows) {
  constexpr auto pause = std::chrono::milliseconds(50);
  while (compiling_.valid() && compiling_.wait_for(pause) != std::future_status::ready)
    stops_compiling_ = listener_.cancelled();
  std::string why_not;
  auto plan = rows.empty() ? std::nullopt : plan_of(space, rows, {}, why_not);
  if (!plan) return;  // one needs more than the machine has: each is planned when it is measured
  for (const auto& c : plan->cases) compiled_.insert(c.id);
  compiling_ = std::async(std::launch::async, [this, plan = std::move(*plan)] {
    compile_ahead(
        plan, registry_, options_.session.device, 1, [this] { return !!stops_compiling_; }, true);
  });
}

void Trials::keep(Measurement measurement, record::Pass pass) {
  measurement.case_index = index_.at(measurement.case_id);
  const Key key{measurement.process, measurement.case_id};
  const auto there = measured_.find(key);
  if (pass == record::Pass::measure || there == measured_.end()) {
    measured_[key] = std::move(measurement);
    return;
  }
  for (const auto& [name, value] : measurement.facts) there->second.facts[name] = value;
  auto& notes = there->second.notes;
  notes.insert(notes.end(), measurement.notes.begin(), measurement.notes.end());
  there->second.wall_s += measurement.wall_s;
}

std::vector<double> Trials::values_of(const Measurement& measurement, bool energy,
                                      std::string& why) const {
  std::vector<double> values;
  why = measurement.failed.empty() ? "" : measurement.stage + ": " + measurement.failed;
  for (const auto& objective : options_.objectives) {
    values.push_back(why.empty() ? number_of(measurement, objective) : nothing);
    const bool is_wanted = energy || !needs_energy(objective);
    if (why.empty() && is_wanted && std::isnan(values.back())) why = "it has no " + objective;
  }
  return why.empty() ? values : std::vector(options_.objectives.size(), nothing);
}

std::vector<Trial> Trials::known(const plan::Space& space, const Result& earlier) const {
  std::vector<std::optional<plan::RowIndex>> rows(earlier.plan.cases.size());
  for (const auto& c : earlier.plan.cases) rows[c.index] = space.row_of(c.params);
  std::vector<Trial> trials;
  for (const auto& one : earlier.measurements) {
    const auto row = rows[one.case_index];
    std::string why;
    if (row) trials.push_back({*row, values_of(one, false, why)});
  }
  return trials;
}

Result Trials::result() const {
  auto result = all_;
  const auto& cases = result.plan.cases;
  for (auto& experiment : result.plan.experiments) {
    experiment.swept.clear();
    for (const auto& [name, value] : cases.front().params.entries()) {
      const auto differs = [&](const Case& c) {
        const auto* other = c.params.find(name);
        return other == nullptr || *other != value;
      };
      if (std::ranges::any_of(cases, differs)) experiment.swept.push_back(name);
    }
  }
  for (const auto& [key, measurement] : measured_) {
    result.measurements.push_back(measurement);
    result.wall_s += measurement.wall_s;
  }
  return result;
}

}  // namespace apod::run
