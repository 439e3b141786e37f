#pragma once

/// \file
/// The facts of a measured case: what `expect` can name.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apod {

/// What a fact is measured in. Values are kept in the unit named here.
enum class Unit : std::uint8_t {
  count,             ///< a number of things: no unit
  ratio,             ///< a share or a factor: 0.8, or 80%
  seconds,           ///< a unit of time must be written
  bytes,             ///< a unit may be written
  bytes_per_second,  ///< a unit must be written
  flop_per_second,   ///< a unit must be written
  megahertz,         ///< a unit must be written
};

struct FactInfo {
  std::string name;
  std::string help;  ///< one line, for `--list`
  Unit unit = Unit::count;
  bool needs_trace = false;     ///< known only with `trace: true`
  bool needs_baseline = false;  ///< known only of cases that are compared with another one
  bool needs_counters = false;  ///< known only with `counters: true`
};

/// Every fact, in the order in which `--list` shows them. A measured case has all of them that its
/// scope and device give.
const std::vector<FactInfo>& known_facts();

/// The fact called `name`; null when there is none.
const FactInfo* find_fact(std::string_view name);

}  // namespace apod
