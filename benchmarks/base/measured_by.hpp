#pragma once

/// \file
/// Which flag of `measure` makes a fact known.

#include <array>
#include <string_view>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/facts.hpp"

namespace apod {

struct MeasuredBy {
  FactNeeds needs;
  std::string_view flag;  ///< its key
  bool MeasureSpec::*is_on;
  std::string_view words;  ///< such a fact is known only ...
};

inline constexpr std::array<MeasuredBy, 3> measured_by{{
    {FactNeeds::trace, "trace", &MeasureSpec::trace, "with a traced pass"},
    {FactNeeds::counters, "counters", &MeasureSpec::counters, "with the device's counters"},
    {FactNeeds::energy, "energy", &MeasureSpec::energy, "where energy is measured"},
}};

}  // namespace apod
