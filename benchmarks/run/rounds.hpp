#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/model/plan.hpp"
#include "benchmarks/record/codec.hpp"

namespace apod::run {

struct SessionOptions;

/// One execution of one case.
struct Step {
  std::size_t case_index = 0;
  int process = 0;
  record::Pass pass = record::Pass::measure;
};

/// What one fresh process does.
using Round = std::vector<Step>;

/// Every case once a process, in random order; then what is traced, and what is counted. With
/// --profile: all checks, then what the profiler sees.
std::vector<Round> make_rounds(const Plan& plan, const SessionOptions& options);

/// The number of steps of all rounds: what a progress bar counts.
std::size_t count_steps(const Plan& plan, const SessionOptions& options);

}  // namespace apod::run
