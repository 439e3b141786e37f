#include "benchmarks/files/write_result.hpp"

#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "benchmarks/files/columns.hpp"
#include "benchmarks/files/file_fields.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {
namespace {

/// Bytes that the case is about, as summarize() counts them: over the host link end to end, device
/// memory otherwise.
double bytes_of(const Measurement& measurement, Scope scope) {
  if (scope == Scope::kernel)
    return measurement.traffic.bytes_read + measurement.traffic.bytes_written;
  const auto transferred = measurement.facts.find("transfer_bytes");
  return transferred == measurement.facts.end() ? 0 : transferred->second;
}

/// Of an execution, where it was measured; of a command, all of its processor time.
std::optional<double> cpu_time_of(const Measurement& measurement) {
  const auto fact = [&](const char* name) -> std::optional<double> {
    const auto found = measurement.facts.find(name);
    return found == measurement.facts.end() ? std::nullopt : std::optional(found->second);
  };
  if (const auto sample_s = fact("cpu_time")) return *sample_s / measurement.launches_per_sample;
  const auto user_s = fact("user_time");
  const auto system_s = fact("system_time");
  return user_s && system_s ? std::optional(*user_s + *system_s) : std::nullopt;
}

}  // namespace

double items_of(const Params& params) {
  const AxisValue* size = params.find("size");
  if (size == nullptr) return 0;
  if (const auto* count = std::get_if<std::int64_t>(size)) return static_cast<double>(*count);
  const auto shape = parse_shape(std::get<std::string>(*size));
  return shape ? static_cast<double>(shape->rows) * static_cast<double>(shape->cols) : 0;
}

std::vector<std::pair<const char*, double>> rates_of(const Measurement& measurement, double items,
                                                     const Experiment& experiment, double time_s) {
  std::vector<std::pair<const char*, double>> rates;
  if (!(time_s > 0)) return rates;
  const double bytes = bytes_of(measurement, experiment.scope);
  if (bytes > 0) rates.emplace_back("bytes_per_second", bytes / time_s);
  if (items > 0 && !experiment.command) rates.emplace_back("items_per_second", items / time_s);
  return rates;
}

record::Json row_of(const Measurement& measurement, const Case& info, const Experiment& experiment,
                    int family_instance, int repetition, int repetitions) {
  const auto process = summarize_process(measurement);
  record::Json row;
  row["name"] = info.id;
  row["family_index"] = info.experiment;
  row["per_family_instance_index"] = family_instance;
  row["run_name"] = info.id;
  row["run_type"] = "iteration";
  row["repetitions"] = repetitions;
  row["repetition_index"] = repetition;
  row["threads"] = info.params.integer_or("threads", 1);
  row["iterations"] = process.samples * static_cast<std::size_t>(measurement.launches_per_sample);
  row["real_time"] = process.median_s * 1e9;
  if (const auto cpu_s = cpu_time_of(measurement)) row["cpu_time"] = *cpu_s * 1e9;
  row["time_unit"] = "ns";
  for (const auto& [key, rate] :
       rates_of(measurement, items_of(info.params), experiment, process.median_s)) {
    row[key] = rate;
  }
  record::Json own = record::Writer::write(measurement);
  own.erase("case_id");  // it is the row's name
  row["apod"] = std::move(own);
  return row;
}

