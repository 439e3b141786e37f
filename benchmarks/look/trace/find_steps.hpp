#pragma once

/// \file
/// Where on the host the steps of a program begin and end. Internal to trace/.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/base/steps.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// What the host gave to the device from `from_ns` on and before `to_ns` belongs to it.
struct Mark {
  std::string name;  ///< of ranges what find_range finds this one by
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::int64_t own_from_ns =
      0;               ///< where the step's own range begins; before it lies the way to it
  bool judged = true;  ///< false: something that lies between steps now and then
};

struct Marks {
  StepsBy by = StepsBy::nothing;
  std::string name;
  std::vector<Mark> marks;  ///< in order, none within another
  std::vector<std::string> apart;
  std::string within;  ///< of launches: the innermost range around all of them
  bool sure = false;   ///< the user named them, or their name says that they are steps
};

/// An operation and when it was launched; its start where that is not known.
struct Launched {
  const Activity* activity = nullptr;
  std::int64_t at_ns = 0;
  std::uint32_t thread = 0;  ///< that launched it; 0: not known
};

/// The name with each number as "N": "step N" of "step 12". Digits within a word ("float32") stay,
/// unless there are no others.
std::string numbered(const std::string& name);

/// The steps that the operations repeat: NVTX ranges whose names differ by a number alone or not at
/// all and in which most of them were launched, else stretches of launches that begin with the same
/// kernel and launch about the same ones. `wanted`: the steps are the ranges with names like this,
/// where '*' means anything. Throws std::runtime_error where there are none. `launched` in order of
/// at_ns. Without `by_ranges` launches alone tell.
Marks find_steps(const Trace& trace, const std::vector<Launched>& launched,
                 const std::string& wanted, bool by_ranges = true);

}  // namespace apod::trace
