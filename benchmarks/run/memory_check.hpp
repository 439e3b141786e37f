#pragma once

/// \file
/// Cases under compute-sanitizer: each runs once in a process of its own, and fails with what the
/// sanitizer found.

#include <functional>
#include <string>

#include "benchmarks/base/plan.hpp"
#include "kernels/api/types.hpp"

namespace apod::run {

/// What is looked for.
enum class MemoryFault : std::uint8_t {
  memory,  ///< accesses outside of allocations, or misaligned ones (memcheck)
  race,    ///< threads that access shared memory without order (racecheck)
  init,    ///< reads of device memory that nothing has written (initcheck)
};

/// Its path; empty if it is neither on the PATH nor in the CUDA toolkit.
std::string find_sanitizer();

struct CheckedCase {
  std::string failed;   ///< what is wrong, with its place; empty: nothing was found
  bool clean = false;   ///< it ran to its end, and nothing was found
  std::string skipped;  ///< why it was not run
};

/// Calls `checked` for each case, in the order of the plan. Only cases on a GPU of this program's
/// are run. Stops if `cancelled` returns true.
void check_cases(const Plan& plan, MemoryFault fault, const std::string& sanitizer, int device,
                 const std::function<void(const Case&, const CheckedCase&)>& checked,
                 const std::function<bool()>& cancelled);

}  // namespace apod::run

template <>
struct apod::EnumNames<apod::run::MemoryFault> {
  static constexpr std::array<std::string_view, 3> names{"memory", "race", "init"};
};
