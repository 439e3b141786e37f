#include "benchmarks/files/apod_reader.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/estimator.hpp"
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

/// More axes or facts than this no table shows.
constexpr std::size_t most_columns = 200;

/// Throws std::runtime_error where the time of a row is not that of its samples, if they are read.
void check_time(const Piece& row, const Measurement& measurement) {
  if (!measurement.is_timed()) return;
  const double said_s = seconds_at(row, "real_time", 1e-9);
  const double median_s = summarize_process(measurement).median_s;
  if (std::abs(said_s - median_s) > 1e-6 * median_s) {
    throw std::runtime_error("real_time: " + text_of(look_up(row, "real_time")) +
                             " is not the median of its samples, " + text_of(median_s * 1e9));
  }
}

constexpr const char* bytes_per_second = "bytes_per_second";
constexpr const char* items_per_second = "items_per_second";

void add_rate(const char* key, double rate, RowWords& words) {
  words.numbers.push_back({key, rate, key == std::string_view(bytes_per_second) ? "B/s" : "/s"});
}

std::string named(std::size_t index, const std::string& id) {
  return "case " + std::to_string(index) + " (" + id + ")";
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
    {"clock", {"max_mhz", "min_mhz", "reasons"}},
    {"config", {"path", "text"}},
    {"context", {"caches"}},
    {"findings", {"advice", "gain", "severity"}},
    {"kernels",
     {"block", "counters", "dynamic_shared_bytes", "grid", "instructions", "limiter", "local_bytes",
      "operation", "registers_per_thread", "resident_blocks", "static_shared_bytes"}},
    {"profile", {"calls", "copies", "lanes", "overheads", "ranges"}},
    {"traffic",
     {"flops_fp32", "flops_fp64", "flops_tensor", "flops_tf32", "flops_bf16", "flops_replaced"}},
    {"verification", {"detail", "error", "measure", "tolerance"}},
};

}  // namespace

HiddenKeys unread_by_sides(bool spread, bool numbers) {
  HiddenKeys hidden = unread_of_apod;
  // What belongs to each sample goes with it.
  if (!spread) hidden["apod"].insert(hidden["apod"].end(), {"samples_s", "launch_phases"});
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
      if (!look_up(piece, "measure").contains("clocks")) {
        experiments_.back().measure.clocks = ClockMode::unheld;
      }
    } else if (member == "apod_cases") {
      if (schema_ != thin_schema) {
        element(piece, index);
        case_entry(piece);
      } else {
        thin_cases(piece);
      }
    } else if (member == "apod_processes") {
      const Table processes(piece);
      for (std::size_t i = 0; i < processes.rows(); ++i) {
        try {
          thin_process(processes, i);
        } catch (const std::runtime_error& error) {
          throw std::runtime_error("row " + std::to_string(i) + ": " + error.what());
        }
      }
    } else if (member == "apod_expectations") {
      events_.expected(read_record<ExpectationOutcome>(element(piece, index)));
    }
    return true;
  });
  check();
  ids_.clear();  // of all cases, and what is kept of them comes now
  cases_.clear();
  common_rows_.reset();
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
                             ", but this program reads schemas " + std::to_string(first_schema) +
                             " to " + std::to_string(thin_schema) +
                             "; read it with the program that wrote it, or a newer one");
  }
  Result run;
  ContextPart<Result> part{run};
  record::FileReader::read(context, part);
  return run;
}

ApodReader::Known& ApodReader::known(std::size_t index, const std::string& id) {
  Known& one = cases_[index];
  if (one.id.empty()) one.id = id;
  if (one.id != id) throw std::runtime_error("called " + id + ", elsewhere " + one.id);
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
      throw std::runtime_error("repetitions: " + std::to_string(said) + ", elsewhere " +
                               std::to_string(*one.repetitions));
    }
    one.repetitions = said;
  }
  RowWords words{.time_s = seconds_at(piece, "real_time", 1e-9)};
  for (const auto* key : {bytes_per_second, items_per_second}) {
    if (piece.contains(key)) add_rate(key, number_at(piece, key), words);
  }
  take(one, std::move(measurement), words);
}

void ApodReader::take(Known& one, Measurement measurement, const RowWords& words) {
  measurement.case_id = one.id;
  const auto is_known = [](const auto& known, const auto& fact) { return known == fact.first; };
  // Most rows have the same ones.
  if (!std::equal(facts_.begin(), facts_.end(), measurement.facts.begin(), measurement.facts.end(),
                  is_known)) {
    for (const auto& [name, value] : measurement.facts) column(facts_, name, "facts");
  }
  if (!measurement.verification.passed) {
    throw std::runtime_error("verification: not passed, but a time is published");
  }
  const int process = measurement.process;
  const auto place = std::lower_bound(one.processes.begin(), one.processes.end(), process);
  if (place != one.processes.end() && *place == process) {
    throw std::runtime_error("process " + std::to_string(process) + " of " + one.id +
                             " has a row already");
  }
  one.processes.insert(place, process);
  events_.measured(Place::row, std::move(measurement), words);
}

