#pragma once

/// \file
/// The properties of the machine, the build and the experiment of a run: one table of names, the
/// members behind them, and what a difference means.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace apod {

struct Result;

/// What it means for a comparison that two runs differ in a property.
enum class Differs : std::uint8_t {
  always,    ///< any two runs do: it is not mentioned
  told,      ///< it is mentioned
  decisive,  ///< times can't be compared
};

struct RunProperty {
  std::string_view name;  ///< "gpu"
  Differs differs = Differs::told;
  bool is_cause = true;   ///< a difference may have moved a time
  bool describes = true;  ///< it describes the machine, not how busy it was
  std::string (*text)(const Result& run) = nullptr;  ///< empty: not known
  /// Takes a value from another program's file. Null: its text is kept under the name.
  void (*take)(Result& run, const std::string& text) = nullptr;
};

/// In the order of a report: decisive ones first.
std::span<const RunProperty> run_properties();

/// Null for a name that another program's file made up.
const RunProperty* find_property(std::string_view name);

/// Whether times of runs that differ in it can't be compared.
bool is_decisive(std::string_view name);

/// Names of the properties of the program that measured. If it measured only commands, it is not
/// their program.
std::span<const std::string_view> program_properties();

/// Name -> text of all that is known of a run, made up names of another program's file included.
std::map<std::string, std::string> properties_of(const Result& run);

/// Stores a property from another program's file; an empty text is ignored.
void take_property(Result& run, const std::string& name, const std::string& text);

}  // namespace apod
