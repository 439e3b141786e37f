#include "benchmarks/files/foreign_result.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/file_kind.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/metric.hpp"
#include "benchmarks/files/side_builder.hpp"

namespace apod::files {
namespace {

/// Cells of a table without a value: the file does not pay for them, unlike for those with one.
constexpr std::size_t most_empty_cells = 1'000'000;

/// Names of a kind of column, in order of appearance. What is beyond the limits is left out, so
/// that a table takes time and memory in proportion to its file.
class ColumnNames {
 public:
  struct Column {
    std::string name;
    std::string unit;
    std::size_t values = 0;
  };

  void add_value(const std::string& name, std::string_view unit = {}) {
    const auto [found, is_new] = index_.try_emplace(name, all_.size());
    if (is_new) all_.push_back({name, std::string(unit)});
    ++all_[found->second].values;
  }
  /// Chooses the table's columns, once all rows are known. The note calls them `what`.
  void limit(std::size_t rows, const std::string& what, NoteCounts& notes) {
    std::size_t empty = 0;
    std::size_t left = 0;
    std::string first;
    for (auto& column : all_) {
      const std::size_t lacking = rows - std::min(rows, column.values);
      if (kept_.size() < most_columns && empty + lacking <= most_empty_cells) {
        empty += lacking;
        index_[column.name] = kept_.size();
        kept_.push_back(std::move(column));
        continue;
      }
      if (left++ == 0) first = column.name;
      index_.erase(column.name);
    }
    all_.clear();
    if (left == 0) return;
    notes.add(std::to_string(left) + " " + what + " are left out (the first: " + first +
                  "): a table can have at most " + std::to_string(most_columns) + " " + what +
                  " and " + std::to_string(most_empty_cells) + " empty cells",
              "");
  }
  const std::vector<Column>& kept() const { return kept_; }
  bool keeps(const std::string& name) const { return index_.contains(name); }

 private:
  std::vector<Column> all_;
  std::vector<Column> kept_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// "BM_copy/1024/threads:4": the parts of a name of Google Benchmark's. False: they are too many.
bool take_apart(const std::string& name, Case& c) {
  std::size_t arguments = 0;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    const auto colon = part.find(':');
    const bool named = colon != std::string::npos && colon > 0 && part.find("::") != colon;
    if (named && !c.variant.empty()) {
      c.params.set(part.substr(0, colon), axis_value(part.substr(colon + 1)));
    } else if (std::holds_alternative<std::int64_t>(axis_value(part))) {
      const std::string axis =
          ++arguments == 1 ? "argument" : "argument " + std::to_string(arguments);
      c.params.set(axis, axis_value(part));
    } else {
      c.variant += (c.variant.empty() ? "" : "/") + part;
    }
    if (c.params.entries().size() > most_columns) return false;
  }
  return true;
}

/// The name without the parameters at its end: "sort/n:1" of n 1.
std::string without_params(std::string name, const Params& params) {
  for (auto at = name.rfind('/'); at != std::string::npos && at > 0; at = name.rfind('/')) {
    const auto is_last = [&](const auto& entry) {
      return name.compare(at + 1, std::string::npos, entry.first + ":" + to_string(entry.second)) ==
             0;
    };
    const auto& entries = params.entries();
    if (std::none_of(entries.begin(), entries.end(), is_last)) break;
    name.resize(at);
  }
  return name;
}

/// One measurement per case, with the repetitions as samples. If each time is the time of a
/// process, one measurement per process.
class ForeignResult final : public Events {
 public:
  explicit ForeignResult(bool one_process = true) : one_process_(one_process) {}
  Result take() { return std::move(result_); }

 private:
  void context(Result&& run) override {
    result_.environment = std::move(run.environment);
    result_.plan.name = std::move(run.plan.name);
    result_.plan.description = std::move(run.plan.description);
    result_.plan.config_path = std::move(run.plan.config_path);
  }

  void experiment(Experiment&& plan) override { result_.plan.experiments = {std::move(plan)}; }

  void listed(CaseEntry&& entry) override {
    Case& c = result_.plan.cases.emplace_back(std::move(entry.info));
    if (c.variant.empty() && c.params.entries().empty() && !take_apart(c.id, c)) {
      c.variant.clear();
      c.params = {};
      notes_.add("the axes in the name are not shown: the limit is " +
                     std::to_string(most_columns) + " axes",
                 c.id);
    }
    if (c.variant.empty()) c.variant = without_params(c.id, c.params);
    for (const auto& entry_of_axis : c.params.entries()) axes_.add_value(entry_of_axis.first);
    if (entry.status == CaseStatus::skipped)
      c.skip = entry.reason.empty() ? "skipped, no reason given" : entry.reason;
  }

