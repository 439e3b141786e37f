#include "benchmarks/files/apod_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/files/columns.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/files/write_result.hpp"

namespace apod::files {
namespace {

template <class Record>
Record read_record(const Piece& piece) {
  Record record;
  record::FileReader::read(piece, record);
  return record;
}

/// Throws std::runtime_error where the time of a row is not that of its samples, if they are read.
/// Removes phases that have no weight in it, as in earlier versions with fewer than 24 samples, or
/// may have none.
void check_time(const Piece& row, Measurement& measurement) {
  if (!measurement.is_timed()) {
    if (measurement.launch_phases.size() < fewest_for_period) measurement.launch_phases.clear();
    return;
  }
  const double said_s = seconds_at(row, "real_time", 1e-9);
  const double median_s = summarize_process(measurement).median_s;
  const auto is_said = [&](double s) { return std::abs(said_s - s) <= 1e-6 * s; };
  if (is_said(median_s)) return;
  measurement.launch_phases.clear();
  if (is_said(summarize_process(measurement).median_s)) return;
  throw std::runtime_error("real_time: " + text_of(look_up(row, "real_time")) +
                           " is not the median of the samples, " + text_of(median_s * 1e9));
}

constexpr const char* bytes_per_second = "bytes_per_second";
constexpr const char* items_per_second = "items_per_second";

void add_rate(const char* key, double rate, RowWords& words) {
  words.numbers.push_back({key, rate, key == std::string_view(bytes_per_second) ? "B/s" : "/s"});
}

std::string named(std::size_t index, std::string_view id) {
  return "case " + std::to_string(index) + " (" + std::string(id) + ")";
}

/// Makes a record of each finding. Older files list only the ids, and thin ones have a column of
/// such lists.
void name_findings(Piece& findings) {
  if (!findings.is_array()) return;
  for (Piece& finding : findings) {
    if (finding.is_string()) finding = Piece{{"id", finding}};
    name_findings(finding);
  }
}

/// What a comparison does not need, which is most of a file. "apod" is the record of a row, and a
/// part of the context.
const HiddenKeys unread_of_apod{
    {"", {"apod_failed", "apod_skipped", "apod_expectations"}},
    {"apod",
     {"ceilings", "command_line", "device_samples_s", "failed", "notes", "phases", "pilot_samples",
      "precision_reachable", "stage", "variables", "wall_s"}},
    {"apod_cases", {"backend", "variant"}},
    {"apod_untimed", {"phases"}},
    {"benchmarks",
     {"bytes_per_second", "cpu_time", "family_index", "items_per_second", "iterations",
      "per_family_instance_index", "repetition_index", "run_name", "run_type", "threads"}},
    {"clock", {"max_mhz", "min_mhz", "readings", "reasons", "sample_mhz"}},
    {"config", {"path", "text"}},
    {"context", {"caches"}},
    {"findings", {"advice", "gain", "severity"}},
    {"kernels",
     {"block", "counters", "dynamic_shared_bytes", "grid", "instructions", "limiter", "local_bytes",
      "operation", "registers_per_thread", "resident_blocks", "static_shared_bytes"}},
    {"profile", {"calls", "copies", "lanes", "overheads", "ranges"}},
    {"quantiles", {"p25_s", "p75_s", "p99_s"}},
    {"traffic",
     {"flops_fp32", "flops_fp64", "flops_tensor", "flops_tf32", "flops_bf16", "flops_replaced"}},
    {"verification", {"detail", "error", "measure", "tolerance"}},
};

}  // namespace

HiddenKeys unread_by_sides(bool spread, bool numbers) {
  HiddenKeys hidden = unread_of_apod;
  if (!spread) hidden["apod"].emplace_back("samples_s");
  if (numbers) {
    hidden.erase("traffic");
    std::erase(hidden["apod"], "device_samples_s");
    std::erase_if(hidden["benchmarks"],
                  [](const auto& key) { return key.ends_with("_per_second"); });
  }
  // The tables of a thin result have the same, as columns.
  hidden["each_process"] = hidden["columns"] = hidden["apod"];
  for (const auto* key : {"backend", "variant"}) hidden["columns"].emplace_back(key);
  return hidden;
}

void ApodReader::read(const std::string& file, const HiddenKeys& hidden) {
  read_pieces(file, hidden, [&](const std::string& member, std::size_t index, Piece& piece) {
    if (member == "context") {
      events_.context(run_of(piece));
      schema_ = number_at(look_up(piece, "apod"), "schema");
    } else if (member == "benchmarks") {
      row(element(piece, index));
    } else if (member == "apod_untimed") {
      record(Place::untimed, element(piece, index));
    } else if (member == "apod_failed") {
      record(Place::failed, element(piece, index));
    } else if (member == "apod_experiments") {
      text_at(element(piece, index), "scope");
      experiments_.push_back(read_record<Experiment>(piece));
      // Nothing held the clocks of files that say nothing of them.
      if (!look_up(piece, "measure").contains("clocks"))
        experiments_.back().measure.clocks = ClockMode::unheld;
    } else if (member == "apod_cases") {
      if (schema_ != thin_schema) {
        element(piece, index);
        for (const char* key : {"index", "experiment"}) count_at(piece, key);
        for (const char* key : {"id", "status"}) text_at(piece, key);
        if (piece.contains("findings")) name_findings(piece["findings"]);
        case_entry(read_record<CaseEntry>(piece));
      } else {
        thin_cases(piece);
      }
    } else if (member == "apod_processes") {
      thin_processes(piece);
    } else if (member == "apod_expectations") {
      events_.expected(read_record<ExpectationOutcome>(element(piece, index)));
    }
    return true;
  });
  check();
  ids_.clear();  // of all cases, and what is kept of them comes now
  cases_.clear();
  texts_.release();
  common_ = {};
  for (auto& experiment : experiments_) {
    auto& measure = experiment.measure;
    if (schema_ == first_schema) {
      if (measure.cache == CacheMode::cold) measure.cache = CacheMode::flushed;
      measure.max_processes = measure.processes;
    }
    events_.experiment(std::move(experiment));
  }
  events_.finish();
}

Result run_of(const Piece& context) {
  const Piece& own = look_up(context, "apod");
  if (!own.is_object()) throw std::runtime_error("apod: not an object");
  const double schema = number_at(own, "schema");
  if (schema != first_schema && schema != result_schema && schema != thin_schema) {
    throw std::runtime_error("apod: schema: " + text_of(look_up(own, "schema")) +
                             ", but this bench reads schemas " + std::to_string(first_schema) +
                             " to " + std::to_string(thin_schema) +
                             ": use the version of bench that wrote the file, or a newer one");
  }
  Result run;
  ContextPart<Result> part{run};
  record::FileReader::read(context, part);
  const auto wrong =
      run.ceilings ? contradiction(*run.ceilings, run.environment.device) : std::string();
  if (!wrong.empty()) throw std::runtime_error("ceilings: " + wrong);
  return run;
}

ApodReader::Known& ApodReader::known(std::size_t index, std::string_view id) {
  Known& one = cases_[index];
  if (one.id.empty()) {
    const std::span copy(static_cast<char*>(texts_.allocate(id.size(), 1)), id.size());
    std::copy(id.begin(), id.end(), copy.begin());
    one.id = std::string_view(copy.data(), copy.size());
  }
  if (one.id != id)
    throw std::runtime_error("the case is " + std::string(id) + ", but in an earlier row it is " +
                             std::string(one.id));
  return one;
}

void ApodReader::row(const Piece& piece) {
  const Piece& own = look_up(piece, "apod");
  count_at(own, "case_index");
  count_at(own, "process");
  if (look_up(piece, "time_unit") != "ns") throw std::runtime_error("time_unit: not ns");
  auto measurement = read_record<Measurement>(own);
  record::check(measurement);
  check_time(piece, measurement);
  // Older files have no verification of what they publish.
  if (!own.contains("verification")) measurement.verification.passed = true;
  Known& one = known(measurement.case_index, text_at(piece, "name"));
  // Where a row was taken out of the file, the others tell.
  if (!look_up(piece, "repetitions").is_null()) {
    const std::size_t said = count_at(piece, "repetitions");
    if (one.repetitions.value_or(said) != said) {
      throw std::runtime_error("repetitions: " + std::to_string(said) +
                               ", but in an earlier row it is " + std::to_string(*one.repetitions));
    }
    one.repetitions = said;
  }
  RowWords words{.time_s = seconds_at(piece, "real_time", 1e-9)};
  for (const auto* key : {bytes_per_second, items_per_second}) {
    if (piece.contains(key)) add_rate(key, number_at(piece, key), words);
  }
  take(one, measurement, words);
}

void ApodReader::take(Known& one, Measurement& measurement, const RowWords& words) {
  measurement.case_id = one.id;
  const auto is_known = [](const auto& known, const auto& fact) { return known == fact.first; };
  // Most rows have the same ones.
  if (!std::equal(facts_.begin(), facts_.end(), measurement.facts.begin(), measurement.facts.end(),
                  is_known)) {
    for (const auto& [name, value] : measurement.facts) column(facts_, name, "facts");
  }
  if (!measurement.verification.passed)
    throw std::runtime_error("verification: failed, but the case has a time");
  const auto process = static_cast<std::uint64_t>(measurement.process);
  constexpr std::uint64_t bits = 64;
  const bool is_new = process < bits
                          ? (one.processes >> process & 1) == 0
                          : later_processes_.emplace(measurement.case_index, process).second;
  if (!is_new) {
    throw std::runtime_error("process " + std::to_string(process) + " of " + std::string(one.id) +
                             " has two rows");
  }
  if (process < bits) one.processes |= std::uint64_t{1} << process;
  ++one.rows;
  events_.measured(Place::row, std::move(measurement), words);
}

void ApodReader::thin_cases(Piece& table) {
  thin_cases_ = Table(table).rows();
  if (const auto common = table["columns"].find(each_process); common != table["columns"].end()) {
    common_ = std::move(*common);
    *common = Piece::array({nullptr});
  }
  if (const auto findings = table["columns"].find("findings"); findings != table["columns"].end())
    name_findings(*findings);
  const Table cases(table);
  for (std::size_t i = 0; i < cases.rows(); ++i) {
    const RowIndex index{i, 0};
    for (const char* key : {"index", "id", "status", "experiment"}) {
      if (!cases.has(index, key)) throw std::runtime_error(std::string(key) + ": missing");
    }
    CaseEntry entry;
    record::RowReader fields_of(cases.columns(), index);
    fields(fields_of, entry);
    case_entry(std::move(entry)).row = i;
  }
  ids_.clear();  // no case comes after these
}

void ApodReader::thin_processes(const Piece& table) {
  Table processes(table);
  if (common_.is_object()) processes.join(Table(common_, thin_cases_));
  for (std::size_t i = 0; i < processes.rows(); ++i) {
    try {
      thin_process(processes, i);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("row " + std::to_string(i) + ": " + error.what());
    }
  }
}

/// Reads the process like a row of a complete result.
void ApodReader::thin_process(const Table& processes, std::size_t row) {
  Known* const one = cases_.find(processes.count_at({row, 0}, "case_index"));
  if (one == nullptr) throw std::runtime_error("apod_cases must list the case of this row first");
  if (one->experiment >= experiments_.size())
    throw std::runtime_error("apod_experiments must list the experiment of this row first");
  const RowIndex index{row, one->row};
  if (!processes.has(index, "process")) throw std::runtime_error("process: missing");
  auto facts = std::move(thin_.facts);  // whose entries most rows use again
  thin_ = {};
  thin_.facts = std::move(facts);
  record::RowReader fields_of(processes.columns(), index);
  fields(fields_of, thin_);
  record::check(thin_);
  if (!thin_.quantiles) throw std::runtime_error("quantiles: missing");
  // Older files have no verification of what they publish.
  if (!processes.has(index, "verification")) thin_.verification.passed = true;
  RowWords words{.time_s = summarize_process(thin_).median_s};
  for (const auto& [key, rate] :
       rates_of(thin_, one->items, experiments_[one->experiment], words.time_s)) {
    add_rate(key, rate, words);
  }
  take(*one, thin_, words);
}

void ApodReader::record(Place place, const Piece& piece) {
  const std::size_t index = count_at(piece, "case_index");
  known(index, text_at(piece, "case_id"));
  auto measurement = read_record<Measurement>(piece);
  record::check(measurement);
  events_.measured(place, std::move(measurement), {});
}

namespace {

/// A case's id says its whole numbers as they are: "reduction/host/size:128".
void check_named(const std::string& id, const std::string& axis, const AxisValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto at = number == nullptr ? std::string::npos : id.find("/" + axis + ":");
  if (at == std::string::npos) return;
  auto said = std::string_view(id).substr(at + axis.size() + 2);
  said = said.substr(0, said.find('/'));
  if (said == std::to_string(*number)) return;
  throw std::runtime_error(fmt::format("{}: the name and {} = {} differ", id, axis, *number));
}

}  // namespace

ApodReader::Known& ApodReader::case_entry(CaseEntry&& entry) {
  Known& one = cases_[entry.info.index];
  if (one.listed) throw std::runtime_error("index: occurs twice");
  for (const Finding& finding : entry.findings) {
    if (finding.id.empty()) throw std::runtime_error("id: missing");
  }
  known(entry.info.index, entry.info.id);
  for (const auto& [name, value] : entry.info.params.entries()) {
    column(axes_, name, "axes");
    check_named(entry.info.id, name, value);
  }
  if (!ids_.insert(one.id).second) throw std::runtime_error("id: two cases have the same id");
  one.listed = true;
  one.status = entry.status;
  one.experiment = entry.info.experiment;
  one.baseline = entry.info.baseline;
  one.items = items_of(entry.info.params);
  events_.listed(std::move(entry));
  return one;
}

void ApodReader::column(std::set<std::string>& known, const std::string& name, const char* what) {
  if (known.insert(name).second && known.size() > most_columns)
    throw std::runtime_error("the file has more than " + std::to_string(most_columns) + " " + what);
}

/// What only the whole file can tell.
void ApodReader::check() const {
  if (schema_ == 0) throw std::runtime_error("context: missing");
  std::size_t next = 0;
  cases_.for_each([&](std::size_t index, const Known& one) {
    const auto refuse = [&](const std::string& what) {
      throw std::runtime_error(named(index, one.id) + what);
    };
    if (!one.listed) refuse(" has rows, but is missing in apod_cases");
    if (index != next++)
      throw std::runtime_error("case " + std::to_string(next - 1) + " is missing in apod_cases");
    if (one.experiment >= experiments_.size())
      refuse(" belongs to experiment " + std::to_string(one.experiment) + ", which is missing");
    if (one.baseline && (*one.baseline == index || !cases_.contains(*one.baseline))) {
      refuse(" has the baseline " + std::to_string(*one.baseline) +
             ", but a baseline must be another case of the file");
    }
    const std::size_t rows = one.rows;
    if ((one.status == CaseStatus::measured) != (rows > 0)) {
      refuse(rows > 0 ? " has rows, but its status is not 'measured'"
                      : " has the status 'measured', but no row");
    }
    if (one.repetitions.value_or(rows) != rows) {
      refuse(" has " + std::to_string(rows) + " rows, but its repetitions are " +
             std::to_string(*one.repetitions));
    }
  });
}

}  // namespace apod::files
