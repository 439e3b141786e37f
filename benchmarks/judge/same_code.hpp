#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// What two builds of the same host code have to run.
struct ChangedCases {
  std::vector<std::string> base;  ///< names of the base's cases to run
  std::vector<std::string> new_side;
  std::vector<std::string> identical;  ///< of both, which need not run
  std::vector<std::string> why;        ///< the others run, a line for each reason
};

/// Of a traced run of each build. A case is identical where both sides have the same parameters,
/// the same way of measuring and the same machine code of all kernels. On the host backend, and
/// where no kernel runs, the host's code is all there is.
ChangedCases changed_cases(const Side& base, const Side& new_side);

}  // namespace apod::judge