namespace {

enum class Place { row, untimed, failed };

/// Where a measurement is written. A case that failed publishes no time, so all of its processes
/// leave the rows; a traced pass has no samples.
Place place_of(const Measurement& measurement, const CaseSummary& summary) {
  if (summary.status == CaseStatus::failed || !measurement.failed.empty()) return Place::failed;
  return measurement.is_timed() ? Place::row : Place::untimed;
}

void write_measurements(std::ostream& out, const Result& result,
                        const std::vector<CaseSummary>& summaries) {
  const auto& cases = result.plan.cases;
  std::vector<int> repetitions(cases.size(), 0);
  for (const Measurement& m : result.measurements) {
    if (place_of(m, summaries.at(m.case_index)) == Place::row) ++repetitions[m.case_index];
  }
  std::vector<int> family_instance(cases.size(), 0);
  std::vector<int> family_size(result.plan.experiments.size(), 0);
  for (std::size_t i = 0; i < cases.size(); ++i)
    family_instance[i] = family_size.at(cases[i].experiment)++;

  std::vector<int> written(cases.size(), 0);
  ArrayWriter rows(out, "benchmarks");
  for (const Measurement& m : result.measurements) {
    if (place_of(m, summaries[m.case_index]) != Place::row) continue;
    const Case& info = cases[m.case_index];
    rows.add(files::row_of(m, info, result.plan.experiment_of(info), family_instance[info.index],
                           written[info.index]++, repetitions[info.index]));
  }
  rows.close();
}

/// Those that have no row.
void write_others(std::ostream& out, const Result& result,
                  const std::vector<CaseSummary>& summaries) {
  for (const auto& [place, name] :
       {std::pair{Place::untimed, "apod_untimed"}, std::pair{Place::failed, "apod_failed"}}) {
    ArrayWriter records(out, name);
    for (const Measurement& m : result.measurements) {
      if (place_of(m, summaries[m.case_index]) == place) records.add(record::Writer::write(m));
    }
    records.close();
  }
}

record::Json entry_of(const CaseSummary& summary) {
  return record::Writer::write(
      CaseEntry{*summary.info, summary.status, summary.reason, summary.findings});
}

void write_cases(std::ostream& out, const std::vector<CaseSummary>& summaries) {
  ArrayWriter all(out, "apod_cases");
  for (const CaseSummary& summary : summaries) all.add(entry_of(summary));
  all.close();
}

/// The cases and their processes as two tables; what all processes of every case have in common is
/// said once, with the case.
void write_tables(std::ostream& out, const Result& result,
                  const std::vector<CaseSummary>& summaries) {
  std::vector<Row> processes;
  std::vector<std::size_t> case_of;
  for (const Measurement& m : result.measurements) {
    if (place_of(m, summaries.at(m.case_index)) != Place::row) continue;
    auto& record = processes.emplace_back(record::Writer::write(m));
    record.erase("case_id");
    record.erase("case_index");
    case_of.push_back(m.case_index);
  }
  const auto common = take_common(processes, case_of, summaries.size());
  for (std::size_t i = 0; i < processes.size(); ++i) processes[i]["case_index"] = case_of[i];
  std::vector<Row> cases;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    cases.push_back(entry_of(summaries[i]));
    if (!common[i].empty()) cases.back()[each_process] = common[i];
  }
  write_table(out, "apod_cases", cases);
  write_table(out, "apod_processes", processes);
}

void write_skipped(std::ostream& out, const std::vector<CaseSummary>& summaries) {
  ArrayWriter skipped(out, "apod_skipped");
  for (const CaseSummary& summary : summaries) {
    if (summary.status != CaseStatus::skipped) continue;
    skipped.add({{"name", summary.info->id}, {"reason", summary.reason}});
  }
  skipped.close();
}

}  // namespace

void write_json(std::ostream& out, const Result& result) {
  const std::vector<CaseSummary> summaries = summarize(result);
  out << "{\n  \"context\": " << indented(record::Writer::write(ContextPart<const Result>{result}));
  const bool thin = is_thin(result);
  if (!thin) {
    write_measurements(out, result, summaries);
    write_others(out, result, summaries);
  }
  ArrayWriter experiments(out, "apod_experiments");
  for (const Experiment& experiment : result.plan.experiments)
    experiments.add(record::Writer::write(experiment));
  experiments.close();
  if (thin) {
    write_tables(out, result, summaries);
    write_others(out, result, summaries);
  } else {
    write_cases(out, summaries);
  }
  write_skipped(out, summaries);
  ArrayWriter expectations(out, "apod_expectations");
  for (const ExpectationOutcome& outcome : result.expectations)
    expectations.add(record::Writer::write(outcome));
  expectations.close();
  out << "\n}\n";
}

}  // namespace apod::files
