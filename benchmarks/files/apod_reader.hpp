#pragma once

/// \file
/// The records of one of our result files, checked against each other. Internal to results/.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "benchmarks/files/file_fields.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// Records by the index of their case, in its order, while a file is read. They have memory of
/// their own, or they would leave holes between what is kept of very many cases.
template <class Record>
class ByCase {
 public:
  /// Mostly that of the row before again, or the next.
  Record& operator[](std::size_t index) {
    if (last_ != records_.end() && last_->first == index) return last_->second;
    const auto hint = last_ == records_.end() ? last_ : std::next(last_);
    last_ = records_.try_emplace(hint, index);
    return last_->second;
  }
  bool contains(std::size_t index) const { return records_.contains(index); }
  std::size_t size() const { return records_.size(); }
  auto begin() { return records_.begin(); }
  auto begin() const { return records_.begin(); }
  auto end() { return records_.end(); }
  auto end() const { return records_.end(); }
  void clear() {
    records_.clear();
    last_ = records_.end();
    memory_.release();
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::map<std::size_t, Record> records_{&memory_};
  typename std::pmr::map<std::size_t, Record>::iterator last_ = records_.end();
};

/// The environment, and what is known of the run: what the context of a file says. Throws
/// std::runtime_error with the place.
Result run_of(const Piece& context);

/// Reads a file and hands on its records, in whatever order the file has them. A derived class
/// keeps what it needs of each.
class ApodReader {
 public:
  virtual ~ApodReader() = default;

  /// Without the members that `hidden` names: those keep their defaults. Throws std::runtime_error
  /// with the place where the file is damaged or contradicts itself.
  void read(const std::string& file, const HiddenKeys& hidden);

 protected:
  /// The arrays of measurements; see docs/result-format.md.
  enum class Place : std::uint8_t { row, untimed, failed };

  /// A Result with the environment and what is known of the run.
  virtual void take_context(Result&& run) = 0;
  virtual void take_experiment(Experiment&& experiment) = 0;
  /// `piece` is what it was read from: a row of Google Benchmark's, or the record.
  virtual void take_measurement(Place place, Measurement&& measurement, const Piece& piece) = 0;
  virtual void take_case(CaseEntry&& entry) = 0;
  virtual void take_expectation(ExpectationOutcome&&) {}
  /// All is read, and every case fits the rest.
  virtual void finish() = 0;

 private:
  /// What must fit of a case that was named anywhere.
  struct Known {
    std::string id;
    bool listed = false;  ///< in apod_cases
    CaseStatus status = CaseStatus::not_run;
    std::size_t experiment = 0;
    std::optional<std::size_t> baseline;
    std::vector<int> processes;              ///< that have a row, sorted
    std::optional<std::size_t> repetitions;  ///< rows that there are, as each row says
  };

  void row(const Piece& piece);
  void record(Place place, const Piece& piece);
  void case_entry(Piece& piece);
  void check() const;
  /// Puts down a name that becomes a column. Throws std::runtime_error where there are too many.
  void column(std::set<std::string>& known, const std::string& name, const char* what);
  Known& known(std::size_t index, const std::string& id);

  double schema_ = 0;  ///< of the context; 0 before it
  std::vector<Experiment> experiments_;
  ByCase<Known> cases_;
  std::unordered_set<std::string_view> ids_;  ///< of listed cases
  std::set<std::string> axes_, facts_;        ///< of all cases
};

}  // namespace apod::files
