#include "benchmarks/files/foreign_rows.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/text/quantities.hpp"

namespace apod::files {

AxisValue axis_value(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_number = error == std::errc() && end == text.data() + text.size();
  return is_whole_number ? AxisValue(number) : AxisValue(text);
}

double number_or_nan(const Piece& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

double text_number_or_nan(std::string_view text) {
  const auto number = text::leading_number(text);
  return number && number->second.empty() ? number->first
                                          : std::numeric_limits<double>::quiet_NaN();
}

std::string why_too_short(const std::vector<double>& times_s) {
  const auto is_short = [](double seconds) { return seconds > 0 && seconds < 1e-13; };
  const bool any = std::any_of(times_s.begin(), times_s.end(), is_short);
  return any ? "less than 0.1 ps per iteration: the compiler removed the measured code" : "";
}

ForeignRows::ForeignRows(Events& events, const std::string& file, std::string program, Reads reads)
    : events_(events) {
  const auto name = std::filesystem::path(file).stem().string();
  run.environment.producer = program;
  run.plan.name = name;
  run.plan.config_path = file;
  experiment_.name = name;
  experiment_.workload = std::move(program);
  experiment_.measure.processes = 1;
  experiment_.measure.precision = 1;  // none was asked for
  experiment_.command.emplace().reads = reads;
}

void ForeignRows::row(const std::string& place,
                      const std::function<std::optional<ForeignRow>()>& parse) {
  std::optional<ForeignRow> row;
  try {
    row = parse();
    if (row && row->name.empty()) throw std::runtime_error("a case without a name");
    if (row && row->params.size() > most_columns)
      throw BadRow(row->name, "more than " + std::to_string(most_columns) + " axes");
  } catch (const BadRow& error) {
    return note(std::string("left out, ") + error.what(), error.name);
  } catch (const std::runtime_error& error) {
    return note(std::string("left out, ") + error.what(), place);
  }
  if (row) add(std::move(*row));
}

void ForeignRows::add(ForeignRow&& row) {
  const auto [found, is_new] = cases_.try_emplace(row.name, Known{cases_.size(), row.identity});
  const std::size_t index = found->second.index;
  if (is_new) {
    if (cases_.size() > most_cases)
      throw std::runtime_error("more than " + std::to_string(most_cases) + " cases");
    CaseEntry entry;
    entry.info.index = index;
    entry.info.id = row.name;
    entry.info.variant = std::move(row.family);
    for (const auto& [axis, value] : row.params) entry.info.params.set(axis, axis_value(value));
    entry.status = row.skipped ? CaseStatus::skipped : CaseStatus::measured;
    entry.reason = row.skipped.value_or("");
    entry.findings = std::move(row.findings);
    events_.listed(std::move(entry));
  } else if (!row.identity.empty() && row.identity != found->second.identity) {
    row.failed = "two benchmarks in the file have this name";
  }
  if (row.skipped) return;
  Measurement measurement;
  measurement.case_index = index;
  measurement.case_id = std::move(row.name);
  measurement.failed = std::move(row.failed);
  measurement.samples_s = std::move(row.times_s);
  measurement.facts = std::move(row.facts);
  measurement.kernel_code = std::move(row.kernel_code);
  measurement.verification.passed = true;
  const auto place = measurement.failed.empty() ? Place::row : Place::failed;
  events_.measured(place, std::move(measurement), {0, std::move(row.way), std::move(row.numbers)});
}

void ForeignRows::finish() {
  events_.context(std::move(run));
  events_.experiment(std::move(experiment_));
  events_.finish();
}

}  // namespace apod::files
