#pragma once

/// \file
/// What the readers of other programs' files share. Internal to files/.

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/files/events.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// A whole number if the text is one.
AxisValue axis_value(const std::string& text);

/// A time, or another number, as a file has it. What stands there and is no number, such as NaN,
/// null or "n/a", is NaN: where it is a time, its case is there and has failed, and says why.
double number_or_nan(const Piece& value);
double text_number_or_nan(std::string_view text);

/// Why a loop's iteration has no time that means anything, as the compiler removed what it did: the
/// library measured 1e9 iterations within 100 us. Empty where the times may be real.
std::string why_too_short(const std::vector<double>& times_s);

/// What is wrong with the row of a case.
class BadRow : public std::runtime_error {
 public:
  BadRow(std::string of, const std::string& what) : std::runtime_error(what), name(std::move(of)) {}
  std::string name;
};

/// What one row of another program's file says about a case.
struct ForeignRow {
  std::string name;
  std::string family{};  ///< the name without its axes; empty: the name holds them
  std::vector<std::pair<std::string, std::string>> params{};  ///< axes and their values
  std::vector<double> times_s{};                              ///< one, or one a repetition
  std::string way{};                                          ///< how the time came about
  std::vector<Number> numbers{};
  std::map<std::string, double> facts{};  ///< those in the table of facts
  std::map<std::string, std::string> kernel_code{};
  std::vector<Finding> findings{};
  std::string failed{};                  ///< why it has no time
  std::optional<std::string> skipped{};  ///< why it was not run
  /// Rows of one name that differ in this are of different cases, which can't be told apart.
  std::string identity{};
};

/// Hands on rows as events.
class ForeignRows {
 public:
  /// `program` wrote the file; `reads` is how a command's output of this kind is read.
  ForeignRows(Events& events, const std::string& file, std::string program, Reads reads);

  Result run;  ///< what the file says about its machine and build; emitted by finish()

  /// Emits the row that `parse` returns, if it does. What it throws costs only this row: a note
  /// says what is wrong, and with which case, or where.
  void row(const std::string& place, const std::function<std::optional<ForeignRow>()>& parse);
  void add(ForeignRow&& row);
  void note(const std::string& text, const std::string& name = "") { events_.note(text, name); }
  void finish();

 private:
  struct Known {
    std::size_t index = 0;
    std::string identity;
  };

  Events& events_;
  Experiment experiment_;
  std::unordered_map<std::string, Known> cases_;
};

}  // namespace apod::files
