#pragma once

/// \file
/// The events that the reader of any program's file emits. A result, a side of a comparison and the
/// cases of a command are views of them. Internal to files/.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/files/file_fields.hpp"

namespace apod::files {

/// More axes or facts than this no table shows.
inline constexpr std::size_t most_columns = 200;

/// The kind of place of a measurement in a file; see docs/formats.md.
enum class Place : std::uint8_t { row, untimed, failed };

/// A number of a row in addition to its time.
struct Number {
  std::string name;                    ///< "items_per_second"
  double value = 0;                    ///< in `unit`
  std::string_view unit = {};          ///< "s", "B/s", "/s"; empty: a count
  std::vector<std::string> also = {};  ///< other names to ask for it by
  bool shown = true;                   ///< in tables

  bool is_time() const { return unit == "s"; }
  bool is_rate() const { return unit.ends_with("/s"); }
};

/// The texts of a row that its measurement does not hold.
struct RowWords {
  double time_s = 0;  ///< of a row of ours whose samples were passed over; else 0
  std::string way;    ///< how another program's time came about: "gpu median"
  std::vector<Number> numbers;
};

/// Every function may throw std::runtime_error, which ends the reading.
class Events {
 public:
  virtual ~Events() = default;

  /// The environment and the known facts of the run.
  virtual void context(Result&& run) = 0;
  virtual void experiment(Experiment&& plan) = 0;
  virtual void listed(CaseEntry&& entry) = 0;
  /// A case may have several: of ours one a process, of another program's file one a repetition.
  virtual void measured(Place place, Measurement&& measurement, const RowWords& words) = 0;
  virtual void expected(ExpectationOutcome&&) {}
  /// On the whole file, or on a case of it.
  virtual void note(const std::string& text, const std::string& case_id) = 0;
  /// All is read, and every case fits the rest.
  virtual void finish() = 0;
};

}  // namespace apod::files
