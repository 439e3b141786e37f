#pragma once

/// \file
/// The one table of facts: the numbers of a measured case that `expect` can name, tables and files
/// can show and a comparison can explain a change with.

#include <cstdint>
#include <span>
#include <string_view>

#include "benchmarks/base/text/units.hpp"

namespace apod {

using text::Unit;

/// What a case needs to have the fact.
enum class FactNeeds : std::uint8_t {
  nothing,    ///< but a scope and a device that give it
  trace,      ///< `trace: true`
  counters,   ///< `counters: true`
  energy,     ///< `energy: true`
  baseline,   ///< a case to compare it with
  processes,  ///< three or more, as an interval between processes does
  command,    ///< to be one
};

enum class Better : std::uint8_t { neither, less, more };

/// The least change of a fact that is worth a word.
struct LeastChange {
  enum class Kind : std::uint8_t {
    none,      ///< no change is: comparisons pass the fact over
    any,       ///< of numbers that don't vary by themselves
    absolute,  ///< by `least`, in the fact's unit
    relative,  ///< by `least` of the larger value
  };
  Kind kind = Kind::none;
  double least = 0;
};

struct FactInfo {
  std::string_view name;
  std::string_view help;  ///< one line, for `--list`
  Unit unit = Unit::count;
  Better better = Better::neither;
  FactNeeds needs = FactNeeds::nothing;
  std::string_view label = {};  ///< in a sentence: "SM clock 1980 MHz -> 1830 MHz"
  LeastChange matters = {};
  bool has_interval = false;  ///< its ends are facts too, NAME_low and NAME_high
};

/// Every fact, in the order of `--list`. After the results come first the facts that a person may
/// have changed, and last those of the machine: causes are reported in this order too. A measured
/// case has all facts that its scope and device give.
std::span<const FactInfo> known_facts();
/// What to say where a name is neither a fact nor similar to one.
inline constexpr const char* to_see_facts = "to see all facts and findings: bench --list facts";

/// The fact called `name`, or the end of an interval; null if there is none.
const FactInfo* find_fact(std::string_view name);

/// Whether `name` has the form of a metric of NVIDIA's profiler with its roll-up,
/// "smsp__inst_executed.sum". Such facts are in no table: a case has those that its `counters`
/// name.
bool is_metric(std::string_view name);

/// Whether the change is at least the least that matters.
bool matters(const FactInfo& fact, double before, double after);

}  // namespace apod