  void measured(Place, Measurement&& measurement, const RowWords& words) override {
    const auto [found, is_new] =
        places_.try_emplace(measurement.case_index, result_.measurements.size());
    if (is_new) {
      result_.measurements.push_back(std::move(measurement));
      numbers_.emplace_back();
    } else {
      Measurement& known = result_.measurements[found->second];
      auto& samples = known.samples_s;
      samples.insert(samples.end(), measurement.samples_s.begin(), measurement.samples_s.end());
      if (known.failed.empty()) known.failed = measurement.failed;
    }
    for (const auto& number : words.numbers) {
      if (!number.shown || !std::isfinite(number.value)) continue;
      numbers_[found->second][number.name].push_back(number.value);
      figures_.add_value(number.name, number.unit);
    }
  }

  void note(const std::string& text, const std::string& case_id) override {
    notes_.add(text, case_id);
  }

  void finish() override {
    limit_columns();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      Measurement& m = result_.measurements[i];
      if (!m.failed.empty()) m.samples_s.clear();
      for (const double seconds : m.samples_s) {
        if (!has_ratio(seconds)) m.failed = why_no_time("time", seconds);
      }
      if (!m.failed.empty()) m.samples_s.clear();
      for (const auto& [name, values] : numbers_[i]) {
        if (figures_.keeps(name)) m.facts.emplace(name, stats::median(values));
      }
    }
    if (!one_process_) take_processes_apart();
    for (auto& c : result_.plan.cases) c.backend = result_.environment.device.backend;
    result_.environment.device.notes = notes_.lines();
    if (result_.measurements.empty()) {
      std::string why = "nothing was measured";
      for (const auto& line : notes_.lines()) why += "; " + line;
      throw std::runtime_error(why);
    }
  }

  void take_processes_apart() {
    std::vector<Measurement> all;
    for (auto& measurement : result_.measurements) {
      const auto times = std::exchange(measurement.samples_s, {});
      if (times.empty()) all.push_back(measurement);
      for (const double& time : times) {
        auto& one = all.emplace_back(measurement);
        one.samples_s = {time};
        one.process = static_cast<int>(&time - times.data());
      }
    }
    result_.measurements = std::move(all);
  }

  void limit_columns() {
    const auto rows = result_.plan.cases.size();
    axes_.limit(rows, "axes", notes_);
    figures_.limit(rows, "numbers", notes_);
    auto& experiment = result_.plan.experiments.front();
    for (const auto& axis : axes_.kept()) experiment.swept.push_back(axis.name);
    for (const auto& [name, unit, values] : figures_.kept())
      experiment.command->figures.push_back({name, "", unit});
    for (auto& c : result_.plan.cases) {
      Params kept;
      for (const auto& [axis, value] : c.params.entries()) {
        if (axes_.keeps(axis)) kept.set(axis, value);
      }
      c.params = std::move(kept);
    }
  }

  Result result_;
  ColumnNames axes_;
  ColumnNames figures_;
  std::map<std::size_t, std::size_t> places_;  ///< of a case among the measurements
  std::vector<std::map<std::string, std::vector<double>>> numbers_;  ///< of each measurement
  bool one_process_ = true;
  NoteCounts notes_;
};

}  // namespace

Result read_foreign_result(const std::string& file) {
  return naming(file, [&] {
    const auto known = recognise(file);
    if (known.kind != FileKind::foreign) throw std::logic_error("a file of ours");
    ForeignResult result(known.format->one_process);
    known.format->read(file, result);
    return result.take();
  });
}

std::vector<FoundCase> read_benchmarks(const std::string& file, std::vector<std::string>& notes) {
  ForeignResult reader;
  try {
    const auto known = recognise(file);
    if (known.kind != FileKind::foreign)
      throw std::runtime_error("it is not a result of a benchmark program");
    known.format->read(file, reader);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("the file that the program wrote: ") + error.what());
  }
  const Result result = reader.take();
  for (const auto& note : result.environment.device.notes) notes.push_back(note);
  for (const auto& c : result.plan.cases) {
    if (!c.skip.empty()) notes.push_back("skipped, " + c.skip + ": " + c.id);
  }
  std::vector<FoundCase> found;
  for (const auto& m : result.measurements) {
    FoundCase c{.name = m.case_id, .failed = m.failed, .samples_s = m.samples_s};
    for (const auto& [name, value] : m.facts) {
      if (find_fact(name) != nullptr) c.facts[name] = value;
    }
    found.push_back(std::move(c));
  }
  return found;
}

}  // namespace apod::files