void ApodReader::thin_cases(Piece& table) {
  const Table cases(table);
  if (const auto common = table["columns"].find(each_process); common != table["columns"].end()) {
    common_ = std::move(*common);
    *common = Piece::array({nullptr});
    common_rows_.emplace(common_, cases.rows());
  }
  const Table without_common(table);
  Row row = Row::object();
  for (std::size_t i = 0; i < cases.rows(); ++i) {
    without_common.put(i, row);
    count_at(row, "index");
    case_entry(row).row = i;
  }
}

/// Takes the process as if it stood in a row of a whole result.
void ApodReader::thin_process(const Table& processes, std::size_t row) {
  Known* const one = cases_.find(processes.count_at(row, "case_index"));
  if (one == nullptr) throw std::runtime_error("its case is not in apod_cases before it");
  if (one->experiment >= experiments_.size()) {
    throw std::runtime_error("its experiment is not in apod_experiments before it");
  }
  if (common_rows_) common_rows_->put(one->row, own_);
  processes.put(row, own_);
  count_at(own_, "process");
  auto measurement = read_record<Measurement>(own_);
  record::check(measurement);
  if (!measurement.quantiles) throw std::runtime_error("quantiles: missing");
  // Older files have no verification of what they publish.
  if (!own_.contains("verification")) measurement.verification.passed = true;
  RowWords words{.time_s = summarize_process(measurement).median_s};
  for (const auto& [key, rate] :
       rates_of(measurement, one->items, experiments_[one->experiment], words.time_s)) {
    add_rate(key, rate, words);
  }
  take(*one, std::move(measurement), words);
}

void ApodReader::record(Place place, const Piece& piece) {
  const std::size_t index = count_at(piece, "case_index");
  known(index, text_at(piece, "case_id"));
  auto measurement = read_record<Measurement>(piece);
  record::check(measurement);
  events_.measured(place, std::move(measurement), {});
}

ApodReader::Known& ApodReader::case_entry(Piece& piece) {
  Known& one = cases_[count_at(piece, "index")];
  if (cases_.size() > most_cases) {
    throw std::runtime_error("more than " + std::to_string(most_cases) + " cases");
  }
  if (one.listed) throw std::runtime_error("index: stands twice");
  const std::string& id = text_at(piece, "id");
  text_at(piece, "status");
  count_at(piece, "experiment");
  // Files of older programs have the ids alone.
  if (piece.contains("findings") && piece["findings"].is_array()) {
    for (Piece& finding : piece["findings"]) {
      if (finding.is_string()) finding = Piece{{"id", finding}};
      text_at(finding, "id");
    }
  }
  auto entry = read_record<CaseEntry>(piece);
  known(entry.info.index, id);
  for (const auto& [name, value] : entry.info.params.entries()) column(axes_, name, "axes");
  if (!ids_.insert(one.id).second) throw std::runtime_error("id: another case has it too");
  one.listed = true;
  one.status = entry.status;
  one.experiment = entry.info.experiment;
  one.baseline = entry.info.baseline;
  one.items = items_of(entry.info.params);
  events_.listed(std::move(entry));
  return one;
}

void ApodReader::column(std::set<std::string>& known, const std::string& name, const char* what) {
  if (known.insert(name).second && known.size() > most_columns) {
    throw std::runtime_error("the file has more than " + std::to_string(most_columns) + " " + what);
  }
}

/// What only the whole file can tell.
void ApodReader::check() const {
  if (schema_ == 0) throw std::runtime_error("context: missing");
  std::size_t next = 0;
  for (const auto& [index, one] : cases_) {
    const std::string place = named(index, one.id);
    const auto refuse = [&](const std::string& what) { throw std::runtime_error(place + what); };
    if (!one.listed) refuse(" has rows but is not in apod_cases");
    if (index != next++) {
      throw std::runtime_error("case " + std::to_string(next - 1) + " is not in apod_cases");
    }
    if (one.experiment >= experiments_.size()) {
      refuse(" belongs to experiment " + std::to_string(one.experiment) + ", which is missing");
    }
    if (one.baseline && (*one.baseline == index || !cases_.contains(*one.baseline))) {
      refuse(" has the baseline " + std::to_string(*one.baseline) + ", which is not another case");
    }
    const std::size_t rows = one.processes.size();
    if ((one.status == CaseStatus::measured) != (rows > 0)) {
      refuse(rows > 0 ? " has rows, but was not measured" : " was measured, but has no row");
    }
    if (one.repetitions.value_or(rows) != rows) {
      refuse(" has " + std::to_string(rows) + " of its " + std::to_string(*one.repetitions) +
             " rows (repetitions)");
    }
  }
}

}  // namespace apod::files
