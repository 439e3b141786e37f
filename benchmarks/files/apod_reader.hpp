#pragma once

/// \file
/// The records of one of our result files, checked against each other. Internal to files/.

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "benchmarks/files/by_case.hpp"
#include "benchmarks/files/columns.hpp"
#include "benchmarks/files/events.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// The environment and the known facts of the run, from the context of a file. Throws
/// std::runtime_error with the place.
Result run_of(const Piece& context);

/// The keys that a comparison does not read, which is most of a file of ours. `spread`: except the
/// samples; `numbers`: except numbers that can be compared instead of the time.
HiddenKeys unread_by_sides(bool spread, bool numbers);

/// Reads a file of ours and hands on its records, in whatever order the file has them.
class ApodReader {
 public:
  explicit ApodReader(Events& events) : events_(events) {}

  /// Without the members that `hidden` names: those keep their defaults. Throws std::runtime_error
  /// with the place if the file is damaged or contradicts itself.
  void read(const std::string& file, const HiddenKeys& hidden);

 private:
  /// What must agree about a case in all places that name it.
  struct Known {
    std::string_view id;  ///< in texts_
    bool listed = false;  ///< in apod_cases
    CaseStatus status = CaseStatus::not_run;
    std::size_t experiment = 0;
    std::optional<std::size_t> baseline;
    std::uint64_t processes = 0;  ///< that have a row: a bit each of the first 64
    std::size_t rows = 0;
    std::optional<std::size_t> repetitions;  ///< number of rows, as each row says
    std::size_t row = 0;                     ///< of a thin result: in apod_cases
    double items = 0;                        ///< of its problem
  };

  void row(const Piece& piece);
  void take(Known& one, Measurement& measurement, const RowWords& words);
  void record(Place place, const Piece& piece);
  Known& case_entry(CaseEntry&& entry);
  void thin_cases(Piece& table);
  void thin_processes(const Piece& table);
  void thin_process(const Table& processes, std::size_t row);
  void check() const;
  /// Stores a name that becomes a column. Throws std::runtime_error if there are too many.
  void column(std::set<std::string>& known, const std::string& name, const char* what);
  Known& known(std::size_t index, std::string_view id);

  Events& events_;
  double schema_ = 0;  ///< of the context; 0 before it
  std::vector<Experiment> experiments_;
  std::pmr::monotonic_buffer_resource texts_;
  ByCase<Known> cases_;
  /// Case and process, from the 65th of a case on, that have a row.
  std::set<std::pair<std::size_t, int>> later_processes_;
  /// Of a thin result: what all processes of a case have in common, by its row in apod_cases.
  Piece common_;
  std::size_t thin_cases_ = 0;
  Measurement thin_;                          ///< the process that is read
  std::unordered_set<std::string_view> ids_;  ///< of listed cases
  std::set<std::string> axes_, facts_;        ///< of all cases
};

}  // namespace apod::files
